"""Hand-made positions for the tests of Via Nebula's rules: said in names, only what matters, the rest filled in.

Knows an edition by its file, and the texts of moves and chance events by the library's notation. A hex is its name,
``row,column``; a token its words: ``wood 4 2``.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from nebula_ai.games.via_nebula.edition import STANDARD, read_edition
from nebula_ai.games.via_nebula.notation import Notation
from nebula_core.face import Generator, State
from nebula_core.via_nebula.edition import EffectKind
from nebula_core.via_nebula.rules import NOTHING, Phase, ViaNebulaRules

if TYPE_CHECKING:
    from nebula_core.via_nebula.rules import Fields

Exploitation: TypeAlias = tuple[int | None, str, int]
"""Whose (None: neutral), resource, count."""

Sites: TypeAlias = Mapping[int, tuple[str, Sequence[str]]]
"""A seat's sites: number, hex, resources."""

Piece = TypeVar("Piece")


class Table:
    """One edition, to lay out positions on and to play them."""

    def __init__(self, path: Path = STANDARD) -> None:
        self.edition: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        self.content = read_edition(path)
        self.rules = ViaNebulaRules(self.content.core)
        self.notation = Notation(self.content, self.rules)
        self.players = self.content.players
        self.maps: list[str] = list(self.edition["maps"])
        self.resources: list[str] = self.edition["resources"]
        self.neutral: list[str] = [card["id"] for card in self.edition["neutral_contract"]]
        self.private: list[str] = [card["id"] for card in self.edition["private_contract"]]
        self.contracts = {
            card["id"]: card for key in ("neutral", "private") for card in self.edition[f"{key}_contract"]
        }
        self.kinds = list(self.content.tokens)
        self.regular: list[str] = [
            f"{token['resource']} {token['count']} {token['points']}" for token in self.edition["tokens"]["regular"]
        ]

    def start(self, players: int = 2, map_name: str | None = None) -> State:
        """A game before its first chance event."""
        return self.rules.new(players, self.maps.index(map_name or self.maps[0]))

    def hexes(self, map_name: str, letters: str = "m.FRX") -> list[str]:
        """The hexes of a map that have one of these letters, by row and column."""
        rows = self.edition["maps"][map_name]["rows"]
        return [f"{i},{k}" for i, row in enumerate(rows) for k, each in enumerate(row.split()) if each in letters]

    def pieces(self, key: str, players: int) -> int:
        """A number of pieces with so many players."""
        number: int = self.edition["pieces"][key][str(players)]
        return number

    def fields(
        self,
        *,
        players: int = 2,
        map_name: str | None = None,
        seat: int = 0,
        action_points: int | None = None,
        acted: bool | None = None,
        idle: int = 0,
        exploitations: Mapping[str, Exploitation] | None = None,
        empty: Iterable[str] = (),
        tokens: Mapping[str, str] | None = None,
        taken: Sequence[Sequence[str]] = (),
        laid: Iterable[str] = (),
        stacks: Sequence[Sequence[int]] | None = None,
        sites: Sequence[Sites] = (),
        buildings: Sequence[Sequence[str]] = (),
        storehouse: Sequence[Iterable[str]] = (),
        hands: Sequence[Sequence[str | None]] = (),
        done: Sequence[Sequence[str]] = (),
        open: Sequence[str | None] | None = None,
        end_card: int | None = None,
    ) -> "Fields":
        """The fields of a position in a turn. What is left out is as at the start of a game, or else:

        `action_points`: all; with fewer the seat has `acted`. Meadows with a token or an exploitation, or empty, as
        said; the other ones bear the tokens left, in order, until the last ones, which are neutral exploitations.
        `taken`: for each exploitation a fitting token, and for each empty meadow too many one by the last seat.
        `stacks`: `laid` tiles come from seat 0's, then seat 1's; if said, the others come from the common stock.
        `buildings`: of the first contracts without effect, unless `done` says which. `hands` and `open`: the first
        ones that are nowhere else; a None in a hand is an unknown private contract.
        """
        map_name = map_name or self.maps[0]
        hexes, meadows = self.hexes(map_name), self.hexes(map_name, "m")
        empty, laid = list(empty), list(laid)
        exploitations, tokens, got = self._meadows(
            players, meadows, dict(exploitations or {}), empty, dict(tokens or {}), taken
        )
        hands, done, open = self._cards(players, hands, _filled(buildings, players, ()), done, open)
        stacks = stacks or self._stacks(players, len(laid))
        all_tiles = self.pieces("meadow_reserve", players) + sum(map(sum, self._stacks(players, 0)))
        sites = _filled(sites, players, {})
        stored = _filled(storehouse, players, ())
        out = Counter(resource for side in sites for _, resources in side.values() for resource in resources)
        out += Counter(resource for side in stored for resource in side)
        for _, resource, count in exploitations.values():
            out[resource] += count
        numbers = range(self.pieces("sites", players))
        full = self.edition["turn"]["action_points"]
        action_points = full if action_points is None else action_points
        owners = [owner for owner, _, _ in exploitations.values()]
        return {
            "players": players,
            "map": self.maps.index(map_name),
            "phase": Phase.TURN,
            "seat": seat,
            "action_points": action_points,
            "acted": action_points != full if acted is None else acted,
            "idle": idle,
            "effect": EffectKind.NONE,
            "parts": 0,
            "end_card": NOTHING if end_card is None else end_card,
            "boxed": [],
            "tokens": [self.kinds.index(tokens[at]) if at in tokens else NOTHING for at in meadows],
            "exploitations": [self._exploitation(exploitations[at]) if at in exploitations else None for at in meadows],
            "empty": sorted(hexes.index(at) for at in [*laid, *empty]),
            "sites": [[hexes.index(side[n][0]) if n in side else NOTHING for n in numbers] for side in sites],
            "site_resources": [[self.tally(side[n][1] if n in side else ()) for n in numbers] for side in sites],
            "buildings": [sorted(map(hexes.index, each)) for each in _filled(buildings, players, ())],
            "stacks": [list(row) for row in stacks],
            "stock": all_tiles - len(laid) - sum(map(sum, stacks)),
            "craftsmen": [self.pieces("craftsmen", players) - owners.count(each) for each in range(players)],
            "reserve": [self.edition["reserve_per_resource"] - out[resource] for resource in self.resources],
            "storehouse": [self.tally(side) for side in stored],
            "taken": [sorted(map(self.kinds.index, each)) for each in got],
            "hands": [sorted(self.card(card) for card in hand if card is not None) for hand in hands],
            "unknown_neutral": [0] * players,
            "unknown_private": [sum(card is None for card in hand) for hand in hands],
            "done": [sorted(map(self.card, cards)) for cards in done],
            "open": [NOTHING if card is None else self.card(card) for card in open],
        }

    def _meadows(
        self,
        players: int,
        meadows: list[str],
        exploitations: dict[str, Exploitation],
        empty: list[str],
        tokens: dict[str, str],
        taken: Sequence[Sequence[str]],
    ) -> tuple[dict[str, Exploitation], dict[str, str], list[list[str]]]:
        """All exploitations, all tokens on the map, and by seat the tokens taken. `empty` grows if it has to."""
        got = [list(each) for each in _filled(taken, players, ())]
        left = Counter(self.regular) - Counter([*tokens.values(), *(token for each in got for token in each)])
        standing = Counter((owner, resource) for owner, resource, _ in exploitations.values() if owner is not None)
        for (owner, resource), number in standing.items():
            for _ in range(number - sum(token.split()[0] == resource for token in got[owner])):
                token = next(token for token in left.elements() if token.split()[0] == resource)
                left -= Counter([token])
                got[owner].append(token)
        # As many meadows are without a token as there are tokens taken and special ones.
        setup, special = self.edition["setup"], self.edition["tokens"]["special"]
        special = special[: len(special) - setup["special_removed"]]
        free = [at for at in meadows if at not in {*exploitations, *empty, *tokens}]
        without = len(special) + sum(map(len, got)) - len(exploitations) - len(empty)
        neutral = {resource for owner, resource, _ in exploitations.values() if owner is None}
        for token in [token for token in special if token["resource"] not in neutral][: max(without, 0)]:
            count = token["count"] - self.pieces("fewer_resources", players)
            exploitations[free.pop()] = (None, token["resource"], count)
            without -= 1
        for _ in range(without):
            empty.append(free.pop())
        for _ in range(-without):
            got[-1].append(list(left.elements())[-1])
            left -= Counter([got[-1][-1]])
        return exploitations, tokens | dict(zip(free, left.elements(), strict=True)), got

    def _stacks(self, players: int, laid: int) -> list[list[int]]:
        """Every seat's stacks without the tiles laid."""
        stacks = []
        for _ in range(players):
            row = [self.pieces("meadow_stack_size", players)] * self.pieces("meadow_stacks", players)
            for number, tiles in enumerate(row):
                row[number] -= min(tiles, laid)
                laid -= min(tiles, laid)
            stacks.append(row)
        return stacks

    def _cards(
        self,
        players: int,
        hands: Sequence[Sequence[str | None]],
        buildings: Sequence[Sequence[str]],
        done: Sequence[Sequence[str]],
        open: Sequence[str | None] | None,
    ) -> tuple[Sequence[Sequence[str | None]], Sequence[Sequence[str]], Sequence[str | None]]:
        """Hands, contracts done, and open ones."""
        used = {card for cards in [*hands, *done, open or ()] for card in cards if card is not None}

        def first(cards: Iterable[str], number: int) -> list[str]:
            found = [card for card in cards if card not in used][:number]
            used.update(found)
            return found

        if not done:
            plain = [card for card, each in self.contracts.items() if "effect" not in each]
            done = [first(plain, len(each)) for each in buildings]
        if not hands:
            dealt = self.edition["setup"]["private_contracts"]
            done = _filled(done, players, ())
            hands = [first(self.private, dealt - sum(card in self.private for card in cards)) for cards in done]
        if open is None:
            open = first(self.neutral, self.edition["setup"]["open_contracts"])
        return _filled(hands, players, ()), _filled(done, players, ()), open

    def position(self, **said: Any) -> State:
        """The state with these `fields`, checked as any other."""
        return self.rules.from_fields(self.fields(**said))

    def _exploitation(self, said: Exploitation) -> list[int]:
        owner, resource, count = said
        return [NOTHING if owner is None else owner, self.resources.index(resource), count]

    def card(self, name: str) -> int:
        """The number of a contract."""
        return [*self.neutral, *self.private].index(name)

    def tally(self, names: Iterable[str]) -> list[int]:
        """How many there are of each resource."""
        listed = list(names)
        return [listed.count(resource) for resource in self.resources]

    # Play.

    def legal(self, state: State) -> list[str]:
        """The texts of the legal moves."""
        return [self.notation.format_move(state, move) for move in state.legal_moves()]

    def chances(self, state: State) -> dict[str, int]:
        """The texts of the possible outcomes of the pending chance event, with their weights."""
        return {self.notation.format_chance(state, outcome): weight for outcome, weight in state.chances()}

    def play(self, state: State, *texts: str) -> State:
        """The state after these moves and chance outcomes, one after the other."""
        for text in texts:
            if state.chance_pending:
                state = state.resolve(self.notation.parse_chance(state, text))
            else:
                state = state.apply(self.notation.parse_move(state, text))
        return state

    def settle(self, state: State) -> State:
        """The state after all pending chance, however it comes out."""
        return state.settle(Generator(1))[0]

    def at(self, state: State) -> "Fields":
        """The fields of a state."""
        return self.rules.fields(state)

    def phase(self, state: State) -> Phase:
        """What a state waits for."""
        return Phase(self.rules.fields(state)["phase"])


Make: TypeAlias = Callable[[Mapping[str, Any]], Table]
"""From a parsed edition file to the edition: the fixture `make`."""


def _filled(said: Sequence[Piece], players: int, rest: Piece) -> list[Piece]:
    return [*said, *[rest] * (players - len(said))]


def having(texts: Iterable[str], word: str) -> set[str]:
    """What follows the first word in the texts where that is `word`."""
    return {text.removeprefix(f"{word} ") for text in texts if text.startswith(f"{word} ")}
