"""An edition of Via Nebula: a TOML file checked completely, as names for people and as numbers for the core.

The limits are those of `nebula_core.via_nebula.edition`. They also keep every list of moves within the 512 that a game
may have: on each hex at most one craftsman, site or tile (120), to each of three sites from each meadow a transport
(96), on each of them each contract (192), and the turn's end.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nebula_ai.checked import Value, read_toml, top_table
from nebula_ai.editions import MAX_POINTS, by_players, content_hash, name_of, read_players, unique_names
from nebula_ai.errors import EditionError, listed, number_of, shown, shown_path
from nebula_core.via_nebula import edition as core
from nebula_core.via_nebula.edition import Contract, Edition, EffectKind, Map, ScorePer, Terrain, TokenKind

STANDARD = Path(__file__).with_name("standard.toml")

SPECIAL = "special"
RESERVED = (SPECIAL,)
"""Words of the notation that no resource, map or contract may be called."""

TERRAIN = {
    "m": Terrain.MEADOW,
    ".": Terrain.MIST,
    "F": Terrain.FOREST,
    "R": Terrain.RUIN,
    "X": Terrain.FORBIDDEN,
}
"""The letters of a map."""

EFFECTS = tuple(kind.name.lower() for kind in EffectKind if kind != EffectKind.NONE)
"""The names of the effects, in the core's order from 1."""

SCORE_PER = tuple(per.name.lower() for per in ScorePer)

SCORE_TEXT = {
    ScorePer.BUILDINGS: "1 point for each own building",
    ScorePer.TOKEN_TYPES: "1 point for each type of resource among the tokens taken",
    ScorePer.EMPTIED_STACKS: "1 point for each emptied stack",
}

TOP_KEYS = (
    "game", "edition", "players", "resources", "reserve_per_resource", "pieces", "turn", "cost", "setup", "score",
    "tokens", "maps", "neutral_contract", "private_contract",
)  # fmt: skip

PIECES = {
    "craftsmen": (1, core.MAX_CRAFTSMEN),
    "sites": (1, core.MAX_SITES),
    "buildings": (1, core.MAX_BUILDINGS),
    "ruin_capacity": (1, core.MAX_CAPACITY),
    "meadow_stacks": (1, core.MAX_TILES),
    "meadow_stack_size": (1, core.MAX_TILES),
    "meadow_reserve": (0, core.MAX_TILES),
    "fewer_resources": (0, core.MAX_TOKEN_COUNT),
}
"""The keys of the table by number of players, with the least and the greatest number."""

COSTS = ("craftsman", "site", "explore_mist", "explore_forest", "transport", "build")


@dataclass(frozen=True, slots=True)
class MapNames:
    """A map by its name, and the names of its hexes, ``row,column``."""

    name: str
    hexes: tuple[str, ...]
    meadows: tuple[str, ...]
    """The hexes that are meadows on the map itself, in their order."""


@dataclass(frozen=True, slots=True)
class ViaNebulaEdition:
    """The names of an edition, each tuple in the order of the core's numbers, and the core's edition itself."""

    core: Edition
    resources: tuple[str, ...]
    maps: tuple[MapNames, ...]
    contracts: tuple[str, ...]  # the neutral ones, then the private ones
    tokens: tuple[str, ...]  # the kinds as the notation has them: ``wood 4 2``, and then the ``special wood``

    @property
    def players(self) -> range:
        """The numbers of players that the edition allows."""
        return range(self.core.min_players, self.core.max_players + 1)


def read_edition(path: Path) -> ViaNebulaEdition:
    """The edition of a TOML file. Raises EditionError with the key, or ``edition`` for the whole file, and a reason."""
    content = read_toml(path)
    try:
        return parse_edition(content)
    except EditionError as error:
        raise EditionError(error.field, f"{error.reason} (in {shown_path(path)})") from None


def parse_edition(content: dict[str, Any]) -> ViaNebulaEdition:
    """The edition of a parsed TOML file. Raises EditionError with the key and the reason."""
    top = top_table(content, EditionError, "edition", TOP_KEYS)
    top["game"].one_of(["via_nebula"])
    name = top["edition"].word()
    players = read_players(top["players"])
    resources = unique_names(top["resources"].list(range(1, core.MAX_RESOURCES + 1)), RESERVED)
    reserve = top["reserve_per_resource"].integer(1, core.MAX_RESERVE)

    rows = top["pieces"].table(PIECES)
    pieces = {key: by_players(rows[key], players, *limits) for key, limits in PIECES.items()}
    for stacks, size in zip(pieces["meadow_stacks"], pieces["meadow_stack_size"], strict=True):
        if stacks * size > core.MAX_TILES:
            rows["meadow_stacks"].refuse(f"{stacks} stacks of {size} tiles are more than {core.MAX_TILES} tiles")

    costs = {key: cost.integer(1, core.MAX_ACTION_POINTS) for key, cost in top["cost"].table(COSTS).items()}
    score = top["score"].table(("emptied_stack", "end_card", "storehouse_resource"))

    tokens = top["tokens"].table(("regular", "special"))
    regular = read_tokens(tokens["regular"], resources, points=True)
    special = read_tokens(tokens["special"], resources, points=False)
    if len(regular) + len(special) > core.MAX_TOKEN_KINDS:
        kinds = len(regular) + len(special)
        tokens["regular"].refuse(f"{kinds} kinds, with the special ones, are more than {core.MAX_TOKEN_KINDS}")
    specials = sum(kind.copies for kind in special)
    if specials > core.MAX_SPECIAL:
        tokens["special"].refuse(f"must be at most {core.MAX_SPECIAL} tokens, not {specials}")

    setup = top["setup"].table(("private_contracts", "open_contracts", "special_removed"))
    special_removed = setup["special_removed"].integer(0, specials)
    meadows = sum(kind.copies for kind in regular) + specials - special_removed
    if not 1 <= meadows <= core.MAX_MEADOWS:
        tokens["regular"].refuse(f"{meadows} tokens are put on a map, and it must be 1 to {core.MAX_MEADOWS}")
    maps = top["maps"].mapping()
    if not 1 <= len(maps) <= core.MAX_MAPS:
        top["maps"].refuse(f"must be 1 to {core.MAX_MAPS} maps, not {len(maps)}")
    for key, value in maps.items():
        name_of(Value(key, EditionError, value.path), RESERVED)

    open_contracts = setup["open_contracts"].integer(1, core.MAX_OPEN)
    private_dealt = setup["private_contracts"].integer(0, core.MAX_CARDS)
    ids: list[str] = []
    neutral = read_contracts(top["neutral_contract"], open_contracts, resources, reserve, ids)
    private = read_contracts(top["private_contract"], private_dealt * players[-1], resources, reserve, ids)
    if len(ids) > core.MAX_CARDS:
        top["neutral_contract"].refuse(f"{len(ids)} contracts, with the private ones, are more than {core.MAX_CARDS}")

    return ViaNebulaEdition(
        core=Edition(
            name=name,
            content_hash=content_hash(content),
            min_players=players[0],
            max_players=players[-1],
            resources=len(resources),
            reserve_per_resource=reserve,
            craftsmen=pieces["craftsmen"],
            sites=pieces["sites"],
            buildings=pieces["buildings"],
            ruin_capacity=pieces["ruin_capacity"],
            meadow_stacks=pieces["meadow_stacks"],
            meadow_stack_size=pieces["meadow_stack_size"],
            meadow_reserve=pieces["meadow_reserve"],
            fewer_resources=pieces["fewer_resources"],
            action_points=top["turn"].table(("action_points",))["action_points"].integer(1, core.MAX_ACTION_POINTS),
            craftsman_cost=costs["craftsman"],
            site_cost=costs["site"],
            explore_mist_cost=costs["explore_mist"],
            explore_forest_cost=costs["explore_forest"],
            transport_cost=costs["transport"],
            build_cost=costs["build"],
            private_dealt=private_dealt,
            open_contracts=open_contracts,
            special_removed=special_removed,
            emptied_stack_points=score["emptied_stack"].integer(0, MAX_POINTS),
            end_card_points=score["end_card"].integer(0, MAX_POINTS),
            storehouse_points=score["storehouse_resource"].integer(-MAX_POINTS, 0),
            regular_tokens=regular,
            special_tokens=special,
            maps=tuple(read_map(value, meadows) for value in maps.values()),
            neutral_contracts=neutral,
            private_contracts=private,
        ),
        resources=resources,
        maps=tuple(map_names(key, value) for key, value in maps.items()),
        contracts=tuple(ids),
        tokens=(
            *(f"{resources[kind.resource]} {kind.count} {kind.points}" for kind in regular),
            *(f"{SPECIAL} {resources[kind.resource]}" for kind in special),
        ),
    )


def read_tokens(value: Value, resources: tuple[str, ...], *, points: bool) -> tuple[TokenKind, ...]:
    """The kinds of some tokens, in the order in which they first come; with points, if these have any."""
    copies: Counter[tuple[int, int, int]] = Counter()
    for token in value.list():
        row = token.table(("resource", "count", "points") if points else ("resource", "count"))
        kind = (
            row["resource"].one_of(resources),
            row["count"].integer(1, core.MAX_TOKEN_COUNT),
            row["points"].integer(0, MAX_POINTS) if points else 0,
        )
        copies[kind] += 1
        if copies[kind] > core.MAX_ALIKE:
            token.refuse(f"at most {core.MAX_ALIKE} tokens may be alike")
        if not points and any(other[0] == kind[0] and other[1] != kind[1] for other in copies):
            # The notation names a special token by its resource alone.
            row["count"].refuse("special tokens of one resource must have the same count")
    return tuple(TokenKind(*kind, number) for kind, number in copies.items())


# Maps.


def words_of(value: Value) -> list[list[str]]:
    """The hexes of a map's rows, one letter each."""
    rows = value.table(("rows",))["rows"]
    return [row.text().split() for row in rows.list(range(1, core.MAX_HEXES + 1))]


def map_names(name: str, value: Value) -> MapNames:
    """The names of a map that has been checked."""
    terrain = {f"{i},{k}": TERRAIN[letter] for i, words in enumerate(words_of(value)) for k, letter in enumerate(words)}
    return MapNames(name, tuple(terrain), tuple(hex for hex, kind in terrain.items() if kind == Terrain.MEADOW))


def read_map(value: Value, meadows: int) -> Map:
    """A map, if its outline and its terrain are possible and it has so many meadows."""
    rows = value.table(("rows",))["rows"]
    words = words_of(value)
    lengths = [len(row) for row in words]
    total = sum(lengths)
    if total > core.MAX_HEXES:
        rows.refuse(f"has {total} hexes, and at most {core.MAX_HEXES} fit")
    even, odd = lengths[0], lengths[1] if len(lengths) > 1 else lengths[0]
    for i, row in enumerate(rows.list()):
        if not words[i]:
            row.refuse("has no hex")
        if i % 2 == 0 and lengths[i] != even:
            row.refuse(f"must have {even} hexes like the first row, not {lengths[i]}")
        if i == 1 and odd not in (even, even - 1):
            row.refuse(f"must have {even} hexes like the first row, or one fewer, not {lengths[i]}")
        if i % 2 == 1 and lengths[i] != odd:
            row.refuse(f"must have {odd} hexes like every odd row, not {lengths[i]}")
        for k, letter in enumerate(words[i]):
            if letter not in TERRAIN:
                row.refuse(f"hex {k} must be {listed(TERRAIN)}, not {shown(letter)}")
    terrain = tuple(TERRAIN[letter] for row in words for letter in row)
    if terrain.count(Terrain.MEADOW) != meadows:
        rows.refuse(f"has {terrain.count(Terrain.MEADOW)} meadows, but {meadows} tokens are put on them")
    if not 1 <= terrain.count(Terrain.RUIN) <= core.MAX_RUINS:
        rows.refuse(f"must have 1 to {core.MAX_RUINS} ruins, not {terrain.count(Terrain.RUIN)}")
    return Map(tuple(lengths), terrain)


def map_rows(known: Map) -> list[str]:
    """The rows of a map as its file has them."""
    letters = {terrain: letter for letter, terrain in TERRAIN.items()}
    rows, first = [], 0
    for number, length in enumerate(known.rows):
        row = " ".join(letters[terrain] for terrain in known.terrain[first : first + length])
        rows.append(f" {row}" if number % 2 else row)
        first += length
    return rows


# Contracts.


def read_contracts(
    value: Value, needed: int, resources: tuple[str, ...], reserve: int, ids: list[str]
) -> tuple[Contract, ...]:
    """The contracts of a deck, at least as many as are needed. Adds their names to `ids`, where none may be already."""
    cards = value.list(range(core.MAX_CARDS + 1))
    if len(cards) < needed:
        value.refuse(f"a game needs {needed} of these contracts, and there are {len(cards)}")
    contracts = []
    for card in cards:
        row = card.table(("id", "cost", "points"), ("effect",))
        name = name_of(row["id"], RESERVED)
        if name in ids:
            row["id"].refuse(f"{name} is already another contract's")
        ids.append(name)
        paid = [element.one_of(resources) for element in row["cost"].list()]
        cost = tuple(paid.count(resource) for resource in range(len(resources)))
        if not paid or max(cost) > reserve:
            row["cost"].refuse(f"must be at least one resource, and at most {reserve} of one")
        points = row["points"].integer(0, MAX_POINTS)
        contracts.append(Contract(cost, points, *(read_effect(row["effect"]) if "effect" in row else ())))
    return tuple(contracts)


def read_effect(value: Value) -> tuple[EffectKind, int, ScorePer]:
    """An effect, its parts, and what it gives points for."""
    kind = EffectKind(value.table(("kind",), ("count", "per"))["kind"].one_of(EFFECTS) + 1)
    if kind == EffectKind.SCORE:
        return kind, 0, ScorePer(value.table(("kind", "per"))["per"].one_of(SCORE_PER))
    return kind, value.table(("kind", "count"))["count"].integer(1, core.MAX_PARTS), ScorePer.BUILDINGS


def effect_text(contract: Contract) -> str:
    """The effect of a contract in words; empty if it has none."""
    parts = contract.parts
    match contract.effect:
        case EffectKind.ACTIONS:
            return f"{number_of(parts, 'action point')} more"
        case EffectKind.SUPPLY:
            return f"{number_of(parts, 'resource')} from the reserve to own sites"
        case EffectKind.SWAP:
            return f"swap {number_of(parts, 'resource')} on own sites with the reserve"
        case EffectKind.CLEAR:
            return f"explore {parts} {'hex' if parts == 1 else 'hexes'}, also forbidden ones"
        case EffectKind.DELIVER:
            return f"transport {number_of(parts, 'resource')}"
        case EffectKind.CONTRACT:
            return f"draw {number_of(parts, 'contract')}"
        case EffectKind.DISCARD:
            return f"{number_of(parts, 'resource')} of the storehouse to the reserve"
        case EffectKind.RECALL:
            return f"{number_of(parts, 'own exploitation')} to the reserve"
        case EffectKind.SCORE:
            return SCORE_TEXT[contract.per]
        case _:
            return ""
