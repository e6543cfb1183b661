"""Random numbers: the published algorithms written out in Python, and what they promise."""

from collections import Counter
from collections.abc import Iterator

import pytest

from nebula_core.errors import LimitError
from nebula_core.face import Generator
from tests.fit import assert_fits

WORD = 2**64 - 1


def rotated(number: int, by: int) -> int:
    """The 64-bit number, rotated to the left."""
    return (number << by | number >> (64 - by)) & WORD


def splitmix64(state: int) -> Iterator[int]:
    """The numbers of splitmix64 from a state."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & WORD
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
        yield z ^ z >> 31


def xoshiro256plusplus(a: int, b: int, c: int, d: int) -> Iterator[int]:
    """The numbers of xoshiro256++ from a state."""
    while True:
        yield rotated(a + d & WORD, 23) + a & WORD
        t = b << 17 & WORD
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= t
        d = rotated(d, 45)


def generator(seed: int, stream: int) -> Iterator[int]:
    """The 64-bit numbers of a generator: splitmix64 of the seed, mixed with the stream, fills the state."""
    filled = splitmix64(next(splitmix64(seed)) ^ stream * 0xD1342543DE82EF95 & WORD)
    return xoshiro256plusplus(*(next(filled) for _ in range(4)))


def below(numbers: Iterator[int], bound: int) -> int:
    """Lemire's method: the high half of a product with 32 random bits; unfair low halves are thrown away."""
    while True:
        product = (next(numbers) >> 32) * bound
        if product & 0xFFFFFFFF >= 2**32 % bound:
            return product >> 32


def test_the_python_text_agrees_with_published_numbers() -> None:
    numbers = splitmix64(1234567)
    assert [next(numbers) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    numbers = xoshiro256plusplus(1, 2, 3, 4)
    assert [next(numbers) for _ in range(5)] == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
    ]


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32, WORD])
@pytest.mark.parametrize("stream", [0, 1, 7, WORD])
def test_same_numbers_as_the_python_text(seed: int, stream: int) -> None:
    mine, theirs = Generator(seed, stream), generator(seed, stream)
    for bound in [2**32 - 1, 2, 6, 1, 150, 3 * 2**30, 2**31 + 1, 2**32 - 1] * 50:
        assert mine.below(bound) == below(theirs, bound)


def test_streams_and_seeds_differ() -> None:
    firsts = {
        tuple(Generator(seed, stream).below(2**32 - 1) for _ in range(2)) for seed in range(50) for stream in range(50)
    }
    assert len(firsts) == 2500


def test_streams_are_independent_of_each_other() -> None:
    pairs: Counter[tuple[int, int]] = Counter()
    one, other = Generator(5, 0), Generator(5, 1)
    for _ in range(20_000):
        pairs[one.below(10), other.below(10)] += 1
    assert_fits(pairs, {(a, b): 1 for a in range(10) for b in range(10)})


@pytest.mark.parametrize("bound", [2, 3, 7, 10, 100])
def test_every_number_below_the_bound_is_equally_likely(bound: int) -> None:
    numbers = Generator(11)
    assert_fits(Counter(numbers.below(bound) for _ in range(20_000)), dict.fromkeys(range(bound), 1))


def test_a_large_bound_is_fair_too() -> None:
    # Without the second draw of Lemire's method the multiples of three would come up twice as often as the others.
    numbers = Generator(12)
    assert_fits(Counter(numbers.below(3 * 2**30) % 3 for _ in range(20_000)), dict.fromkeys(range(3), 1))


def test_below_1_is_0() -> None:
    numbers = Generator(3)
    assert {numbers.below(1) for _ in range(100)} == {0}


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", None, True])
def test_seeds_and_streams_out_of_range(seed: int) -> None:
    with pytest.raises(LimitError) as refused:
        Generator(seed)
    assert refused.value.field == "seed"
    with pytest.raises(LimitError) as refused:
        Generator(1, seed)
    assert refused.value.field == "stream"


@pytest.mark.parametrize("bound", [0, -1, 2**32, 1.5, "6", None])
def test_bounds_out_of_range(bound: int) -> None:
    with pytest.raises(LimitError) as refused:
        Generator(1).below(bound)
    assert refused.value.field == "bound"
