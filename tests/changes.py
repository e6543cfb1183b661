"""Changes to values as JSON and TOML have them: one at a known place, or anything at random."""

import copy
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

Content: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[[Content], None]
Key: TypeAlias = str | int | slice


def inner(content: Content, path: Sequence[Key]) -> Any:
    """What is at a path of keys and indices."""
    value: Any = content
    for key in path:
        value = value[key]
    return value


def put(value: object, *path: Key) -> Change:
    """Sets the value at a path of keys and indices."""

    def change(content: Content) -> None:
        inner(content, path[:-1])[path[-1]] = copy.deepcopy(value)

    return change


def more(number: int, *path: Key) -> Change:
    """Adds to the number at a path of keys and indices; what a table does not have is 0."""

    def change(content: Content) -> None:
        where = inner(content, path[:-1])
        where[path[-1]] = (where.get(path[-1], 0) if isinstance(where, dict) else where[path[-1]]) + number

    return change


def remove(*path: Key) -> Change:
    """Takes away what is at a path of keys and indices."""

    def change(content: Content) -> None:
        del inner(content, path[:-1])[path[-1]]

    return change


def everything(*changes: Change) -> Change:
    """All of the changes."""

    def change(content: Content) -> None:
        for one in changes:
            one(content)

    return change


def change_anything(content: Any, random: Random, junk: Sequence[object], keys: Sequence[str]) -> None:
    """Replaces, removes, doubles or moves a value somewhere inside; `junk` are values and `keys` keys to put there."""
    places = list(content) if isinstance(content, dict) else list(range(len(content)))
    if not places:
        return
    place, other = random.choice(places), random.choice(places)
    if isinstance(content[place], dict | list) and random.random() < 0.8:
        change_anything(content[place], random, junk, keys)
    elif random.random() < 0.4:
        content[place] = copy.deepcopy(random.choice(junk))
    elif random.random() < 0.5:
        content[place], content[other] = content[other], content[place]
    elif random.random() < 0.5:
        del content[place]
    elif isinstance(content, list):
        content.append(copy.deepcopy(content[place]))
    else:
        content[random.choice(keys)] = content[place]
