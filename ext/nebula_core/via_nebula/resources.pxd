# Bundles: how many there are of each resource, one byte a resource in a uint64, the first lowest. No count exceeds 127
# (MAX_RESERVE), so that bundles are added and subtracted as numbers, and one subtraction compares all counts at once.

from libc.stdint cimport uint64_t


cdef inline uint64_t bundle_of(int resource, int count) noexcept nogil:
    """A number of one resource."""
    return <uint64_t>count << (8 * resource)


cdef inline int count_in(uint64_t bundle, int resource) noexcept nogil:
    """How many of a resource there are in a bundle."""
    return bundle >> (8 * resource) & 0xFF


cdef inline bint contains(uint64_t bundle, uint64_t part) noexcept nogil:
    """Whether a bundle has at least as much of every resource as another."""
    # The high bit of each byte stays, unless that byte had to borrow it.
    return ((bundle | <uint64_t>0x8080808080808080) - part & <uint64_t>0x8080808080808080) == \
        <uint64_t>0x8080808080808080


cdef inline int total_of(uint64_t bundle) noexcept nogil:
    """How many resources there are in a bundle."""
    cdef uint64_t pairs = (bundle & <uint64_t>0x00FF00FF00FF00FF) + (bundle >> 8 & <uint64_t>0x00FF00FF00FF00FF)
    return pairs * <uint64_t>0x0001000100010001 >> 48
