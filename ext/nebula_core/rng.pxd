# Random numbers: xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021),
# seeded with splitmix64 (Vigna), bounded with Lemire's method ("Fast random integer generation in an interval",
# 2019). Integers only, so that a seed gives the same numbers on every machine. Knows no game and no clock.

from libc.stdint cimport uint32_t, uint64_t

ctypedef struct Rng:
    uint64_t s[4]


cdef inline uint64_t splitmix64(uint64_t* state) noexcept nogil:
    """The next number of a splitmix64 stream; advances `state`."""
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline void seed_rng(Rng* rng, uint64_t seed, uint64_t stream) noexcept nogil:
    """Start a generator. Streams of one seed are independent of each other: one for each worker."""
    cdef uint64_t state = seed
    cdef int i
    state = splitmix64(&state) ^ (stream * <uint64_t>0xD1342543DE82EF95)
    for i in range(4):
        rng.s[i] = splitmix64(&state)


cdef inline uint64_t next64(Rng* rng) noexcept nogil:
    """64 random bits."""
    cdef uint64_t sum = rng.s[0] + rng.s[3]
    cdef uint64_t result = ((sum << 23) | (sum >> 41)) + rng.s[0]
    cdef uint64_t t = rng.s[1] << 17
    rng.s[2] ^= rng.s[0]
    rng.s[3] ^= rng.s[1]
    rng.s[1] ^= rng.s[2]
    rng.s[0] ^= rng.s[3]
    rng.s[2] ^= t
    rng.s[3] = (rng.s[3] << 45) | (rng.s[3] >> 19)
    return result


cdef inline uint32_t below(Rng* rng, uint32_t bound) noexcept nogil:
    """A number from 0 to bound - 1, each exactly as likely as any other; undefined for bound 0."""
    cdef uint64_t product = (next64(rng) >> 32) * <uint64_t>bound
    cdef uint32_t low = <uint32_t>product
    cdef uint32_t threshold
    if low < bound:
        threshold = (<uint32_t>0 - bound) % bound
        while low < threshold:
            product = (next64(rng) >> 32) * <uint64_t>bound
            low = <uint32_t>product
    return <uint32_t>(product >> 32)
