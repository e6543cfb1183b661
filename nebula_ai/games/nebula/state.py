"""The readable state of Nebula: names instead of numbers, without loss. Its JSON form is in docs/rules-nebula.md.

Two steps each way: between JSON values and `NebulaState` (types), and between `NebulaState` and the core's state
(names, then every invariant). Messages take the second step only. Whatever is wrong on the way in is a StateError with
the path in the readable state.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nebula_ai.checked import Value, top_table
from nebula_ai.errors import StateError
from nebula_ai.game import UNKNOWN
from nebula_ai.games.nebula.edition import Card, NebulaEdition
from nebula_ai.readable import (
    at_most,
    check_identity,
    check_seat,
    count_map,
    counts,
    filled,
    index_of,
    indices,
    name_or_none,
    number,
    numbers,
    numbers_by_name,
    parts_of_path,
    sized,
    texts,
    texts_or_nulls,
)
from nebula_core.face import State
from nebula_core.nebula.rules import NOTHING, NebulaRules, Phase
from nebula_core.nebula.rules import UNKNOWN as UNKNOWN_CARD

if TYPE_CHECKING:
    from nebula_core.nebula.rules import Fields

VARIANTS = ("full", "basic")
"""The first is the default."""

PHASES = tuple(phase.name.lower() for phase in Phase)

PathOf = Callable[[NebulaEdition, "Fields", list[int]], str]
"""From the numbers after a field's name to the path in the readable state."""


@dataclass(frozen=True, slots=True)
class Markers:
    """A public task in play, and the seats whose markers it bears, in their order."""

    task: str
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AdvancedValue:
    """An advanced card in play, and the index of its value marker."""

    card: str
    index: int


@dataclass(frozen=True, slots=True)
class Values:
    """The value markers of the full game: by name their indices on their scales."""

    color: dict[str, int]
    constellation: dict[str, int]
    advanced: tuple[AdvancedValue, ...]  # in the order in which the cards came up


@dataclass(frozen=True, slots=True)
class PersonalTasks:
    """A seat's personal tasks, each a card or ``unknown``. What does not apply is None."""

    dealt: tuple[str, ...] | None = None  # until the seat has chosen: what it was dealt so far
    kept: str | None = None  # after that
    returned: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What the turn under way has brought so far."""

    took_supernova: bool  # whether a piece taken has the supernova's colour
    placed: tuple[str, ...]  # pieces
    drawn: dict[str, int]  # by chaos, until some of them are kept: piece to count


@dataclass(frozen=True, slots=True)
class NebulaState:
    """A whole state. Pieces are colours or ``black_hole``; what is missing in a map from pieces to counts is 0.

    `clusters` and `figures` go by cluster; `observatory`, `galaxy`, `holes` and `personal` by seat.
    """

    game: str
    edition: str
    edition_hash: str | None  # 16 hexadecimal digits; may be None on the way in
    players: int
    variant: str
    phase: str
    seat: int
    round: int
    bag: dict[str, int]
    removed: dict[str, int]
    clusters: tuple[tuple[str | None, ...], ...]
    figures: tuple[int, ...]
    supernova: str | None
    observatory: tuple[dict[str, int], ...]
    galaxy: tuple[tuple[str | None, ...], ...]
    holes: tuple[int, ...]
    indicator: int
    markers: tuple[Markers, ...]
    values: Values | None  # None in the basic variant
    personal: tuple[PersonalTasks, ...]
    turn: Turn


KEYS = tuple(field for field in NebulaState.__dataclass_fields__ if field != "edition_hash")


# JSON.


def to_json(state: NebulaState) -> dict[str, Any]:
    """The JSON object of a readable state."""
    return {
        "game": state.game,
        "edition": state.edition,
        "edition_hash": state.edition_hash,
        "players": state.players,
        "variant": state.variant,
        "phase": state.phase,
        "seat": state.seat,
        "round": state.round,
        "bag": dict(state.bag),
        "removed": dict(state.removed),
        "clusters": [list(cluster) for cluster in state.clusters],
        "figures": list(state.figures),
        "supernova": state.supernova,
        "observatory": [dict(counts) for counts in state.observatory],
        "galaxy": [list(galaxy) for galaxy in state.galaxy],
        "holes": list(state.holes),
        "indicator": state.indicator,
        "markers": [{"task": markers.task, "seats": list(markers.seats)} for markers in state.markers],
        "values": None if state.values is None else values_to_json(state.values),
        "personal": [personal_to_json(tasks) for tasks in state.personal],
        "turn": {
            "took_supernova": state.turn.took_supernova,
            "placed": list(state.turn.placed),
            "drawn": dict(state.turn.drawn),
        },
    }


def values_to_json(values: Values) -> dict[str, Any]:
    """The JSON object of the value markers."""
    return {
        "color": dict(values.color),
        "constellation": dict(values.constellation),
        "advanced": [{"card": value.card, "index": value.index} for value in values.advanced],
    }


def personal_to_json(tasks: PersonalTasks) -> dict[str, Any]:
    """The JSON object of a seat's personal tasks."""
    if tasks.dealt is not None:
        return {"dealt": list(tasks.dealt)}
    return {"kept": tasks.kept, "returned": list(tasks.returned or ())}


def from_json(content: object) -> NebulaState:
    """The readable state of a JSON object; only the types are checked, and that no key is missing or unknown.

    Raises StateError.
    """
    top = top_table(content, StateError, "state", KEYS, ("edition_hash",))
    turn = top["turn"].table(("took_supernova", "placed", "drawn"))
    return NebulaState(
        game=top["game"].text(),
        edition=top["edition"].text(),
        edition_hash=top["edition_hash"].text() if "edition_hash" in top else None,
        players=number(top["players"]),
        variant=top["variant"].text(),
        phase=top["phase"].text(),
        seat=number(top["seat"]),
        round=number(top["round"]),
        bag=numbers_by_name(top["bag"]),
        removed=numbers_by_name(top["removed"]),
        clusters=tuple(texts_or_nulls(value) for value in top["clusters"].list()),
        figures=numbers(top["figures"]),
        supernova=top["supernova"].text_or_null(),
        observatory=tuple(numbers_by_name(value) for value in top["observatory"].list()),
        galaxy=tuple(texts_or_nulls(value) for value in top["galaxy"].list()),
        holes=numbers(top["holes"]),
        indicator=number(top["indicator"]),
        markers=tuple(markers_from_json(value) for value in top["markers"].list()),
        values=None if top["values"].raw is None else values_from_json(top["values"]),
        personal=tuple(personal_from_json(value) for value in top["personal"].list()),
        turn=Turn(turn["took_supernova"].flag(), texts(turn["placed"]), numbers_by_name(turn["drawn"])),
    )


def markers_from_json(value: Value) -> Markers:
    """A public task with its markers."""
    row = value.table(("task", "seats"))
    return Markers(row["task"].text(), numbers(row["seats"]))


def values_from_json(value: Value) -> Values:
    """The value markers."""
    row = value.table(("color", "constellation", "advanced"))
    cards = [element.table(("card", "index")) for element in row["advanced"].list()]
    return Values(
        numbers_by_name(row["color"]),
        numbers_by_name(row["constellation"]),
        tuple(AdvancedValue(card["card"].text(), number(card["index"])) for card in cards),
    )


def personal_from_json(value: Value) -> PersonalTasks:
    """A seat's personal tasks."""
    row = value.table((), ("dealt", "kept", "returned"))
    return PersonalTasks(
        dealt=texts(row["dealt"]) if "dealt" in row else None,
        kept=row["kept"].text() if "kept" in row else None,
        returned=texts(row["returned"]) if "returned" in row else None,
    )


# The core's state.


def readable(edition: NebulaEdition, rules: NebulaRules, state: State) -> NebulaState:
    """The readable form of a state of these rules."""
    fields = rules.fields(state)
    names = edition.pieces
    return NebulaState(
        game=rules.name,
        edition=rules.edition,
        edition_hash=rules.edition_hash.hex(),
        players=fields["players"],
        variant="full" if fields["full"] else "basic",
        phase=PHASES[fields["phase"]],
        seat=fields["seat"],
        round=fields["round"],
        bag=count_map(names, fields["bag"]),
        removed=count_map(names, fields["removed"]),
        clusters=tuple(tuple(name_or_none(names, piece) for piece in cluster) for cluster in fields["clusters"]),
        figures=tuple(fields["figures"]),
        supernova=name_or_none(names, fields["supernova"]),
        observatory=tuple(count_map(names, counts) for counts in fields["observatory"]),
        galaxy=tuple(tuple(name_or_none(names, star) for star in galaxy) for galaxy in fields["galaxy"]),
        holes=tuple(fields["holes"]),
        indicator=fields["indicator"],
        markers=tuple(
            Markers(edition.public_tasks[card].id, tuple(seats))
            for card, seats in zip(fields["public"], fields["markers"], strict=True)
            if card != NOTHING
        ),
        values=readable_values(edition, fields) if fields["full"] else None,
        personal=tuple(readable_personal(edition, fields, seat) for seat in range(fields["players"])),
        turn=Turn(
            fields["took_supernova"],
            tuple(names[piece] for piece in fields["placed"]),
            count_map(names, fields["drawn"]),
        ),
    )


def readable_values(edition: NebulaEdition, fields: "Fields") -> Values:
    """The value markers of a state of the full game."""
    return Values(
        dict(zip(edition.colors, fields["color_values"], strict=True)),
        dict(zip(edition.constellations, fields["constellation_values"], strict=True)),
        tuple(
            AdvancedValue(edition.advanced_cards[card].id, index)
            for card, index in zip(fields["advanced"], fields["advanced_values"], strict=True)
            if card != NOTHING
        ),
    )


def readable_personal(edition: NebulaEdition, fields: "Fields", seat: int) -> PersonalTasks:
    """A seat's personal tasks."""
    cards = tuple(
        UNKNOWN if card == UNKNOWN_CARD else edition.personal_tasks[card].id
        for card in fields["personal"][seat]
        if card != NOTHING
    )
    if has_chosen(Phase(fields["phase"]), fields["seat"], seat):
        return PersonalTasks(kept=cards[0], returned=cards[1:])
    return PersonalTasks(dealt=cards)


def has_chosen(phase: Phase, seat_in_turn: int, seat: int) -> bool:
    """Whether a seat has chosen among its personal tasks."""
    return phase > Phase.CHOOSE or (phase == Phase.CHOOSE and seat < seat_in_turn)


def core_state(edition: NebulaEdition, rules: NebulaRules, state: NebulaState) -> State:
    """The state of a readable one, after all checks. Raises StateError with the path in the readable state."""
    fields = to_fields(edition, rules, state)
    try:
        return rules.from_fields(fields)
    except StateError as error:
        raise StateError(readable_path(edition, fields, error.field), error.reason) from None


def to_fields(edition: NebulaEdition, rules: NebulaRules, state: NebulaState) -> "Fields":
    """The fields of a readable state: every name known, every list as long as it must be. Raises StateError."""
    check_identity(
        rules,
        edition.players,
        game=state.game,
        edition=state.edition,
        edition_hash=state.edition_hash,
        players=state.players,
    )
    check_seat(state.players, state.seat)
    core = edition.core
    full = index_of(state.variant, VARIANTS, "variant") == 0
    phase = Phase(index_of(state.phase, PHASES, "phase"))
    if full and state.values is None:
        raise StateError("values", "must not be null in the full variant")
    if not full and state.values is not None:
        raise StateError("values", "must be null in the basic variant")
    for field, rows in (("observatory", state.observatory), ("galaxy", state.galaxy), ("personal", state.personal)):
        sized(rows, state.players, field)
    public = [
        index_of(markers.task, ids(edition.public_tasks), f"markers[{i}].task")
        for i, markers in enumerate(at_most(state.markers, core.public_in_play, "markers"))
    ]
    marked = [
        list(at_most(markers.seats, state.players, f"markers[{i}].seats")) for i, markers in enumerate(state.markers)
    ]
    values = state.values or Values({}, {}, ())
    advanced_places = core.advanced_in_play if full else 0
    advanced = [
        index_of(value.card, ids(edition.advanced_cards), f"values.advanced[{i}].card")
        for i, value in enumerate(at_most(values.advanced, advanced_places, "values.advanced"))
    ]
    placed = at_most(state.turn.placed, len(edition.pieces), "turn.placed")
    return {
        "players": state.players,
        "full": full,
        "phase": phase,
        "seat": state.seat,
        "round": state.round,
        "bag": counts(state.bag, edition.pieces, "bag"),
        "removed": counts(state.removed, edition.pieces, "removed"),
        "clusters": [
            indices(sized(cluster, core.cluster_spaces, f"clusters[{i}]"), edition.pieces, f"clusters[{i}]")
            for i, cluster in enumerate(sized(state.clusters, core.clusters, "clusters"))
        ],
        "figures": list(sized(state.figures, core.clusters, "figures")),
        "supernova": NOTHING if state.supernova is None else index_of(state.supernova, edition.colors, "supernova"),
        "observatory": [
            counts(row, edition.pieces, f"observatory[{seat}]") for seat, row in enumerate(state.observatory)
        ],
        "galaxy": [
            indices(sized(galaxy, core.spaces, f"galaxy[{seat}]"), edition.colors, f"galaxy[{seat}]")
            for seat, galaxy in enumerate(state.galaxy)
        ],
        "holes": list(sized(state.holes, state.players, "holes")),
        "indicator": state.indicator,
        "public": filled(public, core.public_in_play, NOTHING),
        "markers": filled(marked, core.public_in_play, []),
        "advanced": filled(advanced, advanced_places, NOTHING),
        "color_values": counts(values.color, edition.colors, "values.color") if full else [],
        "constellation_values": counts(values.constellation, edition.constellations, "values.constellation")
        if full
        else [],
        "advanced_values": filled([value.index for value in values.advanced], advanced_places, 0),
        "personal": [
            personal_cards(edition, tasks, has_chosen(phase, state.seat, seat), f"personal[{seat}]")
            for seat, tasks in enumerate(state.personal)
        ],
        "took_supernova": state.turn.took_supernova,
        "placed": sorted(indices(placed, edition.pieces, "turn.placed")),
        "drawn": counts(state.turn.drawn, edition.pieces, "turn.drawn"),
    }


def ids(cards: Sequence[Card]) -> list[str]:
    """The names of cards."""
    return [card.id for card in cards]


def personal_cards(edition: NebulaEdition, tasks: PersonalTasks, chosen: bool, path: str) -> list[int]:
    """A seat's cards: the kept one first, once it has chosen."""
    if chosen:
        if tasks.dealt is not None:
            raise StateError(f"{path}.dealt", "the seat has chosen: there must be kept and returned instead")
        if tasks.kept is None:
            raise StateError(f"{path}.kept", f"is missing; a card that is not known is {UNKNOWN}")
        if tasks.returned is None:
            raise StateError(f"{path}.returned", f"is missing; a card that is not known is {UNKNOWN}")
        sized(tasks.returned, edition.core.personal_dealt - 1, f"{path}.returned")
        named = [
            (tasks.kept, f"{path}.kept"),
            *((name, f"{path}.returned[{i}]") for i, name in enumerate(tasks.returned)),
        ]
    else:
        if tasks.kept is not None or tasks.returned is not None:
            field = "kept" if tasks.kept is not None else "returned"
            raise StateError(f"{path}.{field}", "the seat has not chosen yet: there must be dealt instead")
        if tasks.dealt is None:
            raise StateError(f"{path}.dealt", f"is missing; a card that is not known is {UNKNOWN}")
        dealt = at_most(tasks.dealt, edition.core.personal_dealt, f"{path}.dealt")
        named = [(name, f"{path}.dealt[{i}]") for i, name in enumerate(dealt)]
    known = ids(edition.personal_tasks)
    cards = [UNKNOWN_CARD if name == UNKNOWN else index_of(name, known, where) for name, where in named]
    return filled(cards, edition.core.personal_dealt, NOTHING)


def readable_path(edition: NebulaEdition, fields: "Fields", path: str) -> str:
    """Where in the readable state a field of the core's is: ``galaxy[1][7]``, ``bag.red``, ``personal[2].kept``."""
    field, numbers = parts_of_path(path)
    translation = PATHS.get(field)
    return translation(edition, fields, numbers) if translation else path


def by_name(prefix: str, names: Callable[[NebulaEdition], Sequence[str]]) -> PathOf:
    """The path of a list of the core's that is a map from names in the readable state."""
    return lambda edition, fields, numbers: prefix + "".join(f".{names(edition)[number]}" for number in numbers)


def observatory_path(edition: NebulaEdition, _fields: "Fields", numbers: list[int]) -> str:
    """``observatory[1].red``."""
    seat, *piece = numbers
    return f"observatory[{seat}]" + "".join(f".{edition.pieces[number]}" for number in piece)


def personal_path(_edition: NebulaEdition, fields: "Fields", numbers: list[int]) -> str:
    """``personal[1].kept``, ``personal[1].returned[0]``, ``personal[1].dealt[1]``."""
    seat, *place = numbers
    path = f"personal[{seat}]"
    if not place:
        return path
    if not has_chosen(Phase(fields["phase"]), fields["seat"], seat):
        return f"{path}.dealt[{place[0]}]"
    return f"{path}.returned[{place[0] - 1}]" if place[0] else f"{path}.kept"


def element(prefix: str, suffix: str) -> PathOf:
    """The path of a list of the core's that is one member of the elements of a list, such as ``markers[0].task``."""
    return lambda edition, fields, numbers: (
        f"{prefix}[{numbers[0]}].{suffix}" + "".join(f"[{number}]" for number in numbers[1:]) if numbers else prefix
    )


PATHS: dict[str, PathOf] = {
    "full": lambda edition, fields, numbers: "variant",
    "bag": by_name("bag", lambda edition: edition.pieces),
    "removed": by_name("removed", lambda edition: edition.pieces),
    "drawn": by_name("turn.drawn", lambda edition: edition.pieces),
    "observatory": observatory_path,
    "public": element("markers", "task"),
    "markers": element("markers", "seats"),
    "advanced": element("values.advanced", "card"),
    "advanced_values": element("values.advanced", "index"),
    "color_values": by_name("values.color", lambda edition: edition.colors),
    "constellation_values": by_name("values.constellation", lambda edition: edition.constellations),
    "personal": personal_path,
    "took_supernova": lambda edition, fields, numbers: "turn.took_supernova",
    "placed": lambda edition, fields, numbers: "turn.placed" + "".join(f"[{number}]" for number in numbers),
}
"""Where the core's fields are in the readable state; those not named have the same name."""
