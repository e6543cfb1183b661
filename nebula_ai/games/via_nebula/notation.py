"""The notation of Via Nebula: moves and chance outcomes as text. Its grammar is in docs/rules-via-nebula.md.

Hexes are named ``row,column``, so that a text depends on the map of the state. Parsing forgives white space. A text
that names no legal move gets a reason: the word that does not exist, or why the move is not possible now.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nebula_ai.errors import ChanceError, MoveError, listed, shown, unknown_word
from nebula_ai.game import UNKNOWN
from nebula_ai.games.via_nebula.edition import SPECIAL, ViaNebulaEdition
from nebula_core.face import State
from nebula_core.via_nebula.edition import EffectKind, Terrain
from nebula_core.via_nebula.rules import NOTHING, MoveKind, Phase, ViaNebulaRules, decode, encode

if TYPE_CHECKING:
    from nebula_core.via_nebula.rules import Fields

UNKNOWN_CARD_NUMBER = 0xFF
"""How the core numbers an unknown card in a chance outcome."""

MOVE_WORDS = {kind.name.lower(): kind for kind in MoveKind if kind < MoveKind.SPECIAL}
CHANCE_WORDS = {kind.name.lower(): kind for kind in MoveKind if kind >= MoveKind.SPECIAL}

MAY_BE_UNKNOWN = (MoveKind.PRIVATE, MoveKind.DRAW)

ACTIONS = (MoveKind.CRAFTSMAN, MoveKind.SITE, MoveKind.EXPLORE, MoveKind.TRANSPORT, MoveKind.BUILD)

WITH_SITE = (MoveKind.TRANSPORT, MoveKind.BUILD, MoveKind.SUPPLY, MoveKind.SWAP, MoveKind.DELIVER)

MOST_LISTED = 8
"""Legal moves that an error lists; more are counted."""


class Unreadable(Exception):
    """A text that names no move of any state, and why."""


class Notation:
    """The notation with the names of one edition."""

    def __init__(self, edition: ViaNebulaEdition, rules: ViaNebulaRules) -> None:
        self.edition = edition
        self.rules = rules
        # Of moves and outcomes formatted before, by map and number; an edition has some thousands.
        self.texts: dict[tuple[int, int], str] = {}

    # From numbers to text.

    def format_move(self, state: State, move: int) -> str:
        """The text of a move. Raises MoveError for a number that is none."""
        text = self.text_of(state, move, MOVE_WORDS)
        if text is None:
            raise MoveError("move", f"{shown(move)} is the number of no move")
        return text

    def format_chance(self, state: State, outcome: int) -> str:
        """The text of a chance outcome. Raises ChanceError for a number that is none."""
        text = self.text_of(state, outcome, CHANCE_WORDS)
        if text is None:
            raise ChanceError("outcome", f"{shown(outcome)} is the number of no chance outcome")
        return text

    def text_of(self, state: State, number: int, first_words: dict[str, MoveKind]) -> str | None:
        """The text of a number; None if it is no number of these kinds."""
        map_number = self.rules.map_of(state)
        key = map_number, number
        if key not in self.texts:
            try:
                kind, argument = decode(number)
                text = " ".join([kind.name.lower(), *self.argument_words(map_number, kind, argument)])
                # What reads back as another number, or not at all, had bits that mean nothing.
                if self.read(map_number, text, first_words) != number:
                    return None
            except (IndexError, MoveError, Unreadable):
                return None
            self.texts[key] = text
        text = self.texts[key]
        return text if text.split()[0] in first_words else None

    def argument_words(self, map_number: int, kind: MoveKind, argument: int) -> list[str]:
        """The words after the first. Raises IndexError for an argument out of range."""
        edition = self.edition
        hexes = edition.maps[map_number].hexes
        match kind:
            case MoveKind.CRAFTSMAN | MoveKind.SITE | MoveKind.EXPLORE | MoveKind.CLEAR | MoveKind.RECALL:
                return [hexes[argument]]
            case MoveKind.TRANSPORT | MoveKind.DELIVER:
                return [hexes[argument & 0xFF], str(argument >> 8)]
            case MoveKind.BUILD:
                return [str(argument >> 8), edition.contracts[argument & 0xFF]]
            case MoveKind.SUPPLY:
                return [edition.resources[argument & 0xFF], str(argument >> 8)]
            case MoveKind.SWAP:
                return [
                    str(argument >> 16),
                    edition.resources[argument >> 8 & 0xFF],
                    edition.resources[argument & 0xFF],
                ]
            case MoveKind.SPECIAL:
                return [edition.tokens[argument].removeprefix(f"{SPECIAL} ")]
            case MoveKind.TOKEN:
                return [edition.tokens[argument]]
            case MoveKind.PRIVATE | MoveKind.OPEN | MoveKind.DRAW:
                return [UNKNOWN if argument == UNKNOWN_CARD_NUMBER else edition.contracts[argument]]
            case _:
                return []

    # From text to numbers.

    def parse_move(self, state: State, text: str) -> int:
        """The legal move that a text names. Raises MoveError, GameFinished, ChancePending."""
        legal = state.legal_moves()
        try:
            move = self.read(self.rules.map_of(state), text, MOVE_WORDS)
        except Unreadable as error:
            raise MoveError("move", f"{error}; {self.what_is_legal(state, legal)}") from None
        if move not in legal:
            why = self.why_illegal(self.rules.fields(state), move)
            raise MoveError(
                "move", f"{self.format_move(state, move)!r} is not legal now: {why}; {self.what_is_legal(state, legal)}"
            )
        return move

    def parse_chance(self, state: State, text: str) -> int:
        """The possible outcome that a text names. Raises ChanceError, NoChancePending."""
        possible = [outcome for outcome, _ in state.chances()]
        try:
            outcome = self.read(self.rules.map_of(state), text, CHANCE_WORDS)
        except Unreadable as error:
            raise ChanceError("outcome", f"{error}; {self.what_is_possible(state, possible)}") from None
        kind, argument = decode(outcome)
        if argument == UNKNOWN_CARD_NUMBER and kind in MAY_BE_UNKNOWN and kind == decode(possible[0])[0]:
            return outcome
        if outcome not in possible:
            raise ChanceError(
                "outcome",
                f"{self.format_chance(state, outcome)!r} is not possible now; {self.what_is_possible(state, possible)}",
            )
        return outcome

    def read(self, map_number: int, text: str, first_words: dict[str, MoveKind]) -> int:
        """The number that a text names, possible or not. Raises Unreadable."""
        words = text.split(maxsplit=8)
        if not words:
            raise Unreadable("the text is empty")
        first, *rest = words
        if first not in first_words:
            raise Unreadable(f"the word {unknown_word(first, first_words)}")
        kind = first_words[first]
        edition = self.edition
        match kind:
            case MoveKind.CRAFTSMAN | MoveKind.SITE | MoveKind.EXPLORE | MoveKind.CLEAR | MoveKind.RECALL:
                (hex_name,) = exactly(rest, 1, first, "a hex")
                return encode(kind, self.hex(map_number, hex_name))
            case MoveKind.TRANSPORT | MoveKind.DELIVER:
                hex_name, site = exactly(rest, 2, first, "a hex and a site")
                return encode(kind, self.site(site) << 8 | self.hex(map_number, hex_name))
            case MoveKind.BUILD:
                site, card = exactly(rest, 2, first, "a site and a contract")
                return encode(kind, self.site(site) << 8 | index(card, edition.contracts, "contract"))
            case MoveKind.SUPPLY:
                resource, site = exactly(rest, 2, first, "a resource and a site")
                return encode(kind, self.site(site) << 8 | index(resource, edition.resources, "resource"))
            case MoveKind.SWAP:
                site, leaves, comes = exactly(rest, 3, first, "a site, the resource that leaves and the one that comes")
                return encode(
                    kind,
                    self.site(site) << 16
                    | index(leaves, edition.resources, "resource") << 8
                    | index(comes, edition.resources, "resource"),
                )
            case MoveKind.SPECIAL:
                (resource,) = exactly(rest, 1, first, "the resource of a special token")
                index(resource, edition.resources, "resource")
                return encode(kind, index(f"{SPECIAL} {resource}", edition.tokens, "token"))
            case MoveKind.TOKEN:
                return encode(kind, index(" ".join(rest), edition.tokens, "token"))
            case MoveKind.PRIVATE | MoveKind.OPEN | MoveKind.DRAW:
                (card,) = exactly(rest, 1, first, "a contract")
                if card == UNKNOWN and kind in MAY_BE_UNKNOWN:
                    return encode(kind, UNKNOWN_CARD_NUMBER)
                return encode(kind, index(card, edition.contracts, "contract"))
            case _:
                exactly(rest, 0, first, "nothing")
                return encode(kind)

    def hex(self, map_number: int, name: str) -> int:
        """The number of a hex. Raises Unreadable."""
        hexes = self.edition.maps[map_number].hexes
        if name not in hexes:
            raise Unreadable(f"{shown(name)} is no hex of the map: a hex is its row and its column, as {hexes[0]}")
        return hexes.index(name)

    def site(self, name: str) -> int:
        """The number of a site. Raises Unreadable."""
        most = max(self.edition.core.sites) - 1
        if not (name.isascii() and name.isdigit() and len(name) == 1 and int(name) <= most):
            raise Unreadable(f"{shown(name)} is not the number of a site, 0 to {most}")
        return int(name)

    # Why not.

    def what_is_legal(self, state: State, legal: Sequence[int]) -> str:
        """The legal moves in a few words."""
        if len(legal) <= MOST_LISTED:
            return f"legal: {', '.join(self.format_move(state, move) for move in legal)}"
        kinds = dict.fromkeys(decode(move)[0].name.lower() for move in legal)
        return f"{len(legal)} moves are legal: seat {state.seat} may {listed(kinds)}"

    def what_is_possible(self, state: State, possible: Sequence[int]) -> str:
        """The possible outcomes in a few words."""
        if len(possible) <= MOST_LISTED:
            return f"possible: {', '.join(self.format_chance(state, outcome) for outcome in possible)}"
        return f"{len(possible)} outcomes are possible, such as {self.format_chance(state, possible[0])!r}"

    def why_illegal(self, fields: "Fields", move: int) -> str:
        """The rule that a move breaks."""
        kind, argument = decode(move)
        in_effect = fields["phase"] == Phase.EFFECT
        if in_effect and kind != MoveKind.DECLINE and kind.name != EffectKind(fields["effect"]).name:
            return f"the effect {EffectKind(fields['effect']).name.lower()} is carried out first"
        if not in_effect and kind not in ACTIONS:
            return "it is a part of an effect, and none is carried out now"
        seat = fields["seat"]
        core = self.edition.core
        site = argument >> 16 if kind == MoveKind.SWAP else argument >> 8
        sites = fields["sites"][seat]
        if kind in WITH_SITE and (site >= len(sites) or sites[site] == NOTHING):
            return f"site {site} is at home"
        if (cost := self.cost(fields, kind, argument)) > fields["action_points"]:
            return f"it costs {cost} action points, and {fields['action_points']} are left"
        terrain = core.maps[fields["map"]].terrain
        match kind:
            case MoveKind.CRAFTSMAN:
                return "no craftsman is at home" if not fields["craftsmen"][seat] else "no token lies there"
            case MoveKind.SITE:
                if terrain[argument] != Terrain.RUIN:
                    return "there is no ruin"
                return "the ruin is full" if NOTHING in fields["sites"][seat] else "no site is at home"
            case MoveKind.EXPLORE | MoveKind.CLEAR:
                allowed = [Terrain.MIST, Terrain.FOREST, *([Terrain.FORBIDDEN] if in_effect else [])]
                if argument in fields["empty"]:
                    return "it is an empty meadow already"
                if terrain[argument] not in allowed:
                    return f"nothing is explored on {terrain[argument].name.lower()}"
                if not any(fields["stacks"][seat]) and not fields["stock"]:
                    return "there is no meadow tile left"
                return "it is next to no empty meadow and no craftsman, site or building of the seat"
            case MoveKind.TRANSPORT | MoveKind.DELIVER:
                meadows = [i for i, kind in enumerate(terrain) if kind == Terrain.MEADOW]
                hex_number = argument & 0xFF
                if hex_number not in meadows or fields["exploitations"][meadows.index(hex_number)] is None:
                    return "there is no exploitation"
                return f"no chain of empty meadows joins it with site {site}"
            case MoveKind.BUILD:
                card = argument & 0xFF
                if len(fields["buildings"][seat]) == core.buildings[fields["players"] - 2]:
                    return "no building is left"
                if card in fields["hands"][seat] or card in fields["open"]:
                    return f"site {site} does not hold its cost"
                return "the contract is neither open nor one of the seat's own"
            case MoveKind.SUPPLY:
                return "the reserve has none"
            case MoveKind.SWAP:
                return "the one must be on the site and the other, of another type, in the reserve"
            case _:
                return "the seat has no craftsman there"

    def cost(self, fields: "Fields", kind: MoveKind, argument: int) -> int:
        """What an action costs, in action points; 0 for a part of an effect."""
        core = self.edition.core
        match kind:
            case MoveKind.CRAFTSMAN:
                return core.craftsman_cost
            case MoveKind.SITE:
                return core.site_cost
            case MoveKind.EXPLORE:
                forest = core.maps[fields["map"]].terrain[argument] == Terrain.FOREST
                return core.explore_forest_cost if forest else core.explore_mist_cost
            case MoveKind.TRANSPORT:
                return core.transport_cost
            case MoveKind.BUILD:
                return core.build_cost
            case _:
                return 0


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
