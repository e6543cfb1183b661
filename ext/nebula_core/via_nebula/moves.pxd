# Moves and chance outcomes as numbers: the kind in the top byte, what it is about below. Numbers of one decision ascend
# as their kinds and arguments do, which is what `legal` relies on.

from libc.stdint cimport uint32_t

cdef enum MoveKind:
    CRAFTSMAN = 1       # hex
    SITE = 2            # hex
    EXPLORE = 3         # hex
    TRANSPORT = 4       # site << 8 | hex
    BUILD = 5           # site << 8 | card
    END_TURN = 6
    SUPPLY_PART = 7     # site << 8 | resource
    SWAP_PART = 8       # site << 16 | resource that leaves << 8 | resource that comes
    CLEAR_PART = 9      # hex
    DELIVER_PART = 10   # site << 8 | hex
    RECALL_PART = 11    # hex
    DECLINE = 12
    SPECIAL = 16        # kind of token
    TOKEN = 17          # kind of token
    PRIVATE_CARD = 18   # card, or UNKNOWN_CARD
    OPEN_CARD = 19      # card
    DRAW_CARD = 20      # card, or UNKNOWN_CARD


cdef inline uint32_t encode_move(uint32_t kind, uint32_t argument) noexcept nogil:
    """The number of a move."""
    return kind << 24 | argument


cdef inline uint32_t kind_of(uint32_t move) noexcept nogil:
    """The kind of a move."""
    return move >> 24


cdef inline uint32_t argument_of(uint32_t move) noexcept nogil:
    """What a move is about."""
    return move & 0xFFFFFF
