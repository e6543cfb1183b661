"""An edition of Via Nebula as the core wants it: indices instead of names, every number checked to fit.

Made by `nebula_ai.games.via_nebula.edition` out of a TOML file; compiled by `ViaNebulaRules` into C tables. Resources
and maps are numbered from 0 in the order of the file. Kinds of tokens (alike in resource, count and points) are the
regular ones, then the special ones; cards are the neutral contracts, then the private ones. Hexes are numbered row by
row, without gaps.
"""

from dataclasses import dataclass
from enum import IntEnum

# What the core's structs hold. An edition beyond any of these is refused when it is read.
MAX_RESOURCES = 8
MAX_RESERVE = 127
MAX_MAPS = 8
MAX_HEXES = 120
MAX_MEADOWS = 32
MAX_RUINS = 32
MAX_TOKEN_KINDS = 32
MAX_ALIKE = 15
MAX_SPECIAL = 8
MAX_TOKEN_COUNT = 31
MAX_CARDS = 64
MAX_OPEN = 8
MAX_CRAFTSMEN = 15
MAX_SITES = 3
MAX_BUILDINGS = 8
MAX_CAPACITY = 15
MAX_TILES = 120
MAX_ACTION_POINTS = 15
MAX_PARTS = 15


class Terrain(IntEnum):
    """What a hex is before anything is laid on it."""

    MEADOW = 0
    MIST = 1
    FOREST = 2
    RUIN = 3
    FORBIDDEN = 4


class EffectKind(IntEnum):
    """What a contract does when it is done."""

    NONE = 0
    ACTIONS = 1
    SUPPLY = 2
    SWAP = 3
    CLEAR = 4
    DELIVER = 5
    CONTRACT = 6
    DISCARD = 7
    RECALL = 8
    SCORE = 9


class ScorePer(IntEnum):
    """What a contract with the effect SCORE gives a point for."""

    BUILDINGS = 0
    TOKEN_TYPES = 1
    EMPTIED_STACKS = 2


@dataclass(frozen=True, slots=True)
class TokenKind:
    """Exploitation tokens that are alike."""

    resource: int
    count: int
    points: int  # 0 on special tokens, which nobody takes
    copies: int


@dataclass(frozen=True, slots=True)
class Contract:
    """A card. `parts` is the number that comes with the effect, 0 without one and for SCORE; `per` is for SCORE."""

    cost: tuple[int, ...]  # by resource
    points: int
    effect: EffectKind = EffectKind.NONE
    parts: int = 0
    per: ScorePer = ScorePer.BUILDINGS


@dataclass(frozen=True, slots=True)
class Map:
    """A map: the length of each row, and each hex's terrain. Odd rows stand half a hex to the right.

    All rows are equally long, or every odd row is one hex shorter than the even ones.
    """

    rows: tuple[int, ...]
    terrain: tuple[Terrain, ...]


@dataclass(frozen=True, slots=True)
class Edition:
    """Maps, cards and numbers. Tuples of three are by number of players, less 2; 0 where it is not allowed."""

    name: str
    content_hash: bytes  # 8 bytes; equal contents, equal hashes
    min_players: int
    max_players: int
    resources: int
    reserve_per_resource: int
    craftsmen: tuple[int, int, int]
    sites: tuple[int, int, int]
    buildings: tuple[int, int, int]
    ruin_capacity: tuple[int, int, int]
    meadow_stacks: tuple[int, int, int]
    meadow_stack_size: tuple[int, int, int]
    meadow_reserve: tuple[int, int, int]
    fewer_resources: tuple[int, int, int]
    action_points: int
    craftsman_cost: int
    site_cost: int
    explore_mist_cost: int
    explore_forest_cost: int
    transport_cost: int
    build_cost: int
    private_dealt: int
    open_contracts: int
    special_removed: int
    emptied_stack_points: int
    end_card_points: int
    storehouse_points: int  # of one resource: 0 or less
    regular_tokens: tuple[TokenKind, ...]
    special_tokens: tuple[TokenKind, ...]
    maps: tuple[Map, ...]
    neutral_contracts: tuple[Contract, ...]
    private_contracts: tuple[Contract, ...]
