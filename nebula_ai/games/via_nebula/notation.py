"""The notation of Via Nebula: moves and chance outcomes as text. Its grammar is in docs/rules-via-nebula.md.

Hexes are named ``row,column``, so that a text depends on the map of the state. Parsing forgives white space. A text
that names no legal move gets a reason: the word that does not exist, or why the move is not possible now.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nebula_ai import notation
from nebula_ai.errors import listed, number_of, shown
from nebula_ai.game import UNKNOWN
from nebula_ai.games.via_nebula.edition import SPECIAL, ViaNebulaEdition
from nebula_ai.notation import UNKNOWN_CARD_NUMBER, Unreadable, exactly, index, whole
from nebula_core.face import State
from nebula_core.via_nebula.edition import EffectKind, Terrain
from nebula_core.via_nebula.rules import NOTHING, MoveKind, Phase, ViaNebulaRules, decode, encode

if TYPE_CHECKING:
    from nebula_core.via_nebula.rules import Fields

MOVE_WORDS = {kind.name.lower(): kind for kind in MoveKind if kind < MoveKind.SPECIAL}
CHANCE_WORDS = {kind.name.lower(): kind for kind in MoveKind if kind >= MoveKind.SPECIAL}

ACTIONS = (MoveKind.CRAFTSMAN, MoveKind.SITE, MoveKind.EXPLORE, MoveKind.TRANSPORT, MoveKind.BUILD)

WITH_SITE = (MoveKind.TRANSPORT, MoveKind.BUILD, MoveKind.SUPPLY, MoveKind.SWAP, MoveKind.DELIVER)


class Notation:
    """The notation with the names of one edition: that of the map which a state is played on."""

    def __init__(self, edition: ViaNebulaEdition, rules: ViaNebulaRules) -> None:
        self.rules = rules
        self.by_map = [MapNotation(edition, rules, number) for number in range(len(edition.maps))]

    def of(self, state: State) -> "MapNotation":
        """The notation for a state."""
        return self.by_map[self.rules.map_of(state)]

    def format_move(self, state: State, move: int) -> str:
        """The text of a move. Raises MoveError for a number that is none."""
        return self.of(state).format_move(move)

    def format_chance(self, state: State, outcome: int) -> str:
        """The text of a chance outcome. Raises ChanceError for a number that is none."""
        return self.of(state).format_chance(outcome)

    def parse_move(self, state: State, text: str) -> int:
        """The legal move that a text names. Raises MoveError, GameFinished, ChancePending."""
        return self.of(state).parse_move(state, text)

    def parse_chance(self, state: State, text: str) -> int:
        """The possible outcome that a text names. Raises ChanceError, NoChancePending."""
        return self.of(state).parse_chance(state, text)

    def unknown_outcome(self, state: State) -> int | None:
        """The outcome of a contract that nobody tells; None if everybody sees what comes up. Raises NoChancePending."""
        return self.of(state).unknown_outcome(state)


class MapNotation(notation.Notation[MoveKind]):
    """The notation with the names of one edition and of one of its maps."""

    move_words = MOVE_WORDS
    chance_words = CHANCE_WORDS
    may_be_unknown = (MoveKind.PRIVATE, MoveKind.DRAW)
    encode = staticmethod(encode)
    decode = staticmethod(decode)

    def __init__(self, edition: ViaNebulaEdition, rules: ViaNebulaRules, map_number: int) -> None:
        super().__init__()
        self.edition = edition
        self.rules = rules
        self.hexes = edition.maps[map_number].hexes

    # From numbers to text.

    def argument_words(self, kind: MoveKind, argument: int) -> list[str]:
        """The words after the first. Raises IndexError for an argument out of range."""
        edition = self.edition
        match kind:
            case MoveKind.CRAFTSMAN | MoveKind.SITE | MoveKind.EXPLORE | MoveKind.CLEAR | MoveKind.RECALL:
                return [self.hexes[argument]]
            case MoveKind.TRANSPORT | MoveKind.DELIVER:
                return [self.hexes[argument & 0xFF], str(argument >> 8)]
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

    def read_argument(self, kind: MoveKind, first: str, words: Sequence[str]) -> int:
        """The argument that the words after the `first` name. Raises Unreadable."""
        edition = self.edition
        match kind:
            case MoveKind.CRAFTSMAN | MoveKind.SITE | MoveKind.EXPLORE | MoveKind.CLEAR | MoveKind.RECALL:
                (name,) = exactly(words, 1, first, "a hex")
                return self.hex(name)
            case MoveKind.TRANSPORT | MoveKind.DELIVER:
                name, site = exactly(words, 2, first, "a hex and a site")
                return self.site(site) << 8 | self.hex(name)
            case MoveKind.BUILD:
                site, card = exactly(words, 2, first, "a site and a contract")
                return self.site(site) << 8 | index(card, edition.contracts, "contract")
            case MoveKind.SUPPLY:
                name, site = exactly(words, 2, first, "a resource and a site")
                return self.site(site) << 8 | self.resource(name)
            case MoveKind.SWAP:
                what = "a site, the resource that leaves and the one that comes"
                site, leaves, comes = exactly(words, 3, first, what)
                return self.site(site) << 16 | self.resource(leaves) << 8 | self.resource(comes)
            case MoveKind.SPECIAL:
                (name,) = exactly(words, 1, first, "the resource of a special token")
                self.resource(name)
                return index(f"{SPECIAL} {name}", edition.tokens, "token")
            case MoveKind.TOKEN:
                return index(" ".join(words), edition.tokens, "token")
            case MoveKind.PRIVATE | MoveKind.OPEN | MoveKind.DRAW:
                (card,) = exactly(words, 1, first, "a contract")
                if card == UNKNOWN and kind in self.may_be_unknown:
                    return UNKNOWN_CARD_NUMBER
                return index(card, edition.contracts, "contract")
            case _:
                exactly(words, 0, first, "nothing")
                return 0

    def hex(self, name: str) -> int:
        """The number of a hex. Raises Unreadable."""
        if name not in self.hexes:
            raise Unreadable(f"{shown(name)} is no hex of the map: a hex is its row and its column, as {self.hexes[0]}")
        return self.hexes.index(name)

    def site(self, word: str) -> int:
        """The number of a site. Raises Unreadable."""
        return whole(word, max(self.edition.core.sites) - 1, "the number of a site")

    def resource(self, name: str) -> int:
        """The number of a resource. Raises Unreadable."""
        return index(name, self.edition.resources, "resource")

    # Why not.

    def choices(self, state: State, legal: Sequence[int]) -> str:
        """What a seat may do in this state: the kinds of its moves."""
        return f"choose {listed(dict.fromkeys(decode(move)[0].name.lower() for move in legal))}"

    def why_illegal(self, state: State, move: int) -> str:
        """The rule that a move breaks."""
        fields = self.rules.fields(state)
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
        if kind in WITH_SITE and site >= len(sites):
            return f"a seat has only {number_of(len(sites), 'site')}"
        if kind in WITH_SITE and sites[site] == NOTHING:
            return f"site {site} is at home"
        if (cost := self.cost(fields, kind, argument)) > fields["action_points"]:
            return f"it costs {number_of(cost, 'action point')}, and of these are left {fields['action_points']}"
        terrain = core.maps[fields["map"]].terrain
        match kind:
            case MoveKind.CRAFTSMAN:
                return "no craftsman is at home" if not fields["craftsmen"][seat] else "no token lies there"
            case MoveKind.SITE:
                if terrain[argument] != Terrain.RUIN:
                    return "there is no ruin"
                return "the ruin is full" if NOTHING in fields["sites"][seat] else "no site is at home"
            case MoveKind.EXPLORE | MoveKind.CLEAR:
                if argument in fields["empty"]:
                    return "it is an empty meadow already"
                if terrain[argument] in (Terrain.MEADOW, Terrain.RUIN):
                    return f"a {terrain[argument].name.lower()} cannot be explored"
                if terrain[argument] == Terrain.FORBIDDEN and not in_effect:
                    return "a forbidden hex is explored only by a contract"
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
