# Tight loops to be timed from outside: what playing, copying and listing moves cost without Python between them.
# Knows no game and no clock: whoever measures reads the clock before and after the call.

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy

from nebula_core.face cimport State
from nebula_core.game cimport FINISHED, MAX_MOVES, MAX_PLAYERS, MAX_STATE_WORDS, Game, move_t
from nebula_core.rng cimport Rng, seed_rng

from nebula_core.errors import GameFinished, LimitError

cdef extern from *:
    """
    /* The compiler must take it that these bytes are read and changed here, so that it leaves out no loop. */
    static inline void nc_touch(void *bytes) { __asm__ volatile("" : : "r"(bytes) : "memory"); }
    """
    void touch "nc_touch"(void* bytes) noexcept nogil


cdef uint32_t checked_count(count) except 0:
    if not 1 <= count < 2**32:
        raise LimitError("count", f"must be from 1 to {2**32 - 1}, not {count}")
    return count


cdef uint64_t play_out(const Game* game, const void* state, uint32_t count, Rng* rng) noexcept nogil:
    """Plies of `count` playouts from a state that knows every card."""
    cdef uint64_t storage[MAX_STATE_WORDS]
    cdef void* work = <void*>storage
    cdef int32_t points[MAX_PLAYERS]
    cdef int32_t win_shares[MAX_PLAYERS]
    cdef uint64_t plies = 0
    cdef uint32_t _i
    for _i in range(count):
        memcpy(work, state, game.state_size)
        while game.status(game.tables, work) != FINISHED:
            game.apply(game.tables, work, game.random_move(game.tables, work, rng))
            game.settle(game.tables, work, rng)
            plies += 1
        game.outcome(game.tables, work, points, win_shares)
    return plies


def playouts(State state not None, count, seed):
    cdef uint32_t checked = checked_count(count)
    cdef uint64_t storage[MAX_STATE_WORDS]
    cdef void* start = <void*>storage
    cdef const Game* game = &state.rules.game
    cdef Rng rng
    cdef uint64_t plies
    if not 0 <= seed < 2**64:
        raise LimitError("seed", f"must be from 0 to {2**64 - 1}, not {seed}")
    seed_rng(&rng, seed, 0)
    memcpy(start, state.data(), game.state_size)
    game.settle(game.tables, start, &rng)
    cdef int seat = game.status(game.tables, start)
    if seat == FINISHED:
        raise GameFinished("the game is finished: there is nothing to play")
    # A card that stayed unknown could not be counted at the end.
    game.determinize(game.tables, start, seat, &rng)
    with nogil:
        plies = play_out(game, start, checked, &rng)
    return plies


def copies(State state not None, count):
    cdef uint32_t checked = checked_count(count)
    cdef uint64_t storage[MAX_STATE_WORDS]
    cdef void* work = <void*>storage
    cdef const void* source = state.data()
    cdef uint32_t size = state.rules.game.state_size
    cdef uint32_t _i
    with nogil:
        for _i in range(checked):
            memcpy(work, source, size)
            touch(work)
    return <uint64_t>checked * size


def legal_lists(State state not None, count):
    cdef uint32_t checked = checked_count(count)
    cdef move_t moves[MAX_MOVES]
    cdef const Game* game = &state.rules.game
    cdef const void* source = state.data()
    cdef uint64_t total = 0
    cdef uint32_t _i
    if state.seat is None:
        # The one place that says why: it raises.
        state.legal_moves()
    with nogil:
        for _i in range(checked):
            total += game.legal(game.tables, source, moves)
            touch(moves)
    return total
