"""Editions of Via Nebula for tests: the standard one to change, and odd ones at random."""

import tomllib
from random import Random
from typing import Any

from nebula_ai.games.via_nebula.edition import STANDARD
from nebula_core.via_nebula import edition as core

RESOURCES = ["wood", "stone", "clay", "wheat", "pig", "gold", "wool", "salt"]
WITH_PARTS = ["actions", "supply", "swap", "clear", "deliver", "contract", "discard", "recall"]
SCORE_PER = ["buildings", "token_types", "emptied_stacks"]


def standard() -> dict[str, Any]:
    """The standard edition's file, parsed, to be changed."""
    return tomllib.loads(STANDARD.read_text(encoding="utf-8"))


def odd(random: Random) -> dict[str, Any]:
    """An edition that the rules allow and nobody would print: maps of any outline, a short reserve, few tiles, other
    prices and numbers everywhere, every effect with any number of parts. Its games are short."""
    players = random.choice([[2, 4], [2, 4], [2, 3], [3, 4], [2, 2], [4, 4]])
    resources = random.sample(RESOURCES, random.choice([1, 2, 2, 2, 3, 3, 4, 8]))
    reserve = random.choice([1, 2, 3, 4, 6, 10, 10, 18, 18, core.MAX_RESERVE])
    outlines = [_outline(random) for _ in range(random.randint(1, 3))]
    room = min(sum(outline) for outline in outlines) - 1
    meadows = random.randint(1, min(core.MAX_MEADOWS, max(1, room * 2 // 3), room))
    special, removed = _special(random, resources, meadows)
    action_points = random.choice([1, 2, 2, 3, 3, 4, 6, core.MAX_ACTION_POINTS])
    prices = [1, 1, 1, 1, 1, min(2, action_points), action_points, random.randint(1, core.MAX_ACTION_POINTS)]
    stacks = random.randint(1, 5)
    open_contracts = random.randint(1, core.MAX_OPEN)
    dealt = random.randint(0, 3)
    private = dealt * players[1] + random.randint(0, 4)
    neutral = min(open_contracts + random.choice([0, 1, 3, 8, 16, core.MAX_CARDS]), core.MAX_CARDS - private)
    return {
        "game": "via_nebula",
        "edition": "odd",
        "players": players,
        "resources": resources,
        "reserve_per_resource": reserve,
        "pieces": {
            "craftsmen": _by_players(random, [1, 2, 3, 5]),
            "sites": _by_players(random, [1, 2, 2, 3, 3]),
            "buildings": _by_players(random, [1, 2, 3, 4, 5, core.MAX_BUILDINGS]),
            "ruin_capacity": _by_players(random, [1, 2, 3, 6, core.MAX_CAPACITY]),
            "meadow_stacks": _by_players(random, [stacks, random.randint(1, 4)]),
            "meadow_stack_size": _by_players(random, [1, 1, 2, 3]),
            "meadow_reserve": _by_players(random, [0, 1, 3, 20]),
            "fewer_resources": _by_players(random, [0, 0, 0, 0, 1, 2]),
        },
        "turn": {"action_points": action_points},
        "cost": {
            key: random.choice(prices)
            for key in ("craftsman", "site", "explore_mist", "explore_forest", "transport", "build")
        },
        "setup": {"private_contracts": dealt, "open_contracts": open_contracts, "special_removed": removed},
        "score": {
            "emptied_stack": random.randint(0, 5),
            "end_card": random.randint(0, 5),
            "storehouse_resource": -random.randint(0, 3),
        },
        "tokens": {
            "regular": [
                {
                    "resource": random.choice(resources),
                    "count": random.choice([1, 2, 3, 4, 6, 9]),
                    "points": random.choice([0, 1, 2]),
                }
                for _ in range(meadows - len(special) + removed)
            ],
            "special": special,
        },
        "maps": {f"map{number}": {"rows": _rows(random, outline, meadows)} for number, outline in enumerate(outlines)},
        "neutral_contract": [_contract(random, f"N{number}", resources, reserve) for number in range(neutral)],
        "private_contract": [_contract(random, f"P{number}", resources, reserve) for number in range(private)],
    }


def _by_players(random: Random, numbers: list[int]) -> dict[str, int]:
    return {str(players): random.choice(numbers) for players in (2, 3, 4)}


def _outline(random: Random) -> list[int]:
    """The lengths of a map's rows: all alike, or every odd one shorter by one. Small ones are dense."""
    if random.random() < 0.05:
        width, height = random.choice([(120, 1), (60, 2), (12, 10), (10, 12), (1, 120)])
        return [width] * height
    while True:
        width, height = random.randint(1, 12), random.choice([1, *range(2, 13)])
        odd_row = width - random.randint(0, 1)
        lengths = [width if row % 2 == 0 else odd_row for row in range(height)]
        if odd_row and 2 <= sum(lengths) <= random.choice([20, 40, 60, core.MAX_HEXES]):
            return lengths


def _rows(random: Random, outline: list[int], meadows: int) -> list[str]:
    """The rows of a map with so many meadows and a ruin at least."""
    free = sum(outline) - meadows
    ruins = random.randint(1, min(free, core.MAX_RUINS, max(1, free // 2)))
    letters = ["m"] * meadows + ["R"] * ruins + random.choices("..FX", k=free - ruins)
    random.shuffle(letters)
    rows = []
    for length in outline:
        rows.append(" ".join(letters[:length]))
        del letters[:length]
    return rows


def _special(random: Random, resources: list[str], meadows: int) -> tuple[list[dict[str, Any]], int]:
    """Special tokens, and how many of them go back to the box; those of one resource are alike."""
    removed = random.randint(0, 2)
    number = random.randint(removed, min(core.MAX_SPECIAL, meadows + removed))
    counts = {resource: random.randint(1, 6) for resource in resources}
    drawn = random.choices(resources, k=number)
    return [{"resource": resource, "count": counts[resource]} for resource in drawn], removed


def _contract(random: Random, name: str, resources: list[str], reserve: int) -> dict[str, Any]:
    cost = random.choices(resources, k=random.choice([1, 1, 1, 1, 2, 2, 3, 4]))
    cost = [resource for number, resource in enumerate(cost) if cost[:number].count(resource) < reserve]
    contract = {"id": name, "cost": cost, "points": random.randint(0, 6)}
    if random.random() < 0.8:
        if random.random() < 0.15:
            contract["effect"] = {"kind": "score", "per": random.choice(SCORE_PER)}
        else:
            count = random.choice([1, 2, 2, 3, 4, core.MAX_PARTS])
            contract["effect"] = {"kind": random.choice(WITH_PARTS), "count": count}
    return contract


def with_map(*rows: str, tokens: list[str] | None = None) -> dict[str, Any]:
    """The standard edition with one map alone. Its meadows bear these regular tokens, or equal ones; there is no
    special one."""
    edition = standard()
    meadows = " ".join(rows).split().count("m")
    words = [token.split() for token in tokens or ["wood 4 1"] * meadows]
    edition["tokens"] = {
        "regular": [
            {"resource": resource, "count": int(count), "points": int(points)} for resource, count, points in words
        ],
        "special": [],
    }
    edition["setup"]["special_removed"] = 0
    edition["maps"] = {"small": {"rows": list(rows)}}
    return edition


def with_effect(kind: str, count: int) -> dict[str, Any]:
    """The standard edition, where the first private contract costs one wood and has this effect."""
    edition = standard()
    edition["private_contract"][0] |= {"cost": ["wood"], "effect": {"kind": kind, "count": count}}
    return edition
