"""An edition of Nebula: a TOML file checked completely, as names for people and as numbers for the core.

The limits are those of `nebula_core.nebula.edition`. They also keep every list of moves within the 512 that a game may
have: at most 165 ways to invest and 7 to give in to chaos, 15 to take, 84 to keep, 194 to place, 23 to advance.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from nebula_ai.checked import Value, read_toml, top_table
from nebula_ai.editions import (
    MAX_POINTS,
    PLAYERS,
    by_players,
    content_hash,
    name_of,
    read_players,
    unique_names,
)
from nebula_ai.errors import EditionError, listed, shown_path
from nebula_core.nebula import edition as core
from nebula_core.nebula.edition import Counter, CounterKind, Edition, LinkKind, PersonalTask, PublicTask

STANDARD = Path(__file__).with_name("standard.toml")

BLACK_HOLE = "black_hole"
RESERVED = (BLACK_HOLE,)
"""Words of the notation that no colour, constellation or card may be called."""

TOP_KEYS = (
    "game", "edition", "players", "bag", "clusters", "chaos", "setup", "placing", "black_holes", "public_tasks",
    "values", "end", "galaxy", "public_task", "personal_task", "advanced_card",
)  # fmt: skip

COUNTER_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "stars": ((), ("color", "orbits", "constellation")),
    "links": (("between",), ("links",)),
    "flanked": (("color", "by"), ()),
    "orbit_in_colors": (("orbit", "colors"), ()),
    "constellation_in_colors": (("constellation", "colors"), ()),
    "constellations_with": (("colors",), ()),
    "orbits_with": (("colors",), ()),
    "constellations_complete": ((), ()),
    "orbits_complete": ((), ()),
    "color_sets": ((), ()),
    "black_holes": ((), ()),
}
"""For each kind of counter the keys that it must have, and those that it may have."""


@dataclass(frozen=True, slots=True)
class Space:
    """A space of the galaxy."""

    orbit: int  # from 1, the innermost
    constellation: int  # its number
    angle: int  # for drawing: degrees clockwise from north, 0 to 359


@dataclass(frozen=True, slots=True)
class Card:
    """A card: its name in the notation, and in words what it counts; of a public task, what has to be reached."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class NebulaEdition:
    """The names of an edition, each tuple in the order of the core's numbers, and the core's edition itself."""

    core: Edition
    colors: tuple[str, ...]
    constellations: tuple[str, ...]
    spaces: tuple[Space, ...]
    public_tasks: tuple[Card, ...]
    personal_tasks: tuple[Card, ...]
    advanced_cards: tuple[Card, ...]

    @property
    def pieces(self) -> tuple[str, ...]:
        """The names of the pieces: the colours and then the black hole."""
        return (*self.colors, BLACK_HOLE)

    @property
    def players(self) -> range:
        """The numbers of players that the edition allows."""
        return range(self.core.min_players, self.core.max_players + 1)


def read_edition(path: Path) -> NebulaEdition:
    """The edition of a TOML file. Raises EditionError with the key, or ``edition`` for the whole file, and a reason."""
    content = read_toml(path)
    try:
        return parse_edition(content)
    except EditionError as error:
        raise EditionError(error.field, f"{error.reason} (in {shown_path(path)})") from None


def parse_edition(content: dict[str, Any]) -> NebulaEdition:
    """The edition of a parsed TOML file. Raises EditionError with the key and the reason."""
    top = top_table(content, EditionError, "edition", TOP_KEYS)
    top["game"].one_of(["nebula"])
    name = top["edition"].word()
    players = read_players(top["players"])

    bag = top["bag"].table(("colors", "stars_per_color", "black_holes"))
    colors = unique_names(bag["colors"].list(range(1, core.MAX_COLORS + 1)), RESERVED)
    stars_per_color = bag["stars_per_color"].integer(1, core.MAX_PIECES)
    black_holes = by_players(bag["black_holes"], players, 0, core.MAX_PIECES)

    clusters = top["clusters"].table(("count", "spaces", "steps"))
    cluster_count = clusters["count"].integer(1, core.MAX_CLUSTERS)
    cluster_spaces = clusters["spaces"].integer(1, core.MAX_CLUSTER_SPACES)

    chaos = top["chaos"].table(("draw", "keep"))
    draw = chaos["draw"].integer(1, core.MAX_DRAW)

    setup = top["setup"].table(("observatory_pieces", "personal_dealt", "public_tasks", "advanced_cards"))
    seats = range(players[-1], PLAYERS[-1] + 1)
    observatory_pieces = tuple(value.integer(0, core.MAX_PIECES) for value in setup["observatory_pieces"].list(seats))
    personal_dealt = setup["personal_dealt"].integer(1, core.MAX_PERSONAL_DEALT)
    public_in_play = setup["public_tasks"].integer(1, core.MAX_PUBLIC_TASKS)
    advanced_in_play = setup["advanced_cards"].integer(1, core.MAX_ADVANCED_CARDS)
    check_pieces(
        players, len(colors) * stars_per_color, black_holes, cluster_count * cluster_spaces, observatory_pieces
    )

    galaxy = top["galaxy"].table(("constellations", "spaces", "direct_links", "indirect_links"))
    constellation_rows = [
        value.table(("name", "points"))
        for value in galaxy["constellations"].list(range(1, core.MAX_CONSTELLATIONS + 1))
    ]
    constellations = unique_names([row["name"] for row in constellation_rows], RESERVED)
    spaces = read_spaces(galaxy["spaces"], constellations)
    orbits = regions([space.orbit - 1 for space in spaces], max(space.orbit for space in spaces))
    for i, region in enumerate(orbits):
        if not region:
            galaxy["spaces"].refuse(f"there is an orbit {len(orbits)}, but no space is on orbit {i + 1}")
    constellation_spaces = regions([space.constellation for space in spaces], len(constellations))
    for row, region in zip(constellation_rows, constellation_spaces, strict=True):
        if not region:
            row["name"].refuse("no space is in this constellation")

    placing = top["placing"].table(("stars", "stars_with_supernova", "first_star_orbit"))
    holes = top["black_holes"].table(("track_points", "indicator_end"))
    values = top["values"].table(("color", "constellation", "advanced"))

    cards = CardReader(colors, constellations, orbits, constellation_spaces)
    public = cards.public_tasks(top["public_task"], public_in_play)
    personal = cards.personal_tasks(top["personal_task"], personal_dealt * players[-1])
    advanced = cards.advanced_cards(top["advanced_card"], advanced_in_play)

    return NebulaEdition(
        core=Edition(
            name=name,
            content_hash=content_hash(content),
            min_players=players[0],
            max_players=players[-1],
            colors=len(colors),
            stars_per_color=stars_per_color,
            black_holes=black_holes,
            clusters=cluster_count,
            cluster_spaces=cluster_spaces,
            steps=clusters["steps"].integer(0, core.MAX_STEPS),
            draw=draw,
            keep=chaos["keep"].integer(1, min(draw, core.MAX_KEEP)),
            observatory_pieces=by_seat(observatory_pieces, players[-1]),
            personal_dealt=personal_dealt,
            public_in_play=public_in_play,
            advanced_in_play=advanced_in_play,
            stars_placed=placing["stars"].integer(1, core.MAX_COLORS + 1),
            stars_placed_with_supernova=placing["stars_with_supernova"].integer(1, core.MAX_COLORS + 1),
            first_star_spaces=orbits[placing["first_star_orbit"].integer(1, len(orbits)) - 1],
            track_points=points(holes["track_points"], core.MAX_TRACK + 1),
            indicator_end=by_players(holes["indicator_end"], players, 1, core.MAX_PIECES),
            markers_end=by_players(
                top["public_tasks"].table(("markers_end",))["markers_end"], players, 1, core.MAX_PIECES
            ),
            color_values=points(values["color"], core.MAX_VALUES),
            constellation_values=points(values["constellation"], core.MAX_VALUES),
            advanced_values=points(values["advanced"], core.MAX_VALUES),
            constellations_end=top["end"].table(("constellations",))["constellations"].integer(1, len(constellations)),
            orbits=orbits,
            constellations=constellation_spaces,
            constellation_points=tuple(row["points"].integer(0, MAX_POINTS) for row in constellation_rows),
            spaces=len(spaces),
            links=read_links(galaxy["direct_links"], galaxy["indirect_links"], spaces),
            public_tasks=tuple(task for _, task in public),
            personal_tasks=tuple(task for _, task in personal),
            advanced_cards=tuple(counter for _, counter in advanced),
        ),
        colors=colors,
        constellations=constellations,
        spaces=spaces,
        public_tasks=tuple(card for card, _ in public),
        personal_tasks=tuple(card for card, _ in personal),
        advanced_cards=tuple(card for card, _ in advanced),
    )


def by_seat(numbers: tuple[int, ...], seats: int) -> tuple[int, int, int, int]:
    """The numbers of the seats that the edition has, and 0 for the others."""
    first, second, third, fourth = (numbers[seat] if seat < seats else 0 for seat in range(PLAYERS[-1]))
    return first, second, third, fourth


def points(value: Value, most: int) -> tuple[int, ...]:
    """A scale of 1 to `most` numbers of points."""
    return tuple(step.integer(0, MAX_POINTS) for step in value.list(range(1, most + 1)))


def check_pieces(
    players: range, stars: int, black_holes: tuple[int, int, int], in_clusters: int, observatory_pieces: tuple[int, ...]
) -> None:
    """Raises EditionError unless the bag has enough for every setup, whatever is drawn."""
    if stars <= in_clusters:
        # If only stars are drawn for the clusters, one has to be left for the supernova.
        reason = f"{stars} stars are too few to fill {in_clusters} spaces of clusters and still draw a supernova"
        raise EditionError("bag.stars_per_color", reason)
    for number in players:
        pieces = stars + black_holes[number - PLAYERS[0]]
        if pieces > core.MAX_PIECES:
            raise EditionError("bag", f"{pieces} pieces for {number} players are more than {core.MAX_PIECES}")
        needed = in_clusters + 1 + sum(observatory_pieces[:number])
        if pieces < needed:
            raise EditionError("bag", f"the setup of {number} players needs {needed} pieces, and there are {pieces}")


def read_spaces(value: Value, constellations: tuple[str, ...]) -> tuple[Space, ...]:
    """The spaces, numbered in the order of the file."""
    spaces = []
    for i, element in enumerate(value.list(range(1, core.MAX_SPACES + 1))):
        row = element.table(("id", "orbit", "angle", "constellation"))
        if row["id"].integer(0, core.MAX_SPACES - 1) != i:
            row["id"].refuse(f"must be {i}: spaces are numbered from 0 in their order")
        orbit = row["orbit"].integer(1, core.MAX_ORBITS)
        spaces.append(Space(orbit, row["constellation"].one_of(constellations), row["angle"].integer(0, 359)))
    return tuple(spaces)


def regions(region_of_space: list[int], count: int) -> tuple[int, ...]:
    """For each of `count` regions the bit set of its spaces."""
    sets = [0] * count
    for space, region in enumerate(region_of_space):
        sets[region] |= 1 << space
    return tuple(sets)


LINKED = {LinkKind.ORBIT: "along their orbit", LinkKind.DIRECT: "directly", LinkKind.INDIRECT: "indirectly"}


def read_links(direct: Value, indirect: Value, spaces: tuple[Space, ...]) -> tuple[tuple[int, int, LinkKind], ...]:
    """All links, each pair of spaces once, the lower space first: along the orbits, then direct, then indirect."""
    kinds: dict[tuple[int, int], LinkKind] = {}
    for orbit in sorted({space.orbit for space in spaces}):
        ring = [i for i, space in enumerate(spaces) if space.orbit == orbit]
        for one, other in pairwise([*ring, ring[0]]):
            if one != other:  # an orbit of a single space has no link
                kinds[min(one, other), max(one, other)] = LinkKind.ORBIT
    for kind, value in ((LinkKind.DIRECT, direct), (LinkKind.INDIRECT, indirect)):
        for link in value.list():
            one, other = sorted(end.integer(0, len(spaces) - 1) for end in link.list(range(2, 3)))
            if one == other:
                link.refuse(f"links space {one} to itself")
            if (one, other) in kinds:
                link.refuse(f"spaces {one} and {other} are already linked {LINKED[kinds[one, other]]}")
            kinds[one, other] = kind
    return tuple((one, other, kind) for (one, other), kind in kinds.items())


class CardReader:
    """Reads the three decks. No two cards of them have the same id."""

    def __init__(
        self,
        colors: tuple[str, ...],
        constellations: tuple[str, ...],
        orbits: tuple[int, ...],
        in_constellation: tuple[int, ...],
    ) -> None:
        """`orbits` and `in_constellation`: for each orbit and constellation the bit set of its spaces."""
        self.colors = colors
        self.constellations = constellations
        self.orbits = orbits
        self.in_constellation = in_constellation
        self.ids: set[str] = set()

    def public_tasks(self, value: Value, needed: int) -> list[tuple[Card, PublicTask]]:
        """The public tasks, at least as many as one game needs."""
        tasks = []
        for row in deck(value, needed, ("counter", "first", "later"), ("at_least",)):
            counter, text = self.counter(row["counter"])
            at_least = row["at_least"].integer(1, core.MAX_PIECES) if "at_least" in row else 1
            if counter.kind != CounterKind.REGION_IN_COLORS:
                text = f"at least {at_least} {text}"
            elif at_least > 1:
                row["at_least"].refuse("must be 1: this counter is 0 or 1")
            first, later = (row[key].integer(0, MAX_POINTS) for key in ("first", "later"))
            tasks.append((Card(self.id(row["id"]), text), PublicTask(counter, at_least, first, later)))
        return tasks

    def personal_tasks(self, value: Value, needed: int) -> list[tuple[Card, PersonalTask]]:
        """The personal tasks, at least as many as one game needs."""
        tasks = []
        for row in deck(value, needed, ("counter", "tiers")):
            counter, text = self.counter(row["counter"])
            tasks.append((Card(self.id(row["id"]), text), PersonalTask(counter, tiers(row["tiers"]))))
        return tasks

    def advanced_cards(self, value: Value, needed: int) -> list[tuple[Card, Counter]]:
        """The advanced cards, at least as many as one game needs."""
        cards = []
        for row in deck(value, needed, ("counter",)):
            counter, text = self.counter(row["counter"])
            cards.append((Card(self.id(row["id"]), text), counter))
        return cards

    def id(self, value: Value) -> str:
        """A card's id, which no other card has."""
        name = name_of(value, RESERVED)
        if name in self.ids:
            value.refuse(f"{name} is already another card's")
        self.ids.add(name)
        return name

    def counter(self, value: Value) -> tuple[Counter, str]:
        """A card's counter, and in words what it counts."""
        every_key = {key for keys in COUNTER_KEYS.values() for key in (*keys[0], *keys[1])}
        kinds = list(COUNTER_KEYS)
        kind = kinds[value.table(("kind",), every_key)["kind"].one_of(kinds)]
        required, optional = COUNTER_KEYS[kind]
        row = value.table(("kind", *required), optional)
        match kind:
            case "stars":
                return self.stars(row)
            case "links":
                return self.links(row)
            case "flanked":
                return self.flanked(row)
            case "orbit_in_colors":
                orbit = row["orbit"].integer(1, len(self.orbits))
                return self.in_colors(row, self.orbits[orbit - 1], f"orbit {orbit}")
            case "constellation_in_colors":
                index = row["constellation"].one_of(self.constellations)
                return self.in_colors(row, self.in_constellation[index], self.constellations[index])
            case "constellations_with" | "orbits_with":
                colors = self.colors_of(row["colors"], range(1, len(self.colors) + 1))
                where = kind.removesuffix("_with")
                text = f"{where} with {listed((self.colors[color] for color in colors), 'and')}"
                return Counter(CounterKind[kind.upper()], others=colors), text
            case "constellations_complete":
                return Counter(CounterKind.CONSTELLATIONS_COMPLETE), "complete constellations"
            case "orbits_complete":
                return Counter(CounterKind.ORBITS_COMPLETE), "complete orbits"
            case "color_sets":
                return Counter(CounterKind.COLOR_SETS), "sets of a star in each colour"
            case _:
                return Counter(CounterKind.BLACK_HOLES), "black holes placed"

    def stars(self, row: dict[str, Value]) -> tuple[Counter, str]:
        """A counter of stars: of one colour or any, on some orbits or all, in one constellation or all."""
        spaces = sum(self.orbits)
        color = row["color"].one_of(self.colors) if "color" in row else None
        text = "stars" if color is None else f"{self.colors[color]} stars"
        if "orbits" in row:
            orbits = [
                value.integer(1, len(self.orbits)) for value in row["orbits"].list(range(1, len(self.orbits) + 1))
            ]
            if len(set(orbits)) < len(orbits):
                row["orbits"].refuse("names an orbit twice")
            spaces = sum(self.orbits[orbit - 1] for orbit in orbits)
            text += f" on {'orbit' if len(orbits) == 1 else 'orbits'} {listed(map(str, sorted(orbits)), 'and')}"
        if "constellation" in row:
            index = row["constellation"].one_of(self.constellations)
            spaces &= self.in_constellation[index]
            text += f" in {self.constellations[index]}"
        return Counter(CounterKind.STARS, spaces=spaces, color=color), text

    def links(self, row: dict[str, Value]) -> tuple[Counter, str]:
        """A counter of links between stars of two colours."""
        one, other = self.colors_of(row["between"], range(2, 3))
        direct = "links" in row
        if direct:
            row["links"].one_of(["direct"])
        text = f"{'direct ' if direct else ''}links between {self.colors[one]} and {self.colors[other]} stars"
        return Counter(CounterKind.LINKS, color=one, others=(other,), direct_only=direct), text

    def flanked(self, row: dict[str, Value]) -> tuple[Counter, str]:
        """A counter of stars of one colour linked to two others."""
        color = row["color"].one_of(self.colors)
        one, other = self.colors_of(row["by"], range(2, 3))
        if color in (one, other):
            row["by"].refuse("names the colour itself, and equal colours are never linked")
        text = f"{self.colors[color]} stars linked to both {self.colors[one]} and {self.colors[other]}"
        return Counter(CounterKind.FLANKED, color=color, others=(one, other)), text

    def in_colors(self, row: dict[str, Value], spaces: int, region: str) -> tuple[Counter, str]:
        """A counter of a complete region in an exact number of colours."""
        number = row["colors"].integer(1, len(self.colors))
        text = f"{region} complete in exactly {number} {'colour' if number == 1 else 'colours'}"
        return Counter(CounterKind.REGION_IN_COLORS, spaces=spaces, number=number), text

    def colors_of(self, value: Value, count: range) -> tuple[int, ...]:
        """Different colours by name."""
        colors: list[int] = []
        for element in value.list(count):
            color = element.one_of(self.colors)
            if color in colors:
                element.refuse(f"{self.colors[color]} stands there twice")
            colors.append(color)
        return tuple(colors)


def deck(
    value: Value, needed: int, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> list[dict[str, Value]]:
    """The cards of one deck, each of them with an id and these keys."""
    cards = value.list(range(core.MAX_CARDS + 1))
    if len(cards) < needed:
        value.refuse(f"a game needs {needed} of these cards, and there are {len(cards)}")
    return [card.table(("id", *required), optional) for card in cards]


def tiers(value: Value) -> tuple[tuple[int, int], ...]:
    """The tiers of a personal task: [count, points], both ascending, so that the best tier reached is the last."""
    found: list[tuple[int, int]] = []
    for tier in value.list(range(1, core.MAX_TIERS + 1)):
        count, reward = tier.list(range(2, 3))
        found.append((count.integer(0, core.MAX_PIECES), reward.integer(0, MAX_POINTS)))
        if len(found) > 1 and not (found[-2][0] < found[-1][0] and found[-2][1] < found[-1][1]):
            tier.refuse("must have a higher count and more points than the tier before")
    return tuple(found)
