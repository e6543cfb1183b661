# The natural logarithm of a whole number, out of + - * / alone. The C library's own differs in the last digit from one
# machine to another, and with it what a search does; these four (and the square root) are exactly rounded everywhere.

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    static inline int nc_bit_length(unsigned long long n) { return 64 - __builtin_clzll(n); }
    """
    int bit_length "nc_bit_length"(uint64_t n) noexcept nogil


cdef inline double ln(uint64_t n) noexcept nogil:
    """ln(n), within two units of the last place, for n from 1 to 2**53."""
    # n = m * 2**exponent with m between 1/sqrt(2) and sqrt(2), and ln(m) = 2 * artanh(z) by its series. z is at most
    # 0.172: what is left out, 2 * z**19 / 19 and on, is below 2**-51, the last place of a number from 2 to 4.
    cdef int exponent = bit_length(n) - 1
    cdef double m = <double>n / <double>(<uint64_t>1 << exponent)
    if m > 1.4142135623730951:
        m *= 0.5
        exponent += 1
    cdef double z = (m - 1.0) / (m + 1.0)
    cdef double square = z * z
    cdef double sum = 1.0 / 17.0
    sum = sum * square + 1.0 / 15.0
    sum = sum * square + 1.0 / 13.0
    sum = sum * square + 1.0 / 11.0
    sum = sum * square + 1.0 / 9.0
    sum = sum * square + 1.0 / 7.0
    sum = sum * square + 1.0 / 5.0
    sum = sum * square + 1.0 / 3.0
    return exponent * 0.6931471805599453 + 2.0 * (z + z * square * sum)
