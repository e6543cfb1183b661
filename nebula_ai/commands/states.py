"""Commands about one state: new, show, observe, moves, apply."""

from pathlib import Path
from typing import Annotated, Any

import typer

from nebula_ai.chance import settle
from nebula_ai.commands.common import (
    EditionOption,
    Failure,
    JsonOption,
    StateArgument,
    console,
    note,
    print_json,
    print_state,
    print_text,
    random_seed,
    read,
    waits_for,
)
from nebula_ai.game import Game
from nebula_ai.registry import GAMES, from_file, load
from nebula_core.face import State

GameArgument = Annotated[
    str | None, typer.Argument(metavar="GAME", help=f"One of: {', '.join(GAMES)}.", show_default=next(iter(GAMES)))
]
PlayersOption = Annotated[
    int | None, typer.Option("--players", help="Number of players.", show_default="as few as the game allows")
]
VariantOption = Annotated[
    str | None, typer.Option("--variant", help="A variant of the game.", show_default="its first")
]
SeatOption = Annotated[
    int | None,
    typer.Option("--seat", help="Only what this seat sees, from 0; the rest is unknown.", show_default=False),
]


def chosen_game(name: str | None, edition: Path | None) -> Game:
    """The game of a name, or of an edition file, or the first of all. Raises InvalidInput, EditionError."""
    if edition is None:
        return load(name)
    return load(name, edition) if name else from_file(edition)


def new(
    game: GameArgument = None,
    players: PlayersOption = None,
    variant: VariantOption = None,
    edition: EditionOption = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Draw the setup from this seed.", show_default="random")
    ] = None,
    pending: Annotated[
        bool, typer.Option("--pending", help="Draw nothing: with real pieces, report each draw with apply.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the state of a new game.

    The state comes in its text form, on one line, or as readable JSON; every
    command takes either one.

    Examples:

      nebula-ai new --players 3 --seed 1
      nebula-ai new nebula --variant basic --json > game.json
      nebula-ai new via_nebula --variant expert --players 4
      STATE=$(nebula-ai new --pending)
    """
    if pending and seed is not None:
        raise Failure("--pending draws nothing: it cannot be combined with --seed")
    made = chosen_game(game, edition)
    players = made.players[0] if players is None else players
    if pending:
        state = made.start(players, variant)
    else:
        state = made.new(players, variant, seed=random_seed() if seed is None else seed)
    print_state(made, state, as_json)


def show(
    state: StateArgument, seat: SeatOption = None, edition: EditionOption = None, as_json: JsonOption = False
) -> None:
    """Show the boards of a state, and what it waits for.

    On a terminal they are coloured, unless NO_COLOR is set.

    Examples:

      nebula-ai show "$STATE"
      nebula-ai show game.json --seat 1
      nebula-ai new --seed 1 | nebula-ai show - --json
    """
    game, position = read(state, edition)
    if seat is not None:
        position = position.observe(seat)
    if as_json:
        print_json(game.to_json(position))
    else:
        out = console()
        out.print(game.draw(position))
        out.print()
        out.print(game.draw_layout())


def observe(
    state: StateArgument,
    seat: Annotated[int, typer.Argument(metavar="SEAT", help="Whose view, from 0.", show_default=False)],
    edition: EditionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print what one seat sees of a state.

    Everything hidden from it becomes unknown. A bot gets to see no more.

    Example:

      nebula-ai observe "$STATE" 1
    """
    game, position = read(state, edition)
    print_state(game, position.observe(seat), as_json)


def moves(state: StateArgument, edition: EditionOption = None, as_json: JsonOption = False) -> None:
    """List what apply takes: legal moves, or outcomes of chance.

    One a line, in the order of their numbers, and nothing else. Outcomes are
    those of the pending chance event; what it is for is said on standard error.
    A card that nobody tells comes last, as unknown.

    The JSON has also the probabilities of outcomes, and what moves bring as far
    as their text does not say it: the pieces that figures would reach.

    Examples:

      nebula-ai moves "$STATE"
      nebula-ai moves game.json --json
    """
    game, position = read(state, edition)
    listed = list_outcomes(game, position) if position.chance_pending else list_moves(game, position)
    if as_json:
        print_json(listed)
        return
    if position.chance_pending:
        note(waits_for(game, position))
    for item in (*listed.get("moves", ()), *listed.get("outcomes", ())):
        print_text(item["text"])
    if unknown := listed.get("unknown"):
        print_text(unknown["text"])


def list_moves(game: Game, state: State) -> dict[str, Any]:
    """The legal moves as JSON values. Raises GameFinished."""
    moves = [
        {"text": game.format_move(state, move), "number": move, "description": game.describe_move(state, move)}
        for move in state.legal_moves()
    ]
    return {"waits_for": "move", "seat": state.seat, "moves": moves}


def list_outcomes(game: Game, state: State) -> dict[str, Any]:
    """The outcomes of the pending chance event as JSON values; `unknown` is the one of a card that nobody tells."""
    chances = state.chances()
    total = sum(weight for _, weight in chances)
    outcomes = [
        {"text": game.format_chance(state, outcome), "number": outcome, "probability": weight / total}
        for outcome, weight in chances
    ]
    unknown = game.unknown_outcome(state)
    return {
        "waits_for": "chance",
        "target": game.chance_target(state),
        "outcomes": outcomes,
        "unknown": None if unknown is None else {"text": game.format_chance(state, unknown), "number": unknown},
    }


def apply(
    state: StateArgument,
    move: Annotated[
        list[str] | None,
        typer.Argument(metavar="MOVE", help="A legal move, or how the pending chance event came out."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Draw the chance events that follow from this seed.", show_default=False),
    ] = None,
    edition: EditionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the state after a move or a chance event.

    A move and the outcome of a chance event have the texts that `moves` lists.
    Chance events that follow are left pending, to be reported with apply one by
    one; with --seed they are drawn, and named on standard error, each with what
    it was for. The draws depend on the state too: one seed serves a whole game.
    Without MOVE only the pending chance events are drawn.

    Examples:

      nebula-ai apply "$STATE" invest 3 2 0
      nebula-ai apply "$STATE" piece red
      nebula-ai apply "$STATE" personal unknown
      nebula-ai apply "$STATE" --seed 7
      nebula-ai apply game.json choose S04 --seed 7 --json
    """
    game, position = read(state, edition)
    text = " ".join(move or [])
    if text and position.chance_pending:
        position = position.resolve(game.parse_chance(position, text))
    elif text:
        position = position.apply(game.parse_move(position, text))
    elif seed is None or not position.chance_pending:
        raise Failure(f"MOVE is missing: {waits_for(game, position)}")
    if seed is not None:
        position = draw_chance(game, position, seed)
    print_state(game, position, as_json)


def draw_chance(game: Game, state: State, seed: int) -> State:
    """The state after all pending chance events, drawn from `seed`; each is named on standard error."""
    settled, outcomes = settle(state, seed)
    for outcome in outcomes:
        note(f"chance: {game.format_chance(state, outcome)} ({game.chance_target(state)})")
        state = state.resolve(outcome)
    return settled
