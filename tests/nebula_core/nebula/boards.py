"""A galaxy of the standard edition counted by hand, for the tests of counters and scores.

Orbits 1 and 2 and Corvus (3, 9, 16, 23, 24, 31) are full:

    orbit 1    0 red     1 blue    2 yellow  3 white
    orbit 2    4 orange  5 violet  6 red     7 white   8 blue    9 red
    orbit 3   10 blue   16 orange
    orbit 4   23 white  24 yellow
    orbit 5   31 blue

    Lyra 0 4 5 10 · Draco 1 6 · Cygnus 2 7 8 · Corvus 3 9 16 23 24 31

Its links, with both ends:

    along orbits  0-1 red blue     1-2 blue yellow   2-3 yellow white   3-0 white red
                  4-5 orange violet  5-6 violet red  6-7 red white  7-8 white blue  8-9 blue red  9-4 red orange
                  16-10 orange blue  23-24 white yellow
    direct        0-4 red orange   0-5 red violet   1-6 blue red   2-8 yellow blue   3-9 white red   4-10 orange blue
                  9-16 red orange  16-24 orange yellow  23-31 white blue
    indirect      1-7 blue white   2-9 yellow red   10-24 blue yellow
"""

BOARD = {
    0: "red",
    1: "blue",
    2: "yellow",
    3: "white",
    4: "orange",
    5: "violet",
    6: "red",
    7: "white",
    8: "blue",
    9: "red",
    10: "blue",
    16: "orange",
    23: "white",
    24: "yellow",
    31: "blue",
}

NOT_SATISFIED = ("T03", "T04", "T05", "T07")
"""Public tasks that it does not satisfy."""
