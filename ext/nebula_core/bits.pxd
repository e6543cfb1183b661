# Bit tricks on small sets and runs of bytes. Knows no game.
#
# GCC's and Clang's builtins, so that one name gives one machine instruction where there is one.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from *:
    """
    static inline int nc_popcount(unsigned int set) { return __builtin_popcount(set); }
    static inline int nc_lowest(unsigned int set) { return __builtin_ctz(set); }
    static inline int nc_popcount64(unsigned long long set) { return __builtin_popcountll(set); }
    static inline int nc_lowest64(unsigned long long set) { return __builtin_ctzll(set); }
    static inline int nc_first_high(const unsigned char *bytes) {
        unsigned long long word;
        __builtin_memcpy(&word, bytes, 8);
        word &= 0x8080808080808080ull;
        if (!word) return -1;
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return __builtin_ctzll(word) >> 3;
    #else
        return __builtin_clzll(word) >> 3;
    #endif
    }
    """
    # Number of elements of a set.
    int popcount "nc_popcount"(uint32_t set) noexcept nogil
    # Index of the lowest element; undefined for the empty set.
    int lowest "nc_lowest"(uint32_t set) noexcept nogil
    # The same for larger sets.
    int popcount64 "nc_popcount64"(uint64_t set) noexcept nogil
    int lowest64 "nc_lowest64"(uint64_t set) noexcept nogil
    # Index of the first of 8 bytes whose highest bit is set, or -1.
    int first_high "nc_first_high"(const uint8_t* bytes) noexcept nogil


cdef inline int nth(uint32_t set, uint32_t n) noexcept nogil:
    """Index of the n-th lowest element, n from 0; undefined unless n < popcount(set)."""
    while n:
        set &= set - 1
        n -= 1
    return lowest(set)


cdef inline int nth64(uint64_t set, uint32_t n) noexcept nogil:
    """The same for larger sets."""
    while n:
        set &= set - 1
        n -= 1
    return lowest64(set)
