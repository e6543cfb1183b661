"""What a run of the arena is and what came out of it, as a file: JSON lines, a header and then a game each.

The format is in docs/arena.md. Games stand there in any order; the header says which there are to be, so that a run
that was stopped can go on. Reading checks the form of everything; what only the rules can tell is for `games`.
"""

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from nebula_ai import __version__
from nebula_ai.bench import recorded_signature
from nebula_ai.bots import parse_bot
from nebula_ai.checked import Value, top_table
from nebula_ai.errors import InvalidInput, listed, shown, shown_path
from nebula_ai.game import Game
from nebula_ai.json_lines import Lines

FORMAT = 1
"""The version of the file's format."""

MAX_PLAYERS = 4
MAX_BOTS = 32
MAX_SETUPS = 1_000_000
MAX_MOVES = 100_000
"""More are refused in a file; real games have a few hundred."""
MAX_POINTS = 1_000_000
MAX_LABEL = 400
"""Characters of a text in the header."""


class Fixture(NamedTuple):
    """A game that is to be played."""

    pair: tuple[int, int]
    """The challenger and the other bot, as indices into the header's bots."""
    setup: int
    seat: int
    """The challenger's; all other seats are the other bot's."""


@dataclass(frozen=True, slots=True)
class Header:
    """What decides a run: equal headers, equal games (but for bots with a time limit)."""

    game: str
    edition: str
    edition_hash: str
    """In hexadecimal digits."""
    players: int
    variants: tuple[str, ...]
    """Setup k is of the variant k modulo their number."""
    bots: tuple[str, ...]
    """The texts of `nebula_ai.bots.parse_bot`, in their normal form."""
    settings_hashes: tuple[str, ...]
    """What these texts stood for: `Bot.settings_hash` of each bot."""
    seed: int
    setups: int
    """Of each pair."""
    engine_version: str
    bench_signature: str

    def as_json(self) -> dict[str, Any]:
        """The header as JSON values, with the version of the format."""
        return {"arena": FORMAT} | {
            key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, raw: object) -> "Header":
        """The header of JSON values. Raises InvalidInput naming the field."""
        values = top_table(raw, InvalidInput, "header", ["arena", *(field.name for field in fields(cls))])
        if values["arena"].integer(0, 1 << 32) != FORMAT:
            values["arena"].refuse(f"the format {shown(values['arena'].raw)} is not known; this is format {FORMAT}")
        variants = tuple(value.word() for value in values["variants"].list(range(1, MAX_BOTS + 1)))
        if len(set(variants)) < len(variants):
            values["variants"].refuse("must be different ones")
        bots = tuple(label(value) for value in values["bots"].list(range(2, MAX_BOTS + 1)))
        hashes = values["settings_hashes"].list(range(len(bots), len(bots) + 1))
        return cls(
            game=label(values["game"]),
            edition=label(values["edition"]),
            edition_hash=label(values["edition_hash"]),
            players=values["players"].integer(2, MAX_PLAYERS),
            variants=variants,
            bots=bots,
            settings_hashes=tuple(label(value) for value in hashes),
            seed=values["seed"].integer(0, (1 << 64) - 1),
            setups=values["setups"].integer(1, MAX_SETUPS),
            engine_version=label(values["engine_version"]),
            bench_signature=label(values["bench_signature"]),
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Who meets whom: a match for two bots; for more every two of them, with 3 or 4 players also the other way
        round, because one against many copies is another thing than one of many against it."""
        if len(self.bots) == 2:
            return [(0, 1)]
        numbers = range(len(self.bots))
        return [(a, b) for a in numbers for b in numbers if (a < b if self.players == 2 else a != b)]

    @property
    def games(self) -> int:
        """How many games there are to be."""
        return len(self.pairs) * self.setups * self.players

    def fixtures(self) -> Iterator[Fixture]:
        """All games, setup by setup, so that what has been played at any time is about the same of each pair."""
        for setup in range(self.setups):
            for pair in self.pairs:
                for seat in range(self.players):
                    yield Fixture(pair, setup, seat)

    def variant(self, setup: int) -> str:
        """The variant that a setup is of."""
        return self.variants[setup % len(self.variants)]

    def seats(self, fixture: Fixture) -> list[int]:
        """The bot at each seat, as its index."""
        challenger, other = fixture.pair
        return [challenger if seat == fixture.seat else other for seat in range(self.players)]


@dataclass(frozen=True, slots=True)
class Record:
    """A game that was played. Points and shares of the win are by seat."""

    fixture: Fixture
    points: tuple[int, ...]
    shares: tuple[float, ...]
    moves: tuple[int, ...]
    """All decisions of all seats, in their order."""

    def as_json(self, header: Header) -> dict[str, Any]:
        """The game as JSON values."""
        pair, setup, seat = self.fixture
        return {
            "pair": list(pair),
            "setup": setup,
            "seat": seat,
            "variant": header.variant(setup),
            "bots": header.seats(self.fixture),
            "points": list(self.points),
            "shares": list(self.shares),
            "moves": list(self.moves),
        }

    @classmethod
    def from_json(cls, raw: object, header: Header) -> "Record":
        """The game of JSON values, one of those that the header announces. Raises InvalidInput naming the field."""
        keys = ("pair", "setup", "seat", "variant", "bots", "points", "shares", "moves")
        values = top_table(raw, InvalidInput, "game", keys)
        challenger, other = (value.integer(0, len(header.bots) - 1) for value in values["pair"].list(range(2, 3)))
        if (challenger, other) not in header.pairs:
            values["pair"].refuse(f"the header's bots have no pair {challenger}, {other}")
        setup = values["setup"].integer(0, header.setups - 1)
        fixture = Fixture((challenger, other), setup, values["seat"].integer(0, header.players - 1))
        if values["variant"].text() != header.variant(setup):
            values["variant"].refuse(
                f"setup {setup} is of {header.variant(setup)}, not of {shown(values['variant'].raw)}"
            )
        seats = header.seats(fixture)
        if [value.integer(0, len(header.bots) - 1) for value in values["bots"].list()] != seats:
            values["bots"].refuse(f"must be {seats} for this pair and seat")
        by_seat = range(header.players, header.players + 1)
        return cls(
            fixture=fixture,
            points=tuple(value.integer(-MAX_POINTS, MAX_POINTS) for value in values["points"].list(by_seat)),
            shares=tuple(value.real(0, 1) for value in values["shares"].list(by_seat)),
            moves=tuple(value.integer(0, (1 << 32) - 1) for value in values["moves"].list(range(MAX_MOVES + 1))),
        )


@dataclass(frozen=True, slots=True)
class Results:
    """A file of results as far as it goes."""

    header: Header
    records: list[Record]
    """In the order of the file: the first one stands on line 2. No game twice."""
    cut: bytes
    """What stands behind the last complete line: the beginning of a game that a run did not write to its end."""


def made_header(game: Game, players: int, variants: list[str], bots: list[str], *, seed: int, setups: int) -> Header:
    """The header of a run of this version. `bots`: texts for `parse_bot`. Raises InvalidInput naming the field."""
    made = [parse_bot(game, text) for text in bots]
    header = Header(
        game=game.name,
        edition=game.edition,
        edition_hash=game.rules.edition_hash.hex(),
        players=players,
        variants=tuple(variants),
        bots=tuple(bot.name for bot in made),
        settings_hashes=tuple(bot.settings_hash for bot in made),
        seed=seed,
        setups=setups,
        engine_version=__version__,
        bench_signature=recorded_signature(),
    )
    return Header.from_json(header.as_json())


def line_of(value: Mapping[str, Any]) -> bytes:
    """A line of the file."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def read(path: Path) -> Results:
    """The results in a file, of a run that ended or did not. Raises Unreadable with the line; OSError."""
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    lines = Lines(io.BytesIO(content[:end]))
    raw = lines.next()
    if raw is None:
        lines.unreadable("the file is empty" if not content else "the file has no complete line")
    try:
        header = Header.from_json(raw)
        met: dict[Fixture, int] = {}
        records = []
        while (raw := lines.next()) is not None:
            record = Record.from_json(raw, header)
            if (first := met.setdefault(record.fixture, lines.number)) != lines.number:
                lines.unreadable(f"{named(record.fixture)} stands already on line {first}")
            records.append(record)
    except InvalidInput as error:
        lines.unreadable(str(error))
    return Results(header, records, content[end:])


def resume(path: Path, header: Header) -> list[Record]:
    """Makes a file ready for the games of a run to be appended, and says which stand in it already.

    A file that is not there or empty gets its header; the last line of one that was cut is dropped. Raises InvalidInput
    naming the field in which the header of the file is another, or ``output`` for what is no ordinary file; Unreadable
    if it is not such a file; OSError.
    """
    if path.exists() and not path.is_file():
        raise InvalidInput("output", f"must be an ordinary file, or none yet, not {shown_path(path)}")
    content = path.read_bytes() if path.exists() else b""
    first = line_of(header.as_json())
    if first.startswith(content):
        path.write_bytes(first)
        return []
    results = read(path)
    for field in fields(Header):
        before, now = getattr(results.header, field.name), getattr(header, field.name)
        if before == now:
            continue
        different = f"{plain(before)}, not {plain(now)}"
        if field.name == "settings_hashes":
            # The bots, which come before, are the same.
            other = dict.fromkeys(bot for bot, old, new in zip(header.bots, before, now, strict=True) if old != new)
            different = f"with other settings of {listed(other, 'and')}"
        where = f"the file {shown_path(path)} is of another run"
        raise InvalidInput(field.name, f"{where} ({different}): choose another --output")
    if results.cut:
        with path.open("r+b") as file:
            file.truncate(len(content) - len(results.cut))
    return results.records


def append(path: Path, header: Header, record: Record) -> None:
    """Adds a game to a file that `resume` made ready. Raises OSError."""
    with path.open("ab") as file:
        file.write(line_of(record.as_json(header)))


def label(value: Value) -> str:
    """A text on one line that a terminal may be shown. Raises InvalidInput."""
    text = value.text()
    if not text.isprintable() or not 0 < len(text) <= MAX_LABEL:
        value.refuse(f"must be 1 to {MAX_LABEL} printable characters, not {shown(text)}")
    return text


def plain(value: object) -> str:
    """A header's value in a message."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def missing(header: Header, records: Iterable[Record]) -> Iterator[Fixture]:
    """The games of a run that are not among these, in the order of `Header.fixtures`. Looks at `records` at once."""
    ready = {record.fixture for record in records}
    return (fixture for fixture in header.fixtures() if fixture not in ready)


def first_missing(header: Header, records: Iterable[Record]) -> Fixture | None:
    """The first of a run's games that is not among these; None if there is none."""
    return next(missing(header, records), None)


def named(fixture: Fixture) -> str:
    """A game in a message."""
    return f"the game of pair {fixture.pair[0]}, {fixture.pair[1]}, setup {fixture.setup}, seat {fixture.seat}"
