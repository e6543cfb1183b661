"""Via Nebula as messages: states, moves, events and editions, as proto/nebula_ai/v1/via_nebula.proto has them.

Messages say what the readable state says, under the same names and paths. Knows no service. Checked here is only what a
message can say and a readable state cannot.
"""

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from google.protobuf.message import Message

from nebula_ai.errors import StateError
from nebula_ai.games.via_nebula.edition import EFFECTS, ViaNebulaEdition, effect_text, map_rows
from nebula_ai.games.via_nebula.state import PHASES, Exploitation, Seat, Site, Turn, ViaNebulaState
from nebula_ai.messages import FIRST, name_of, words, words_or_none
from nebula_ai.readable import count_map
from nebula_ai.v1 import via_nebula_pb2 as pb
from nebula_core.face import State
from nebula_core.via_nebula.edition import Contract, EffectKind
from nebula_core.via_nebula.rules import MoveKind, decode

if TYPE_CHECKING:
    from nebula_ai.games.via_nebula.game import ViaNebulaGame

ROW_DISTANCE = sqrt(3) / 2
"""Between the centres of two rows of hexes, where those of two neighbours are at a distance of 1."""


# States.


def to_message(game: "ViaNebulaGame", state: State) -> pb.ViaNebulaState:
    """A state as its message."""
    readable = game.readable(state)
    turn = readable.turn
    return pb.ViaNebulaState(
        edition=readable.edition,
        edition_hash=readable.edition_hash or "",
        players=readable.players,
        map=readable.map,
        phase=pb.ViaNebulaPhase.ValueType(PHASES.index(readable.phase) + FIRST),
        seat=readable.seat,
        turn=pb.ViaNebulaTurn(
            action_points=turn.action_points,
            acted=turn.acted,
            effect=pb.ViaNebulaEffectKind.ValueType(EFFECTS.index(turn.effect) + FIRST if turn.effect else 0),
            parts=turn.parts,
        ),
        idle=readable.idle,
        end_card=readable.end_card,
        boxed=readable.boxed,
        tokens=readable.tokens,
        exploitations={
            name: pb.ViaNebulaExploitation(owner=here.owner, resource=here.resource, count=here.count)
            for name, here in readable.exploitations.items()
        },
        empty=readable.empty,
        reserve=readable.reserve,
        stock=readable.stock,
        open=words(readable.open),
        seats=[seat_message(seat) for seat in readable.seats],
    )


def seat_message(seat: Seat) -> pb.ViaNebulaSeat:
    """What belongs to a seat."""
    return pb.ViaNebulaSeat(
        sites=[
            pb.ViaNebulaSite() if site is None else pb.ViaNebulaSite(hex=site.hex, resources=site.resources)
            for site in seat.sites
        ],
        buildings=seat.buildings,
        stacks=seat.stacks,
        craftsmen=seat.craftsmen,
        storehouse=seat.storehouse,
        taken=seat.taken,
        hand=seat.hand,
        done=seat.done,
    )


def from_message(game: "ViaNebulaGame", message: Message) -> State:
    """The state of a message, after all checks. Raises StateError with the path in the message."""
    if not isinstance(message, pb.ViaNebulaState):
        raise StateError("state", f"must be a ViaNebulaState, not a {message.DESCRIPTOR.name}")
    return game.from_readable(
        ViaNebulaState(
            game=game.name,
            edition=message.edition or game.edition,
            edition_hash=message.edition_hash or None,
            players=message.players,
            map=message.map,
            phase=name_of(message.phase, PHASES, "phase"),
            seat=message.seat,
            turn=Turn(
                message.turn.action_points,
                message.turn.acted,
                name_of(message.turn.effect, EFFECTS, "turn.effect") if message.turn.effect else None,
                message.turn.parts,
            ),
            idle=message.idle,
            end_card=message.end_card if message.HasField("end_card") else None,
            boxed=tuple(message.boxed),
            tokens=dict(message.tokens),
            exploitations={
                name: Exploitation(here.owner if here.HasField("owner") else None, here.resource, here.count)
                for name, here in message.exploitations.items()
            },
            empty=tuple(message.empty),
            reserve=dict(message.reserve),
            stock=message.stock,
            open=words_or_none(message.open),
            seats=tuple(read_seat(seat, f"seats[{i}]") for i, seat in enumerate(message.seats)),
        )
    )


def read_seat(message: pb.ViaNebulaSeat, path: str) -> Seat:
    """What belongs to a seat."""
    return Seat(
        sites=tuple(read_site(site, f"{path}.sites[{i}]") for i, site in enumerate(message.sites)),
        buildings=tuple(message.buildings),
        stacks=tuple(message.stacks),
        craftsmen=message.craftsmen,
        storehouse=dict(message.storehouse),
        taken=tuple(message.taken),
        hand=tuple(message.hand),
        done=tuple(message.done),
    )


def read_site(message: pb.ViaNebulaSite, path: str) -> Site | None:
    """A site; None at home, where nothing may lie on it."""
    if message.hex:
        return Site(message.hex, dict(message.resources))
    if any(message.resources.values()):
        raise StateError(f"{path}.hex", "is missing, and there are resources on the site")
    return None


# Moves.


def move_message(game: "ViaNebulaGame", state: State, move: int) -> pb.ViaNebulaMove:
    """The parts of a move. Raises MoveError for a number that is no move."""
    kind, _ = decode(move)
    # The text has the parts already, each a word.
    parts = game.notation.format_move(state, move).split()[1:]
    match kind:
        case MoveKind.CRAFTSMAN:
            return pb.ViaNebulaMove(craftsman=pb.ViaNebulaPlaceCraftsman(hex=parts[0]))
        case MoveKind.SITE:
            return pb.ViaNebulaMove(site=pb.ViaNebulaPlaceSite(hex=parts[0]))
        case MoveKind.EXPLORE:
            return pb.ViaNebulaMove(explore=pb.ViaNebulaExplore(hex=parts[0]))
        case MoveKind.TRANSPORT:
            return pb.ViaNebulaMove(transport=pb.ViaNebulaTransport(hex=parts[0], site=int(parts[1])))
        case MoveKind.BUILD:
            return pb.ViaNebulaMove(build=pb.ViaNebulaBuild(site=int(parts[0]), contract=parts[1]))
        case MoveKind.SUPPLY:
            return pb.ViaNebulaMove(supply=pb.ViaNebulaSupply(resource=parts[0], site=int(parts[1])))
        case MoveKind.SWAP:
            return pb.ViaNebulaMove(swap=pb.ViaNebulaSwap(site=int(parts[0]), leaves=parts[1], comes=parts[2]))
        case MoveKind.CLEAR:
            return pb.ViaNebulaMove(clear=pb.ViaNebulaExplore(hex=parts[0]))
        case MoveKind.DELIVER:
            return pb.ViaNebulaMove(deliver=pb.ViaNebulaTransport(hex=parts[0], site=int(parts[1])))
        case MoveKind.RECALL:
            return pb.ViaNebulaMove(recall=pb.ViaNebulaRecall(hex=parts[0]))
        case MoveKind.DECLINE:
            return pb.ViaNebulaMove(decline=pb.ViaNebulaDecline())
        case _:
            return pb.ViaNebulaMove(end_turn=pb.ViaNebulaEndTurn())


# Events.


def event_messages(game: "ViaNebulaGame", before: State, after: State) -> list[pb.ViaNebulaEvent]:
    """What a move brought besides what it says itself. `after` is the state right after the move."""
    old, new = game.readable(before), game.readable(after)
    core = game.content.core
    events = []
    for seat, (was, is_now) in enumerate(zip(old.seats, new.seats, strict=True)):
        for contract in sorted(set(is_now.done) - set(was.done)):
            events.append(pb.ViaNebulaEvent(contract_done=contract_done(game, seat, contract, was, is_now)))
        for had, has in zip(was.stacks, is_now.stacks, strict=True):
            if had and not has:
                emptied = pb.ViaNebulaStackEmptied(seat=seat, points=core.emptied_stack_points)
                events.append(pb.ViaNebulaEvent(stack_emptied=emptied))
    for name in new.empty:
        # A craftsman may come home at once, from a token that yields nothing.
        if name in old.exploitations or name in old.tokens:
            owner = old.exploitations[name].owner if name in old.exploitations else old.seat
            here = pb.ViaNebulaExploitationEmptied(hex=name, owner=owner)
            events.append(pb.ViaNebulaEvent(exploitation_emptied=here))
    if new.end_card is not None and old.end_card is None:
        end_card = pb.ViaNebulaEndCardTaken(seat=new.end_card, points=core.end_card_points)
        events.append(pb.ViaNebulaEvent(end_card_taken=end_card))
    return events


def contract_done(game: "ViaNebulaGame", seat: int, contract: str, was: Seat, is_now: Seat) -> pb.ViaNebulaContractDone:
    """A contract that a seat has just done, on the site that it has no more."""
    card = contract_of(game.content, contract)
    cost = count_map(game.content.resources, card.cost)
    (site,) = (here for here, still in zip(was.sites, is_now.sites, strict=True) if here is not None and still is None)
    stored = {resource: count - cost.get(resource, 0) for resource, count in site.resources.items()}
    return pb.ViaNebulaContractDone(
        seat=seat,
        contract=contract,
        points=card.points,
        stored={resource: count for resource, count in stored.items() if count},
    )


def contract_of(content: ViaNebulaEdition, name: str) -> Contract:
    """A contract by its name."""
    return (*content.core.neutral_contracts, *content.core.private_contracts)[content.contracts.index(name)]


# Editions.


def edition_message(game: "ViaNebulaGame") -> pb.ViaNebulaEdition:
    """Maps, contracts and numbers of an edition."""
    content = game.content
    core = content.core
    neutral = len(core.neutral_contracts)
    kinds = [(kind, False) for kind in core.regular_tokens] + [(kind, True) for kind in core.special_tokens]
    return pb.ViaNebulaEdition(
        resources=content.resources,
        reserve_per_resource=core.reserve_per_resource,
        by_players=[
            pb.ViaNebulaPlayersNumbers(
                players=players,
                craftsmen=core.craftsmen[players - 2],
                sites=core.sites[players - 2],
                buildings=core.buildings[players - 2],
                ruin_capacity=core.ruin_capacity[players - 2],
                meadow_stacks=core.meadow_stacks[players - 2],
                meadow_stack_size=core.meadow_stack_size[players - 2],
                meadow_reserve=core.meadow_reserve[players - 2],
                fewer_resources=core.fewer_resources[players - 2],
            )
            for players in content.players
        ],
        action_points=core.action_points,
        costs=pb.ViaNebulaCosts(
            craftsman=core.craftsman_cost,
            site=core.site_cost,
            explore_mist=core.explore_mist_cost,
            explore_forest=core.explore_forest_cost,
            transport=core.transport_cost,
            build=core.build_cost,
        ),
        private_dealt=core.private_dealt,
        open_contracts=core.open_contracts,
        special_removed=core.special_removed,
        emptied_stack_points=core.emptied_stack_points,
        end_card_points=core.end_card_points,
        storehouse_points=core.storehouse_points,
        tokens=[
            pb.ViaNebulaToken(
                token=name,
                resource=content.resources[kind.resource],
                count=kind.count,
                points=kind.points,
                special=special,
                copies=kind.copies,
            )
            for name, (kind, special) in zip(content.tokens, kinds, strict=True)
        ],
        maps=[map_message(content, number) for number in range(len(content.maps))],
        neutral_contracts=contract_messages(content, content.contracts[:neutral], core.neutral_contracts),
        private_contracts=contract_messages(content, content.contracts[neutral:], core.private_contracts),
    )


def map_message(content: ViaNebulaEdition, number: int) -> pb.ViaNebulaMap:
    """A map with its hexes, and where to draw them."""
    names = content.maps[number]
    here = content.core.maps[number]
    places = [(row, column) for row, length in enumerate(here.rows) for column in range(length)]
    return pb.ViaNebulaMap(
        map=names.name,
        rows=map_rows(here),
        hexes=[
            pb.ViaNebulaHex(
                hex=name,
                row=row,
                column=column,
                x=column + row % 2 / 2,
                y=row * ROW_DISTANCE,
                terrain=pb.ViaNebulaTerrain.ValueType(terrain + FIRST),
            )
            for name, (row, column), terrain in zip(names.hexes, places, here.terrain, strict=True)
        ],
    )


def contract_messages(
    content: ViaNebulaEdition, names: Sequence[str], contracts: Sequence[Contract]
) -> list[pb.ViaNebulaContract]:
    """The contracts of a deck."""
    return [
        pb.ViaNebulaContract(
            id=name,
            cost=count_map(content.resources, contract.cost),
            points=contract.points,
            effect=effect_message(contract),
            description=effect_text(contract),
        )
        for name, contract in zip(names, contracts, strict=True)
    ]


def effect_message(contract: Contract) -> pb.ViaNebulaEffect | None:
    """The effect of a contract; None if it has none."""
    if contract.effect == EffectKind.NONE:
        return None
    effect = pb.ViaNebulaEffect(kind=pb.ViaNebulaEffectKind.ValueType(contract.effect), count=contract.parts)
    if contract.effect == EffectKind.SCORE:
        effect.per = pb.ViaNebulaScorePer.ValueType(contract.per + FIRST)
    return effect
