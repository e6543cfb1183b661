# Moves and chance outcomes as numbers: the kind in the top byte, what it is about below. Numbers of one decision ascend
# as their kinds and arguments do, which is what `legal` relies on.

from libc.stdint cimport uint32_t

cdef enum MoveKind:
    CHOOSE = 1      # card, or UNKNOWN_CARD
    INVEST = 2      # steps, 4 bits a cluster, the first cluster highest
    CHAOS = 3       # piece
    TAKE = 4        # bit set of clusters
    KEEP = 5        # counts, 3 bits a piece, the first piece lowest
    PLACE = 6       # piece << 8 | space; space 0 for a black hole
    ADVANCE = 7     # group << 8 | index
    DECLINE = 8
    STOP = 9
    PIECE = 16      # piece
    PUBLIC = 17     # card
    ADVANCED = 18   # card
    PERSONAL = 19   # card, or UNKNOWN_CARD

# Groups of ADVANCE. The index of a card is its number in the edition.
cdef enum ValueGroup:
    COLOR_GROUP
    CONSTELLATION_GROUP
    CARD_GROUP


cdef inline uint32_t encode_move(uint32_t kind, uint32_t argument) noexcept nogil:
    """The number of a move."""
    return kind << 24 | argument


cdef inline uint32_t kind_of(uint32_t move) noexcept nogil:
    """The kind of a move."""
    return move >> 24


cdef inline uint32_t argument_of(uint32_t move) noexcept nogil:
    """What a move is about."""
    return move & 0xFFFFFF
