"""Commands that ask a bot: move, play."""

import io
import sys
from typing import Annotated

import typer

from nebula_ai import answer as answers
from nebula_ai import play as plays
from nebula_ai.bots import BOTS, DEFAULT_BOT, chosen
from nebula_ai.commands.common import (
    EditionOption,
    Failure,
    JsonOption,
    StateArgument,
    console,
    print_json,
    print_text,
    random_seed,
    read,
    waits_for,
)
from nebula_ai.commands.states import GameArgument, PlayersOption, VariantOption, chosen_game
from nebula_ai.errors import InvalidInput
from nebula_ai.game import seat_list
from nebula_ai.search import Limits

BotOption = Annotated[str | None, typer.Option("--bot", help=f"A bot: {', '.join(BOTS)}.", show_default=DEFAULT_BOT)]
TimeOption = Annotated[
    float | None, typer.Option("--time", metavar="SECONDS", help="Search so long at most.", show_default=False)
]
SimulationsOption = Annotated[
    int | None, typer.Option("--simulations", help="Search with so many simulations at most.", show_default=False)
]
NodesOption = Annotated[
    int | None, typer.Option("--nodes", help="Search with so many nodes at most.", show_default=False)
]
WorkersOption = Annotated[int, typer.Option("--workers", help="How many cores search.")]


def move(
    state: StateArgument,
    bot: BotOption = None,
    time: TimeOption = None,
    simulations: SimulationsOption = None,
    nodes: NodesOption = None,
    decided: Annotated[
        bool, typer.Option("--decided/--no-decided", help="End when the rest cannot change the move (one worker only).")
    ] = True,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the search.")] = 0,
    workers: WorkersOption = 1,
    server: Annotated[
        str | None,
        typer.Option(
            "--server", metavar="HOST:PORT", help="Ask this server instead of searching here.", show_default=False
        ),
    ] = None,
    edition: EditionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a bot for the move of the seat that has to decide.

    Either a bot is asked by name, with its own limits, or with --time,
    --simulations or --nodes (or several: the first to fire) the plain search.
    The bot uses nothing that its seat cannot see. Equal state, seed,
    simulations and workers: equal answer. What one worker answered can be had
    again, whatever ended it, with the simulations it did and --no-decided.

    Values, win shares and points in the table are those of the seat that
    decides.

    Examples:

      nebula-ai move "$STATE"
      nebula-ai move "$STATE" --time 2.5 --workers 2
      nebula-ai move game.json --simulations 5000 --seed 7 --json
      nebula-ai move game.json --simulations 3214 --seed 7 --no-decided
      nebula-ai move "$STATE" --server localhost:50051
    """
    game, position = read(state, edition)
    if position.chance_pending:
        raise Failure(
            f"{waits_for(game, position)}: say with `nebula-ai apply STATE OUTCOME` how it came out,"
            " or draw it with `nebula-ai apply STATE --seed N`"
        )
    limits = given_limits(bot, time, simulations, nodes, decided)
    if server is not None:
        # The client's library takes longer to load than most commands run.
        from nebula_ai.remote import RemoteError, ask

        try:
            answer = ask(server, position, bot=bot, limits=limits, decided=decided, seed=seed, workers=workers)
        except RemoteError as error:
            raise Failure(str(error)) from None
    else:
        result = chosen(bot, limits, decided).move(position, seed=seed, workers=workers)
        answer = answers.from_result(game, position, result)
    if as_json:
        print_json(answer)
    else:
        out = console()
        out.print(answers.headline(answer), soft_wrap=True)
        out.print()
        out.print(answers.table(answer))


def play(
    game: GameArgument = None,
    players: PlayersOption = None,
    variant: VariantOption = None,
    seat: Annotated[
        list[int] | None, typer.Option("--seat", help="A seat that you play; give it again for more.", show_default="0")
    ] = None,
    bot: BotOption = None,
    time: TimeOption = None,
    simulations: SimulationsOption = None,
    edition: EditionOption = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of chance and of the bots.", show_default="random")
    ] = None,
) -> None:
    """Play against bots in the terminal.

    You choose moves by their number or by their text. You see what your seats
    see: the cards of the bots stay hidden, and they do not see yours.

    Examples:

      nebula-ai play
      nebula-ai play --players 4 --seat 0 --seat 2 --time 1
    """
    made = chosen_game(game, edition)
    players = made.players[0] if players is None else players
    seed = random_seed() if seed is None else seed
    state = made.new(players, variant, seed=seed)
    people = sorted(set(seat or [0]))
    for number in people:
        if not 0 <= number < players:
            raise InvalidInput("seat", f"there are seats 0 to {players - 1}, not {number}")
    opponent = chosen(bot, given_limits(bot, time, simulations))
    others = [number for number in range(players) if number not in people]
    if isinstance(sys.stdin, io.TextIOWrapper):
        # What is no text is no move, and nothing worse.
        sys.stdin.reconfigure(errors="backslashreplace")
    out = console()
    out.print(f"{made.title}, {made.variant(state)}, {players} players, seed {seed}.")
    out.print(f"You have {seat_list(people)}" + (f", the bot {seat_list(others)}. " if others else ". ") + plays.HELP)
    plays.play(
        plays.Session(
            game=made,
            people=people,
            bot=lambda position, number: opponent.move(position, seed=number).move,
            seed=seed,
            read=read_line,
            console=out,
        ),
        state,
    )


def given_limits(
    bot: str | None, time: float | None, simulations: int | None, nodes: int | None = None, decided: bool = True
) -> Limits | None:
    """The limits that the options give, if any. Raises LimitError, and InvalidInput for a bot together with limits."""
    if decided and time is None and simulations is None and nodes is None:
        return None
    if bot is not None:
        raise InvalidInput("bot", "has limits of its own: give either --bot, or limits such as --time")
    return Limits(time=time, simulations=simulations, nodes=nodes)


def read_line(prompt: str) -> str | None:
    """A line of the person's input; None after the last.

    What comes from no terminal is repeated, so that the output can be read.
    """
    try:
        line = input(prompt)
    except EOFError:
        print_text("")
        return None
    if not sys.stdin.isatty():
        print_text(line)
    return line
