"""Nebula once more, slow and plain: what the core is compared with, move by move, in random games.

Written from the rules and the edition file alone. It knows nothing of the core: names and the text notation instead of
indices and bits, one coroutine that reads like the rules instead of a state machine, every list made afresh by looking
at every space. A game is played by sending each request's answer back:

    game = Model(edition, players=2, full=True)
    request = game.request          # a Decision, a Chance, or None when the game is over
    game.answer("piece red")        # one of request.options
"""

from collections.abc import Generator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias, TypeVar

BLACK_HOLE = "black_hole"


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


class Player:
    """What lies before one player."""

    def __init__(self) -> None:
        self.observatory: list[str] = []
        self.galaxy: dict[int, str] = {}
        self.holes = 0
        self.dealt: list[str] = []
        self.kept: str | None = None


class Model:
    """One game. `edition` is a parsed edition file."""

    def __init__(self, edition: dict[str, Any], players: int, full: bool) -> None:
        self.edition = edition
        self.full = full
        self.colors: list[str] = edition["bag"]["colors"]
        self.pieces = [*self.colors, BLACK_HOLE]
        self.spaces: list[dict[str, Any]] = edition["galaxy"]["spaces"]
        self.constellations: list[dict[str, Any]] = edition["galaxy"]["constellations"]
        self.public_cards = {card["id"]: card for card in edition["public_task"]}
        self.personal_cards = {card["id"]: card for card in edition["personal_task"]}
        self.advanced_cards = {card["id"]: card for card in edition["advanced_card"]}
        self.direct = {frozenset(pair) for pair in edition["galaxy"]["direct_links"]}
        self.all_links = self.direct | {frozenset(pair) for pair in edition["galaxy"]["indirect_links"]}
        for orbit in self.orbits():
            ring = self.spaces_of("orbit", orbit)
            pairs = zip(ring, ring[1:] + ring[:1], strict=True)
            self.all_links |= {frozenset((one, other)) for one, other in pairs if one != other}

        self.players = [Player() for _ in range(players)]
        rings = edition["clusters"]
        self.clusters: list[list[str | None]] = [[None] * rings["spaces"] for _ in range(rings["count"])]
        self.figures = [0] * rings["count"]
        self.bag: list[str] = []
        self.removed: list[str] = []
        self.supernova: str | None = None
        self.indicator = 0
        self.public: list[str] = []
        self.markers: dict[str, list[int]] = {}
        self.advanced: list[str] = []
        self.values: dict[tuple[str, str], int] = {}
        self.seat = 0
        self.round = 1
        # Of the turn that is going on.
        self.took_supernova = False
        self.placed: list[str] = []
        self.drawn: list[str] = []

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
        while True:
            for seat in range(len(self.players)):
                self.seat = seat
                yield from self._turn()
            if self._end_triggered():
                return
            self.round += 1

    def _setup(self) -> Course[None]:
        count = len(self.players)
        for color in self.colors:
            self.bag += [color] * self.edition["bag"]["stars_per_color"]
        self.bag += [BLACK_HOLE] * self.edition["bag"]["black_holes"][str(count)]
        yield from self._fill_clusters()
        yield from self._draw_supernova()
        for seat, player in enumerate(self.players):
            for _ in range(self.edition["setup"]["observatory_pieces"][seat]):
                if self.bag:
                    player.observatory.append((yield from self._draw()))
        for _ in range(self.edition["setup"]["public_tasks"]):
            card = yield from self._turn_up("public", list(self.public_cards), self.public)
            self.public.append(card)
            self.markers[card] = []
        if self.full:
            for _ in range(self.edition["setup"]["advanced_cards"]):
                self.advanced.append((yield from self._turn_up("advanced", list(self.advanced_cards), self.advanced)))
            for color in self.colors:
                self.values["color", color] = 0
            for constellation in self.constellations:
                self.values["constellation", constellation["name"]] = 0
            for card in self.advanced:
                self.values["card", card] = 0
        dealt: list[str] = []
        for player in self.players:
            for _ in range(self.edition["setup"]["personal_dealt"]):
                card = yield from self._turn_up("personal", list(self.personal_cards), dealt)
                dealt.append(card)
                player.dealt.append(card)
        for seat, player in enumerate(self.players):
            self.seat = seat
            choice = yield Decision(seat, tuple(f"choose {card}" for card in player.dealt))
            player.kept = choice.split()[1]
        self.seat = 0

    def _turn(self) -> Course[None]:
        self.placed = []
        self.took_supernova = False
        taken = yield from self._collect()
        self.took_supernova = self.supernova is not None and self.supernova in taken
        yield from self._place()
        self._mark_public_tasks()
        yield from self._fill_clusters()
        if self.took_supernova:
            assert self.supernova is not None
            self.removed.append(self.supernova)
            self.supernova = None
            yield from self._draw_supernova()
        self.placed = []
        self.took_supernova = False

    def _collect(self) -> Course[list[str]]:
        player = self.players[self.seat]
        steps = self.edition["clusters"]["steps"]
        options = [f"invest {' '.join(map(str, split))}" for split in splits(steps, len(self.clusters))]
        if self.bag:
            options += [f"chaos {piece}" for piece in self.pieces if piece in player.observatory]
        word, *rest = (yield Decision(self.seat, tuple(options))).split()
        if word == "invest":
            taken = yield from self._take([int(step) for step in rest])
        else:
            taken = yield from self._chaos(rest[0])
        player.observatory += taken
        return taken

    def _take(self, steps: list[int]) -> Course[list[str]]:
        for cluster, step in enumerate(steps):
            self.figures[cluster] = (self.figures[cluster] + step) % len(self.clusters[cluster])
        offered = [cluster for cluster, at in enumerate(self.figures) if self.clusters[cluster][at] is not None]
        options = []
        for size in range(1, len(offered) + 1):
            for subset in combinations(offered, size):
                options.append(" ".join(["take", *map(str, subset)]))
        choice = yield Decision(self.seat, tuple(options or ["take"]))
        taken = []
        for word in choice.split()[1:]:
            cluster = int(word)
            piece = self.clusters[cluster][self.figures[cluster]]
            assert piece is not None
            taken.append(piece)
            self.clusters[cluster][self.figures[cluster]] = None
        return taken

    def _chaos(self, given: str) -> Course[list[str]]:
        self.players[self.seat].observatory.remove(given)
        self.removed.append(given)
        while self.bag and len(self.drawn) < self.edition["chaos"]["draw"]:
            self.drawn.append((yield from self._draw()))
        keep = min(self.edition["chaos"]["keep"], len(self.drawn))
        options = {" ".join(["keep", *sorted(kept)]) for kept in combinations(self.drawn, keep)}
        choice = yield Decision(self.seat, tuple(options))
        taken = choice.split()[1:]
        for piece in taken:
            self.drawn.remove(piece)
        self.removed += self.drawn
        self.drawn = []
        return taken

    def _place(self) -> Course[None]:
        placing = self.edition["placing"]
        allowed = placing["stars_with_supernova"] if self.took_supernova else placing["stars"]
        while len(self.placed) < allowed:
            options = self._placements()
            if not options:
                return
            choice = yield Decision(self.seat, (*options, "stop"))
            if choice == "stop":
                return
            player = self.players[self.seat]
            piece = choice.split()[1]
            player.observatory.remove(piece)
            self.placed.append(piece)
            if piece == BLACK_HOLE:
                player.holes += 1
                end = self.edition["black_holes"]["indicator_end"][str(len(self.players))]
                self.indicator = min(self.indicator + 1, end)
                if self.full:
                    yield from self._advance()
            else:
                player.galaxy[int(choice.split()[2])] = piece

    def _placements(self) -> list[str]:
        player = self.players[self.seat]
        options = []
        for piece in self.pieces:
            if piece not in player.observatory or piece in self.placed:
                continue
            if piece == BLACK_HOLE:
                if player.holes + 1 < len(self.edition["black_holes"]["track_points"]):
                    options.append("place black_hole")
                continue
            for space in range(len(self.spaces)):
                if space in player.galaxy:
                    continue
                around = [player.galaxy[other] for other in self._linked(space) if other in player.galaxy]
                if player.galaxy:
                    fits = bool(around)
                else:
                    fits = self.spaces[space]["orbit"] == self.edition["placing"]["first_star_orbit"]
                if fits and piece not in around:
                    options.append(f"place {piece} {space}")
        return options

    def _advance(self) -> Course[None]:
        scales = self.edition["values"]
        scale = {"color": scales["color"], "constellation": scales["constellation"], "card": scales["advanced"]}
        options = [
            f"advance {group} {name}" for (group, name), index in self.values.items() if index + 1 < len(scale[group])
        ]
        choice = yield Decision(self.seat, (*options, "decline"))
        if choice != "decline":
            _, group, name = choice.split()
            self.values[group, name] += 1

    def _mark_public_tasks(self) -> None:
        for card, seats in self.markers.items():
            task = self.public_cards[card]
            count = self.count(self.players[self.seat], task["counter"])
            if self.seat not in seats and count >= task.get("at_least", 1):
                seats.append(self.seat)

    def _end_triggered(self) -> bool:
        count = str(len(self.players))
        return (
            self.indicator >= self.edition["black_holes"]["indicator_end"][count]
            or any(self.completed(player) >= self.edition["end"]["constellations"] for player in self.players)
            or not self.bag
            or sum(map(len, self.markers.values())) >= self.edition["public_tasks"]["markers_end"][count]
        )

    # Chance.

    def _draw(self) -> Course[str]:
        outcome = yield Chance({f"piece {piece}": self.bag.count(piece) for piece in self.pieces if piece in self.bag})
        piece = outcome.split()[1]
        self.bag.remove(piece)
        return piece

    def _fill_clusters(self) -> Course[None]:
        for ring in self.clusters:
            for space in range(len(ring)):
                if ring[space] is None and self.bag:
                    ring[space] = yield from self._draw()

    def _draw_supernova(self) -> Course[None]:
        stars = {f"piece {color}": self.bag.count(color) for color in self.colors if color in self.bag}
        if stars:
            self.supernova = (yield Chance(stars)).split()[1]
            self.bag.remove(self.supernova)

    def _turn_up(self, word: str, cards: list[str], gone: list[str]) -> Course[str]:
        outcome = yield Chance({f"{word} {card}": 1 for card in cards if card not in gone})
        return outcome.split()[1]

    # Boards.

    def orbits(self) -> list[int]:
        """The orbits there are."""
        return sorted({space["orbit"] for space in self.spaces})

    def spaces_of(self, key: str, value: int | str) -> list[int]:
        """The spaces whose `key` (orbit or constellation) is this, in the file's order."""
        return [number for number, space in enumerate(self.spaces) if space[key] == value]

    def _linked(self, space: int) -> list[int]:
        return [other for link in self.all_links if space in link for other in link if other != space]

    def _regions(self, key: str) -> list[list[int]]:
        names = self.orbits() if key == "orbit" else [each["name"] for each in self.constellations]
        return [self.spaces_of(key, name) for name in names]

    def completed(self, player: Player) -> int:
        """How many constellations a player has completed."""
        return self.count(player, {"kind": "constellations_complete"})

    def count(self, player: Player, counter: dict[str, Any]) -> int:
        """The number that a counter reads off a player's boards."""
        galaxy = player.galaxy
        kind = counter["kind"]
        if kind == "stars":
            return sum(
                counter.get("color") in (None, color)
                and ("orbits" not in counter or self.spaces[space]["orbit"] in counter["orbits"])
                and counter.get("constellation") in (None, self.spaces[space]["constellation"])
                for space, color in galaxy.items()
            )
        if kind == "links":
            links = self.direct if counter.get("links") == "direct" else self.all_links
            between = sorted(counter["between"])
            return sum(sorted(galaxy[end] for end in link if end in galaxy) == between for link in links)
        if kind == "flanked":
            return sum(
                color == counter["color"]
                and set(counter["by"]) <= {galaxy[other] for other in self._linked(space) if other in galaxy}
                for space, color in galaxy.items()
            )
        if kind in ("orbit_in_colors", "constellation_in_colors"):
            key = kind.removesuffix("_in_colors")
            region = self.spaces_of(key, counter[key])
            full = all(space in galaxy for space in region)
            return int(full and len({galaxy[space] for space in region}) == counter["colors"])
        if kind in ("constellations_with", "orbits_with"):
            regions = self._regions(kind.removesuffix("s_with"))
            held = [{galaxy[space] for space in region if space in galaxy} for region in regions]
            return sum(set(counter["colors"]) <= colors for colors in held)
        if kind in ("constellations_complete", "orbits_complete"):
            regions = self._regions(kind.removesuffix("s_complete"))
            return sum(all(space in galaxy for space in region) for region in regions)
        if kind == "color_sets":
            return min(list(galaxy.values()).count(color) for color in self.colors)
        assert kind == "black_holes", kind
        return player.holes

    # The end.

    def scores(self) -> list[dict[str, int]]:
        """Every seat's points by source, as in the playthroughs' last line, if the game ended now."""
        return [self._score(seat) for seat in range(len(self.players))]

    def _score(self, seat: int) -> dict[str, int]:
        player = self.players[seat]
        scales = self.edition["values"]
        sources = (
            "personal",
            "public",
            "black_holes",
            "constellations",
            *(("colors", "advanced") if self.full else ()),
        )
        score = dict.fromkeys(sources, 0)
        if player.kept is not None:
            task = self.personal_cards[player.kept]
            count = self.count(player, task["counter"])
            for least, points in task["tiers"]:
                if count >= least:
                    score["personal"] = points
        for card, seats in self.markers.items():
            if seat in seats:
                score["public"] += self.public_cards[card]["first" if seats[0] == seat else "later"]
        score["black_holes"] = self.edition["black_holes"]["track_points"][player.holes]
        for constellation in self.constellations:
            name = constellation["name"]
            if all(space in player.galaxy for space in self.spaces_of("constellation", name)):
                score["constellations"] += constellation["points"]
                if self.full:
                    score["constellations"] += scales["constellation"][self.values["constellation", name]]
        if self.full:
            for color in self.colors:
                stars = list(player.galaxy.values()).count(color)
                score["colors"] += stars * scales["color"][self.values["color", color]]
            for card in self.advanced:
                count = self.count(player, self.advanced_cards[card]["counter"])
                score["advanced"] += count * scales["advanced"][self.values["card", card]]
        score["total"] = sum(score.values())
        return score

    def winners(self) -> list[int]:
        """The seats that share the win."""
        ranks = [
            (score["total"], self.completed(player), len(player.galaxy))
            for score, player in zip(self.scores(), self.players, strict=True)
        ]
        return [seat for seat, rank in enumerate(ranks) if rank == max(ranks)]

    # The table.

    def snapshot(self) -> dict[str, Any]:
        """What lies on the table, in the form of the playthroughs."""
        values = None
        if self.full:
            values = {
                "color": {name: index for (group, name), index in self.values.items() if group == "color"},
                "constellation": {n: index for (group, n), index in self.values.items() if group == "constellation"},
                "advanced": {name: index for (group, name), index in self.values.items() if group == "card"},
            }
        return {
            "bag": self._tally(self.bag),
            "removed": self._tally(self.removed),
            "clusters": [list(ring) for ring in self.clusters],
            "figures": list(self.figures),
            "supernova": self.supernova,
            "observatory": [self._tally(player.observatory) for player in self.players],
            "galaxy": [[player.galaxy.get(space) for space in range(len(self.spaces))] for player in self.players],
            "holes": [player.holes for player in self.players],
            "indicator": self.indicator,
            "markers": {card: list(seats) for card, seats in self.markers.items()},
            "values": values,
            "seat": self.seat,
            "round": self.round,
        }

    def _tally(self, pieces: list[str]) -> dict[str, int]:
        return {piece: pieces.count(piece) for piece in self.pieces if piece in pieces}


def splits(total: int, parts: int) -> list[list[int]]:
    """Every way to write `total` as a sum of `parts` numbers from 0, in order."""
    if parts == 1:
        return [[total]]
    return [[first, *rest] for first in range(total + 1) for rest in splits(total - first, parts - 1)]
