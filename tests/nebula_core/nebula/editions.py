"""Editions of Nebula for tests: the standard one to change, and odd ones at random."""

import tomllib
from random import Random
from typing import Any

from nebula_ai.games.nebula.edition import STANDARD

COLORS = ["red", "orange", "yellow", "white", "blue", "violet"]


def standard() -> dict[str, Any]:
    """The standard edition's file, parsed, to be changed."""
    return tomllib.loads(STANDARD.read_text(encoding="utf-8"))


def odd(random: Random) -> dict[str, Any]:
    """An edition that the rules allow and nobody would print: a galaxy with any links, few pieces, other scales and
    numbers everywhere. Its games are short."""
    colors = random.sample(COLORS, random.randint(2, 6))
    count, spaces = random.randint(1, 4), random.randint(1, 5)
    observatory = [random.randint(0, 3) for _ in range(4)]
    stars = count * spaces // len(colors) + random.randint(1, 8)
    least = count * spaces + 1 + sum(observatory)
    holes = [max(random.choice([0, 3, 8]), least - stars * len(colors)) for _ in range(3)]
    galaxy = _galaxy(random)
    dealt = random.randint(1, 3)
    public, advanced = random.randint(1, 5), random.randint(1, 4)
    draw = random.randint(1, 8)
    return {
        "game": "nebula",
        "edition": "odd",
        "players": [2, 4],
        "bag": {"colors": colors, "stars_per_color": stars, "black_holes": _by_players(holes)},
        "clusters": {"count": count, "spaces": spaces, "steps": random.randint(0, 6)},
        "chaos": {"draw": draw, "keep": random.randint(1, min(draw, 3))},
        "setup": {
            "observatory_pieces": observatory,
            "personal_dealt": dealt,
            "public_tasks": public,
            "advanced_cards": advanced,
        },
        "placing": {
            "stars": random.randint(1, 4),
            "stars_with_supernova": random.randint(1, 6),
            "first_star_orbit": random.choice(galaxy["spaces"])["orbit"],
        },
        "black_holes": {
            "track_points": sorted(random.randint(0, 20) for _ in range(random.randint(1, 7))),
            "indicator_end": _by_players([random.randint(1, 12) for _ in range(3)]),
        },
        "public_tasks": {"markers_end": _by_players([random.randint(1, 8) for _ in range(3)])},
        "values": {
            scale: [random.randint(0, 9) for _ in range(random.randint(1, 4))]
            for scale in ("color", "constellation", "advanced")
        },
        "end": {"constellations": random.randint(1, len(galaxy["constellations"]))},
        "galaxy": galaxy,
        "public_task": [
            {
                "id": f"T{number}",
                "counter": (counter := _counter(random, colors, galaxy)),
                "at_least": 1 if counter["kind"].endswith("in_colors") else random.randint(1, 4),
                "first": random.randint(0, 9),
                "later": random.randint(0, 9),
            }
            for number in range(public + random.randint(0, 3))
        ],
        "personal_task": [
            {
                "id": f"S{number}",
                "counter": _counter(random, colors, galaxy),
                "tiers": _tiers(random),
            }
            for number in range(4 * dealt + random.randint(0, 3))
        ],
        "advanced_card": [
            {"id": f"A{number}", "counter": _counter(random, colors, galaxy)}
            for number in range(advanced + random.randint(0, 3))
        ],
    }


def _by_players(numbers: list[int]) -> dict[str, int]:
    return {str(players): number for players, number in zip((2, 3, 4), numbers, strict=True)}


def _galaxy(random: Random) -> dict[str, Any]:
    names = random.sample(["Lyra", "Draco", "Cygnus", "Corvus", "Ara"], random.randint(1, 5))
    count = random.randint(len(names), 32)
    orbits = random.randint(1, min(count, 6))
    # Each orbit and each constellation has at least one space.
    on = [*range(1, orbits + 1), *(random.randint(1, orbits) for _ in range(count - orbits))]
    inside = [*names, *(random.choice(names) for _ in range(count - len(names)))]
    random.shuffle(on)
    random.shuffle(inside)
    taken = set()
    for orbit in range(1, orbits + 1):
        ring = [space for space in range(count) if on[space] == orbit]
        taken |= {frozenset(pair) for pair in zip(ring, ring[1:] + ring[:1], strict=True)}
    links: dict[str, list[list[int]]] = {"direct_links": [], "indirect_links": []}
    for _ in range(random.randint(0, 2 * count)):
        pair = [random.randrange(count), random.randrange(count)]
        if pair[0] != pair[1] and frozenset(pair) not in taken:
            taken.add(frozenset(pair))
            links[random.choice(list(links))].append(pair)
    return {
        "constellations": [{"name": name, "points": random.randint(0, 12)} for name in names],
        "spaces": [
            {"id": space, "orbit": on[space], "angle": random.randrange(360), "constellation": inside[space]}
            for space in range(count)
        ],
        **links,
    }


def _counter(random: Random, colors: list[str], galaxy: dict[str, Any]) -> dict[str, Any]:
    orbits = sorted({space["orbit"] for space in galaxy["spaces"]})
    names = [each["name"] for each in galaxy["constellations"]]

    def some() -> list[str]:
        return random.sample(colors, random.randint(1, min(3, len(colors))))

    kinds: list[dict[str, Any]] = [
        {
            "kind": "stars",
            **({"color": random.choice(colors)} if random.random() < 0.7 else {}),
            **({"orbits": random.sample(orbits, random.randint(1, len(orbits)))} if random.random() < 0.5 else {}),
            **({"constellation": random.choice(names)} if random.random() < 0.5 else {}),
        },
        {
            "kind": "links",
            "between": random.sample(colors, 2),
            **({"links": "direct"} if random.random() < 0.5 else {}),
        },
        {"kind": "orbit_in_colors", "orbit": random.choice(orbits), "colors": random.randint(1, len(colors))},
        {
            "kind": "constellation_in_colors",
            "constellation": random.choice(names),
            "colors": random.randint(1, len(colors)),
        },
        {"kind": "constellations_with", "colors": some()},
        {"kind": "orbits_with", "colors": some()},
        {"kind": "constellations_complete"},
        {"kind": "orbits_complete"},
        {"kind": "color_sets"},
        {"kind": "black_holes"},
    ]
    if len(colors) >= 3:
        color, *by = random.sample(colors, 3)
        kinds.append({"kind": "flanked", "color": color, "by": by})
    return random.choice(kinds)


def _tiers(random: Random) -> list[list[int]]:
    tiers = random.randint(1, 3)
    counts, points = random.sample(range(9), tiers), random.sample(range(1, 15), tiers)
    return [list(tier) for tier in zip(sorted(counts), sorted(points), strict=True)]
