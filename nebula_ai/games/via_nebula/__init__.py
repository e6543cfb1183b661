"""The game Via Nebula around its core: editions, readable states, notation, board text, messages."""
