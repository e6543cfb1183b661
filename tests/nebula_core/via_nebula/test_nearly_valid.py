"""States a little beside valid ones: the checks refuse them, or let in what they never refuse later."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from nebula_core.via_nebula.edition import EffectKind
from nebula_core.via_nebula.rules import NOTHING, Phase
from tests.nebula_core.damage import nearly_valid
from tests.nebula_core.playable import states_of_all_kinds
from tests.nebula_core.via_nebula.editions import odd
from tests.nebula_core.via_nebula.positions import Table
from tests.nebula_core.via_nebula.test_packed_fuzz import starts
from tests.toml_file import write

CHANGES = 1_500
ODD_CHANGES = 600
"""In each of the odd editions."""
ODD_EDITIONS = 8


class Changes:
    """Changes that keep the numbers of all pieces, in the states of one edition."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.kinds = [self.resource, self.resource, self.turn, self.turn, self.card, self.card, self.ruin, self.tile]
        self.kinds += [self.token, self.exploitation, self.swap_tokens]

    def __call__(self, fields: Any, random: Random) -> None:
        """Makes one of them."""
        random.choice(self.kinds)(fields, random)
        most = self.table.pieces("craftsmen", fields["players"])
        owners = [each[0] for each in fields["exploitations"] if each is not None]
        fields["craftsmen"] = [max(0, most - owners.count(seat)) for seat in range(fields["players"])]

    def resource(self, fields: Any, random: Random) -> None:
        """A resource goes to another place."""
        heaps = [
            fields["reserve"],
            *fields["storehouse"],
            *(site for side in fields["site_resources"] for site in side),
        ]
        heap, other = random.sample(heaps, 2)
        resource = random.randrange(len(heap))
        if heap[resource]:
            heap[resource], other[resource] = heap[resource] - 1, other[resource] + 1

    def turn(self, fields: Any, random: Random) -> None:
        """Something of the turn is another."""
        seat = random.randrange(fields["players"])
        values: list[tuple[str, Any]] = [
            ("phase", random.choice(list(Phase))),
            ("seat", seat),
            ("action_points", max(0, fields["action_points"] + random.choice((-1, 1)))),
            ("acted", not fields["acted"]),
            ("idle", random.randrange(fields["players"] + 1)),
            ("effect", random.choice(list(EffectKind))),
            ("parts", max(0, fields["parts"] + random.choice((-1, 1)))),
            ("end_card", random.choice((seat, NOTHING))),
        ]
        for field, value in random.sample(values, random.choice((1, 1, 2, 3))):
            fields[field] = value

    def card(self, fields: Any, random: Random) -> None:
        """A contract goes to another place, or is not known any more."""
        seat = random.randrange(fields["players"])
        hand, done = fields["hands"][seat], fields["done"][seat]
        place = random.randrange(len(fields["open"]))
        card = random.randrange(len(self.table.contracts))
        match random.randrange(6):
            case 0 if hand:
                card = hand.pop()
                fields["unknown_neutral" if card < len(self.table.neutral) else "unknown_private"][seat] += 1
            case 1 if hand:
                other = fields["hands"][random.randrange(fields["players"])]
                other.append(hand.pop())
            case 2:
                hand.append(card)
            case 3 if done:
                done[random.randrange(len(done))] = card
            case 4:
                fields["open"][place] = random.choice((NOTHING, min(card, len(self.table.neutral) - 1)))
            case _ if hand and done:
                hand[-1], done[-1] = done[-1], hand[-1]

    def ruin(self, fields: Any, random: Random) -> None:
        """A site or building stands elsewhere, or is at home."""
        seat = random.randrange(fields["players"])
        map_name = self.table.maps[fields["map"]]
        ruin = self.table.hexes(map_name).index(random.choice(self.table.hexes(map_name, "R")))
        buildings = fields["buildings"][seat]
        match random.randrange(3):
            case 0:
                sites = fields["sites"][seat]
                sites[random.randrange(len(sites))] = random.choice((ruin, NOTHING))
            case 1 if buildings:
                buildings[random.randrange(len(buildings))] = ruin
            case _:
                buildings.append(ruin)

    def tile(self, fields: Any, random: Random) -> None:
        """A tile is laid, or comes back."""
        seat = random.randrange(fields["players"])
        map_name = self.table.maps[fields["map"]]
        stacks = fields["stacks"][seat]
        hex_number = self.table.hexes(map_name).index(random.choice(self.table.hexes(map_name, ".FX") or ["0,0"]))
        if hex_number in fields["empty"]:
            fields["empty"].remove(hex_number)
            fields["stock"] += 1
        else:
            fields["empty"].append(hex_number)
            stack = next((number for number, tiles in enumerate(stacks) if tiles), None)
            if stack is None or random.random() < 0.2:
                fields["stock"] -= 1
            else:
                stacks[stack] -= 1

    def token(self, fields: Any, random: Random) -> None:
        """A token is taken, and the meadow empty; or it is taken by another seat."""
        meadow = random.randrange(len(fields["tokens"]))
        taken = random.choice(fields["taken"])
        kind = fields["tokens"][meadow]
        if kind != NOTHING:
            fields["tokens"][meadow] = NOTHING
            taken.append(kind)
            map_name = self.table.maps[fields["map"]]
            fields["empty"].append(self.table.hexes(map_name).index(self.table.hexes(map_name, "m")[meadow]))
        elif taken:
            random.choice(fields["taken"]).append(taken.pop())

    def exploitation(self, fields: Any, random: Random) -> None:
        """An exploitation is another seat's, or has one more or less."""
        there = [each for each in fields["exploitations"] if each is not None]
        if there:
            each = random.choice(there)
            if random.random() < 0.5:
                each[0] = random.randrange(-1, fields["players"])
            else:
                more = random.choice((-1, 1))
                each[2] += more
                fields["reserve"][each[1]] -= more

    def swap_tokens(self, fields: Any, random: Random) -> None:
        """What lies on two meadows is exchanged."""
        one, other = (random.randrange(len(fields["tokens"])) for _ in range(2))
        for lying in (fields["tokens"], fields["exploitations"]):
            lying[one], lying[other] = lying[other], lying[one]


def test_standard_edition(table: Table, seed: int) -> None:
    random = Random(f"{seed} near")
    states = states_of_all_kinds(starts(table), random)
    accepted = nearly_valid(table.rules, states, Changes(table), CHANGES, random)
    print(f"seed {seed}: {accepted} accepted")
    assert accepted > CHANGES // 20


@pytest.mark.parametrize("number", range(ODD_EDITIONS))
def test_odd_editions(number: int, seed: int, tmp_path: Path) -> None:
    random = Random(f"{seed} {number}")
    table = Table(write(odd(random), tmp_path / "edition.toml"))
    states = states_of_all_kinds(starts(table), random)
    print(f"seed {seed}: {nearly_valid(table.rules, states, Changes(table), ODD_CHANGES, random)} accepted")
