"""The list of games, and the editions that are loaded. A new game is one line in `GAMES`."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from nebula_ai.checked import read_toml
from nebula_ai.errors import EditionError, InvalidInput, StateError, shown_path, unknown_word
from nebula_ai.game import Game
from nebula_ai.games.nebula.game import NebulaGame
from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_ai.packed import from_text
from nebula_core.face import State, packed_header

GAMES: dict[str, Callable[[Path | None], Game]] = {
    NebulaGame.name: NebulaGame.load,
    ViaNebulaGame.name: ViaNebulaGame.load,
}
"""For each game what loads the edition of a file, or the standard one without a file. The first is the default."""

STANDARD = "standard"
"""The name of the edition that every game comes with."""


def load(name: str | None = None, edition: str | Path = STANDARD) -> Game:
    """A game with one of its editions: ``standard``, or the path of a TOML file. No name is the first game.

    Raises InvalidInput (field ``game``) for a game that there is not; EditionError for a file that is missing or wrong.
    """
    if name is None:
        name = next(iter(GAMES))
    if name not in GAMES:
        raise InvalidInput("game", unknown_word(name, GAMES))
    if edition == STANDARD:
        return standard(name)
    game = from_file(Path(edition))
    if game.name != name:
        raise EditionError("game", f"the edition is of {game.name}, not of {name}")
    return game


@cache
def standard(name: str) -> Game:
    """The standard edition of a game; the same object each time."""
    return GAMES[name](None)


def from_file(path: Path) -> Game:
    """The edition of a TOML file, whatever its game. Raises EditionError."""
    content = read_toml(path)
    name = content.get("game")
    if isinstance(name, str) and name in GAMES:
        return GAMES[name](path)
    if isinstance(name, str):
        reason = unknown_word(name, GAMES)
    else:
        reason = "must be the name of a game" if "game" in content else "is missing"
    raise EditionError("game", f"{reason} (in {shown_path(path)})")


class Catalogue:
    """A set of loaded editions: the standard one of every game, and those of the files given."""

    def __init__(self, files: Iterable[str | Path] = ()) -> None:
        """`files`: edition files. One whose edition has the name of a standard edition stands in for it.

        Raises EditionError for a file that is missing or wrong, and for a second one of the same name.
        """
        given: dict[tuple[str, str], Game] = {}
        for file in files:
            game = from_file(Path(file))
            if (game.name, game.edition) in given:
                raise EditionError(
                    "edition", f"a second file has an edition {game.edition} of {game.name}: {shown_path(file)}"
                )
            given[game.name, game.edition] = game
        self._games = {(game.name, game.edition): game for game in map(standard, GAMES)} | given

    @property
    def games(self) -> list[Game]:
        """All of them, in the order of the list of games; a game's standard edition comes first."""
        names = list(GAMES)
        return sorted(self._games.values(), key=lambda game: names.index(game.name))

    def get(self, name: str, edition: str = STANDARD) -> Game:
        """A game with one of the editions loaded. Raises InvalidInput naming ``game`` or ``edition``."""
        if name not in GAMES:
            raise InvalidInput("game", unknown_word(name, GAMES))
        if (name, edition) not in self._games:
            known = [other for game, other in self._games if game == name]
            raise InvalidInput(
                "edition", f"{unknown_word(edition, known)}; an edition of your own has to be loaded from its file"
            )
        return self._games[name, edition]

    def unpack(self, packed: bytes) -> tuple[Game, State]:
        """The game and the state of a packed form. Raises StateError, with field ``edition`` if that is not loaded."""
        name, edition, edition_hash = packed_header(packed)
        try:
            game = self.get(name, edition)
        except InvalidInput as error:
            raise StateError(error.field, error.reason) from None
        if game.rules.edition_hash != edition_hash:
            reason = f"the state is of another content of the edition {edition} than the one loaded"
            raise StateError("edition", f"{reason} ({edition_hash.hex()}, not {game.rules.edition_hash.hex()})")
        return game, game.rules.unpack(packed)

    def from_text(self, text: str) -> tuple[Game, State]:
        """The game and the state of a text form; white space around it is forgiven. Raises StateError."""
        prefix, packed = from_text(text, sorted({game.text_prefix for game in self.games}))
        try:
            game, state = self.unpack(packed)
        except StateError as error:
            raise StateError("state" if error.field == "packed" else error.field, error.reason) from None
        if game.text_prefix != prefix:
            raise StateError("state", f"the text starts with {prefix}, but the state is one of {game.title}")
        return game, state
