# An edition of Via Nebula compiled: constant numbers and sets, filled once by tables.pyx and then only read.
#
# The meadows of a map (its hexes that are meadows from the start) and its ruins are numbered besides, each in the order
# of the hexes, so that sets of them are uint32 bit sets. Sets of cards are uint64 bit sets.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nebula_core.via_nebula.hexes cimport Hexes, Steps

# How much there is room for: the limits of edition.py (tables.pyx compares them).
cdef enum:
    MAX_RESOURCES = 8
    MAX_MAPS = 8
    MAX_HEXES = 120
    MAX_MEADOWS = 32
    MAX_RUINS = 32
    MAX_TOKEN_KINDS = 32
    MAX_CARDS = 64
    MAX_OPEN = 8
    MAX_SITES = 3
    MAX_BUILDINGS = 8
    MAX_TILES = 120
    # `swap` has most: on each site each resource for each other one, and `decline`.
    MAX_EFFECT_MOVES = MAX_SITES * MAX_RESOURCES * (MAX_RESOURCES - 1) + 1
    # No meadow, no ruin.
    NO_PLACE = 32

# The kinds of via_nebula/edition.py's Terrain, EffectKind and ScorePer, in their order.
cdef enum Terrain:
    MEADOW
    MIST
    FOREST
    RUIN
    FORBIDDEN

cdef enum EffectKind:
    NO_EFFECT
    ACTIONS
    SUPPLY
    SWAP
    CLEAR
    DELIVER
    CONTRACT
    DISCARD
    RECALL
    SCORE

cdef enum ScorePer:
    BUILDINGS
    TOKEN_TYPES
    EMPTIED_STACKS

ctypedef struct Map:
    Steps steps
    Hexes all
    Hexes meadow                        # the hexes of each terrain
    Hexes mist
    Hexes forest
    Hexes forbidden
    Hexes around[MAX_HEXES]             # the neighbours of a hex
    Hexes around_meadow[MAX_MEADOWS]
    Hexes around_ruin[MAX_RUINS + 1]    # of NO_PLACE: none
    Hexes ruin_at[MAX_RUINS + 1]        # the hex of a ruin; of NO_PLACE: none
    uint8_t meadow_of[MAX_HEXES]        # or NO_PLACE
    uint8_t ruin_of[MAX_HEXES]          # or NO_PLACE
    uint8_t hex_of_meadow[MAX_MEADOWS]
    uint8_t hex_of_ruin[MAX_RUINS]
    int hexes
    int meadows
    int ruins

ctypedef struct TokenKind:
    int resource
    int count
    int points
    int copies
    uint8_t pieces      # of a special kind: its tokens among all special ones, as a set

ctypedef struct Contract:
    uint64_t cost       # a bundle
    int points
    int effect
    int parts
    int per

# What a player has at the start, and what depends on the number of players besides.
ctypedef struct Pieces:
    int craftsmen
    int sites
    int buildings
    int ruin_capacity
    int stacks
    int stack_size
    int tiles           # in all stacks of one player
    int common_tiles
    int fewer_resources

ctypedef struct Tables:
    Map maps[MAX_MAPS]
    int map_count
    Pieces pieces[5]    # by number of players
    int min_players
    int max_players
    int resources
    uint64_t reserve    # a bundle: what there is of everything
    int action_points
    int craftsman_cost
    int site_cost
    int mist_cost
    int forest_cost
    int transport_cost
    int build_cost
    int private_dealt
    int open_contracts
    int special_removed
    int emptied_stack_points
    int end_card_points
    int storehouse_points
    TokenKind token[MAX_TOKEN_KINDS]
    int regular_kinds   # the special ones come after them
    int token_kinds
    int special_tokens  # pieces, of all kinds
    Contract contract[MAX_CARDS]
    int neutral_cards   # the private ones come after them
    int cards
    uint64_t neutral    # the sets of both
    uint64_t private_

cdef int compile_tables(object edition, Tables* tables) except -1
