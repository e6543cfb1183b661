"""Nebula as messages: states, moves, events and editions, as proto/nebula_ai/v1/nebula.proto has them.

Messages say what the readable state says, under the same names. Knows no service. Checked here is only what a message
can say and a readable state cannot.
"""

import re
from typing import TYPE_CHECKING

from google.protobuf.message import Message

from nebula_ai.errors import StateError
from nebula_ai.games.nebula.edition import BLACK_HOLE, NebulaEdition
from nebula_ai.games.nebula.notation import GROUPS
from nebula_ai.games.nebula.state import (
    PHASES,
    VARIANTS,
    AdvancedValue,
    Markers,
    NebulaState,
    PersonalTasks,
    Turn,
    Values,
)
from nebula_ai.messages import FIRST, name_of, words, words_or_none
from nebula_ai.readable import check_players, check_seat
from nebula_ai.v1 import nebula_pb2 as pb
from nebula_core.face import State
from nebula_core.nebula.edition import Counter
from nebula_core.nebula.rules import MoveKind, decode

if TYPE_CHECKING:
    from nebula_ai.games.nebula.game import NebulaGame


# States.


def to_message(game: "NebulaGame", state: State) -> pb.NebulaState:
    """A state as its message."""
    readable = game.readable(state)
    message = pb.NebulaState(
        edition=readable.edition,
        edition_hash=readable.edition_hash or "",
        players=readable.players,
        variant=pb.NebulaVariant.ValueType(VARIANTS.index(readable.variant) + FIRST),
        phase=pb.NebulaPhase.ValueType(PHASES.index(readable.phase) + FIRST),
        seat=readable.seat,
        round=readable.round,
        bag=readable.bag,
        removed=readable.removed,
        clusters=[pb.NebulaCluster(spaces=words(cluster)) for cluster in readable.clusters],
        figures=readable.figures,
        supernova=readable.supernova or "",
        observatory=[pb.NebulaObservatory(pieces=pieces) for pieces in readable.observatory],
        galaxy=[pb.NebulaGalaxy(spaces=words(galaxy)) for galaxy in readable.galaxy],
        holes=readable.holes,
        indicator=readable.indicator,
        markers=[pb.NebulaMarkers(task=markers.task, seats=markers.seats) for markers in readable.markers],
        personal=[
            pb.NebulaPersonal(dealt=tasks.dealt or (), kept=tasks.kept or "", returned=tasks.returned or ())
            for tasks in readable.personal
        ],
        turn=pb.NebulaTurn(
            took_supernova=readable.turn.took_supernova, placed=readable.turn.placed, drawn=readable.turn.drawn
        ),
    )
    if readable.values is not None:
        message.values.CopyFrom(
            pb.NebulaValues(
                color=readable.values.color,
                constellation=readable.values.constellation,
                advanced=[
                    pb.NebulaAdvancedValue(card=value.card, index=value.index) for value in readable.values.advanced
                ],
            )
        )
    return message


def from_message(game: "NebulaGame", message: Message) -> State:
    """The state of a message, after all checks. Raises StateError with the path in the message."""
    if not isinstance(message, pb.NebulaState):
        raise StateError("state", f"must be a NebulaState, not a {message.DESCRIPTOR.name}")
    if not message.players:
        raise StateError("players", "is missing")
    check_players(game.content.players, message.players)
    check_seat(message.players, message.seat)
    readable = NebulaState(
        game=game.name,
        edition=message.edition or game.edition,
        edition_hash=message.edition_hash or None,
        players=message.players,
        variant=name_of(message.variant, VARIANTS, "variant"),
        phase=name_of(message.phase, PHASES, "phase"),
        seat=message.seat,
        round=message.round,
        bag=dict(message.bag),
        removed=dict(message.removed),
        clusters=tuple(words_or_none(cluster.spaces) for cluster in message.clusters),
        figures=tuple(message.figures),
        supernova=message.supernova or None,
        observatory=tuple(dict(observatory.pieces) for observatory in message.observatory),
        galaxy=tuple(words_or_none(galaxy.spaces) for galaxy in message.galaxy),
        holes=tuple(message.holes),
        indicator=message.indicator,
        markers=tuple(Markers(markers.task, tuple(markers.seats)) for markers in message.markers),
        values=read_values(message.values) if message.HasField("values") else None,
        personal=tuple(read_personal(tasks) for tasks in message.personal),
        turn=Turn(message.turn.took_supernova, tuple(message.turn.placed), dict(message.turn.drawn)),
    )
    try:
        return game.from_readable(readable)
    except StateError as error:
        raise StateError(message_path(error.field), error.reason) from None


def read_values(message: pb.NebulaValues) -> Values:
    """The value markers of a message."""
    advanced = tuple(AdvancedValue(value.card, value.index) for value in message.advanced)
    return Values(dict(message.color), dict(message.constellation), advanced)


def read_personal(message: pb.NebulaPersonal) -> PersonalTasks:
    """A seat's personal tasks of a message, which cannot tell an empty list from none."""
    if not message.kept and not message.returned:
        return PersonalTasks(dealt=tuple(message.dealt))
    return PersonalTasks(
        dealt=tuple(message.dealt) or None, kept=message.kept or None, returned=tuple(message.returned)
    )


def message_path(path: str) -> str:
    """Where in the message a field of the readable state is: in lists of lists or maps a message stands in between."""
    path = re.sub(r"^(clusters|galaxy)(\[\d+\])(?=\[|$)", r"\1\2.spaces", path)
    return re.sub(r"^(observatory\[\d+\])(?=\.|$)", r"\1.pieces", path)


# Moves.


def move_message(game: "NebulaGame", state: State, move: int) -> pb.NebulaMove:
    """The parts of a move. Raises MoveError for a number that is no move."""
    kind, _ = decode(move)
    # The text has the parts already, each a word.
    parts = game.notation.format_move(move).split()[1:]
    match kind:
        case MoveKind.CHOOSE:
            return pb.NebulaMove(choose=pb.NebulaChoose(personal_task=parts[0]))
        case MoveKind.INVEST:
            return pb.NebulaMove(invest=pb.NebulaInvest(steps=map(int, parts)))
        case MoveKind.CHAOS:
            return pb.NebulaMove(chaos=pb.NebulaChaos(piece=parts[0]))
        case MoveKind.TAKE:
            return pb.NebulaMove(take=pb.NebulaTake(clusters=map(int, parts)))
        case MoveKind.KEEP:
            return pb.NebulaMove(keep=pb.NebulaKeep(pieces=parts))
        case MoveKind.PLACE if parts[0] == BLACK_HOLE:
            return pb.NebulaMove(place=pb.NebulaPlace(piece=BLACK_HOLE))
        case MoveKind.PLACE:
            return pb.NebulaMove(place=pb.NebulaPlace(piece=parts[0], space=int(parts[1])))
        case MoveKind.ADVANCE:
            return pb.NebulaMove(advance=advance_message(*parts))
        case MoveKind.DECLINE:
            return pb.NebulaMove(decline=pb.NebulaDecline())
        case _:
            return pb.NebulaMove(stop=pb.NebulaStop())


def advance_message(group: str, name: str) -> pb.NebulaAdvance:
    """Which value marker advances; `group` is a word of GROUPS."""
    color, constellation, _ = GROUPS
    if group == color:
        return pb.NebulaAdvance(color=name)
    if group == constellation:
        return pb.NebulaAdvance(constellation=name)
    return pb.NebulaAdvance(advanced_card=name)


# Events.


def event_messages(game: "NebulaGame", before: State, after: State) -> list[pb.NebulaEvent]:
    """The markers that a move put on public tasks. `after` is the state right after the move."""
    tasks = game.content.core.public_tasks
    old, new = game.rules.fields(before), game.rules.fields(after)
    events = []
    for card, old_seats, seats in zip(new["public"], old["markers"], new["markers"], strict=True):
        for place in range(len(old_seats), len(seats)):
            marker = pb.NebulaMarkerPlaced(
                seat=seats[place],
                task=game.content.public_tasks[card].id,
                points=tasks[card].later if place else tasks[card].first,
            )
            events.append(pb.NebulaEvent(marker_placed=marker))
    return events


# Editions.


def edition_message(game: "NebulaGame") -> pb.NebulaEdition:
    """Boards, cards and numbers of an edition."""
    content = game.content
    core = content.core
    return pb.NebulaEdition(
        colors=content.colors,
        stars_per_color=core.stars_per_color,
        by_players=[
            pb.NebulaPlayersNumbers(
                players=players,
                black_holes=core.black_holes[players - 2],
                indicator_end=core.indicator_end[players - 2],
                markers_end=core.markers_end[players - 2],
            )
            for players in content.players
        ],
        clusters=core.clusters,
        cluster_spaces=core.cluster_spaces,
        steps=core.steps,
        chaos_draw=core.draw,
        chaos_keep=core.keep,
        observatory_pieces=core.observatory_pieces[: core.max_players],
        personal_dealt=core.personal_dealt,
        public_in_play=core.public_in_play,
        advanced_in_play=core.advanced_in_play,
        placements=core.stars_placed,
        placements_with_supernova=core.stars_placed_with_supernova,
        first_star_spaces=elements(core.first_star_spaces),
        track_points=core.track_points,
        color_values=core.color_values,
        constellation_values=core.constellation_values,
        advanced_values=core.advanced_values,
        constellations_end=core.constellations_end,
        constellations=[
            pb.NebulaConstellation(name=name, points=points)
            for name, points in zip(content.constellations, core.constellation_points, strict=True)
        ],
        spaces=[
            pb.NebulaSpace(
                orbit=space.orbit, angle=space.angle, constellation=content.constellations[space.constellation]
            )
            for space in content.spaces
        ],
        links=[
            pb.NebulaLink(low_space=low, high_space=high, kind=pb.NebulaLinkKind.ValueType(kind + FIRST))
            for low, high, kind in core.links
        ],
        public_tasks=[
            pb.NebulaPublicTask(
                id=card.id,
                description=card.text,
                counter=counter_message(content, task.counter),
                at_least=task.at_least,
                first_points=task.first,
                later_points=task.later,
            )
            for card, task in zip(content.public_tasks, core.public_tasks, strict=True)
        ],
        personal_tasks=[
            pb.NebulaPersonalTask(
                id=card.id,
                description=card.text,
                counter=counter_message(content, task.counter),
                tiers=[pb.NebulaTier(count=count, points=points) for count, points in task.tiers],
            )
            for card, task in zip(content.personal_tasks, core.personal_tasks, strict=True)
        ],
        advanced_cards=[
            pb.NebulaAdvancedCard(id=card.id, description=card.text, counter=counter_message(content, counter))
            for card, counter in zip(content.advanced_cards, core.advanced_cards, strict=True)
        ],
    )


def counter_message(content: NebulaEdition, counter: Counter) -> pb.NebulaCounter:
    """What a card counts."""
    return pb.NebulaCounter(
        kind=pb.NebulaCounterKind.ValueType(counter.kind + FIRST),
        spaces=elements(counter.spaces),
        color="" if counter.color is None else content.colors[counter.color],
        other_colors=[content.colors[color] for color in counter.others],
        direct_only=counter.direct_only,
        colors=counter.number,
    )


def elements(bit_set: int) -> list[int]:
    """The elements of a bit set, ascending."""
    return [element for element in range(bit_set.bit_length()) if bit_set >> element & 1]
