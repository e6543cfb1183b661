"""Hand-made positions for the tests of Nebula's rules: said in names, only what matters, the rest filled in.

Knows an edition by its file, and the texts of moves and chance events by the library's notation.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nebula_ai.games.nebula.edition import STANDARD
from nebula_ai.games.nebula.game import NebulaGame
from nebula_core.face import Generator, State
from nebula_core.nebula.rules import NOTHING, UNKNOWN, Phase

if TYPE_CHECKING:
    from nebula_core.nebula.rules import Fields

BLACK_HOLE = "black_hole"


REMOVED = 6
"""Enough, together, for a position of the middle of a game."""


class Table:
    """One edition, to lay out positions on and to play them."""

    def __init__(self, path: Path = STANDARD) -> None:
        self.edition: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        self.game = NebulaGame.load(path)
        self.rules = self.game.rules
        self.colors: list[str] = self.edition["bag"]["colors"]
        self.pieces = [*self.colors, BLACK_HOLE]
        self.constellations = [each["name"] for each in self.edition["galaxy"]["constellations"]]
        self.public = [card["id"] for card in self.edition["public_task"]]
        self.personal = [card["id"] for card in self.edition["personal_task"]]
        self.advanced = [card["id"] for card in self.edition["advanced_card"]]

    def start(self, players: int = 2, full: bool = True) -> State:
        """A game before its first chance event."""
        return self.rules.new(players, full)

    def fields(
        self,
        *,
        players: int = 2,
        full: bool = True,
        phase: Phase = Phase.TURN,
        seat: int = 0,
        round: int | None = None,
        bag: Mapping[str, int] | None = None,
        clusters: Mapping[tuple[int, int], str | None] | None = None,
        figures: Sequence[int] | None = None,
        supernova: str | None = "violet",
        observatory: Sequence[Iterable[str]] = (),
        galaxy: Sequence[Mapping[int, str]] = (),
        holes: Sequence[int] = (),
        public: Sequence[str] = (),
        markers: Mapping[str, Sequence[int]] | None = None,
        advanced: Sequence[str] = (),
        values: Mapping[str, int] | None = None,
        personal: Sequence[Sequence[str]] = (),
        took_supernova: bool = False,
        placed: Iterable[str] = (),
        drawn: Iterable[str] = (),
    ) -> "Fields":
        """The fields of a position. What is left out is empty, or else:

        `clusters`: (cluster, space) with a piece other than the usual one, or None; the usual ones are the colours in
        turn. `figures`: all at space 0. `bag`: what is nowhere else, less `REMOVED` of each piece unless a `round` is
        given; what is missing then is removed. `round`: a late one, for so many pieces drawn.
        `public`, `advanced`, `personal`: the edition's first cards, `markers` and `values` as at the start; a value is
        named as in `advance`: ``color red``.
        """
        edition = self.edition
        rings, ring = edition["clusters"]["count"], edition["clusters"]["spaces"]
        changes = clusters or {}
        lying = [
            [changes.get((cluster, space), self.colors[space % len(self.colors)]) for space in range(ring)]
            for cluster in range(rings)
        ]
        setup = edition["setup"]
        public = public or self.public[: setup["public_tasks"]]
        advanced = (advanced or self.advanced[: setup["advanced_cards"]]) if full else ()
        dealt = setup["personal_dealt"]
        personal = personal or [self.personal[seat * dealt :][:dealt] for seat in range(players)]
        values = values or {}
        sides = [*observatory, *[()] * (players - len(observatory))]
        boards = [*galaxy, *[{}] * (players - len(galaxy))]
        tracks = [*holes, *[0] * (players - len(holes))]

        gone = [piece for cluster in lying for piece in cluster if piece]
        gone += [piece for side in sides for piece in side]
        gone += [color for board in boards for color in board.values()]
        gone += [BLACK_HOLE] * sum(tracks)
        gone += list(drawn)
        gone += [supernova] if supernova else []
        number = [edition["bag"]["stars_per_color"]] * len(self.colors) + [edition["bag"]["black_holes"][str(players)]]
        rest = [most - gone.count(piece) for piece, most in zip(self.pieces, number, strict=True)]
        if bag is None:
            bag = {
                piece: max(0, have - (0 if round else REMOVED)) for piece, have in zip(self.pieces, rest, strict=True)
            }
        bagged = [bag.get(piece, 0) for piece in self.pieces]
        removed = [have - inside for have, inside in zip(rest, bagged, strict=True)]
        drawn_since_setup = sum(number) - sum(bagged) - rings * ring - 1 - sum(setup["observatory_pieces"][:players])
        turns = max(0, drawn_since_setup - edition["chaos"]["draw"] - players)
        spaces = range(len(edition["galaxy"]["spaces"]))
        end = edition["black_holes"]["indicator_end"][str(players)]
        return {
            "players": players,
            "full": full,
            "phase": phase,
            "seat": seat,
            "round": round or turns // players + 1,
            "bag": bagged,
            "removed": removed,
            "clusters": [[self.piece(piece) for piece in cluster] for cluster in lying],
            "figures": list(figures or [0] * rings),
            "supernova": self.piece(supernova),
            "observatory": [self.tally(side) for side in sides],
            "galaxy": [[self.piece(board.get(space)) for space in spaces] for board in boards],
            "holes": tracks,
            "indicator": min(sum(tracks), end),
            "public": [self.public.index(card) for card in public],
            "markers": [list((markers or {}).get(card, ())) for card in public],
            "advanced": [self.advanced.index(card) for card in advanced],
            "color_values": [values.get(f"color {color}", 0) for color in self.colors] if full else [],
            "constellation_values": (
                [values.get(f"constellation {name}", 0) for name in self.constellations] if full else []
            ),
            "advanced_values": [values.get(f"card {card}", 0) for card in advanced],
            "personal": [[self.card(card) for card in hand] for hand in personal],
            "took_supernova": took_supernova,
            "placed": sorted(self.pieces.index(piece) for piece in placed),
            "drawn": self.tally(drawn),
        }

    def position(self, **said: Any) -> State:
        """The state with these `fields`, checked as any other."""
        return self.rules.from_fields(self.fields(**said))

    def piece(self, name: str | None) -> int:
        """The number of a piece, or NOTHING."""
        return NOTHING if name is None else self.pieces.index(name)

    def card(self, name: str | None) -> int:
        """The number of a personal task; None is an unknown one."""
        return UNKNOWN if name is None else self.personal.index(name)

    def tally(self, names: Iterable[str]) -> list[int]:
        """How many there are of each piece."""
        listed = list(names)
        return [listed.count(piece) for piece in self.pieces]

    # Play.

    def legal(self, state: State) -> list[str]:
        """The texts of the legal moves."""
        return [self.game.format_move(state, move) for move in state.legal_moves()]

    def chances(self, state: State) -> dict[str, int]:
        """The texts of the possible outcomes of the pending chance event, with their weights."""
        return {self.game.format_chance(state, outcome): weight for outcome, weight in state.chances()}

    def play(self, state: State, *texts: str) -> State:
        """The state after these moves and chance outcomes, one after the other."""
        for text in texts:
            if state.chance_pending:
                state = state.resolve(self.game.parse_chance(state, text))
            else:
                state = state.apply(self.game.parse_move(state, text))
        return state

    def settle(self, state: State) -> State:
        """The state after all pending chance, however it comes out."""
        return state.settle(Generator(1))[0]

    def pass_turn(self, state: State) -> State:
        """The state after the turn that begins here: time invested, one piece taken if there is one, nothing placed."""
        state = state.apply(state.legal_moves()[0])
        while not state.finished and self.phase(state) != Phase.TURN:
            if state.chance_pending:
                state = self.settle(state)
            else:
                state = state.apply(state.legal_moves()[-1 if self.phase(state) == Phase.PLACE else 0])
        return state

    def stars(self, spaces: Iterable[int], colors: Sequence[str] = ()) -> dict[int, str]:
        """A galaxy with stars on these spaces, none linked to one of its colour, all colours about as often."""
        board: dict[int, str] = {}
        for space in sorted(spaces):
            around = {board.get(other) for other in self.linked(space)}
            fitting = [color for color in colors or self.colors if color not in around]
            board[space] = min(fitting, key=lambda color: list(board.values()).count(color))
        return board

    def linked(self, space: int) -> set[int]:
        """The spaces linked to a space, in any way."""
        galaxy = self.edition["galaxy"]
        links = [set(pair) for pair in galaxy["direct_links"] + galaxy["indirect_links"]]
        orbits = [each["orbit"] for each in galaxy["spaces"]]
        for orbit in set(orbits):
            ring = [number for number, on in enumerate(orbits) if on == orbit]
            links += [{one, other} for one, other in zip(ring, ring[1:] + ring[:1], strict=True)]
        return {other for link in links if space in link for other in link if other != space}

    def spaces(self, key: str, value: int | str) -> list[int]:
        """The spaces of an orbit or constellation: ``spaces("orbit", 1)``."""
        return [number for number, each in enumerate(self.edition["galaxy"]["spaces"]) if each[key] == value]

    def at(self, state: State) -> "Fields":
        """The fields of a state."""
        return self.rules.fields(state)

    def phase(self, state: State) -> Phase:
        """What a state waits for."""
        return Phase(self.rules.fields(state)["phase"])

    def held(self, state: State, seat: int) -> list[str]:
        """The pieces in a seat's Observatory, in the order of the pieces."""
        counts = self.rules.fields(state)["observatory"][seat]
        return [piece for piece, count in zip(self.pieces, counts, strict=True) for _ in range(count)]

    def board(self, state: State, seat: int) -> dict[int, str]:
        """The stars of a seat's galaxy."""
        galaxy = self.rules.fields(state)["galaxy"][seat]
        return {space: self.colors[color] for space, color in enumerate(galaxy) if color != NOTHING}


def placements(texts: Iterable[str], color: str) -> set[int]:
    """The spaces where moves place a star of this colour."""
    words = [text.split() for text in texts]
    return {int(word[2]) for word in words if word[:2] == ["place", color] and len(word) == 3}
