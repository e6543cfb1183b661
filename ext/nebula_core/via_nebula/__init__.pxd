# The rules of Via Nebula.
