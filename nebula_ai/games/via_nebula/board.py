"""The boards of Via Nebula for a terminal: the map, then what each seat has. Readable without colours too."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table
from rich.text import Text

from nebula_ai.drawing import grid, letters, points, seat_heading, stacked, two_by_two, waits_for
from nebula_ai.errors import listed, number_of
from nebula_ai.game import UNKNOWN
from nebula_ai.games.via_nebula.edition import EFFECTS, ViaNebulaEdition, effect_text
from nebula_ai.games.via_nebula.target import chance_target
from nebula_core.face import State
from nebula_core.via_nebula.edition import Terrain
from nebula_core.via_nebula.rules import NOTHING, Phase, ViaNebulaRules

if TYPE_CHECKING:
    from nebula_core.via_nebula.rules import Fields

CELL = 8
"""Columns of the terminal that a hex takes; every second row of hexes is set half of them to the right."""

LABEL = 5
"""Columns of the terminal before the first hex of a row."""

STYLES = {
    "wood": "bold dark_orange3",
    "stone": "bold bright_white",
    "clay": "bold red",
    "wheat": "bold yellow",
    "pig": "bold pink1",
}
"""Resources of an edition that have a colour in a terminal; any other is just bold."""

TERRAIN = {
    Terrain.MEADOW: Text("m", "green"),
    Terrain.MIST: Text(".", "dim"),
    Terrain.FOREST: Text("F", "dim green"),
    Terrain.FORBIDDEN: Text("X", "dim red"),
}
"""Hexes on which nothing lies yet."""

EMPTY_MEADOW = Text("( )", "green")
TILE = Text("(=)", "green")

LAYOUT = """\
R place on a ruin (2/5 taken)  1S0 site 0 of seat 1  1B building of seat 1
( ) empty meadow  (=) meadow tile  . mist  F petrified forest  X forbidden"""
"""The signs on the map that are the same in every edition."""


def draw(edition: ViaNebulaEdition, rules: ViaNebulaRules, state: State) -> RenderableType:
    """The boards of a state of these rules."""
    board = Board(edition, rules, state)
    return stacked(
        [
            board.heading(),
            HexMap(board.core.maps[board.fields["map"]].rows, board.hexes()),
            board.legend(),
            board.shared(),
            board.open_contracts(),
            two_by_two([board.seat(seat) for seat in range(board.players)]),
        ]
    )


def draw_layout() -> RenderableType:
    """What the signs on the map stand for that are the same in every game."""
    return Text(LAYOUT, "dim")


class HexMap:
    """Hexes with row and column; a map that is too wide for the terminal is cut into parts."""

    def __init__(self, rows: Sequence[int], cells: Sequence[Text]) -> None:
        """`rows`: how many hexes each has; `cells`: what is on each hex, row by row."""
        self.rows = rows
        self.cells = cells

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """The lines of the map, in as many parts as the width demands."""
        fitting = max(1, (options.max_width - LABEL - CELL // 2) // CELL)
        for first in range(0, max(self.rows), fitting):
            if first:
                yield Text()
            yield from self.lines(range(first, first + fitting))

    def lines(self, columns: range) -> Iterator[Text]:
        """The lines of some columns of the map."""
        for name, offset in (("even", 0), ("odd", CELL // 2))[: len(self.rows)]:
            line = Text(f"{name:<{LABEL + offset}}", "dim")
            yield line.append("".join(f"{column:^{CELL}}" for column in columns if column < self.rows[offset > 0]))
        before = 0
        for number, length in enumerate(self.rows):
            line = Text.assemble((f"{number:<{LABEL}}", "dim"), " " * (number % 2 * CELL // 2))
            for cell in self.cells[before : before + length][columns.start : columns.stop]:
                left = (CELL - len(cell)) // 2
                line.append(" " * left).append_text(cell).append(" " * (CELL - len(cell) - left))
            line.rstrip()
            yield line
            before += length


class Board:
    """One state on its way to the terminal."""

    def __init__(self, edition: ViaNebulaEdition, rules: ViaNebulaRules, state: State) -> None:
        self.edition = edition
        self.core = edition.core
        self.rules = rules
        self.state = state
        self.fields: Fields = rules.fields(state)
        self.players = self.fields["players"]
        self.names = edition.maps[self.fields["map"]].hexes
        self.letters = letters(edition.resources)
        self.styles = [STYLES.get(resource, "bold") for resource in edition.resources]
        self.contracts = (*self.core.neutral_contracts, *self.core.private_contracts)

    # Resources, tokens, contracts.

    def counts(self, counts: Sequence[int]) -> Text:
        """How many of each resource: ``w2 s1``."""
        parts = [
            Text(f"{self.letters[resource]}{count}", self.styles[resource])
            for resource, count in enumerate(counts)
            if count
        ]
        return Text(" ").join(parts) if parts else Text("none", "dim")

    def token(self, kind: int) -> Text:
        """A token: ``w4+2`` are 4 wood and 2 points; a special one is ``w5*``."""
        regular = len(self.core.regular_tokens)
        token = (*self.core.regular_tokens, *self.core.special_tokens)[kind]
        worth = f"+{token.points}" if kind < regular else "*"
        return Text(f"{self.letters[token.resource]}{token.count}{worth}", self.styles[token.resource])

    def contract(self, card: int) -> Text:
        """A contract in a line."""
        contract = self.contracts[card]
        text = Text(f"{self.edition.contracts[card]} ").append_text(self.counts(contract.cost))
        text.append(f": {points(contract.points)}")
        return text.append(f", {effect}") if (effect := effect_text(contract)) else text

    # What everybody shares.

    def heading(self) -> Text:
        """Which game this is, and what it waits for."""
        fields = self.fields
        name = self.edition.maps[fields["map"]].name
        text = Text.assemble(
            ("Via Nebula", "bold"),
            f", edition {self.core.name}, {name} map, {self.players} players: ",
            waits_for(self.state, self.waits()),
        )
        if fields["effect"]:
            text.append(f"\n{number_of(fields['action_points'], 'action point')} left after that")
        if fields["idle"]:
            text.append(f"\n{number_of(fields['idle'], 'turn')} without an action in a row")
        if fields["boxed"]:
            text.append(f"\nback in the box: {listed((self.edition.tokens[kind] for kind in fields['boxed']), 'and')}")
        return text

    def waits(self) -> str:
        """What the state waits for, after a seat that has to decide."""
        fields = self.fields
        if self.state.chance_pending:
            return f"chance ({chance_target(self.edition, self.rules, self.state)})"
        if fields["phase"] == Phase.EFFECT:
            effect = EFFECTS[fields["effect"] - 1]
            return f"to {effect}, {number_of(fields['parts'], 'part')} left"
        left = number_of(fields["action_points"], "action point")
        return f"to act, {left} left"

    def hexes(self) -> list[Text]:
        """What is on each hex of the map."""
        fields = self.fields
        terrain = self.core.maps[fields["map"]].terrain
        cells = []
        meadows = iter(zip(fields["tokens"], fields["exploitations"], strict=True))
        for number, kind in enumerate(terrain):
            token, exploitation = next(meadows) if kind == Terrain.MEADOW else (NOTHING, None)
            if exploitation is not None:
                cells.append(self.exploitation(*exploitation))
            elif token != NOTHING:
                cells.append(self.token(token))
            elif number in fields["empty"]:
                cells.append(EMPTY_MEADOW if kind == Terrain.MEADOW else TILE)
            else:
                cells.append(self.ruin(number) if kind == Terrain.RUIN else TERRAIN[kind])
        return cells

    def exploitation(self, owner: int, resource: int, count: int) -> Text:
        """An exploitation: ``w3@1`` are 3 wood with a craftsman of seat 1."""
        whose = "-" if owner == NOTHING else str(owner)
        return Text(f"{self.letters[resource]}{count}@{whose}", f"{self.styles[resource]} reverse")

    def ruin(self, number: int) -> Text:
        """The places of a ruin, as far as there is room; else how many of them are taken."""
        capacity = self.core.ruin_capacity[self.players - 2]
        taken = []
        for seat in range(self.players):
            taken += [f"{seat}B"] * self.fields["buildings"][seat].count(number)
            taken += [f"{seat}S{site}" for site, place in enumerate(self.fields["sites"][seat]) if place == number]
        text = " ".join([*taken, *["R"] * (capacity - len(taken))])
        return Text(text if len(text) < CELL else f"{len(taken)}/{capacity}", "bold cyan")

    def legend(self) -> Text:
        """What the letters and numbers on the map stand for."""
        resources = [
            Text(f"{letter} {name}", style)
            for letter, name, style in zip(self.letters, self.edition.resources, self.styles, strict=True)
        ]
        letter, name = self.letters[0], self.edition.resources[0]
        fewer = self.core.fewer_resources[self.players - 2]
        yields = f" (it yields {fewer} fewer)" if fewer else ""
        return Text("\n").join(
            [
                Text("  ").join(resources),
                Text(
                    f"{letter}4+2 token: 4 {name}, 2 points{yields}  {letter}3@1 exploitation of seat 1: 3 {name} "
                    "(@- neutral)",
                    "dim",
                ),
            ]
        )

    def shared(self) -> Table:
        """Reserve, deck, meadow tiles, end card."""
        fields = self.fields
        table = grid(2, 1)
        table.add_row(Text("reserve"), self.counts(fields["reserve"]))
        table.add_row(Text("tiles"), Text(f"{fields['stock']} in the common stock"))
        table.add_row(Text("deck"), Text(number_of(self.deck(), "contract")))
        whose = "open" if fields["end_card"] == NOTHING else f"seat {fields['end_card']}"
        table.add_row(Text("end card"), Text(f"{whose}, {points(self.core.end_card_points)}"))
        return table

    def deck(self) -> int:
        """How many contracts are in the deck: the neutral ones that are nowhere else."""
        neutral = range(len(self.core.neutral_contracts))
        fields = self.fields
        elsewhere = [*fields["open"], *(card for cards in (*fields["hands"], *fields["done"]) for card in cards)]
        return len(neutral) - sum(card in neutral for card in elsewhere) - sum(fields["unknown_neutral"])

    def open_contracts(self) -> Table:
        """The open contracts: cost, points, and the effect in words."""
        table = grid(4, 2)
        table.add_row(*(Text(title, "bold") for title in ("open", "cost", "points", "effect")))
        for card in self.fields["open"]:
            if card == NOTHING:
                table.add_row(Text("none", "dim"))
                continue
            contract = self.contracts[card]
            table.add_row(
                Text(self.edition.contracts[card]),
                self.counts(contract.cost),
                Text(str(contract.points)),
                Text(effect_text(contract)),
            )
        return table

    # What each seat has.

    def seat(self, seat: int) -> Group:
        """Everything that belongs to a seat."""
        fields = self.fields
        index = self.players - 2
        table = grid(2, 1)
        for number, place in enumerate(fields["sites"][seat]):
            where = Text("at home", "dim") if place == NOTHING else Text(f"{self.names[place]}: ")
            if place != NOTHING:
                where.append_text(self.counts(fields["site_resources"][seat][number]))
            table.add_row(Text(f"site {number}"), where)
        built = fields["buildings"][seat]
        names = " ".join(self.names[place] for place in built)
        table.add_row(Text("buildings"), Text(f"{len(built)} of {self.core.buildings[index]}: {names or 'none'}"))
        craftsmen = f"{fields['craftsmen'][seat]} of {self.core.craftsmen[index]} at home"
        table.add_row(Text("craftsmen"), Text(craftsmen))
        table.add_row(Text("tiles"), Text(" ".join(map(str, fields["stacks"][seat]))))
        table.add_row(Text("store"), self.counts(fields["storehouse"][seat]))
        tokens = [self.token(kind) for kind in fields["taken"][seat]]
        table.add_row(Text("tokens"), Text(" ").join(tokens) if tokens else Text("none", "dim"))
        for card in fields["hands"][seat]:
            table.add_row(Text("hand"), self.contract(card))
        for _ in range(fields["unknown_private"][seat]):
            table.add_row(Text("hand"), Text(f"{UNKNOWN}, private", "dim"))
        for _ in range(fields["unknown_neutral"][seat]):
            table.add_row(Text("hand"), Text(f"{UNKNOWN}, neutral", "dim"))
        done = " ".join(self.edition.contracts[card] for card in fields["done"][seat])
        table.add_row(Text("done"), Text(done) if done else Text("none", "dim"))
        scores = self.rules.scores(self.state)[seat]
        return Group(seat_heading(self.state, seat, scores["total"]), table)
