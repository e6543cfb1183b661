"""Games and editions by name: what is loaded, what a file of one's own changes, and what there is not."""

from functools import partial
from pathlib import Path

import pytest

from nebula_ai.errors import EditionError, InvalidInput, StateError
from nebula_ai.registry import GAMES, Catalogue, load
from tests.nebula_core.nebula.editions import standard
from tests.toml_file import write


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """An edition file of one's own, called ``mine``: one step fewer a turn."""
    content = standard()
    content["edition"] = "mine"
    content["clusters"]["steps"] = 4
    return write(content, tmp_path / "mine.toml")


@pytest.fixture
def other_standard(tmp_path: Path) -> Path:
    """An edition file with another content than the standard edition, and the same name."""
    content = standard()
    content["clusters"]["steps"] = 3
    return write(content, tmp_path / "standard.toml")


def test_load_gives_the_standard_edition_or_that_of_a_file(mine: Path) -> None:
    assert load().edition == "standard"
    assert load() is load("nebula", "standard")
    assert load("nebula", mine).edition == load(edition=str(mine)).edition == "mine"


def test_load_refuses_what_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"game: 'nebulla' is not known \(did you mean nebula\?\)"):
        load("nebulla")
    with pytest.raises(EditionError, match=r"edition: cannot read the file '.*none\.toml': No such file"):
        load("nebula", tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("line", "reason"),
    [('game = "chess"', "'chess' is not known"), ("game = 3", "must be the name of a game"), ("", "is missing")],
)
def test_a_file_of_no_game_is_refused(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "other.toml"
    path.write_text(line, encoding="utf-8")
    for call in (partial(load, "nebula", path), partial(Catalogue, [path])):
        with pytest.raises(EditionError) as refusal:
            call()
        assert refusal.value.field == "game"
        assert reason in refusal.value.reason
        assert "other.toml" in refusal.value.reason


def test_a_catalogue_has_the_standard_editions_and_the_files(mine: Path) -> None:
    assert [game.name for game in Catalogue().games] == list(GAMES)
    catalogue = Catalogue([mine])
    assert [game.edition for game in catalogue.games if game.name == "nebula"] == ["standard", "mine"]
    assert catalogue.get("nebula") is load()
    assert catalogue.get("nebula", "mine").edition == "mine"


def test_a_file_stands_in_for_the_standard_edition_of_its_name(other_standard: Path) -> None:
    game = Catalogue([other_standard]).get("nebula")
    assert game.rules.edition_hash != load().rules.edition_hash
    assert len(game.new(2, seed=1).apply(game.new(2, seed=1).legal_moves()[0]).legal_moves()) == 2


def test_two_files_of_one_name_are_refused(mine: Path, tmp_path: Path) -> None:
    with pytest.raises(EditionError, match="edition: a second file has an edition mine of nebula"):
        Catalogue([mine, mine])


def test_a_catalogue_refuses_what_it_has_not(mine: Path) -> None:
    catalogue = Catalogue([mine])
    with pytest.raises(InvalidInput) as refusal:
        catalogue.get("chess")
    assert refusal.value.field == "game"
    with pytest.raises(InvalidInput) as refusal:
        catalogue.get("nebula", "mien")
    assert refusal.value.field == "edition"
    assert "did you mean mine?" in refusal.value.reason


def test_packed_states_find_their_edition(mine: Path, other_standard: Path) -> None:
    catalogue = Catalogue([mine])
    for game in catalogue.games:
        state = game.new(2, seed=1)
        assert catalogue.unpack(state.pack()) == (game, state)
    packed = catalogue.get("nebula", "mine").new(2, seed=1).pack()
    with pytest.raises(StateError, match="edition: 'mine' is not known"):
        Catalogue().unpack(packed)
    packed = load().new(2, seed=1).pack()
    with pytest.raises(StateError, match="edition: the state is of another content of the edition standard"):
        Catalogue([other_standard]).unpack(packed)
