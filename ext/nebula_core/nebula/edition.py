"""An edition of Nebula as the core wants it: indices instead of names, every number checked to fit.

Made by `nebula_ai.games.nebula.edition` out of a TOML file; compiled by `NebulaRules` into C tables. Colours, orbits,
constellations, spaces and cards are numbered from 0 in the order of the file; the black hole is the piece after the
last colour.
"""

from dataclasses import dataclass
from enum import IntEnum

# What the core's structs hold. An edition beyond any of these is refused when it is read.
MAX_COLORS = 6
MAX_CLUSTERS = 4
MAX_CLUSTER_SPACES = 8
MAX_STEPS = 8
MAX_SPACES = 32
MAX_ORBITS = 8
MAX_CONSTELLATIONS = 8
MAX_PUBLIC_TASKS = 8
MAX_ADVANCED_CARDS = 8
MAX_PERSONAL_DEALT = 4
MAX_CARDS = 64
MAX_TRACK = 15
MAX_VALUES = 8
MAX_TIERS = 8
MAX_DRAW = 8
MAX_KEEP = 3
MAX_PIECES = 255


class CounterKind(IntEnum):
    """What a counter counts: the kinds of the rules, with orbits and constellations both seen as regions of spaces."""

    STARS = 0
    LINKS = 1
    FLANKED = 2
    REGION_IN_COLORS = 3
    CONSTELLATIONS_WITH = 4
    ORBITS_WITH = 5
    CONSTELLATIONS_COMPLETE = 6
    ORBITS_COMPLETE = 7
    COLOR_SETS = 8
    BLACK_HOLES = 9


class LinkKind(IntEnum):
    """How two spaces are linked."""

    ORBIT = 0
    DIRECT = 1
    INDIRECT = 2


@dataclass(frozen=True, slots=True)
class Counter:
    """A number read off one player's boards. Fields that a kind does not use keep their defaults.

    STARS: stars of `color` (any, if None) on the set `spaces`. LINKS: links between a star of `color` and one of
    `others[0]`, only the direct ones if `direct_only`. FLANKED: stars of `color` linked to both colours of `others`.
    REGION_IN_COLORS: 1 if the set `spaces` is full and in exactly `number` colours. CONSTELLATIONS_WITH and
    ORBITS_WITH: those that hold every colour of `others`.
    """

    kind: CounterKind
    spaces: int = 0  # a bit set of spaces
    color: int | None = None
    others: tuple[int, ...] = ()
    direct_only: bool = False
    number: int = 0


@dataclass(frozen=True, slots=True)
class PublicTask:
    """Satisfied when the counter is at least `at_least`; `first` points to the first player, `later` to the others."""

    counter: Counter
    at_least: int
    first: int
    later: int


@dataclass(frozen=True, slots=True)
class PersonalTask:
    """Worth the points of the best tier reached; tiers are (count, points), counts ascending."""

    counter: Counter
    tiers: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Edition:
    """Boards, cards and numbers. Where a tuple is by number of players, its index is the number of players less 2."""

    name: str
    content_hash: bytes  # 8 bytes; equal contents, equal hashes
    min_players: int
    max_players: int
    colors: int
    stars_per_color: int
    black_holes: tuple[int, int, int]  # by number of players; 0 where the edition does not allow that number
    clusters: int
    cluster_spaces: int
    steps: int
    draw: int
    keep: int
    observatory_pieces: tuple[int, int, int, int]  # by seat; 0 where the edition has no such seat
    personal_dealt: int
    public_in_play: int
    advanced_in_play: int
    stars_placed: int
    stars_placed_with_supernova: int
    first_star_spaces: int  # a bit set
    track_points: tuple[int, ...]  # by black holes placed, from none
    indicator_end: tuple[int, int, int]  # by number of players
    markers_end: tuple[int, int, int]  # by number of players
    color_values: tuple[int, ...]
    constellation_values: tuple[int, ...]
    advanced_values: tuple[int, ...]
    constellations_end: int
    orbits: tuple[int, ...]  # for each orbit the bit set of its spaces
    constellations: tuple[int, ...]  # for each constellation the bit set of its spaces
    constellation_points: tuple[int, ...]
    spaces: int
    links: tuple[tuple[int, int, LinkKind], ...]  # each pair once
    public_tasks: tuple[PublicTask, ...]
    personal_tasks: tuple[PersonalTask, ...]
    advanced_cards: tuple[Counter, ...]
