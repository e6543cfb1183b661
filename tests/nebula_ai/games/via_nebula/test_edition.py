"""Edition files of Via Nebula: what the standard one becomes, and that a wrong one is refused with key and reason."""

import copy
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from nebula_ai.editions import content_hash
from nebula_ai.errors import EditionError
from nebula_ai.games.via_nebula.edition import STANDARD, effect_text, map_rows, parse_edition, read_edition
from nebula_core.via_nebula import edition as core
from nebula_core.via_nebula.edition import Contract, EffectKind, ScorePer, Terrain
from nebula_core.via_nebula.rules import ViaNebulaRules
from tests.changes import Change, change_anything, everything, put, remove
from tests.nebula_core.via_nebula.editions import odd, standard
from tests.toml_file import write

# The standard edition.


def test_standard_edition_has_the_numbers_of_its_file() -> None:
    edition = read_edition(STANDARD)
    assert (edition.core.name, edition.players) == ("standard", range(2, 5))
    assert edition.resources == ("wood", "stone", "clay", "wheat", "pig")
    assert [known.name for known in edition.maps] == ["beginner", "expert"]
    assert edition.core.craftsmen == (3, 2, 2)
    assert edition.core.ruin_capacity == (1, 2, 2)
    assert edition.core.meadow_stack_size == (5, 4, 3)
    assert edition.core.fewer_resources == (1, 1, 0)
    assert (edition.core.explore_mist_cost, edition.core.explore_forest_cost) == (1, 2)
    assert (edition.core.emptied_stack_points, edition.core.storehouse_points) == (2, -1)
    assert (len(edition.core.neutral_contracts), len(edition.core.private_contracts)) == (33, 8)
    assert edition.contracts[:2] == ("N01", "N02")
    assert edition.contracts[-1] == "P08"
    assert len(edition.core.content_hash) == 8


def test_tokens_that_are_alike_are_one_kind() -> None:
    edition = read_edition(STANDARD)
    assert edition.tokens[:4] == ("wood 4 2", "wood 3 1", "wood 2 1", "stone 4 2")
    assert edition.tokens[-5:] == ("special wood", "special stone", "special clay", "special wheat", "special pig")
    assert [kind.copies for kind in edition.core.regular_tokens] == [2, 1, 1] * 5
    assert [kind.count for kind in edition.core.special_tokens] == [5] * 5


def test_maps_are_those_of_the_file() -> None:
    edition = read_edition(STANDARD)
    for known, names in zip(edition.core.maps, edition.maps, strict=True):
        assert map_rows(known) == standard()["maps"][names.name]["rows"]
        assert known.rows == (10, 9, 10, 9, 10, 9, 10, 9, 10)
        assert len(names.hexes) == len(known.terrain) == 86
    beginner, hexes = edition.core.maps[0], edition.maps[0].hexes
    assert Counter(beginner.terrain)[Terrain.MEADOW] == 24
    assert hexes[:11] == (*(f"0,{column}" for column in range(10)), "1,0")
    assert beginner.terrain[hexes.index("0,8")] == Terrain.RUIN
    assert beginner.terrain[hexes.index("1,2")] == Terrain.FORBIDDEN
    assert beginner.terrain[hexes.index("2,7")] == Terrain.FOREST


@pytest.mark.parametrize(
    ("card", "contract", "text"),
    [
        ("N01", Contract((1, 1, 0, 0, 0), 2), ""),
        ("N02", Contract((1, 0, 1, 0, 0), 2, EffectKind.CLEAR, 1), "explore 1 hex, also forbidden ones"),
        ("N04", None, "2 resources of the storehouse to the reserve"),
        ("N06", None, "swap 1 resource on own sites with the reserve"),
        ("N12", None, "transport 2 resources"),
        ("N17", None, "explore 2 hexes, also forbidden ones"),
        ("N19", None, "1 resource from the reserve to own sites"),
        ("N24", Contract((1, 1, 1, 1, 0), 4, EffectKind.ACTIONS, 2), "2 action points more"),
        ("N26", None, "draw 1 contract"),
        ("N30", Contract((1, 1, 0, 0, 2), 4, EffectKind.RECALL, 1), "1 own exploitation to the reserve"),
        ("N31", None, "1 point for each own building"),
        (
            "N32",
            Contract((0, 0, 1, 2, 1), 0, EffectKind.SCORE, 0, ScorePer.TOKEN_TYPES),
            "1 point for each type of resource among the tokens taken",
        ),
        ("N33", None, "1 point for each emptied stack"),
    ],
)
def test_a_contract_says_what_it_does(card: str, contract: Contract | None, text: str) -> None:
    edition = read_edition(STANDARD)
    contracts = [*edition.core.neutral_contracts, *edition.core.private_contracts]
    found = contracts[edition.contracts.index(card)]
    assert effect_text(found) == text
    if contract is not None:
        assert found == contract


def test_limits_keep_every_list_of_moves_within_what_a_game_may_have() -> None:
    actions = core.MAX_HEXES + core.MAX_SITES * (core.MAX_MEADOWS + core.MAX_CARDS) + 1
    swaps = core.MAX_SITES * core.MAX_RESOURCES * (core.MAX_RESOURCES - 1) + 1
    assert max(actions, swaps) <= 512


# Its hash.


def test_hash_does_not_depend_on_how_the_file_is_written(tmp_path: Path) -> None:
    content = standard()
    backwards = dict(reversed(content.items()))
    backwards["cost"] = dict(reversed(backwards["cost"].items()))
    path = write(backwards, tmp_path / "backwards.toml")
    path.write_text("# a comment\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert read_edition(path).core.content_hash == read_edition(STANDARD).core.content_hash


def test_hash_depends_on_every_value() -> None:
    hashes = {content_hash(standard())}
    changes: list[Change] = [
        put("other", "edition"),
        put(17, "reserve_per_resource"),
        put(2, "cost", "build"),
        put(3, "pieces", "craftsmen", "4"),
        put("m . m . m . m . m R", "maps", "beginner", "rows", 0),
        put(3, "neutral_contract", 32, "points"),
        lambda content: content["private_contract"].reverse(),
    ]
    for change in changes:
        content = standard()
        change(content)
        hashes.add(content_hash(content))
    assert len(hashes) == 1 + len(changes)


# What is refused.

ROW = "maps.beginner.rows"
EFFECT = "neutral_contract[1].effect"


def rows(*lines: str) -> Change:
    """Gives the beginner map these rows."""
    return put(list(lines), "maps", "beginner", "rows")


BROKEN: list[tuple[Change, str, str]] = [
    # Keys and types.
    (remove("tokens"), "tokens", "is missing"),
    (remove("cost", "explore_mist"), "cost.explore_mist", "is missing"),
    (remove("neutral_contract", 3, "points"), "neutral_contract[3].points", "is missing"),
    (put(1, "resource"), "resource", "did you mean resources?"),
    (put(1, "turn", "action_point"), "turn.action_point", "did you mean action_points?"),
    (put([], "cost"), "cost", "must be a table, not a list"),
    (put({}, "private_contract"), "private_contract", "must be a list, not a table"),
    (put("18", "reserve_per_resource"), "reserve_per_resource", "must be a whole number, not '18'"),
    (put(True, "reserve_per_resource"), "reserve_per_resource", "must be a whole number, not true"),
    (put(2.0, "turn", "action_points"), "turn.action_points", "must be a whole number, not 2.0"),
    (put(1 << 20000, "cost", "site"), "cost.site", "not a number of more than 64 bits"),
    # The game and its players.
    (put("nebula", "game"), "game", "did you mean via_nebula?"),
    (put("chess", "game"), "game", "'chess' is not known"),
    (put("two words", "edition"), "edition", "must be one word"),
    (put([4, 2], "players"), "players", "must ascend"),
    (put([2, 5], "players"), "players[1]", "must be 2 to 4, not 5"),
    (remove("pieces", "sites", "3"), "pieces.sites.3", "is missing"),
    (put(1, "pieces", "sites", "5"), "pieces.sites.5", "not known"),
    # Names that mean something else, or that are there twice.
    (put("special", "resources", 0), "resources[0]", "another meaning"),
    (put("unknown", "resources", 0), "resources[0]", "another meaning"),
    (put("clay", "resources", 0), "resources[2]", "clay stands there twice"),
    (put("N01", "private_contract", 1, "id"), "private_contract[1].id", "already another contract's"),
    (put("unknown", "neutral_contract", 1, "id"), "neutral_contract[1].id", "another meaning"),
    (
        lambda content: content["maps"].update({"two words": content["maps"]["expert"]}),
        "maps.'two words'",
        "must be one word",
    ),
    # What the core has no room for.
    (put([*"abcdefghi"], "resources"), "resources", "must have 1 to 8 elements, not 9"),
    (put(0, "reserve_per_resource"), "reserve_per_resource", "must be 1 to 127, not 0"),
    (put(4, "pieces", "sites", "2"), "pieces.sites.2", "must be 1 to 3, not 4"),
    (put(9, "pieces", "buildings", "2"), "pieces.buildings.2", "must be 1 to 8, not 9"),
    (put(0, "pieces", "ruin_capacity", "2"), "pieces.ruin_capacity.2", "must be 1 to 15, not 0"),
    (put(50, "pieces", "meadow_stack_size", "2"), "pieces.meadow_stacks", "4 stacks of 50 tiles are more than 120"),
    (put(0, "turn", "action_points"), "turn.action_points", "must be 1 to 15, not 0"),
    (put(0, "cost", "transport"), "cost.transport", "must be 1 to 15, not 0"),
    (put(9, "setup", "open_contracts"), "setup.open_contracts", "must be 1 to 8, not 9"),
    (put(-1, "score", "end_card"), "score.end_card", "must be 0 to 1000, not -1"),
    (put(1, "score", "storehouse_resource"), "score.storehouse_resource", "must be -1000 to 0, not 1"),
    # Tokens.
    (put("gold", "tokens", "regular", 3, "resource"), "tokens.regular[3].resource", "'gold' is not known"),
    (put(32, "tokens", "regular", 3, "count"), "tokens.regular[3].count", "must be 1 to 31, not 32"),
    (put(1, "tokens", "special", 3, "points"), "tokens.special[3].points", "not known"),
    (put([], "tokens", "special"), "setup.special_removed", "must be 0, not 1"),
    (
        put([{"resource": "wood", "count": 5}] * 9, "tokens", "special"),
        "tokens.special",
        "must be at most 8 tokens, not 9",
    ),
    (put({"resource": "wood", "count": 4}, "tokens", "special", 1), "tokens.special[1].count", "the same count"),
    (
        put([{"resource": "wood", "count": 4, "points": 2}] * 16, "tokens", "regular"),
        "tokens.regular[15]",
        "at most 15 tokens may be alike",
    ),
    (
        put([{"resource": "wood", "count": 1, "points": points} for points in range(30)], "tokens", "regular"),
        "tokens.regular",
        "35 kinds, with the special ones, are more than 32",
    ),
    (put(2, "setup", "special_removed"), ROW, "has 24 meadows, but 23 tokens are put on them"),
    (put(5, "setup", "special_removed"), ROW, "has 24 meadows, but 20 tokens are put on them"),
    (everything(put([], "tokens", "regular"), put(5, "setup", "special_removed")), "tokens.regular", "0 tokens"),
    # Maps.
    (put({}, "maps"), "maps", "must be 1 to 8 maps, not 0"),
    (put("rows", "maps", "beginner"), "maps.beginner", "must be a table, not 'rows'"),
    (put({"row": []}, "maps", "beginner"), "maps.beginner.row", "did you mean rows?"),
    (put([], "maps", "beginner", "rows"), ROW, "must have 1 to 120 elements, not 0"),
    (put(5, "maps", "beginner", "rows", 2), f"{ROW}[2]", "must be a text, not 5"),
    (put("m . . Q m . X F . m", "maps", "beginner", "rows", 2), f"{ROW}[2]", "hex 3 must be m, ., F, R or X, not 'Q'"),
    (put("m..Rm.XF.m", "maps", "beginner", "rows", 2), f"{ROW}[2]", "must have 10 hexes like the first row, not 1"),
    (put("", "maps", "beginner", "rows", 0), f"{ROW}[0]", "has no hex"),
    (
        put(" . R X . . R . m", "maps", "beginner", "rows", 1),
        f"{ROW}[1]",
        "must have 10 hexes like the first row, or one fewer, not 8",
    ),
    (
        put(" . . m . . m F R", "maps", "beginner", "rows", 3),
        f"{ROW}[3]",
        "must have 9 hexes like every odd row, not 8",
    ),
    (
        put(" . R X . . R . m . .", "maps", "beginner", "rows", 1),
        f"{ROW}[3]",
        "must have 10 hexes like every odd row, not 9",
    ),
    (put("m . m . m . m . R .", "maps", "beginner", "rows", 0), ROW, "has 23 meadows, but 24 tokens"),
    (rows(*["m m m m m m m m m m"] * 13), ROW, "has 130 hexes, and at most 120 fit"),
    (rows("m m m m m m", "m m m m m m", "m m m m m m", "m m m m m m"), ROW, "must have 1 to 32 ruins, not 0"),
    # Contracts.
    (remove("private_contract", slice(7, None)), "private_contract", "a game needs 8 of these contracts"),
    (remove("neutral_contract", slice(3, None)), "neutral_contract", "a game needs 4 of these contracts"),
    (
        lambda content: content["neutral_contract"].extend(
            {"id": f"X{number}", "cost": ["wood"], "points": 1} for number in range(24)
        ),
        "neutral_contract",
        "65 contracts, with the private ones, are more than 64",
    ),
    (put([], "neutral_contract", 1, "cost"), "neutral_contract[1].cost", "must be at least one resource"),
    (put(["wood"] * 19, "neutral_contract", 1, "cost"), "neutral_contract[1].cost", "at most 18 of one"),
    (put(["gold"], "neutral_contract", 1, "cost"), "neutral_contract[1].cost[0]", "'gold' is not known"),
    (put(1001, "neutral_contract", 1, "points"), "neutral_contract[1].points", "must be 0 to 1000"),
    # Effects.
    (put("clear", "neutral_contract", 1, "effect"), EFFECT, "must be a table, not 'clear'"),
    (put({}, "neutral_contract", 1, "effect"), f"{EFFECT}.kind", "is missing"),
    (put({"kind": "cleer", "count": 1}, "neutral_contract", 1, "effect"), f"{EFFECT}.kind", "did you mean clear?"),
    (put({"kind": "none", "count": 1}, "neutral_contract", 1, "effect"), f"{EFFECT}.kind", "'none' is not known"),
    (put({"kind": "clear"}, "neutral_contract", 1, "effect"), f"{EFFECT}.count", "is missing"),
    (put({"kind": "clear", "count": 0}, "neutral_contract", 1, "effect"), f"{EFFECT}.count", "must be 1 to 15, not 0"),
    (put({"kind": "clear", "per": "buildings"}, "neutral_contract", 1, "effect"), f"{EFFECT}.per", "not known"),
    (put({"kind": "score", "count": 1}, "neutral_contract", 1, "effect"), f"{EFFECT}.count", "not known"),
    (put({"kind": "score"}, "neutral_contract", 1, "effect"), f"{EFFECT}.per", "is missing"),
    (put({"kind": "score", "per": "sites"}, "neutral_contract", 1, "effect"), f"{EFFECT}.per", "there is buildings"),
]


@pytest.mark.parametrize(
    ("change", "field", "words"), BROKEN, ids=[f"{number}: {field}" for number, (_, field, _) in enumerate(BROKEN)]
)
def test_broken_edition_is_refused_with_key_and_reason(change: Change, field: str, words: str) -> None:
    content = standard()
    change(content)
    with pytest.raises(EditionError) as refusal:
        parse_edition(content)
    assert refusal.value.field == field
    assert words in refusal.value.reason


def test_numbers_of_players_that_are_not_allowed_need_no_numbers() -> None:
    content = standard()
    content["players"] = [3, 3]
    content["pieces"] = {key: {"3": numbers["3"], "4": 1} for key, numbers in content["pieces"].items()}
    edition = parse_edition(content)
    assert edition.players == range(3, 4)
    assert edition.core.craftsmen == (0, 2, 0)


def test_the_file_is_named(tmp_path: Path) -> None:
    content = standard()
    content["turn"]["action_points"] = 16
    with pytest.raises(EditionError) as refusal:
        read_edition(write(content, tmp_path / "mine.toml"))
    assert refusal.value.field == "turn.action_points"
    assert "mine.toml" in refusal.value.reason


@pytest.mark.parametrize(
    "lines",
    [
        ["m R"] + ["m"] + ["m R"] * 0,
        ["m m", "R"],
        ["m R m"],
        ["m", "R", "m"],
        ["R " + "m " * 2, "m " * 2 + "."],
        [" ".join("mRm" + "." * 57), " ".join("." * 60)],
        [" ".join("." * 12)] * 9 + [" ".join("mRm" + "." * 9)],
    ],
)  # fmt: skip
def test_maps_of_any_rectangular_outline_are_accepted(lines: list[str]) -> None:
    content = standard()
    meadows = sum(line.count("m") for line in lines)
    content["maps"] = {"mine": {"rows": lines}}
    content["setup"]["special_removed"] = 5
    content["tokens"]["regular"] = content["tokens"]["regular"][:meadows]
    edition = parse_edition(content)
    assert [len(line.split()) for line in lines] == list(edition.core.maps[0].rows)
    assert ViaNebulaRules(edition.core).new(2, 0).chance_pending


# Whatever is in the file.


def test_odd_editions_are_compiled(seed: int) -> None:
    random = Random(seed)
    for _ in range(100):
        edition = parse_edition(odd(random))
        rules = ViaNebulaRules(edition.core)
        for players in edition.players:
            for number in range(len(edition.maps)):
                assert rules.new(players, number).chance_pending


JUNK: list[object] = [0, 1, -1, 7, 33, 1 << 70, True, 1.5, "", "wood", "special", "m . R", "N01", [], [1, 2], {}]


def test_any_change_is_taken_or_refused(seed: int) -> None:
    random = Random(seed)
    base = standard()
    taken = 0
    refusals = []
    for _ in range(1000):
        content = copy.deepcopy(base)
        for _ in range(random.randint(1, 3)):
            change_anything(content, random, JUNK, ["resource", "count", "effect", "id", "x"])
        try:
            edition = parse_edition(content)
        except EditionError as error:
            refusals.append(error)
        else:
            ViaNebulaRules(edition.core)
            taken += 1
    assert taken > 0
    assert all(error.field and error.reason for error in refusals)
