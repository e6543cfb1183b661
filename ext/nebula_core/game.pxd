# The contract that every game fulfils, and all that a search may know of a game.
#
# A game is a table of functions over a flat state. The state is a C struct of `state_size` bytes (at most
# MAX_STATE_BYTES, aligned to 8, no pointers), so that a copy is one memcpy. `tables` is the compiled edition: constant
# for as long as the game lives, read by every function, written by none. All functions are `noexcept nogil`, allocate
# nothing and touch nothing outside their arguments, so that threads may call them at once on states of their own.
#
# A move and the outcome of a chance event are each a uint32. Their layout is the game's own affair; all that others
# may rely on is that numbers are unique within one list and stable for one edition.
#
# Inside a search no state rests at a chance event: after every `apply` comes a `settle`. At the edges (the Python
# face) chance is explicit: `status` says CHANCE, `chances` lists what may happen, `resolve` says what did.

from libc.stdint cimport int32_t, uint32_t

from nebula_core.rng cimport Rng

cdef enum:
    MAX_PLAYERS = 4
    MAX_STATE_BYTES = 512
    # The same in uint64, for storage with the alignment promised above.
    MAX_STATE_WORDS = 64
    # No list of moves or of chance outcomes is longer, in any game; an edition that could make one is refused.
    MAX_MOVES = 512
    # What one game's win is worth, in the units of `outcome`: divisible among 1, 2, 3 or 4 who share it.
    WHOLE_WIN = 12
    # What one point is worth in the units of `estimate`.
    POINT_PARTS = 16

# What `status` says when it is not a seat (0 to 3) that has to decide.
cdef enum:
    CHANCE = -1
    FINISHED = -2

ctypedef uint32_t move_t

ctypedef struct Game:
    const void* tables
    uint32_t state_size
    # A lead of this many points is as good as any larger one (see the reward in search/parameters); from 1.
    int32_t decisive_lead

    # Number of players of this state, 2 to MAX_PLAYERS.
    int (*players)(const void* tables, const void* state) noexcept nogil
    # The seat that has to decide, or CHANCE, or FINISHED.
    int (*status)(const void* tables, const void* state) noexcept nogil
    # Writes the legal moves, strictly ascending, and returns how many: at least 1. Status must be a seat.
    int (*legal)(const void* tables, const void* state, move_t* moves) noexcept nogil
    # One of the legal moves, each as likely as any other, without listing them. Status must be a seat.
    move_t (*random_move)(const void* tables, const void* state, Rng* rng) noexcept nogil
    # One of the legal moves, drawn so that it is seldom a foolish one: what a simple player does, at about the price of
    # `random_move`. A search may play its playouts with it; no rule depends on it. Status must be a seat.
    move_t (*sensible_move)(const void* tables, const void* state, Rng* rng) noexcept nogil
    # Makes a legal move. Afterwards any status is possible. An illegal move is undefined behaviour.
    void (*apply)(const void* tables, void* state, move_t move) noexcept nogil
    # Draws every pending chance event until a seat has to decide or the game is finished, each with one `below` the sum
    # of the weights that `chances` gives, counted off in the order of its outcomes: the same generator draws the same
    # at the edges. Returns how many of the events drawn had more than one possible outcome.
    int (*settle)(const void* tables, void* state, Rng* rng) noexcept nogil
    # Writes the possible outcomes of the pending chance event, strictly ascending, with weights (proportional to their
    # probability, each at least 1), and returns how many: at least 1. Status must be CHANCE.
    int (*chances)(const void* tables, const void* state, move_t* outcomes, uint32_t* weights) noexcept nogil
    # Makes the pending chance event come out like this. An impossible outcome is undefined behaviour.
    void (*resolve)(const void* tables, void* state, move_t outcome) noexcept nogil
    # Turns everything that `seat` cannot see into unknown. Idempotent.
    void (*observe)(const void* tables, void* state, int seat) noexcept nogil
    # Replaces everything that `seat` cannot see by a sample, uniform over what this seat cannot rule out, and whatever
    # is unknown, also of its own cards, likewise. Reads only what `observe` leaves: states with equal observations get
    # equal samples from equal generators. Returns how many hidden things had more than one possibility.
    int (*determinize)(const void* tables, void* state, int seat, Rng* rng) noexcept nogil
    # For each seat: final points, and its share of the win (they sum to WHOLE_WIN). Status must be FINISHED and nothing
    # that counts may be unknown.
    void (*outcome)(const void* tables, const void* state, int32_t* points, int32_t* win_shares) noexcept nogil
    # What the position promises a seat, in POINT_PARTS of a point: its points so far, those that it has begun to earn,
    # and what its means are worth. A cheap guess, for a search that does not play every game to its end, and that
    # prefers one move to another in playouts. Alike for all seats: with the seats exchanged, so are the promises. A
    # chance event may be pending, but not one of the setup; nothing that counts may be unknown.
    int32_t (*estimate)(const void* tables, const void* state, int seat) noexcept nogil
