"""The readable state of Via Nebula: names instead of numbers, without loss. Its JSON: docs/rules-via-nebula.md.

Two steps each way: between JSON values and `ViaNebulaState` (types), and between `ViaNebulaState` and the core's state
(names, then every invariant). Messages take the second step only. Whatever is wrong on the way in is a StateError with
the path in the readable state.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nebula_ai.checked import Value, top_table
from nebula_ai.errors import StateError, shown
from nebula_ai.game import UNKNOWN
from nebula_ai.games.via_nebula.edition import EFFECTS, ViaNebulaEdition
from nebula_ai.readable import (
    check_identity,
    count_map,
    counts,
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
from nebula_core.via_nebula.rules import NOTHING, Phase, ViaNebulaRules

if TYPE_CHECKING:
    from nebula_core.via_nebula.rules import Fields

PHASES = tuple(phase.name.lower() for phase in Phase)


@dataclass(frozen=True, slots=True)
class Turn:
    """What the turn under way has brought so far, and what is left of it."""

    action_points: int
    acted: bool  # whether the seat has taken an action
    effect: str | None  # whose parts are not all carried out
    parts: int  # of it that are left


@dataclass(frozen=True, slots=True)
class Exploitation:
    """Resources of one type on a meadow."""

    owner: int | None  # the seat whose craftsman stands there; None for a neutral one
    resource: str
    count: int


@dataclass(frozen=True, slots=True)
class Site:
    """A building site on a ruin."""

    hex: str
    resources: dict[str, int]


@dataclass(frozen=True, slots=True)
class Seat:
    """What belongs to one seat."""

    sites: tuple[Site | None, ...]  # by number; None at home
    buildings: tuple[str, ...]  # hexes
    stacks: tuple[int, ...]  # meadow tiles
    craftsmen: int  # at home
    storehouse: dict[str, int]
    taken: tuple[str, ...]  # tokens
    hand: tuple[str, ...]  # contracts, each a card or ``unknown``
    done: tuple[str, ...]  # contracts


@dataclass(frozen=True, slots=True)
class ViaNebulaState:
    """A whole state. Hexes go by ``row,column``, tokens by their words (``wood 4 2``), contracts by their ids.

    What is missing in a map from resources to counts is 0.
    """

    game: str
    edition: str
    edition_hash: str | None  # 16 hexadecimal digits; may be None on the way in
    players: int
    map: str
    phase: str
    seat: int
    turn: Turn
    idle: int  # turns without an action that have just ended in a row
    end_card: int | None  # a seat
    boxed: tuple[str, ...]  # special tokens that went back; only until the tokens are on the map
    tokens: dict[str, str]  # hex to token
    exploitations: dict[str, Exploitation]  # by hex
    empty: tuple[str, ...]  # all empty meadows: hexes with a tile, and meadows where nothing is left
    reserve: dict[str, int]
    stock: int  # common meadow tiles
    open: tuple[str | None, ...]  # contracts by place
    seats: tuple[Seat, ...]


KEYS = tuple(field for field in ViaNebulaState.__dataclass_fields__ if field != "edition_hash")


# JSON.


def to_json(state: ViaNebulaState) -> dict[str, Any]:
    """The JSON object of a readable state."""
    return {
        "game": state.game,
        "edition": state.edition,
        "edition_hash": state.edition_hash,
        "players": state.players,
        "map": state.map,
        "phase": state.phase,
        "seat": state.seat,
        "turn": {
            "action_points": state.turn.action_points,
            "acted": state.turn.acted,
            "effect": state.turn.effect,
            "parts": state.turn.parts,
        },
        "idle": state.idle,
        "end_card": state.end_card,
        "boxed": list(state.boxed),
        "tokens": dict(state.tokens),
        "exploitations": {
            name: {"owner": here.owner, "resource": here.resource, "count": here.count}
            for name, here in state.exploitations.items()
        },
        "empty": list(state.empty),
        "reserve": dict(state.reserve),
        "stock": state.stock,
        "open": list(state.open),
        "seats": [seat_to_json(seat) for seat in state.seats],
    }


def seat_to_json(seat: Seat) -> dict[str, Any]:
    """The JSON object of what belongs to a seat."""
    return {
        "sites": [site and {"hex": site.hex, "resources": dict(site.resources)} for site in seat.sites],
        "buildings": list(seat.buildings),
        "stacks": list(seat.stacks),
        "craftsmen": seat.craftsmen,
        "storehouse": dict(seat.storehouse),
        "taken": list(seat.taken),
        "hand": list(seat.hand),
        "done": list(seat.done),
    }


def from_json(content: object) -> ViaNebulaState:
    """The readable state of a JSON object; only the types are checked, and that no key is missing or unknown.

    Raises StateError.
    """
    top = top_table(content, StateError, "state", KEYS, ("edition_hash",))
    turn = top["turn"].table(("action_points", "acted", "effect", "parts"))
    return ViaNebulaState(
        game=top["game"].text(),
        edition=top["edition"].text(),
        edition_hash=top["edition_hash"].text() if "edition_hash" in top else None,
        players=number(top["players"]),
        map=top["map"].text(),
        phase=top["phase"].text(),
        seat=number(top["seat"]),
        turn=Turn(
            number(turn["action_points"]), turn["acted"].flag(), turn["effect"].text_or_null(), number(turn["parts"])
        ),
        idle=number(top["idle"]),
        end_card=number_or_null(top["end_card"]),
        boxed=texts(top["boxed"]),
        tokens={name: value.text() for name, value in top["tokens"].mapping().items()},
        exploitations={name: exploitation_from_json(value) for name, value in top["exploitations"].mapping().items()},
        empty=texts(top["empty"]),
        reserve=numbers_by_name(top["reserve"]),
        stock=number(top["stock"]),
        open=texts_or_nulls(top["open"]),
        seats=tuple(seat_from_json(value) for value in top["seats"].list()),
    )


def number_or_null(value: Value) -> int | None:
    """A whole number from 0, or null as None."""
    return None if value.raw is None else number(value)


def exploitation_from_json(value: Value) -> Exploitation:
    """An exploitation."""
    row = value.table(("owner", "resource", "count"))
    return Exploitation(number_or_null(row["owner"]), row["resource"].text(), number(row["count"]))


def seat_from_json(value: Value) -> Seat:
    """What belongs to a seat."""
    row = value.table(tuple(Seat.__dataclass_fields__))
    return Seat(
        sites=tuple(None if site.raw is None else site_from_json(site) for site in row["sites"].list()),
        buildings=texts(row["buildings"]),
        stacks=numbers(row["stacks"]),
        craftsmen=number(row["craftsmen"]),
        storehouse=numbers_by_name(row["storehouse"]),
        taken=texts(row["taken"]),
        hand=texts(row["hand"]),
        done=texts(row["done"]),
    )


def site_from_json(value: Value) -> Site:
    """A site on a ruin."""
    row = value.table(("hex", "resources"))
    return Site(row["hex"].text(), numbers_by_name(row["resources"]))


# The core's state.


def readable(edition: ViaNebulaEdition, rules: ViaNebulaRules, state: State) -> ViaNebulaState:
    """The readable form of a state of these rules."""
    fields = rules.fields(state)
    hexes = edition.maps[fields["map"]].hexes
    meadows = edition.maps[fields["map"]].meadows
    return ViaNebulaState(
        game=rules.name,
        edition=rules.edition,
        edition_hash=rules.edition_hash.hex(),
        players=fields["players"],
        map=edition.maps[fields["map"]].name,
        phase=PHASES[fields["phase"]],
        seat=fields["seat"],
        turn=Turn(
            fields["action_points"],
            fields["acted"],
            EFFECTS[fields["effect"] - 1] if fields["effect"] else None,
            fields["parts"],
        ),
        idle=fields["idle"],
        end_card=None if fields["end_card"] == NOTHING else fields["end_card"],
        boxed=tuple(edition.tokens[kind] for kind in fields["boxed"]),
        tokens={
            name: edition.tokens[kind] for name, kind in zip(meadows, fields["tokens"], strict=True) if kind != NOTHING
        },
        exploitations={
            name: readable_exploitation(edition, *here)
            for name, here in zip(meadows, fields["exploitations"], strict=True)
            if here is not None
        },
        empty=tuple(hexes[number] for number in fields["empty"]),
        reserve=count_map(edition.resources, fields["reserve"]),
        stock=fields["stock"],
        open=tuple(name_or_none(edition.contracts, card) for card in fields["open"]),
        seats=tuple(readable_seat(edition, fields, seat) for seat in range(fields["players"])),
    )


def readable_exploitation(edition: ViaNebulaEdition, owner: int, resource: int, count: int) -> Exploitation:
    """An exploitation."""
    return Exploitation(None if owner == NOTHING else owner, edition.resources[resource], count)


def readable_seat(edition: ViaNebulaEdition, fields: "Fields", seat: int) -> Seat:
    """What belongs to a seat; tokens and contracts by name."""
    hexes = edition.maps[fields["map"]].hexes
    unknown = fields["unknown_private"][seat] + fields["unknown_neutral"][seat]
    return Seat(
        sites=tuple(
            None if place == NOTHING else Site(hexes[place], count_map(edition.resources, resources))
            for place, resources in zip(fields["sites"][seat], fields["site_resources"][seat], strict=True)
        ),
        buildings=tuple(hexes[place] for place in fields["buildings"][seat]),
        stacks=tuple(fields["stacks"][seat]),
        craftsmen=fields["craftsmen"][seat],
        storehouse=count_map(edition.resources, fields["storehouse"][seat]),
        taken=tuple(sorted(edition.tokens[kind] for kind in fields["taken"][seat])),
        hand=(*sorted(edition.contracts[card] for card in fields["hands"][seat]), *[UNKNOWN] * unknown),
        done=tuple(sorted(edition.contracts[card] for card in fields["done"][seat])),
    )


def core_state(edition: ViaNebulaEdition, rules: ViaNebulaRules, state: ViaNebulaState) -> State:
    """The state of a readable one, after all checks. Raises StateError with the path in the readable state."""
    fields = to_fields(edition, rules, state)
    try:
        return rules.from_fields(fields)
    except StateError as error:
        path = readable_path(edition, fields, error.field)
        raise StateError(path, readable_reason(edition, fields, error.reason)) from None


def to_fields(edition: ViaNebulaEdition, rules: ViaNebulaRules, state: ViaNebulaState) -> "Fields":
    """The fields of a readable state: every name known, every list as long as it must be. Raises StateError."""
    check_identity(
        rules,
        edition.players,
        game=state.game,
        edition=state.edition,
        edition_hash=state.edition_hash,
        players=state.players,
    )
    core = edition.core
    map_number = index_of(state.map, [known.name for known in edition.maps], "map")
    hexes = edition.maps[map_number].hexes
    meadows = edition.maps[map_number].meadows
    for field, by_hex in (("tokens", state.tokens), ("exploitations", state.exploitations)):
        for name in by_hex:
            if name not in meadows:
                reason = "is no meadow of the map itself" if name in hexes else "is no hex of the map"
                raise StateError(field, f"{shown(name)} {reason}")
    phase = Phase(index_of(state.phase, PHASES, "phase"))
    effect = 0 if state.turn.effect is None else index_of(state.turn.effect, EFFECTS, "turn.effect") + 1
    seats = sized(state.seats, state.players, "seats")
    sites = core.sites[state.players - 2]
    stacks = core.meadow_stacks[state.players - 2]
    hands = [hand_of(edition, phase, seat, f"seats[{i}].hand") for i, seat in enumerate(seats)]
    return {
        "players": state.players,
        "map": map_number,
        "phase": phase,
        "seat": state.seat,
        "action_points": state.turn.action_points,
        "acted": state.turn.acted,
        "idle": state.idle,
        "effect": effect,
        "parts": state.turn.parts,
        "end_card": seat_of(state.end_card, state.players, "end_card"),
        "boxed": indices(state.boxed, edition.tokens, "boxed"),
        "tokens": [
            index_of(state.tokens[name], edition.tokens, f"tokens.{name}") if name in state.tokens else NOTHING
            for name in meadows
        ],
        "exploitations": [
            exploitation_of(edition, state.exploitations[name], state.players, f"exploitations.{name}")
            if name in state.exploitations
            else None
            for name in meadows
        ],
        "empty": indices(state.empty, hexes, "empty"),
        "sites": [
            [
                NOTHING if site is None else index_of(site.hex, hexes, f"seats[{i}].sites[{k}].hex")
                for k, site in enumerate(sized(seat.sites, sites, f"seats[{i}].sites"))
            ]
            for i, seat in enumerate(seats)
        ],
        "site_resources": [
            [
                counts(site.resources if site else {}, edition.resources, f"seats[{i}].sites[{k}].resources")
                for k, site in enumerate(seat.sites)
            ]
            for i, seat in enumerate(seats)
        ],
        "buildings": [indices(seat.buildings, hexes, f"seats[{i}].buildings") for i, seat in enumerate(seats)],
        "stacks": [list(sized(seat.stacks, stacks, f"seats[{i}].stacks")) for i, seat in enumerate(seats)],
        "stock": state.stock,
        "craftsmen": [seat.craftsmen for seat in seats],
        "reserve": counts(state.reserve, edition.resources, "reserve"),
        "storehouse": [
            counts(seat.storehouse, edition.resources, f"seats[{i}].storehouse") for i, seat in enumerate(seats)
        ],
        "taken": [indices(seat.taken, edition.tokens, f"seats[{i}].taken") for i, seat in enumerate(seats)],
        "hands": [hand.known for hand in hands],
        "unknown_neutral": [hand.unknown_neutral for hand in hands],
        "unknown_private": [hand.unknown_private for hand in hands],
        "done": [indices(seat.done, edition.contracts, f"seats[{i}].done") for i, seat in enumerate(seats)],
        "open": indices(sized(state.open, core.open_contracts, "open"), edition.contracts, "open"),
    }


def seat_of(seat: int | None, players: int, path: str) -> int:
    """A seat, or NOTHING for None."""
    if seat is None:
        return NOTHING
    if not 0 <= seat < players:
        raise StateError(path, f"must be 0 to {players - 1}, not {seat}")
    return seat


def exploitation_of(edition: ViaNebulaEdition, here: Exploitation, players: int, path: str) -> list[int]:
    """Owner, resource and count as the core has them."""
    owner = seat_of(here.owner, players, f"{path}.owner")
    return [owner, index_of(here.resource, edition.resources, f"{path}.resource"), here.count]


@dataclass(frozen=True, slots=True)
class Hand:
    """A seat's private contracts as the core has them."""

    known: list[int]
    unknown_neutral: int
    unknown_private: int


def hand_of(edition: ViaNebulaEdition, phase: Phase, seat: Seat, path: str) -> Hand:
    """A seat's hand. Of the unknown cards those that were dealt are private: all in the setup, later what of them is
    neither known nor done; the others were drawn."""
    known = [index_of(name, edition.contracts, f"{path}[{i}]") for i, name in enumerate(seat.hand) if name != UNKNOWN]
    unknown = len(seat.hand) - len(known)
    dealt, neutral = edition.core.private_dealt, len(edition.core.neutral_contracts)
    private = edition.contracts[neutral:]
    missing = dealt - sum(name in private for name in (*seat.hand, *seat.done))
    drawn = 0 if phase == Phase.SETUP else unknown - min(unknown, max(0, missing))
    if unknown - drawn > dealt:
        raise StateError(path, f"{unknown} unknown contracts are more than the {dealt} that a seat is dealt")
    if drawn > neutral:
        raise StateError(path, f"{unknown} unknown contracts are more than a seat can have been dealt and have drawn")
    return Hand(known, drawn, unknown - drawn)


# Where the core's fields are in the readable state.

PathOf = Callable[[ViaNebulaEdition, "Fields", list[int]], str]
"""From the numbers after a field's name to the path in the readable state."""


def within(path: str) -> PathOf:
    """The path of what is at the same place, and called `path`, in the readable state."""
    return lambda edition, fields, numbers: path + "".join(f"[{number}]" for number in numbers)


def by_meadow(path: str) -> PathOf:
    """The path of a list by meadow that is a map by hex in the readable state."""
    return lambda edition, fields, numbers: (
        f"{path}.{edition.maps[fields['map']].meadows[numbers[0]]}" if numbers else path
    )


def of_seat(member: str) -> PathOf:
    """The path of a list by seat that is a member of the seat in the readable state."""
    return lambda edition, fields, numbers: (
        f"seats[{numbers[0]}].{member}" + "".join(f"[{number}]" for number in numbers[1:]) if numbers else "seats"
    )


def by_resource(path: PathOf, depth: int) -> PathOf:
    """The path of a list by resource that is a map in the readable state, after `depth` other numbers."""
    return lambda edition, fields, numbers: (
        path(edition, fields, numbers[:depth]) + "".join(f".{edition.resources[number]}" for number in numbers[depth:])
    )


def of_site(member: str) -> PathOf:
    """The path of a list by seat and number that is a member of the site in the readable state."""

    def path(edition: ViaNebulaEdition, fields: "Fields", numbers: list[int]) -> str:
        sites = of_seat("sites")(edition, fields, numbers)
        return f"{sites}.{member}" if len(numbers) > 1 else sites

    return path


PATHS: dict[str, PathOf] = {
    "action_points": within("turn.action_points"),
    "acted": within("turn.acted"),
    "effect": within("turn.effect"),
    "parts": within("turn.parts"),
    "tokens": by_meadow("tokens"),
    "exploitations": by_meadow("exploitations"),
    "reserve": by_resource(within("reserve"), 0),
    "sites": of_site("hex"),
    "site_resources": by_resource(of_site("resources"), 2),
    "buildings": of_seat("buildings"),
    "stacks": of_seat("stacks"),
    "craftsmen": of_seat("craftsmen"),
    "storehouse": by_resource(of_seat("storehouse"), 1),
    "taken": of_seat("taken"),
    # Only what is known of a hand has a place in the core's list.
    "hands": lambda edition, fields, numbers: of_seat("hand")(edition, fields, numbers[:1]),
    "unknown_neutral": of_seat("hand"),
    "unknown_private": of_seat("hand"),
    "done": of_seat("done"),
}
"""Those not named have the same name."""


NUMBERED = re.compile(r"\b(contract|hex|kind|resource) (\d+)")


def readable_reason(edition: ViaNebulaEdition, fields: "Fields", reason: str) -> str:
    """What the core says, with names in place of its numbers."""
    names: dict[str, Sequence[str]] = {
        "contract": edition.contracts,
        "hex": edition.maps[fields["map"]].hexes,
        "kind": edition.tokens,
        "resource": edition.resources,
    }
    return NUMBERED.sub(lambda found: f"{found[1]} {names[found[1]][int(found[2])]}", reason)


def readable_path(edition: ViaNebulaEdition, fields: "Fields", path: str) -> str:
    """Where in the readable state a field of the core's is: ``tokens.3,4``, ``seats[1].storehouse.wood``."""
    field, numbers = parts_of_path(path)
    return PATHS.get(field, within(field))(edition, fields, numbers)
