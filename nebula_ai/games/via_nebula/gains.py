"""What a seat of Via Nebula has gained from one state to a later one of its turn, in a player's words.

Read off the two states: contracts done, tokens, stacks, sites, and what can be brought to them. Looks at nothing that
is hidden from the seat.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from nebula_ai.errors import listed, number_of
from nebula_ai.game import UNKNOWN
from nebula_ai.games.via_nebula.edition import SCORE_TEXT
from nebula_ai.games.via_nebula.state import Site, ViaNebulaState
from nebula_ai.readable import count_map
from nebula_core.face import State
from nebula_core.via_nebula.edition import Contract, EffectKind

if TYPE_CHECKING:
    from nebula_ai.games.via_nebula.game import ViaNebulaGame


def gains(game: "ViaNebulaGame", before: State, after: State) -> list[str]:
    """Verb phrases, what counts most first: points, resources brought to sites, ways opened for more of them."""
    return Comparison(game, before, after).gains()


class Comparison:
    """The seat that has to decide in one state, there and in a later one."""

    def __init__(self, game: "ViaNebulaGame", before: State, after: State) -> None:
        """In `before` a seat has to decide; `after` is the same game a few moves on."""
        assert before.seat is not None, "a seat has to decide"
        self.content = game.content
        self.core = game.content.core
        self.contracts = dict(
            zip(self.content.contracts, (*self.core.neutral_contracts, *self.core.private_contracts), strict=True)
        )
        self.seat = before.seat
        self.old, self.new = game.readable(before), game.readable(after)
        self.had, self.has = self.old.seats[self.seat], self.new.seats[self.seat]

    def gains(self) -> list[str]:
        """See `gains` of this module."""
        found = [*self.points(), *self.resources(), *self.sites(), *self.connections()]
        return found or [*self.tiles()]

    # Points.

    def points(self) -> Iterator[str]:
        """What has brought points, and what has cost some."""
        for name in sorted(set(self.has.done) - set(self.had.done)):
            yield f"builds {name} for {worth(self.contracts[name])}"
        if self.new.end_card == self.seat and self.old.end_card is None:
            yield f"takes the end card for {number_of(self.core.end_card_points, 'point')}"
        for had, has in zip(self.had.stacks, self.has.stacks, strict=True):
            if had and not has:
                yield f"empties a stack for {number_of(self.core.emptied_stack_points, 'point')}"
        for token in sorted((Counter(self.has.taken) - Counter(self.had.taken)).elements()):
            kind = self.core.regular_tokens[self.content.tokens.index(token)]
            yield f"exploits {self.content.resources[kind.resource]} for {number_of(kind.points, 'point')}"
        stored = sum(self.has.storehouse.values()) - sum(self.had.storehouse.values())
        if stored > 0:
            yield f"stores {number_of(stored, 'resource')} ({self.core.storehouse_points * stored:+} points)"
        if stored < 0:
            yield f"gets rid of {number_of(-stored, 'stored resource')}"

    # What is not points yet.

    def resources(self) -> Iterator[str]:
        """Resources that came to sites, and the contract that each site is nearest to with them."""
        for number, (had, has) in enumerate(zip(self.had.sites, self.has.sites, strict=True)):
            if has is None:
                continue
            there = had.resources if had is not None and had.hex == has.hex else {}
            came = Counter(has.resources) - Counter(there)
            if came:
                yield f"brings {self.amounts(came)} to site {number}{self.aim(there, has.resources)}"

    def aim(self, had: Mapping[str, int], has: Mapping[str, int]) -> str:
        """The contract that lacks least with the resources of a site, among those that lack less than before."""
        names = {name for name in (*self.has.hand, *self.new.open) if name is not None and name != UNKNOWN}
        nearer = [
            (lacking.total(), -self.contracts[name].points, name, lacking)
            for name in names
            if (lacking := self.lacking(name, has)).total() < self.lacking(name, had).total()
        ]
        if not nearer:
            return ""
        missing, _, name, lacking = min(nearer, key=lambda aim: aim[:3])
        return f" for {name} (" + (f"lacks {self.amounts(lacking)})" if missing else "can be built)")

    def lacking(self, name: str, resources: Mapping[str, int]) -> Counter[str]:
        """What a contract costs beyond the resources of a site."""
        cost = count_map(self.content.resources, self.contracts[name].cost)
        return Counter(cost) - Counter(resources)

    def amounts(self, resources: Mapping[str, int]) -> str:
        """``wood and 2 clay``."""
        counts = [(name, resources.get(name, 0)) for name in self.content.resources]
        return listed((name if count == 1 else f"{count} {name}" for name, count in counts if count), "and")

    def sites(self) -> Iterator[str]:
        """Sites that are new on the map."""
        for number, (had, has) in enumerate(zip(self.had.sites, self.has.sites, strict=True)):
            if has is not None and (had is None or had.hex != has.hex):
                yield f"opens site {number} at {has.hex}"

    def connections(self) -> Iterator[str]:
        """Resources that can be brought to sites now and could not be before."""
        sites: dict[tuple[str, ...], list[str]] = {}
        ways = [ways_to_resources(state) for state in (self.old, self.new)]
        for number, (had, has) in enumerate(zip(self.had.sites, self.has.sites, strict=True)):
            if has is not None:
                before = reachable(self.old, ways[0], had) if had is not None and had.hex == has.hex else set()
                came = reachable(self.new, ways[1], has) - before
                new = tuple(name for name in self.content.resources if name in came)
                if new:
                    sites.setdefault(new, []).append(str(number))
        for new, numbers in sites.items():
            yield f"connects {listed(new, 'and')} with site{'s' if len(numbers) > 1 else ''} {listed(numbers, 'and')}"

    def tiles(self) -> Iterator[str]:
        """Meadow tiles laid."""
        laid = sum(self.had.stacks) - sum(self.has.stacks) + self.old.stock - self.new.stock
        if laid:
            yield f"lays {number_of(laid, 'meadow tile')}"


def worth(contract: Contract) -> str:
    """The points of a contract and those that it gives at the end."""
    words = [number_of(contract.points, "point")] if contract.points or contract.effect != EffectKind.SCORE else []
    if contract.effect == EffectKind.SCORE:
        words.append(SCORE_TEXT[contract.per])
    return listed(words, "and")


def ways_to_resources(state: ViaNebulaState) -> dict[str, set[str]]:
    """For each empty meadow the resources of the exploitations next to it, or joined to it by empty meadows."""
    ways: dict[str, set[str]] = {}
    empty = set(state.empty)
    for start in state.empty:
        if start in ways:
            continue
        found = ways[start] = set()
        waiting = [start]
        while waiting:
            for name in neighbours(waiting.pop()):
                if name in state.exploitations:
                    found.add(state.exploitations[name].resource)
                elif name in empty and name not in ways:
                    ways[name] = found
                    waiting.append(name)
    return ways


def reachable(state: ViaNebulaState, ways: Mapping[str, set[str]], site: Site) -> set[str]:
    """The resources that could be transported to a site: those of the exploitations next to it, or joined to it by
    empty meadows; `ways` are those of the state."""
    found: set[str] = set()
    for name in neighbours(site.hex):
        if name in state.exploitations:
            found.add(state.exploitations[name].resource)
        else:
            found |= ways.get(name, set())
    return found


@cache  # a map has dozens of hexes
def neighbours(name: str) -> tuple[str, ...]:
    """The hexes next to one, by name, also those that no map has. Odd rows stand half a hex to the right."""
    row, column = map(int, name.split(","))
    left = column - 1 + row % 2
    beside = [f"{row},{column - 1}", f"{row},{column + 1}"]
    return (*beside, *(f"{other},{at}" for other in (row - 1, row + 1) for at in (left, left + 1)))
