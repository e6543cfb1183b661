# An edition of Nebula compiled: constant numbers and sets, filled once by tables.pyx and then only read.
#
# Sets of spaces are uint32 bit sets (space 0 is the lowest bit). Pieces are numbered as in the edition: colours from 0,
# the black hole last.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

# How much there is room for: the limits of edition.py (tables.pyx compares them).
cdef enum:
    MAX_COLORS = 6
    MAX_PIECES = MAX_COLORS + 1
    MAX_CLUSTERS = 4
    MAX_CLUSTER_SPACES = 8
    MAX_SPACES = 32
    MAX_REGIONS = 8
    MAX_IN_PLAY = 8
    MAX_DEALT = 4
    MAX_CARDS = 64
    MAX_TRACK = 15
    MAX_VALUES = 8
    MAX_TIERS = 8
    MAX_LISTED = 256
    ANY_COLOR = 0xFF

# The kinds of nebula/edition.py's CounterKind, in its order.
cdef enum CounterKind:
    STARS
    LINKS
    FLANKED
    REGION_IN_COLORS
    CONSTELLATIONS_WITH
    ORBITS_WITH
    CONSTELLATIONS_COMPLETE
    ORBITS_COMPLETE
    COLOR_SETS
    BLACK_HOLES

ctypedef struct Counter:
    uint32_t spaces
    uint8_t kind
    uint8_t color       # ANY_COLOR if the kind or the card names none
    uint8_t other[2]    # LINKS: the first; FLANKED: both
    uint8_t others      # *_WITH: bit set of colours
    uint8_t direct_only
    uint8_t number

ctypedef struct PublicTask:
    Counter counter
    int at_least
    int first
    int later

ctypedef struct PersonalTask:
    Counter counter
    int tiers
    int count[MAX_TIERS]
    int points[MAX_TIERS]

ctypedef struct Tables:
    # The four words of a set select four rows; together the spaces linked to any member (see `linked_to`).
    uint32_t linked_bytes[4][256]
    uint32_t links[2][MAX_SPACES]    # by space the spaces linked to it: by any link, only by direct ones
    uint32_t all_spaces
    uint32_t first_star_spaces
    uint32_t orbits[MAX_REGIONS]
    uint32_t constellations[MAX_REGIONS]
    int constellation_points[MAX_REGIONS]
    int orbit_count
    int constellation_count
    int space_count

    int min_players
    int max_players
    int colors
    int stars_per_color
    int black_holes[5]          # by number of players, as indicator_end and markers_end
    int indicator_end[5]
    int markers_end[5]
    int clusters
    int cluster_spaces
    int draw
    int keep
    int observatory_pieces[4]   # by seat
    int personal_dealt
    int public_in_play
    int advanced_in_play
    int stars_placed
    int stars_placed_with_supernova
    int constellations_end
    int track                   # black holes that fit on a track
    int track_points[MAX_TRACK + 1]
    int color_values            # lengths of the scales
    int constellation_values
    int advanced_values
    int color_value[MAX_VALUES]
    int constellation_value[MAX_VALUES]
    int advanced_value[MAX_VALUES]

    int public_cards
    int personal_cards
    int advanced_cards
    PublicTask public_task[MAX_CARDS]
    PersonalTask personal_task[MAX_CARDS]
    Counter advanced_card[MAX_CARDS]

    # All moves of their kind, ascending: ways to invest, and ways to keep `keep` pieces.
    int invests
    uint32_t invest[MAX_LISTED]
    int keeps
    uint32_t keep_counts[MAX_LISTED]


cdef inline uint32_t linked_to(const Tables* tables, uint32_t spaces) noexcept nogil:
    """The set of spaces linked to at least one of a set."""
    return (
        tables.linked_bytes[0][spaces & 0xFF]
        | tables.linked_bytes[1][(spaces >> 8) & 0xFF]
        | tables.linked_bytes[2][(spaces >> 16) & 0xFF]
        | tables.linked_bytes[3][spaces >> 24]
    )

cdef int compile_tables(object edition, Tables* tables) except -1
