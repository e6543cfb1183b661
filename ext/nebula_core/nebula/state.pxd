# The state of a game of Nebula: a flat struct, everything that lies on the table and in the hands, nothing else.
#
# In memory (bytes):
#
#     stars[4][6] 96 | observatory[4][7] 28 | bag, removed, drawn 21 | clusters[4][8] 32 | figures, holes 8 |
#     public cards 8 x 3 | advanced cards 8 | values 22 | personal[4][4] 16 | the rest 11
#
# Unused elements are 0, also of arrays of pieces and cards: two equal states are equal byte for byte.

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from nebula_core.nebula.tables cimport (
    MAX_CLUSTERS, MAX_CLUSTER_SPACES, MAX_COLORS, MAX_DEALT, MAX_IN_PLAY, MAX_PIECES, MAX_REGIONS
)

cdef enum:
    SEATS = 4
    NO_PIECE = 0xFF
    NO_CARD = 0xFE
    UNKNOWN_CARD = 0xFF

cdef enum Phase:
    PHASE_SETUP         # chance: whatever the setup lacks first
    PHASE_CHOOSE        # `seat` keeps one of its personal tasks
    PHASE_TURN          # invest, or chaos
    PHASE_TAKE
    PHASE_DRAW          # chance: a piece of chaos
    PHASE_KEEP
    PHASE_PLACE         # place, or stop; never without a legal placement
    PHASE_ADVANCE       # a value marker, or decline
    PHASE_REFILL        # chance: a piece for the first empty space
    PHASE_SUPERNOVA     # chance: the new supernova
    PHASE_FINISHED

ctypedef struct NebulaState:
    uint32_t stars[SEATS][MAX_COLORS]                     # by seat and colour: the set of spaces
    uint8_t observatory[SEATS][MAX_PIECES]                # counts
    uint8_t bag[MAX_PIECES]
    uint8_t removed[MAX_PIECES]
    uint8_t drawn[MAX_PIECES]                             # by chaos in this turn; 0 but in PHASE_DRAW and PHASE_KEEP
    uint8_t clusters[MAX_CLUSTERS][MAX_CLUSTER_SPACES]    # a piece or NO_PIECE
    uint8_t figures[MAX_CLUSTERS]
    uint8_t holes[SEATS]                                  # black holes on the tracks
    uint8_t public_card[MAX_IN_PLAY]                      # a card or NO_CARD
    uint8_t marked[MAX_IN_PLAY]                           # the set of seats with a marker
    uint8_t marker_order[MAX_IN_PLAY]                     # those seats, 2 bits each, the first lowest
    uint8_t advanced_card[MAX_IN_PLAY]                    # a card or NO_CARD
    uint8_t color_value[MAX_COLORS]                       # positions on the scales
    uint8_t constellation_value[MAX_REGIONS]
    uint8_t advanced_value[MAX_IN_PLAY]
    uint8_t personal[SEATS][MAX_DEALT]                    # a card, NO_CARD or UNKNOWN_CARD; the kept one first
    uint16_t round
    uint8_t players
    uint8_t full                                          # the full variant
    uint8_t phase
    uint8_t seat
    uint8_t supernova                                     # a colour or NO_PIECE
    uint8_t took_supernova                                # in this turn, a piece of its colour
    uint8_t placed                                        # in this turn: the set of pieces
    uint8_t bag_total                                     # the sum of `bag`
