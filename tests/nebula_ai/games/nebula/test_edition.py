"""Edition files of Nebula: what the standard one becomes, and that a wrong one is refused with key and reason."""

import copy
from math import comb
from pathlib import Path
from random import Random

import pytest

from nebula_ai.checked import MAX_BYTES
from nebula_ai.editions import content_hash
from nebula_ai.errors import EditionError
from nebula_ai.games.nebula.edition import STANDARD, parse_edition, read_edition
from nebula_core.nebula import edition as core
from nebula_core.nebula.edition import Counter, CounterKind, LinkKind
from nebula_core.nebula.rules import NebulaRules
from tests.changes import Change, change_anything, put, remove
from tests.nebula_core.nebula.editions import odd, standard
from tests.toml_file import write

# The standard edition.


def test_standard_edition_has_the_numbers_of_its_file() -> None:
    edition = read_edition(STANDARD)
    assert (edition.core.name, edition.players) == ("standard", range(2, 5))
    assert edition.pieces == ("red", "orange", "yellow", "white", "blue", "violet", "black_hole")
    assert edition.constellations == ("Lyra", "Draco", "Cygnus", "Corvus")
    assert edition.core.black_holes == (12, 18, 24)
    assert edition.core.indicator_end == (9, 14, 16)
    assert edition.core.markers_end == (7, 8, 9)
    assert edition.core.constellation_points == (9, 8, 9, 6)
    assert edition.core.first_star_spaces == 0b1111
    assert (edition.spaces[23].orbit, edition.spaces[23].constellation, edition.spaces[23].angle) == (4, 3, 280)
    assert edition.core.orbits[1] == 0b11_1111_0000
    assert (len(edition.public_tasks), len(edition.personal_tasks), len(edition.advanced_cards)) == (24, 22, 24)
    assert len(edition.core.content_hash) == 8


def test_standard_links_are_those_of_its_file_and_the_orbits() -> None:
    links = read_edition(STANDARD).core.links
    assert [sum(kind == link for _, _, link in links) for kind in LinkKind] == [32, 25, 9]
    assert len({(one, other) for one, other, _ in links}) == len(links)
    assert {(0, 1), (1, 2), (2, 3), (0, 3)} <= {(one, other) for one, other, kind in links if kind == LinkKind.ORBIT}
    assert (1, 7, LinkKind.INDIRECT) in links
    assert (0, 4, LinkKind.DIRECT) in links


@pytest.mark.parametrize(
    ("card", "counter", "text"),
    [
        ("T03", Counter(CounterKind.REGION_IN_COLORS, spaces=0x3F0, number=6), "orbit 2 complete in exactly 6 colours"),
        ("T06", None, "Corvus complete in exactly 3 colours"),
        ("T10", Counter(CounterKind.STARS, spaces=0xFFFF_FFFF, color=0), "at least 5 red stars"),
        ("T16", Counter(CounterKind.COLOR_SETS), "at least 2 sets of a star in each colour"),
        ("T17", Counter(CounterKind.LINKS, color=0, others=(4,)), "at least 4 links between red and blue stars"),
        ("T22", Counter(CounterKind.CONSTELLATIONS_WITH, others=(3,)), "at least 4 constellations with white"),
        ("T24", Counter(CounterKind.CONSTELLATIONS_COMPLETE), "at least 2 complete constellations"),
        ("S01", Counter(CounterKind.STARS, spaces=0xFFFE_0000, color=0), "red stars on orbits 4 and 5"),
        ("S13", None, "stars in Lyra"),
        ("S21", Counter(CounterKind.BLACK_HOLES), "black holes placed"),
        ("S22", Counter(CounterKind.ORBITS_COMPLETE), "complete orbits"),
        (
            "A03",
            Counter(CounterKind.LINKS, color=0, others=(3,), direct_only=True),
            "direct links between red and white stars",
        ),
        ("A20", Counter(CounterKind.ORBITS_WITH, others=(0, 3)), "orbits with red and white"),
        (
            "A23",
            Counter(CounterKind.FLANKED, color=3, others=(1, 5)),
            "white stars linked to both orange and violet",
        ),
    ],
)
def test_a_card_says_what_it_counts(card: str, counter: Counter | None, text: str) -> None:
    edition = read_edition(STANDARD)
    cards = [*edition.public_tasks, *edition.personal_tasks, *edition.advanced_cards]
    counters = [task.counter for task in edition.core.public_tasks]
    counters += [task.counter for task in edition.core.personal_tasks]
    counters += edition.core.advanced_cards
    number = [shown.id for shown in cards].index(card)
    assert cards[number].text == text
    if counter is not None:
        assert counters[number] == counter


def test_limits_keep_every_list_of_moves_within_what_a_game_may_have() -> None:
    pieces = core.MAX_COLORS + 1
    longest = {
        "invest or chaos": comb(core.MAX_STEPS + core.MAX_CLUSTERS - 1, core.MAX_CLUSTERS - 1) + pieces,
        "take": 2**core.MAX_CLUSTERS - 1,
        "keep": comb(core.MAX_KEEP + pieces - 1, core.MAX_KEEP),
        "place or stop": core.MAX_COLORS * core.MAX_SPACES + 2,
        "advance or decline": core.MAX_COLORS + core.MAX_CONSTELLATIONS + core.MAX_ADVANCED_CARDS + 1,
        "choose": core.MAX_PERSONAL_DEALT,
        "chance": core.MAX_CARDS,
    }
    assert max(longest.values()) <= 512, longest


# Its hash.


def test_hash_does_not_depend_on_how_the_file_is_written(tmp_path: Path) -> None:
    content = standard()
    backwards = dict(reversed(content.items()))
    backwards["bag"] = dict(reversed(backwards["bag"].items()))
    path = write(backwards, tmp_path / "backwards.toml")
    path.write_text("# a comment\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert read_edition(path).core.content_hash == read_edition(STANDARD).core.content_hash


def test_hash_depends_on_every_value() -> None:
    hashes = {content_hash(standard())}
    changes: list[Change] = [
        lambda content: content.update(edition="other"),
        lambda content: content["bag"].update(stars_per_color=20),
        lambda content: content["galaxy"]["spaces"][31].update(angle=306),
        lambda content: content["advanced_card"][23]["counter"]["by"].reverse(),
        lambda content: content["personal_task"].reverse(),
    ]
    for change in changes:
        content = standard()
        change(content)
        hashes.add(content_hash(content))
    assert len(hashes) == 1 + len(changes)


# What is refused.


def counter(**keys: object) -> Change:
    """Gives the first public task this counter."""
    return put(keys, "public_task", 0, "counter")


COUNTER = "public_task[0].counter"

BROKEN: list[tuple[Change, str, str]] = [
    # Keys and types.
    (remove("bag"), "bag", "is missing"),
    (remove("galaxy", "spaces", 3, "orbit"), "galaxy.spaces[3].orbit", "is missing"),
    (put(1, "bagg"), "bagg", "did you mean bag?"),
    (put(1, "bag", "stars_per_colour"), "bag.stars_per_colour", "did you mean stars_per_color?"),
    (put(1, "end", "a b\n"), r"end.'a b\n'", "not known"),
    (put([], "bag"), "bag", "must be a table, not a list"),
    (put({}, "public_task"), "public_task", "must be a list, not a table"),
    (put("21", "bag", "stars_per_color"), "bag.stars_per_color", "must be a whole number, not '21'"),
    (put(True, "bag", "stars_per_color"), "bag.stars_per_color", "must be a whole number, not true"),
    (put(2.0, "clusters", "count"), "clusters.count", "must be a whole number, not 2.0"),
    (put(1 << 20000, "clusters", "count"), "clusters.count", "not a number of more than 64 bits"),
    (put(5, "galaxy", "constellations", 1, "name"), "galaxy.constellations[1].name", "must be a text"),
    # The game and its players.
    (put("via_nebula", "game"), "game", "'via_nebula' is not known"),
    (put("two words", "edition"), "edition", "must be one word"),
    (put("x" * 33, "edition"), "edition", "at most 32"),
    (put([4, 2], "players"), "players", "must ascend"),
    (put([2, 5], "players"), "players[1]", "must be 2 to 4, not 5"),
    (put([2], "players"), "players", "must have 2 elements, not 1"),
    (remove("bag", "black_holes", "3"), "bag.black_holes.3", "is missing"),
    (put(1, "black_holes", "indicator_end", "5"), "black_holes.indicator_end.5", "not known"),
    (put(0, "public_tasks", "markers_end", "4"), "public_tasks.markers_end.4", "must be 1 to 255, not 0"),
    (put([0, 1, 2], "setup", "observatory_pieces"), "setup.observatory_pieces", "must have 4 elements, not 3"),
    # Names that mean something else, or that are there twice.
    (put("black_hole", "bag", "colors", 0), "bag.colors[0]", "another meaning"),
    (put("unknown", "bag", "colors", 0), "bag.colors[0]", "another meaning"),
    (put("blue", "bag", "colors", 0), "bag.colors[4]", "blue stands there twice"),
    (put("dark red", "bag", "colors", 0), "bag.colors[0]", "must be one word"),
    (put("Lyra", "galaxy", "constellations", 3, "name"), "galaxy.constellations[3].name", "twice"),
    (put("unknown", "galaxy", "constellations", 3, "name"), "galaxy.constellations[3].name", "another meaning"),
    (put("T01", "public_task", 1, "id"), "public_task[1].id", "already another card's"),
    (put("T01", "advanced_card", 1, "id"), "advanced_card[1].id", "already another card's"),
    (put("unknown", "personal_task", 1, "id"), "personal_task[1].id", "another meaning"),
    # What the core has no room for.
    (put([*"abcdefg"], "bag", "colors"), "bag.colors", "must have 1 to 6 elements, not 7"),
    (put(5, "clusters", "count"), "clusters.count", "must be 1 to 4, not 5"),
    (put(9, "clusters", "steps"), "clusters.steps", "must be 0 to 8, not 9"),
    (put(9, "chaos", "draw"), "chaos.draw", "must be 1 to 8, not 9"),
    (put(4, "chaos", "keep"), "chaos.keep", "must be 1 to 3, not 4"),
    (put(1, "chaos", "draw"), "chaos.keep", "must be 1, not 2"),
    (put(9, "setup", "public_tasks"), "setup.public_tasks", "must be 1 to 8, not 9"),
    (put([0] * 17, "black_holes", "track_points"), "black_holes.track_points", "must have 1 to 16 elements, not 17"),
    (put([], "values", "color"), "values.color", "must have 1 to 8 elements, not 0"),
    (put(-1, "values", "advanced", 0), "values.advanced[0]", "must be 0 to 1000, not -1"),
    (put(41, "bag", "stars_per_color"), "bag", "258 pieces for 2 players are more than 255"),
    # Enough pieces and cards.
    (put(3, "bag", "stars_per_color"), "bag.stars_per_color", "18 stars are too few"),
    (put([0, 0, 0, 200], "setup", "observatory_pieces"), "bag", "the setup of 4 players needs 219 pieces"),
    (remove("personal_task", slice(7, None)), "personal_task", "a game needs 8 of these cards, and there are 7"),
    (remove("public_task", slice(3, None)), "public_task", "a game needs 4 of these cards, and there are 3"),
    (remove("advanced_card", slice(3, None)), "advanced_card", "a game needs 4 of these cards, and there are 3"),
    # The galaxy.
    (put(4, "galaxy", "spaces", 3, "id"), "galaxy.spaces[3].id", "must be 3"),
    (put(9, "galaxy", "spaces", 3, "orbit"), "galaxy.spaces[3].orbit", "must be 1 to 8, not 9"),
    (put(7, "galaxy", "spaces", 3, "orbit"), "galaxy.spaces", "no space is on orbit 6"),
    (put(360, "galaxy", "spaces", 3, "angle"), "galaxy.spaces[3].angle", "must be 0 to 359, not 360"),
    (put("Lira", "galaxy", "spaces", 3, "constellation"), "galaxy.spaces[3].constellation", "did you mean Lyra?"),
    (
        lambda content: content["galaxy"]["constellations"].append({"name": "Ara", "points": 1}),
        "galaxy.constellations[4].name",
        "no space is in this constellation",
    ),
    (put([0, 32], "galaxy", "direct_links", 1), "galaxy.direct_links[1][1]", "must be 0 to 31, not 32"),
    (put([0, 4, 5], "galaxy", "direct_links", 1), "galaxy.direct_links[1]", "must have 2 elements, not 3"),
    (put([4, 0], "galaxy", "direct_links", 1), "galaxy.direct_links[1]", "0 and 4 are already linked directly"),
    (put([4, 0], "galaxy", "indirect_links", 1), "galaxy.indirect_links[1]", "0 and 4 are already linked directly"),
    (put([3, 0], "galaxy", "direct_links", 1), "galaxy.direct_links[1]", "already linked along their orbit"),
    (put([8, 8], "galaxy", "direct_links", 1), "galaxy.direct_links[1]", "links space 8 to itself"),
    (put(6, "placing", "first_star_orbit"), "placing.first_star_orbit", "must be 1 to 5, not 6"),
    (put(5, "end", "constellations"), "end.constellations", "must be 1 to 4, not 5"),
    # Cards.
    (put([[3, 3], [3, 5]], "personal_task", 0, "tiers"), "personal_task[0].tiers[1]", "higher count"),
    (put([[3, 3], [4, 3]], "personal_task", 0, "tiers"), "personal_task[0].tiers[1]", "more points"),
    (put([], "personal_task", 0, "tiers"), "personal_task[0].tiers", "must have 1 to 8 elements, not 0"),
    (put([[3]], "personal_task", 0, "tiers"), "personal_task[0].tiers[0]", "must have 2 elements, not 1"),
    (put(0, "public_task", 9, "at_least"), "public_task[9].at_least", "must be 1 to 255, not 0"),
    (put(2, "public_task", 0, "at_least"), "public_task[0].at_least", "must be 1: this counter is 0 or 1"),
    (put(1001, "public_task", 0, "first"), "public_task[0].first", "must be 0 to 1000, not 1001"),
    # Counters.
    (put("stars", "public_task", 0, "counter"), COUNTER, "must be a table, not 'stars'"),
    (counter(), f"{COUNTER}.kind", "is missing"),
    (counter(kind=3), f"{COUNTER}.kind", "must be a text, not 3"),
    (counter(kind="start"), f"{COUNTER}.kind", "did you mean stars?"),
    (counter(kind="stars", colour="red"), f"{COUNTER}.colour", "did you mean color?"),
    (counter(kind="stars", by=["red", "blue"]), f"{COUNTER}.by", "not known"),
    (counter(kind="stars", color="pink"), f"{COUNTER}.color", "'pink' is not known"),
    (counter(kind="stars", orbits=[]), f"{COUNTER}.orbits", "must have 1 to 5 elements, not 0"),
    (counter(kind="stars", orbits=[2, 2]), f"{COUNTER}.orbits", "names an orbit twice"),
    (counter(kind="stars", orbits=[6]), f"{COUNTER}.orbits[0]", "must be 1 to 5, not 6"),
    (counter(kind="stars", constellation="Orion"), f"{COUNTER}.constellation", "'Orion' is not known"),
    (counter(kind="links"), f"{COUNTER}.between", "is missing"),
    (counter(kind="links", between=["red"]), f"{COUNTER}.between", "must have 2 elements, not 1"),
    (counter(kind="links", between=["red", "red"]), f"{COUNTER}.between[1]", "red stands there twice"),
    (counter(kind="links", between=["red", "blue"], links="orbit"), f"{COUNTER}.links", "'orbit' is not known"),
    (counter(kind="flanked", color="red", by=["red", "blue"]), f"{COUNTER}.by", "never linked"),
    (counter(kind="flanked", color="red", by=["blue"]), f"{COUNTER}.by", "must have 2 elements, not 1"),
    (counter(kind="orbit_in_colors", orbit=0, colors=3), f"{COUNTER}.orbit", "must be 1 to 5, not 0"),
    (counter(kind="orbit_in_colors", orbit=1, colors=7), f"{COUNTER}.colors", "must be 1 to 6, not 7"),
    (counter(kind="constellation_in_colors", colors=3), f"{COUNTER}.constellation", "is missing"),
    (counter(kind="orbits_with", colors=[]), f"{COUNTER}.colors", "must have 1 to 6 elements, not 0"),
    (counter(kind="orbits_with", colors=["red", "red"]), f"{COUNTER}.colors[1]", "red stands there twice"),
    (counter(kind="black_holes", color="red"), f"{COUNTER}.color", "not known"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "field", "words"), BROKEN, ids=[f"{field}: {words}" for _, field, words in BROKEN])
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
    content["setup"]["observatory_pieces"] = [0, 1, 2]
    content["bag"]["black_holes"] = {"3": 18, "4": 200}
    edition = parse_edition(content)
    assert edition.players == range(3, 4)
    assert edition.core.black_holes == (0, 18, 0)
    assert edition.core.observatory_pieces == (0, 1, 2, 0)


def test_an_orbit_of_one_or_two_spaces_has_no_link_twice() -> None:
    content = standard()
    content["galaxy"]["spaces"][0]["orbit"] = 6
    content["galaxy"]["spaces"][1]["orbit"] = 7
    content["galaxy"]["spaces"][2]["orbit"] = 7
    orbit_links = [(one, other) for one, other, kind in parse_edition(content).core.links if kind == LinkKind.ORBIT]
    assert (1, 2) in orbit_links
    assert not [link for link in orbit_links if 0 in link]
    assert len(set(orbit_links)) == len(orbit_links) == 1 + 28


# Files.


def refused(path: Path) -> EditionError:
    """How an edition file is refused."""
    with pytest.raises(EditionError) as refusal:
        read_edition(path)
    return refusal.value


def test_the_file_is_named(tmp_path: Path) -> None:
    content = standard()
    content["clusters"]["count"] = 9
    error = refused(write(content, tmp_path / "mine.toml"))
    assert error.field == "clusters.count"
    assert "mine.toml" in error.reason


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'game = "nebula"\nedition = \n', "is not TOML: Invalid value (at line 2"),
        (b'game = "nebula"\ngame = "nebula"\n', "is not TOML: Cannot overwrite a value (at line 2"),
        (b'game = "\xff"\n', "is not UTF-8 text (byte 8)"),
        (b"a = " + b"[" * 100_000, "nested too deeply"),
        (b"a = 1" + b"0" * 5000, "a number of too many digits"),
        (b"#" * (MAX_BYTES + 1), "has more than 1,048,576 bytes"),
        (b"", "bag"),
    ],
    ids=["syntax", "twice", "encoding", "nested", "digits", "large", "empty"],
)
def test_what_is_no_edition_file_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    error = refused(path)
    if content:
        assert error.field == "edition"
        assert words in error.reason
        assert "broken.toml" in error.reason
    else:
        assert (error.field, error.reason.split(" (")[0]) == ("game", "is missing")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "none.toml").reason
    assert "directory" in refused(tmp_path).reason
    assert "null" in refused(Path("a\0b")).reason


# Whatever is in the file.


def test_odd_editions_are_compiled(seed: int) -> None:
    random = Random(seed)
    for _ in range(100):
        edition = parse_edition(odd(random))
        rules = NebulaRules(edition.core)
        for players in edition.players:
            assert rules.new(players, True).chance_pending


JUNK: list[object] = [0, 1, -1, 7, 33, 1 << 70, True, 1.5, "", "red", "black_hole", "Lyra", "T01", [], [1, 2], {}]


def test_any_change_is_taken_or_refused(seed: int) -> None:
    random = Random(seed)
    base = standard()
    taken = 0
    refusals = []
    for _ in range(1000):
        content = copy.deepcopy(base)
        for _ in range(random.randint(1, 3)):
            change_anything(content, random, JUNK, ["color", "colors", "links", "id", "x"])
        try:
            edition = parse_edition(content)
        except EditionError as error:
            refusals.append(error)
        else:
            NebulaRules(edition.core)
            taken += 1
    assert taken > 0
    assert all(error.field and error.reason for error in refusals)
