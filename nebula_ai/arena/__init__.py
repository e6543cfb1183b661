"""The arena: matches between bots, to find out which is the stronger one, and by how much. Knows no game by name.

`results` has the file that a run writes, `games` plays and replays one game, `spread` hands games to processes or to
Ray, `statistics` says what the results mean. The command `nebula-ai arena` puts them together.
"""
