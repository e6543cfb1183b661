"""What a seat of Nebula has gained from one state to a later one of its turn, in a player's words.

Read off the two states: markers, tiers, counters, boards. Looks at nothing that is hidden from the seat.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nebula_ai.errors import listed, number_of
from nebula_ai.games.nebula.edition import Card
from nebula_core.face import State
from nebula_core.nebula.edition import Counter, CounterKind
from nebula_core.nebula.rules import NOTHING, UNKNOWN, Phase

if TYPE_CHECKING:
    from nebula_ai.games.nebula.game import NebulaGame

PUBLIC, PERSONAL, ADVANCED = range(3)
"""The decks, as the core numbers them."""


def gains(game: "NebulaGame", before: State, after: State) -> list[str]:
    """Verb phrases, what counts most first: points, values raised, then what is nearer to its end, then pieces."""
    return Comparison(game, before, after).gains()


class Comparison:
    """The seat that has to decide in one state, there and in a later one."""

    def __init__(self, game: "NebulaGame", before: State, after: State) -> None:
        """In `before` a seat has to decide; `after` is the same game a few moves on."""
        assert before.seat is not None, "a seat has to decide"
        self.content = game.content
        self.core = game.content.core
        self.rules = game.rules
        self.states = (before, after)
        self.old = game.rules.fields(before)
        self.new = game.rules.fields(after)
        self.seat = before.seat
        self.stars = [
            sum(1 << space for space, star in enumerate(fields["galaxy"][self.seat]) if star != NOTHING)
            for fields in (self.old, self.new)
        ]
        """The spaces of the seat that hold stars, then and now, as sets of bits."""

    def gains(self) -> list[str]:
        """See `gains` of this module."""
        nearer = sorted(self.nearer(), key=lambda step: step[0])
        found = [*self.points(), *self.values(), *(phrase for _, phrase in nearer)]
        return found or [*self.pieces(), *self.choice()]

    # Points.

    def points(self) -> Iterator[str]:
        """What has brought points."""
        yield from self.public_tasks()
        yield from self.constellations()
        yield from self.personal_task()
        holes, placed = self.old["holes"][self.seat], self.new["holes"][self.seat]
        if placed > holes:
            worth = self.core.track_points[placed] - self.core.track_points[holes]
            yield f"places a black hole{scored(worth)}"
        if self.new["full"]:
            yield from self.stars_of_value()
            yield from self.advanced_cards()

    def public_tasks(self) -> Iterator[str]:
        """Public tasks that bear the seat's marker now."""
        for card, had, has in zip(self.new["public"], self.old["markers"], self.new["markers"], strict=True):
            if self.seat in has and self.seat not in had:
                task = self.core.public_tasks[card]
                worth = task.later if has.index(self.seat) else task.first
                yield f"completes {self.public_task(card)}{scored(worth)}"

    def constellations(self) -> Iterator[str]:
        """Constellations that are complete now."""
        for number, spaces in enumerate(self.core.constellations):
            if self.filled(0, spaces) < self.filled(1, spaces) == spaces.bit_count():
                yield f"completes {self.content.constellations[number]}{scored(self.constellation_worth(number))}"

    def constellation_worth(self, number: int) -> int:
        """The points of a complete constellation, with its value in the full game."""
        added = [self.core.constellation_values[index] for index in self.new["constellation_values"]]
        return self.core.constellation_points[number] + (added[number] if added else 0)

    def personal_task(self) -> Iterator[str]:
        """A better tier of the personal task that the seat has kept."""
        card = self.kept()
        if card is not None:
            had, has = self.counts(PERSONAL, card)
            worth = [
                max([0, *(points for count, points in self.tiers(card) if number >= count)]) for number in (had, has)
            ]
            if worth[1] > worth[0]:
                yield f"brings {named(self.content.personal_tasks[card])} to {has}{scored(worth[1] - worth[0])}"

    def stars_of_value(self) -> Iterator[str]:
        """Points that stars have brought by the value of their colours."""
        worth = [
            [galaxy.count(color) * self.core.color_values[index] for color, index in enumerate(fields["color_values"])]
            for fields, galaxy in ((fields, fields["galaxy"][self.seat]) for fields in (self.old, self.new))
        ]
        yield from self.by_source(worth[0], worth[1], self.content.colors, " stars")

    def advanced_cards(self) -> Iterator[str]:
        """Points that advanced cards have brought."""
        cards = self.new["advanced"]
        counts = [self.counts(ADVANCED, card) for card in cards]
        worth = [
            [count[i] * self.core.advanced_values[index] for count, index in zip(counts, indices, strict=True)]
            for i, indices in enumerate((self.old["advanced_values"], self.new["advanced_values"]))
        ]
        yield from self.by_source(worth[0], worth[1], [self.content.advanced_cards[card].id for card in cards], "")

    def by_source(self, had: Sequence[int], has: Sequence[int], names: Sequence[str], noun: str) -> Iterator[str]:
        """``gets 3 points from red and blue stars``, if some of the sources bring more than they did."""
        more = {name: now - then for name, then, now in zip(names, had, has, strict=True) if now > then}
        if more:
            yield f"gets {number_of(sum(more.values()), 'point')} from {listed(more, 'and')}{noun}"

    # What is not points yet.

    def values(self) -> Iterator[str]:
        """Value markers that have advanced."""
        for color, (had, has) in enumerate(zip(self.old["color_values"], self.new["color_values"], strict=True)):
            if has > had:
                yield f"makes {self.content.colors[color]} stars worth {self.core.color_values[has]} each"
        markers = zip(self.old["constellation_values"], self.new["constellation_values"], strict=True)
        for number, (had, has) in enumerate(markers):
            if has > had:
                name, worth = self.content.constellations[number], self.constellation_worth(number)
                yield f"makes {name} worth {number_of(worth, 'point')}"
        markers = zip(self.old["advanced_values"], self.new["advanced_values"], strict=True)
        for place, (had, has) in enumerate(markers):
            if has > had:
                card = self.content.advanced_cards[self.new["advanced"][place]]
                yield f"makes {named(card)} worth {self.core.advanced_values[has]} each"

    def nearer(self) -> Iterator[tuple[int, str]]:
        """What is nearer to its end than it was, each with how much is missing still."""
        card = self.kept()
        if card is not None:
            had, has = self.counts(PERSONAL, card)
            aim = next((count for count, _ in self.tiers(card) if count > has), None)
            if has > had and aim is not None:
                yield aim - has, f"brings {named(self.content.personal_tasks[card])} to {has} of {aim}"
        told = set()
        for number, markers in zip(self.new["public"], self.new["markers"], strict=True):
            if self.seat not in markers:
                for step in self.nearer_public_task(number):
                    told.add(self.core.public_tasks[number].counter.spaces)
                    yield step
        for number, spaces in enumerate(self.core.constellations):
            most, had, has = spaces.bit_count(), self.filled(0, spaces), self.filled(1, spaces)
            # A task that wants the whole constellation has said so already.
            if had < has < most and spaces not in told:
                yield most - has, f"brings {self.content.constellations[number]} to {has} of {most} stars"

    def nearer_public_task(self, card: int) -> Iterator[tuple[int, str]]:
        """A public task that is not satisfied yet, if it is nearer."""
        task, name = self.core.public_tasks[card], self.public_task(card)
        if task.counter.kind == CounterKind.REGION_IN_COLORS:
            spaces = task.counter.spaces
            most, had, has = spaces.bit_count(), self.filled(0, spaces), self.filled(1, spaces)
            if had < has < most and self.colors_fit(task.counter):
                yield most - has, f"brings {name} to {has} of {most} stars"
        else:
            had, has = self.counts(PUBLIC, card)
            if had < has < task.at_least:
                yield task.at_least - has, f"brings {name} to {has} of {task.at_least}"

    def colors_fit(self, counter: Counter) -> bool:
        """Whether a region can still get exactly as many colours as its task wants."""
        here = [color for space, color in enumerate(self.new["galaxy"][self.seat]) if counter.spaces >> space & 1]
        return len({*here} - {NOTHING}) <= counter.number <= len({*here} - {NOTHING}) + here.count(NOTHING)

    def pieces(self) -> Iterator[str]:
        """Pieces that came to the Observatory, or that were given up for others."""
        names = self.content.pieces
        held = list(zip(self.old["observatory"][self.seat], self.new["observatory"][self.seat], strict=True))
        if self.new["phase"] == Phase.DRAW:
            given = [name for name, (had, has) in zip(names, held, strict=True) if has < had]
            drawn = min(self.core.draw, sum(self.new["drawn"]) + sum(self.new["bag"]))
            if given:
                yield f"gives up {listed(given, 'and')} to draw {number_of(drawn, 'piece')}"
            return
        came = [name for name, (had, has) in zip(names, held, strict=True) for _ in range(has - had)]
        if came:
            yield f"takes {listed(came, 'and')}"

    def choice(self) -> Iterator[str]:
        """The personal task kept by a seat that had to choose."""
        card = self.kept()
        if self.old["phase"] == Phase.CHOOSE and card is not None:
            worth = self.core.personal_tasks[card].tiers[-1][1]
            yield f"keeps {named(self.content.personal_tasks[card])}, worth up to {number_of(worth, 'point')}"

    # What they rest on.

    def kept(self) -> int | None:
        """The personal task that the seat has kept; None before it chose, and if it is not known."""
        card = self.new["personal"][self.seat][0]
        choosing = self.new["phase"] == Phase.CHOOSE and self.new["seat"] <= self.seat
        return None if choosing or card in (NOTHING, UNKNOWN) else card

    def public_task(self, card: int) -> str:
        """A public task with what it asks for."""
        return named(self.content.public_tasks[card]).replace("(at least ", "(")

    def tiers(self, card: int) -> tuple[tuple[int, int], ...]:
        """The tiers of a personal task: counts and points."""
        return self.core.personal_tasks[card].tiers

    def counts(self, deck: int, card: int) -> tuple[int, int]:
        """The number that a card counts for the seat, then and now."""
        had, has = (self.rules.counter(state, self.seat, deck, card) for state in self.states)
        return had, has

    def filled(self, which: int, spaces: int) -> int:
        """The stars that the seat has on a set of spaces, then (0) or now (1)."""
        return (self.stars[which] & spaces).bit_count()


def named(card: Card) -> str:
    """A card with what it asks for: ``S07 (red stars)``."""
    return f"{card.id} ({card.text})"


def scored(points: int) -> str:
    """`` for 3 points``; nothing for none."""
    return f" for {number_of(points, 'point')}" if points else ""
