# How the core was built.

cdef extern from *:
    """
    #ifdef NEBULA_CHECKED
    #define NC_CHECKED 1
    #else
    #define NC_CHECKED 0
    #endif
    """
    int NC_CHECKED

CHECKED = bool(NC_CHECKED)
