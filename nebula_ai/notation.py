"""What the notations of all games have in common: moves and chance outcomes as text, both ways. Knows no game.

A text is a word for the kind, then a game's own words. Parsing forgives white space. A text that names no legal move
gets a reason: the word that does not exist, or why the move is not possible now.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import IntEnum
from typing import Generic, TypeVar

from nebula_ai.errors import ChanceError, MoveError, shown, unknown_word
from nebula_core.face import State

UNKNOWN_CARD_NUMBER = 0xFF
"""How every core numbers an unknown card in a move or an outcome."""

MOST_LISTED = 8
"""Legal moves that an error lists; more are counted."""

MOST_WORDS = 32
"""No text has more words that mean anything."""

Kind = TypeVar("Kind", bound=IntEnum)


class Unreadable(Exception):
    """A text that names no move of any state, and why."""


class Notation(ABC, Generic[Kind]):
    """The notation with the names of one edition, and where names depend on it, of one board.

    A game says how the words after the first are written and read, and which rule a move breaks.
    """

    move_words: Mapping[str, Kind]
    """The first words of moves."""
    chance_words: Mapping[str, Kind]
    """The first words of chance outcomes."""
    may_be_unknown: Collection[Kind]
    """The outcomes that are cards which nobody may have told."""
    encode: Callable[[Kind, int], int]
    """The core's number of a kind with an argument."""
    decode: Callable[[int], tuple[Kind, int]]
    """And back. Raises MoveError for a number that has no such kind."""

    def __init__(self) -> None:
        # Of moves and outcomes formatted before. Only what reads back as the same number is kept, so that whatever
        # anybody asks they are no more than the grammar can read: 402 for Nebula, 1,326 for a map of Via Nebula.
        self.move_texts: dict[int, str] = {}
        self.chance_texts: dict[int, str] = {}

    # What a game says.

    @abstractmethod
    def argument_words(self, kind: Kind, argument: int) -> list[str]:
        """The words after the first. Raises IndexError for an argument out of range."""

    @abstractmethod
    def read_argument(self, kind: Kind, first: str, words: Sequence[str]) -> int:
        """The argument that the words after the `first` name. Raises Unreadable."""

    @abstractmethod
    def why_illegal(self, state: State, move: int) -> str:
        """The rule that a move breaks."""

    @abstractmethod
    def choices(self, state: State, legal: Sequence[int]) -> str:
        """What a seat may do in this state, in a few words: ``invest or give in to chaos``."""

    # From numbers to text.

    def format_move(self, move: int) -> str:
        """The text of a move. Raises MoveError for a number that is none."""
        text = self.move_texts.get(move) or self.text_of(move, self.move_words, self.move_texts)
        if text is None:
            raise MoveError("move", f"{shown(move)} is the number of no move")
        return text

    def format_chance(self, outcome: int) -> str:
        """The text of a chance outcome. Raises ChanceError for a number that is none."""
        text = self.chance_texts.get(outcome) or self.text_of(outcome, self.chance_words, self.chance_texts)
        if text is None:
            raise ChanceError("outcome", f"{shown(outcome)} is the number of no chance outcome")
        return text

    def text_of(self, number: int, first_words: Mapping[str, Kind], known: dict[int, str]) -> str | None:
        """The text of a number, added to the `known` ones; None if it is no number of these kinds."""
        try:
            kind, argument = self.decode(number)
            text = " ".join([kind.name.lower(), *self.argument_words(kind, argument)])
            # What reads back as another number, or not at all, had bits that mean nothing or is of another kind.
            if self.read(text, first_words) != number:
                return None
        except (IndexError, MoveError, Unreadable):
            return None
        known[number] = text
        return text

    # From text to numbers.

    def parse_move(self, state: State, text: str) -> int:
        """The legal move that a text names. Raises MoveError, GameFinished, ChancePending."""
        legal = state.legal_moves()
        try:
            move = self.read(text, self.move_words)
        except Unreadable as error:
            raise MoveError("move", f"{error}; {self.what_is_legal(state, legal)}") from None
        if move not in legal:
            why = self.why_illegal(state, move)
            raise MoveError(
                "move", f"{self.format_move(move)!r} is not legal now: {why}; {self.what_is_legal(state, legal)}"
            )
        return move

    def parse_chance(self, state: State, text: str) -> int:
        """The possible outcome that a text names. Raises ChanceError, NoChancePending."""
        possible = [outcome for outcome, _ in state.chances()]
        try:
            outcome = self.read(text, self.chance_words)
        except Unreadable as error:
            raise ChanceError("outcome", f"{error}; {self.what_is_possible(possible)}") from None
        if outcome not in (*possible, self.unknown_outcome(state)):
            raise ChanceError(
                "outcome", f"{self.format_chance(outcome)!r} is not possible now; {self.what_is_possible(possible)}"
            )
        return outcome

    def unknown_outcome(self, state: State) -> int | None:
        """The outcome of a card that nobody tells; None if everybody sees what comes up. Raises NoChancePending."""
        kind, _ = self.decode(state.chances()[0][0])
        return self.encode(kind, UNKNOWN_CARD_NUMBER) if kind in self.may_be_unknown else None

    def read(self, text: str, first_words: Mapping[str, Kind]) -> int:
        """The number that a text names, possible or not. Raises Unreadable."""
        words = text.split(maxsplit=MOST_WORDS)
        if not words:
            raise Unreadable("the text is empty")
        first, *rest = words
        if first not in first_words:
            raise Unreadable(f"the word {unknown_word(first, first_words)}")
        kind = first_words[first]
        return self.encode(kind, self.read_argument(kind, first, rest))

    # What to do instead.

    def what_is_legal(self, state: State, legal: Sequence[int]) -> str:
        """The legal moves in a few words."""
        if len(legal) <= MOST_LISTED:
            return f"legal: {', '.join(self.format_move(move) for move in legal)}"
        return f"{len(legal)} moves are legal: seat {state.seat} may {self.choices(state, legal)}"

    def what_is_possible(self, possible: Sequence[int]) -> str:
        """The possible outcomes in a few words."""
        if len(possible) <= MOST_LISTED:
            return f"possible: {', '.join(self.format_chance(outcome) for outcome in possible)}"
        return f"{len(possible)} outcomes are possible, such as {self.format_chance(possible[0])!r}"


# Words.


def exactly(words: Sequence[str], number: int, first: str, what: str) -> Sequence[str]:
    """The words, if there are so many. Raises Unreadable."""
    if len(words) != number:
        raise Unreadable(
            f"after {first!r} comes {what}: {number} {'word' if number == 1 else 'words'}, not {len(words)}"
        )
    return words


def index(word: str, names: Sequence[str], what: str) -> int:
    """The index of a word among names. Raises Unreadable."""
    if word not in names:
        raise Unreadable(f"the {what} {unknown_word(word, names)}")
    return names.index(word)


def whole(word: str, most: int, what: str) -> int:
    """A number from 0 to `most`. Raises Unreadable."""
    if not (word.isascii() and word.isdigit() and len(word) <= 4 and int(word) <= most):
        raise Unreadable(f"{shown(word)} is not {what} from 0 to {most}")
    return int(word)
