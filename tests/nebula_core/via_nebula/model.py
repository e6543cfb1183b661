"""Via Nebula once more, slow and plain: what the core is compared with, move by move, in random games.

Written from the rules and the edition file alone. It knows nothing of the core: names and the text notation instead of
indices and bits, one coroutine that reads like the rules instead of a state machine, every list made afresh by looking
at every hex. A game is played by sending each request's answer back:

    game = Model(edition, players=2, map_name="beginner")
    request = game.request          # a Decision, a Chance, or None when the game is over
    game.answer("special clay")     # one of request.options
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

Hex: TypeAlias = tuple[int, int]
"""Row and column."""

MEADOW, MIST, FOREST, RUIN, FORBIDDEN = "m.FRX"


@dataclass(frozen=True)
class Decision:
    """A seat has to decide: `options` are the texts of its legal moves."""

    seat: int
    options: tuple[str, ...]


@dataclass(frozen=True)
class Chance:
    """A chance event: `options` are the texts of its outcomes, each with its weight."""

    options: dict[str, int]


T = TypeVar("T")
Request: TypeAlias = Decision | Chance
Course: TypeAlias = Generator[Request, str, T]


@dataclass
class Exploitation:
    """Resources on a meadow, with a craftsman (of seat `owner`) or neutral (None)."""

    owner: int | None
    resource: str
    count: int


@dataclass
class Site:
    """A player's building site on a ruin."""

    at: Hex
    resources: list[str] = field(default_factory=list)


class Player:
    """What a player has, and what lies before it."""

    def __init__(self, sites: int, craftsmen: int, buildings: int, stacks: list[int]) -> None:
        self.sites: list[Site | None] = [None] * sites
        self.craftsmen = craftsmen
        self.buildings_left = buildings
        self.buildings: list[Hex] = []
        self.stacks = stacks
        self.storehouse: list[str] = []
        self.taken: list[str] = []
        self.hand: list[str] = []
        self.done: list[str] = []


class Model:
    """One game. `edition` is a parsed edition file."""

    def __init__(self, edition: dict[str, Any], players: int, map_name: str) -> None:
        self.edition = edition
        self.resources: list[str] = edition["resources"]
        self.private_cards = {card["id"]: card for card in edition["private_contract"]}
        self.neutral_cards = {card["id"]: card for card in edition["neutral_contract"]}
        self.cards = self.neutral_cards | self.private_cards
        self.terrain: dict[Hex, str] = {
            (row, column): letter
            for row, line in enumerate(edition["maps"][map_name]["rows"])
            for column, letter in enumerate(line.split())
        }
        pieces = {key: numbers[str(players)] for key, numbers in edition["pieces"].items()}
        self.ruin_capacity: int = pieces["ruin_capacity"]
        self.fewer: int = pieces["fewer_resources"]

        self.reserve: dict[str, int] = dict.fromkeys(self.resources, edition["reserve_per_resource"])
        self.stock: int = pieces["meadow_reserve"]
        self.tokens: dict[Hex, str] = {}
        self.exploitations: dict[Hex, Exploitation] = {}
        self.boxed: list[str] = []
        self.laid: set[Hex] = set()
        self.deck = list(self.neutral_cards)
        self.open: list[str | None] = [None] * edition["setup"]["open_contracts"]
        self.players = [
            Player(
                pieces["sites"],
                pieces["craftsmen"],
                pieces["buildings"],
                [pieces["meadow_stack_size"]] * pieces["meadow_stacks"],
            )
            for _ in range(players)
        ]
        self.end_card: int | None = None
        self.tokens_are_laid = False
        self.seat = 0
        self.ap = 0
        self.acted = False
        self.idle = 0
        self.effect: tuple[str, int] | None = None
        """Kind and number of parts left of the effect that is being carried out."""

        self._course = self._play()
        self.request: Request | None = next(self._course)

    def answer(self, text: str) -> None:
        """Go on with one of the options of the request."""
        assert self.request is not None
        assert text in self.request.options
        try:
            self.request = self._course.send(text)
        except StopIteration:
            self.request = None

    # The game.

    def _play(self) -> Course[None]:
        yield from self._setup()
        last_turns: list[int] | None = None
        while True:
            yield from self._turn()
            self.idle = 0 if self.acted else self.idle + 1
            if self.idle == len(self.players):
                break
            if last_turns is None and self.end_card is not None:
                last_turns = [(self.end_card + step) % len(self.players) for step in range(1, len(self.players))]
            if last_turns is not None:
                if not last_turns:
                    break
                self.seat = last_turns.pop(0)
            else:
                self.seat = (self.seat + 1) % len(self.players)

    def _setup(self) -> Course[None]:
        setup, tokens = self.edition["setup"], self.edition["tokens"]
        special = [f"special {token['resource']}" for token in tokens["special"]]
        for _ in range(setup["special_removed"]):
            removed = yield Chance(_tally(special))
            special.remove(removed)
            self.boxed.append(removed)
        pile = [f"token {each['resource']} {each['count']} {each['points']}" for each in tokens["regular"]]
        pile += [f"token {each}" for each in special]
        for at in sorted(self.terrain):
            if self.terrain[at] == MEADOW:
                token = yield Chance(_tally(pile))
                pile.remove(token)
                self.tokens[at] = token.removeprefix("token ")
        self.tokens_are_laid = True
        counts = {token["resource"]: token["count"] for token in tokens["special"]}
        for at, token in sorted(self.tokens.items()):
            word, resource, *_ = token.split()
            if word == "special":
                del self.tokens[at]
                count = self._from_reserve(resource, counts[resource] - self.fewer)
                if count:
                    self.exploitations[at] = Exploitation(None, resource, count)

        private = list(self.private_cards)
        for player in self.players:
            for _ in range(setup["private_contracts"]):
                card = yield from self._card("private", private)
                player.hand.append(card)
        for place in range(setup["open_contracts"]):
            self.open[place] = yield from self._card("open", self.deck)

    def _turn(self) -> Course[None]:
        self.ap = self.edition["turn"]["action_points"]
        self.acted = False
        while self.ap > 0:
            choice = yield Decision(self.seat, (*self._actions(), "end_turn"))
            if choice == "end_turn":
                break
            if not self.acted:
                self.acted = True
                self.idle = 0
            yield from self._act(choice)

    def _actions(self) -> list[str]:
        cost, player = self.edition["cost"], self.players[self.seat]
        options: list[str] = []
        if cost["craftsman"] <= self.ap and player.craftsmen:
            options += [f"craftsman {_name(at)}" for at in self.tokens]
        if cost["site"] <= self.ap and None in player.sites:
            options += [f"site {_name(at)}" for at in self.terrain if self._room(at)]
        for at in self._explorable():
            if self.terrain[at] != FORBIDDEN and self._explore_cost(at) <= self.ap:
                options.append(f"explore {_name(at)}")
        if cost["transport"] <= self.ap:
            options += [f"transport {way}" for way in self._ways()]
        if cost["build"] <= self.ap and player.buildings_left:
            options += [
                f"build {number} {card}"
                for number, site in enumerate(player.sites)
                for card in [*player.hand, *self.open]
                if site is not None and card is not None and self._pays(site, card)
            ]
        return options

    def _act(self, choice: str) -> Course[None]:
        cost, player = self.edition["cost"], self.players[self.seat]
        match choice.split():
            case ["craftsman", where]:
                self.ap -= cost["craftsman"]
                self._take_token(_hex(where))
            case ["site", where]:
                self.ap -= cost["site"]
                player.sites[player.sites.index(None)] = Site(_hex(where))
            case ["explore", where]:
                self.ap -= self._explore_cost(_hex(where))
                self._lay_tile(_hex(where))
            case ["transport", where, number]:
                self.ap -= cost["transport"]
                self._transport(_hex(where), int(number))
            case ["build", number, card]:
                self.ap -= cost["build"]
                yield from self._build(int(number), card)

    def _take_token(self, at: Hex) -> None:
        player = self.players[self.seat]
        token = self.tokens.pop(at)
        player.taken.append(token)
        resource, count, _ = token.split()
        got = self._from_reserve(resource, int(count) - self.fewer)
        if got:
            player.craftsmen -= 1
            self.exploitations[at] = Exploitation(self.seat, resource, got)

    def _lay_tile(self, at: Hex) -> None:
        stacks = self.players[self.seat].stacks
        for stack, tiles in enumerate(stacks):
            if tiles:
                stacks[stack] -= 1
                break
        else:
            self.stock -= 1
        self.laid.add(at)

    def _transport(self, at: Hex, number: int) -> None:
        exploitation, site = self.exploitations[at], self.players[self.seat].sites[number]
        assert site is not None
        site.resources.append(exploitation.resource)
        exploitation.count -= 1
        if not exploitation.count:
            self._close(at)

    def _close(self, at: Hex) -> None:
        """An exploitation without resources is an empty meadow, and its craftsman at home."""
        owner = self.exploitations.pop(at).owner
        if owner is not None:
            self.players[owner].craftsmen += 1

    def _build(self, number: int, card: str) -> Course[None]:
        player = self.players[self.seat]
        site = player.sites[number]
        assert site is not None
        for resource in self.cards[card]["cost"]:
            site.resources.remove(resource)
            self.reserve[resource] += 1
        player.storehouse += site.resources
        player.sites[number] = None
        player.buildings_left -= 1
        player.buildings.append(site.at)
        player.done.append(card)
        takes_end_card = not player.buildings_left and self.end_card is None
        if takes_end_card:
            self.end_card = self.seat
            self.ap = 0  # The turn ends, but for the contract's effect.
        if card in player.hand:
            player.hand.remove(card)
        else:
            place = self.open.index(card)
            self.open[place] = None
            if self.deck:
                self.open[place] = yield from self._card("open", self.deck)
        effect = self.cards[card].get("effect", {"kind": "score"})
        if effect["kind"] == "actions":
            if not takes_end_card:
                self.ap += effect["count"]
        elif effect["kind"] == "discard":
            self._discard(effect["count"])
        elif effect["kind"] == "contract":
            yield from self._draw_contracts(effect["count"])
        elif effect["kind"] != "score":
            yield from self._effect(effect["kind"], effect["count"])

    # Effects.

    def _discard(self, count: int) -> None:
        storehouse = self.players[self.seat].storehouse
        for _ in range(count):
            if storehouse:
                most = max(storehouse.count(resource) for resource in self.resources)
                resource = next(each for each in self.resources if storehouse.count(each) == most)
                storehouse.remove(resource)
                self.reserve[resource] += 1

    def _draw_contracts(self, count: int) -> Course[None]:
        for left in range(count, 0, -1):
            if self.deck:
                self.effect = "contract", left
                card = yield from self._card("draw", self.deck)
                self.players[self.seat].hand.append(card)
        self.effect = None

    def _effect(self, kind: str, parts: int) -> Course[None]:
        for left in range(parts, 0, -1):
            options = self._parts(kind)
            if not options:
                break
            self.effect = kind, left
            choice = yield Decision(self.seat, (*options, "decline"))
            if choice == "decline":
                break
            self._carry_out(choice)
        self.effect = None

    def _parts(self, kind: str) -> list[str]:
        own = [(number, site) for number, site in enumerate(self.players[self.seat].sites) if site is not None]
        held = [resource for resource in self.resources if self.reserve[resource]]
        match kind:
            case "supply":
                return [f"supply {resource} {number}" for resource in held for number, _ in own]
            case "swap":
                return [
                    f"swap {number} {leaves} {comes}"
                    for number, site in own
                    for leaves in self.resources
                    for comes in held
                    if leaves in site.resources and leaves != comes
                ]
            case "clear":
                return [f"clear {_name(at)}" for at in self._explorable()]
            case "deliver":
                return [f"deliver {way}" for way in self._ways()]
            case _:
                assert kind == "recall", kind
                return [f"recall {_name(at)}" for at, each in self.exploitations.items() if each.owner == self.seat]

    def _carry_out(self, part: str) -> None:
        sites = self.players[self.seat].sites
        match part.split():
            case ["supply", resource, number]:
                site = sites[int(number)]
                assert site is not None
                self.reserve[resource] -= 1
                site.resources.append(resource)
            case ["swap", number, leaves, comes]:
                site = sites[int(number)]
                assert site is not None
                site.resources.remove(leaves)
                self.reserve[leaves] += 1
                self.reserve[comes] -= 1
                site.resources.append(comes)
            case ["clear", where]:
                self._lay_tile(_hex(where))
            case ["deliver", where, number]:
                self._transport(_hex(where), int(number))
            case ["recall", where]:
                exploitation = self.exploitations[_hex(where)]
                self.reserve[exploitation.resource] += exploitation.count
                self._close(_hex(where))

    # What is possible.

    def _from_reserve(self, resource: str, wanted: int) -> int:
        """Take so many from the reserve, or what it has; returns how many those are."""
        got = max(0, min(wanted, self.reserve[resource]))
        self.reserve[resource] -= got
        return got

    def _card(self, word: str, cards: list[str]) -> Course[str]:
        """Take one of these cards, each as likely as any other."""
        outcome = yield Chance({f"{word} {card}": 1 for card in cards})
        card = outcome.split()[1]
        cards.remove(card)
        return card

    def _pays(self, site: Site, card: str) -> bool:
        cost = self.cards[card]["cost"]
        return all(site.resources.count(resource) >= cost.count(resource) for resource in self.resources)

    def _room(self, at: Hex) -> bool:
        """Whether a hex is a ruin with a free place."""
        sites = sum(site is not None and site.at == at for player in self.players for site in player.sites)
        buildings = sum(player.buildings.count(at) for player in self.players)
        return self.terrain[at] == RUIN and sites + buildings < self.ruin_capacity

    def _explore_cost(self, at: Hex) -> int:
        cost: int = self.edition["cost"]["explore_mist" if self.terrain[at] == MIST else "explore_forest"]
        return cost

    def _explorable(self) -> list[Hex]:
        """Mist, forest and forbidden hexes that the seat in turn could lay a tile on."""
        player = self.players[self.seat]
        if not any(player.stacks) and not self.stock:
            return []
        beside = set(self.empty_meadows())
        beside |= {at for at, exploitation in self.exploitations.items() if exploitation.owner == self.seat}
        beside |= {site.at for site in player.sites if site is not None}
        beside |= set(player.buildings)
        return [
            at
            for at, terrain in self.terrain.items()
            if terrain in (MIST, FOREST, FORBIDDEN) and at not in self.laid
            if any(other in beside for other in _around(at))
        ]

    def _ways(self) -> list[str]:
        """The exploitations and own sites that a resource can be transported between."""
        return [
            f"{_name(at)} {number}"
            for at in self.exploitations
            for number, site in enumerate(self.players[self.seat].sites)
            if site is not None and self.joined(at, site.at)
        ]

    def joined(self, start: Hex, end: Hex) -> bool:
        """Whether two hexes are adjacent, or a chain of empty meadows joins them."""
        empty = self.empty_meadows()
        reached = [start]
        for at in reached:
            if end in _around(at):
                return True
            reached += [other for other in _around(at) if other in empty and other not in reached]
        return False

    def empty_meadows(self) -> list[Hex]:
        """The hexes that bear a tile, and the meadows where nothing lies."""
        return [
            at
            for at, terrain in sorted(self.terrain.items())
            if at in self.laid or (terrain == MEADOW and at not in self.tokens and at not in self.exploitations)
        ]

    # What a seat sees of it: not the contracts in the hands of the others, and not the deck.

    def options_as_seen_by(self, viewer: int) -> list[str]:
        """The legal moves if an unknown contract in a hand may be any that this seat does not see elsewhere."""
        assert isinstance(self.request, Decision)
        player = self.players[self.seat]
        options = [text for text in self.request.options if not text.startswith("build")]
        cost = self.edition["cost"]["build"]
        if "end_turn" in options and cost <= self.ap and player.buildings_left:
            cards = [card for card in self.open if card is not None]
            if self.seat == viewer:
                cards += player.hand
            else:
                for pack in (self.private_cards, self.neutral_cards):
                    if any(card in pack for card in player.hand):
                        cards += self._unseen_by(viewer, pack)
            options += [
                f"build {number} {card}"
                for number, site in enumerate(player.sites)
                for card in cards
                if site is not None and self._pays(site, card)
            ]
        return options

    def chances_as_seen_by(self, viewer: int) -> dict[str, int]:
        """The outcomes of the chance event if a contract may be any that this seat does not see elsewhere."""
        assert isinstance(self.request, Chance)
        word = next(iter(self.request.options)).split()[0]
        if word in ("special", "token"):
            return self.request.options
        pack = self.private_cards if word == "private" else self.neutral_cards
        return {f"{word} {card}": 1 for card in self._unseen_by(viewer, pack)}

    def _unseen_by(self, viewer: int, pack: dict[str, Any]) -> list[str]:
        seen = [*self.players[viewer].hand, *self.open, *(card for player in self.players for card in player.done)]
        return [card for card in pack if card not in seen]

    # The end.

    def stored(self, seat: int) -> list[str]:
        """The storehouse of a seat with what is left on its sites and exploitations, as at the end."""
        player = self.players[seat]
        stored = list(player.storehouse)
        for site in player.sites:
            if site is not None:
                stored += site.resources
        for exploitation in self.exploitations.values():
            if exploitation.owner == seat:
                stored += [exploitation.resource] * exploitation.count
        return stored

    def scores(self) -> list[dict[str, int]]:
        """Every seat's points by source, as in the playthroughs' last line, if the game ended now."""
        return [self._score(seat) for seat in range(len(self.players))]

    def _score(self, seat: int) -> dict[str, int]:
        player, values = self.players[seat], self.edition["score"]
        emptied = player.stacks.count(0)
        score_effects = 0
        for card in player.done:
            match self.cards[card].get("effect", {}).get("per"):
                case "buildings":
                    score_effects += len(player.buildings)
                case "token_types":
                    score_effects += len({token.split()[0] for token in player.taken})
                case "emptied_stacks":
                    score_effects += emptied
        score = {
            "tokens": sum(int(token.split()[2]) for token in player.taken),
            "contracts": sum(self.cards[card]["points"] for card in player.done),
            "score_effects": score_effects,
            "stacks": emptied * values["emptied_stack"],
            "end_card": values["end_card"] if self.end_card == seat else 0,
            "storehouse": len(self.stored(seat)) * values["storehouse_resource"],
        }
        score["total"] = sum(score.values())
        return score

    def winners(self) -> list[int]:
        """The seats that share the win."""
        ranks = [(score["total"], -len(self.stored(seat))) for seat, score in enumerate(self.scores())]
        return [seat for seat, rank in enumerate(ranks) if rank == max(ranks)]

    # The table.

    def snapshot(self) -> dict[str, Any]:
        """What lies on the table, in the form of the playthroughs."""
        return {
            "reserve": {resource: count for resource, count in self.reserve.items() if count},
            "stock": self.stock,
            "tokens": {_name(at): token for at, token in sorted(self.tokens.items())},
            "exploitations": {
                _name(at): {"owner": each.owner, "resource": each.resource, "count": each.count}
                for at, each in sorted(self.exploitations.items())
            },
            "laid": [_name(at) for at in sorted(self.laid)],
            "sites": [
                [
                    None if site is None else {"hex": _name(site.at), "resources": self._counts(site.resources)}
                    for site in player.sites
                ]
                for player in self.players
            ],
            "buildings": [[_name(at) for at in sorted(player.buildings)] for player in self.players],
            "stacks": [list(player.stacks) for player in self.players],
            "craftsmen": [player.craftsmen for player in self.players],
            "storehouse": [self._counts(player.storehouse) for player in self.players],
            "taken": [sorted(player.taken) for player in self.players],
            "hands": [sorted(player.hand) for player in self.players],
            "done": [sorted(player.done) for player in self.players],
            "open": list(self.open),
            "end_card": self.end_card,
            "seat": self.seat,
            "ap": self.ap,
        }

    def _counts(self, resources: list[str]) -> dict[str, int]:
        return {resource: resources.count(resource) for resource in self.resources if resource in resources}


def _tally(words: list[str]) -> dict[str, int]:
    return {word: words.count(word) for word in words}


def _name(at: Hex) -> str:
    return f"{at[0]},{at[1]}"


def _hex(name: str) -> Hex:
    row, column = name.split(",")
    return int(row), int(column)


def _around(at: Hex) -> list[Hex]:
    """The hexes that share a side with one, whether the map has them or not. Odd rows stand half a hex to the right."""
    row, column = at
    left = column - 1 if row % 2 == 0 else column
    return [
        (row, column - 1),
        (row, column + 1),
        (row - 1, left),
        (row - 1, left + 1),
        (row + 1, left),
        (row + 1, left + 1),
    ]
