# Sets of hexes: 128 bits, one for each hex of a map, numbered row by row. Knows of a map only the shape of its rows.
#
# Two words and not a 128-bit integer, which would need a state aligned to 16 bytes.

from libc.stdint cimport uint64_t

from nebula_core.bits cimport lowest64, nth64, popcount64

ctypedef struct Hexes:
    uint64_t low     # hexes 0 to 63
    uint64_t high

# How to step from hexes to their neighbours. The distance between the numbers of two neighbours is 1 in a row, and else
# `row` or one less or more; for each such distance, the set of hexes that have a neighbour there.
ctypedef struct Steps:
    int row          # 1 to 63
    Hexes before
    Hexes after
    Hexes up[3]      # a neighbour `row` + 1, `row`, `row` - 1 before
    Hexes down[3]    # a neighbour `row` - 1, `row`, `row` + 1 after


cdef inline Hexes no_hexes() noexcept nogil:
    """The empty set."""
    cdef Hexes result
    result.low = 0
    result.high = 0
    return result


cdef inline Hexes only(int hex) noexcept nogil:
    """The set of one hex."""
    cdef Hexes result
    result.low = <uint64_t>(hex < 64) << (hex & 63)
    result.high = <uint64_t>(hex >= 64) << (hex & 63)
    return result


cdef inline Hexes either(Hexes one, Hexes other) noexcept nogil:
    """The hexes of one set or the other."""
    cdef Hexes result
    result.low = one.low | other.low
    result.high = one.high | other.high
    return result


cdef inline Hexes both(Hexes one, Hexes other) noexcept nogil:
    """The hexes of one set that are in the other too."""
    cdef Hexes result
    result.low = one.low & other.low
    result.high = one.high & other.high
    return result


cdef inline Hexes without(Hexes one, Hexes other) noexcept nogil:
    """The hexes of one set that are not in the other."""
    cdef Hexes result
    result.low = one.low & ~other.low
    result.high = one.high & ~other.high
    return result


cdef inline bint any_of(Hexes set) noexcept nogil:
    """Whether there is a hex in a set."""
    return (set.low | set.high) != 0


cdef inline bint has(Hexes set, int hex) noexcept nogil:
    """Whether a hex is in a set."""
    return ((set.high if hex >= 64 else set.low) >> (hex & 63)) & 1


cdef inline int size_of(Hexes set) noexcept nogil:
    """How many hexes a set has."""
    return popcount64(set.low) + popcount64(set.high)


cdef inline int first_of(Hexes set) noexcept nogil:
    """The hex with the lowest number; undefined for the empty set."""
    return lowest64(set.low) if set.low else 64 + lowest64(set.high)


cdef inline Hexes without_first(Hexes set) noexcept nogil:
    """A set without its lowest hex; the empty set stays empty."""
    cdef Hexes result
    result.high = set.high & (set.high - (set.low == 0))
    result.low = set.low & (set.low - 1)
    return result


cdef inline int nth_of(Hexes set, int n) noexcept nogil:
    """The n-th hex of a set, n from 0; undefined unless n is less than its size."""
    cdef int low = popcount64(set.low)
    return nth64(set.low, n) if n < low else 64 + nth64(set.high, n - low)


cdef inline Hexes up_by_one(Hexes set) noexcept nogil:
    """Each hex's number one higher."""
    cdef Hexes result
    result.high = set.high << 1 | set.low >> 63
    result.low = set.low << 1
    return result


cdef inline Hexes down_by_one(Hexes set) noexcept nogil:
    """Each hex's number one lower."""
    cdef Hexes result
    result.low = set.low >> 1 | set.high << 63
    result.high = set.high >> 1
    return result


cdef inline Hexes neighbours(const Steps* steps, Hexes set) noexcept nogil:
    """All hexes next to one of a set; of the set itself those that are next to another of it."""
    cdef int row = steps.row
    cdef Hexes up = either(
        either(down_by_one(both(set, steps.up[0])), both(set, steps.up[1])), up_by_one(both(set, steps.up[2]))
    )
    cdef Hexes down = either(
        either(down_by_one(both(set, steps.down[0])), both(set, steps.down[1])), up_by_one(both(set, steps.down[2]))
    )
    cdef Hexes result = either(down_by_one(both(set, steps.before)), up_by_one(both(set, steps.after)))
    result.low |= up.low >> row | up.high << (64 - row) | down.low << row
    result.high |= up.high >> row | down.high << row | down.low >> (64 - row)
    return result


cdef inline Hexes connected(const Steps* steps, Hexes start, Hexes within, Hexes* around) noexcept nogil:
    """The hexes that steps inside `within` reach from `start`, itself inside; `around` becomes all their neighbours."""
    cdef Hexes reached = start
    cdef Hexes wider
    while True:
        around[0] = neighbours(steps, reached)
        wider = either(reached, both(around[0], within))
        if wider.low == reached.low and wider.high == reached.high:
            return reached
        reached = wider
