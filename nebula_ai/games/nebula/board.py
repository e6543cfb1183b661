"""The boards of Nebula for a terminal: everything on the table in at most 100 columns, readable without colours too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nebula_ai import drawing
from nebula_ai.drawing import card_table, grid, points, seat_heading, stacked, two_by_two, waits_for
from nebula_ai.errors import listed
from nebula_ai.game import UNKNOWN
from nebula_ai.games.nebula.edition import NebulaEdition
from nebula_ai.games.nebula.state import has_chosen
from nebula_ai.games.nebula.target import chance_target
from nebula_core.face import State
from nebula_core.nebula.edition import LinkKind
from nebula_core.nebula.rules import NOTHING, NebulaRules, Phase
from nebula_core.nebula.rules import UNKNOWN as UNKNOWN_CARD

if TYPE_CHECKING:
    from nebula_core.nebula.rules import Fields

EMPTY = "."
BLACK_HOLE_LETTER = "@"
BLACK_HOLE_STYLE = "bold cyan"

STYLES = {
    "red": "bold red",
    "orange": "bold dark_orange",
    "yellow": "bold yellow",
    "white": "bold bright_white",
    "blue": "bold dodger_blue1",
    "violet": "bold medium_orchid",
    "green": "bold green",
}
"""Colours of an edition that a terminal can show; any other is just bold."""

WAITS_FOR = {
    Phase.CHOOSE: "to choose a personal task",
    Phase.TURN: "to invest or give in to chaos",
    Phase.TAKE: "to take pieces",
    Phase.KEEP: "to keep pieces",
    Phase.PLACE: "to place or stop",
    Phase.ADVANCE: "to advance a value marker or decline",
}
"""What a seat has to do."""


def draw(edition: NebulaEdition, rules: NebulaRules, state: State) -> RenderableType:
    """The boards of a state of these rules."""
    board = Board(edition, rules, state)
    parts: list[RenderableType] = [Group(board.heading(), board.legend()), board.clusters(), board.public_tasks()]
    if board.fields["full"]:
        parts += [board.advanced_cards(), board.values()]
    parts.append(board.seats())
    return stacked(parts)


def draw_layout(edition: NebulaEdition) -> RenderableType:
    """Which spaces are linked, beside those along the orbits."""
    text = Text("Spaces are linked along their orbit (the last with the first); ", "dim")
    for kind, word in ((LinkKind.DIRECT, "directly"), (LinkKind.INDIRECT, "indirectly")):
        pairs = " ".join(f"{one}-{other}" for one, other, linked in edition.core.links if linked == kind)
        text.append(f"{word} {pairs or 'none'}{'; ' if kind == LinkKind.DIRECT else '.'}", "dim")
    return stacked([text])


class Board:
    """One state on its way to the terminal."""

    def __init__(self, edition: NebulaEdition, rules: NebulaRules, state: State) -> None:
        self.edition = edition
        self.core = edition.core
        self.rules = rules
        self.state = state
        self.fields: Fields = rules.fields(state)
        self.players = self.fields["players"]
        self.letters = letters(edition.colors)
        self.styles = [STYLES.get(color, "bold") for color in edition.colors] + [BLACK_HOLE_STYLE]

    # Pieces.

    def piece(self, piece: int, template: str = "{}") -> Text:
        """The letter of a piece in its colour, within a text; a dot where there is none."""
        if piece == NOTHING:
            return Text(template.format(EMPTY), "dim")
        return Text(template.format(self.letters[piece]), self.styles[piece])

    def counts(self, counts: Sequence[int]) -> Text:
        """How many of each piece: ``r2 y1``."""
        pieces = [self.piece(piece, f"{{}}{count}") for piece, count in enumerate(counts) if count]
        return Text(" ").join(pieces) if pieces else Text("none", "dim")

    # What everybody shares.

    def heading(self) -> Text:
        """Which game this is, and what it waits for."""
        fields = self.fields
        variant = "full" if fields["full"] else "basic"
        return Text.assemble(
            ("Nebula", "bold"),
            f", edition {self.core.name}, {variant} variant, {self.players} players, round {fields['round']}: ",
            waits_for(self.state, self.what_it_waits_for()),
        )

    def what_it_waits_for(self) -> str:
        """What a seat has to do, or what chance brings."""
        if self.state.chance_pending:
            return f"chance ({chance_target(self.core, self.rules, self.state)})"
        return WAITS_FOR.get(Phase(self.fields["phase"]), "")

    def legend(self) -> Text:
        """What the letters stand for."""
        return Text("  ").join(self.piece(piece, f"{{}} {name}") for piece, name in enumerate(self.edition.pieces))

    def clusters(self) -> RenderableType:
        """The clusters, and at their side what is in the bag and out of the game."""
        rings = grid(2, 1)
        for number, (ring, figure) in enumerate(zip(self.fields["clusters"], self.fields["figures"], strict=True)):
            spaces = [self.piece(piece, "[{}]" if space == figure else " {} ") for space, piece in enumerate(ring)]
            rings.add_row(Text(f"cluster {number}"), Text("").join(spaces))
        rings.add_row(Text("supernova"), self.supernova())
        rings.add_row(Text("[ ] figure", "dim"), Text())
        pieces = grid(2, 1)
        pieces.add_row(Text(f"bag {sum(self.fields['bag'])}"), self.counts(self.fields["bag"]))
        pieces.add_row(Text(f"removed {sum(self.fields['removed'])}"), self.counts(self.fields["removed"]))
        if any(self.fields["drawn"]):
            pieces.add_row(Text("drawn"), self.counts(self.fields["drawn"]))
        index = self.players - 2
        markers = sum(len(seats) for seats in self.fields["markers"])
        ends = f"{self.fields['indicator']} of {self.core.indicator_end[index]} black holes, "
        ends += f"{markers} of {self.core.markers_end[index]} markers"
        pieces.add_row(Text("end at"), Text(ends))
        both = grid(2, 2)
        both.add_row(rings, pieces)
        return both

    def supernova(self) -> Text:
        """The supernova's letter and name."""
        color = self.fields["supernova"]
        return Text(" none", "dim") if color == NOTHING else self.piece(color, f" {{}} {self.edition.colors[color]}")

    def public_tasks(self) -> Table:
        """The public tasks in play, and how far each seat is."""
        table = card_table("public task", "first", "later", "markers", self.counter_heading())
        for card, seats in zip(self.fields["public"], self.fields["markers"], strict=True):
            if card != NOTHING:
                task = self.core.public_tasks[card]
                shown = self.edition.public_tasks[card]
                markers = " ".join(map(str, seats)) if seats else "-"
                table.add_row(shown.id, shown.text, str(task.first), str(task.later), markers, self.counters(0, card))
        return table

    def advanced_cards(self) -> Table:
        """The advanced cards in play, their values and how often each seat has what they count."""
        table = card_table("advanced card", "points each", self.counter_heading())
        for card, index in zip(self.fields["advanced"], self.fields["advanced_values"], strict=True):
            if card != NOTHING:
                shown = self.edition.advanced_cards[card]
                table.add_row(shown.id, shown.text, scale(self.core.advanced_values, index), self.counters(2, card))
        return table

    def counter_heading(self) -> str:
        """``seat 0 1 2``: above the counters."""
        return "seat " + " ".join(f"{seat:>2}" for seat in range(self.players))

    def counters(self, deck: int, card: int) -> str:
        """The number that a card counts for each seat."""
        return " ".join(f"{self.rules.counter(self.state, seat, deck, card):>2}" for seat in range(self.players))

    def values(self) -> Table:
        """The value markers of colours and constellations."""
        table = grid(2, 2)
        colors = [
            self.piece(color, "{} ").append_text(scale(self.core.color_values, index))
            for color, index in enumerate(self.fields["color_values"])
        ]
        constellations = [
            Text(f"{name} ").append_text(scale(self.core.constellation_values, index))
            for name, index in zip(self.edition.constellations, self.fields["constellation_values"], strict=True)
        ]
        table.add_row(Text("values", "bold"), Text("  ").join(colors))
        table.add_row(Text(), Text("  ").join(constellations))
        return table

    # What each seat has.

    def seats(self) -> Table:
        """The seats, two side by side."""
        return two_by_two([self.seat(seat) for seat in range(self.players)])

    def seat(self, seat: int) -> Group:
        """A seat's galaxy and everything else it has."""
        scores = self.rules.scores(self.state)[seat]
        heading = seat_heading(self.state, seat, scores and scores["total"])
        return Group(heading, self.galaxy(seat), self.belongings(seat))

    def galaxy(self, seat: int) -> Table:
        """The spaces by orbit and constellation: number, then the star's letter."""
        galaxy = self.fields["galaxy"][seat]
        table = grid(1 + len(self.core.constellations), 2)
        done = [
            f"{sum(galaxy[space] != NOTHING for space in members(spaces))}/{spaces.bit_count()}"
            for spaces in self.core.constellations
        ]
        table.add_row(Text(), *(Text(name, "bold") for name in self.edition.constellations))
        for number, orbit in enumerate(self.core.orbits):
            cells = []
            for constellation in self.core.constellations:
                here = members(orbit & constellation)
                cells.append(Text(" ").join(self.piece(galaxy[space], f"{space}{{}}") for space in here))
            table.add_row(Text(str(number + 1), "dim"), *cells)
        table.add_row(Text(), *(Text(progress, "dim") for progress in done))
        return table

    def belongings(self, seat: int) -> Table:
        """Observatory, black holes, personal tasks."""
        table = grid(2, 1)
        table.add_row(Text("holds"), self.counts(self.fields["observatory"][seat]))
        if seat == self.fields["seat"] and self.fields["placed"]:
            table.add_row(Text("placed"), Text(" ").join(self.piece(piece) for piece in self.fields["placed"]))
        holes = self.fields["holes"][seat]
        track = self.core.track_points
        table.add_row(Text("holes"), Text(f"{holes} of {len(track) - 1}, {points(track[holes])}"))
        cards = [card for card in self.fields["personal"][seat] if card != NOTHING]
        if has_chosen(Phase(self.fields["phase"]), self.fields["seat"], seat):
            table.add_row(Text("task"), self.personal_task(seat, cards[0]))
            returned = [UNKNOWN if card == UNKNOWN_CARD else self.edition.personal_tasks[card].id for card in cards[1:]]
            if returned:
                table.add_row(Text("returned"), Text(listed(returned, "and"), "dim"))
        else:
            for card in cards:
                table.add_row(Text("dealt"), self.personal_task(seat, card))
        return table

    def personal_task(self, seat: int, card: int) -> Text:
        """A personal task: what it counts, the number now, and the tiers."""
        if card == UNKNOWN_CARD:
            return Text(UNKNOWN, "dim")
        shown = self.edition.personal_tasks[card]
        now = self.rules.counter(self.state, seat, 1, card)
        tiers = self.core.personal_tasks[card].tiers
        counts, rewards = ("/".join(map(str, numbers)) for numbers in zip(*tiers, strict=True))
        return Text(f"{shown.id} {shown.text}: {now} now, {counts} give {rewards}")


def scale(values: Sequence[int], index: int) -> Text:
    """A value scale with its marker: ``0 [4] 8 12``."""
    steps = [Text(f"[{step}]", "bold") if i == index else Text(str(step), "dim") for i, step in enumerate(values)]
    return Text(" ").join(steps)


def members(spaces: int) -> list[int]:
    """The spaces of a bit set."""
    return [space for space in range(spaces.bit_length()) if spaces >> space & 1]


def letters(colors: Sequence[str]) -> list[str]:
    """A letter for each piece, no two alike."""
    return [*drawing.letters(colors), BLACK_HOLE_LETTER]
