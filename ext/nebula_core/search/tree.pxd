# What a search holds in memory. Knows games only through game.pxd.
#
# The tree is one block of `capacity` nodes, the arena, filled from the front. Node 0 is the root; a node stands for the
# moves on the way to it from there, whatever the hidden cards and the chances on that way. The children of a node are a
# list, ascending by move like the legal moves, so that one walk along both tells which move has which child:
#
#     arena   [ 0: root ][ 1: move 7 ][ 2: move 3 ][ 3: move 9 ][ 4: move 7 ][ free ...
#
#     root ──first_child──> 2 (move 3) ──sibling──> 1 (move 7) ──sibling──> NONE
#                           │                       └─first_child──> 3 (move 9) ──sibling──> NONE
#                           └─first_child──> 4 (move 7) ──sibling──> NONE
#
# Only pages that were written to take memory: a large arena for a small search costs nothing.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from nebula_core.game cimport MAX_MOVES, MAX_PLAYERS, MAX_STATE_WORDS, Game, move_t
from nebula_core.rng cimport Rng
from nebula_core.search.parameters cimport MAX_DEPTH, SearchParameters
from nebula_core.search.stop cimport Progress

cdef enum:
    # The root is nobody's child: its index means that there is no node.
    NONE = 0
    ROOT = 0

# One node: 64 bytes, one line of the cache.
#
#      0       8       16      24      32             40     44       48             52            56        60       64
#      ├───────┴───────┴───────┴───────┼──────────────┼──────┼────────┼──────────────┼─────────────┼─────────┼────────┤
#      │ rewards of seats 0 to 3       │ inverse_sqrt │ move │ visits │ availability │ first_child │ sibling │ solved │
ctypedef struct Node:
    # Sums, in parts of REWARD_ONE.
    int64_t[MAX_PLAYERS] rewards
    # 1 / sqrt(visits): all that the selection needs of them.
    double inverse_sqrt
    # The last move on the way here.
    move_t move
    uint32_t visits
    # How often the move was legal when the search was at the parent since this node is there, chosen or not.
    uint32_t availability
    uint32_t first_child
    uint32_t sibling
    # Nothing after this node is left to chance and all of it is in the tree: `rewards` are `visits` times what best
    # play leads to, each player maximising its own.
    uint32_t solved

# The statistics of one legal move of the root, complete also where the arena has no node for it.
ctypedef struct RootStatistics:
    move_t move
    uint32_t visits
    uint32_t availability
    # Sums by seat, in parts of REWARD_ONE, in parts of WHOLE_WIN, and in points.
    int64_t[MAX_PLAYERS] rewards
    int64_t[MAX_PLAYERS] win_shares
    int64_t[MAX_PLAYERS] points

ctypedef struct Search:
    Game game
    SearchParameters parameters
    # The exploration constant in parts of REWARD_ONE.
    double exploration
    # The seat that searches, and what it sees: all that a search ever reads of the state it was given.
    int seat
    int players
    uint64_t[MAX_STATE_WORDS] root

    Rng rng
    Node* arena
    uint32_t capacity
    # As many as there are root moves, ascending.
    RootStatistics* root_statistics
    Progress progress
    # The most visited root move.
    int leader
    uint64_t plies
    uint32_t depth
    # A node was wanted and there was no room for it.
    bint full

    # What one simulation works with: its state, the moves legal in it, those of them that have no node with the sibling
    # that each would follow, and the path so far: its nodes, and for each of them whose decision it was and how many
    # moves were legal.
    uint64_t[MAX_STATE_WORDS] state
    move_t[MAX_MOVES] moves
    move_t[MAX_MOVES] untried
    uint32_t[MAX_MOVES] untried_after
    uint32_t[MAX_DEPTH + 1] path
    int[MAX_DEPTH + 1] movers
    int[MAX_DEPTH + 1] legal_counts


cdef class CancelFlag:
    cdef int flag


cdef class Parameters:
    cdef SearchParameters values


cdef class Tree:
    cdef Search search
    # Keeps the game's tables alive.
    cdef object rules
    cdef bint running
