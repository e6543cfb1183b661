# The rules of Nebula.
