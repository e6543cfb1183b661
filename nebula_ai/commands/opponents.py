"""Commands about bots: bots lists them; move and play ask one."""

import io
import sys
from typing import Annotated, TypedDict

import typer
from rich.table import Table

from nebula_ai import answer as answers
from nebula_ai import play as plays
from nebula_ai.bots import DEFAULT_BOT, Bot, SearchBot, bots_of, chosen, parse_bot
from nebula_ai.calibration import Calibration, calibration_of
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
from nebula_ai.game import Game, seat_list
from nebula_ai.registry import load
from nebula_ai.search import Limits

BotOption = Annotated[
    str | None,
    typer.Option("--bot", help="A bot, as `nebula-ai bots` lists them, or NAME:KEY=VALUE,…", show_default=DEFAULT_BOT),
]
TimeOption = Annotated[
    float | None,
    typer.Option("--time", metavar="SECONDS", help=f"Let {DEFAULT_BOT} search so long at most.", show_default=False),
]
SimulationsOption = Annotated[
    int | None,
    typer.Option("--simulations", help=f"Let {DEFAULT_BOT} do so many simulations at most.", show_default=False),
]
NodesOption = Annotated[
    int | None, typer.Option("--nodes", help=f"Let {DEFAULT_BOT} take so many nodes at most.", show_default=False)
]
WorkersOption = Annotated[int, typer.Option("--workers", help="How many cores search.")]


class LimitsAnswer(TypedDict):
    """What a search of a bot may cost at most."""

    time: float | None
    simulations: int | None
    nodes: int | None


class RatingAnswer(TypedDict):
    """How strong a bot was found to be; in Elo points, and milliseconds a decision."""

    rating: float
    low: float
    high: float
    games: int
    milliseconds: float
    engine_version: str


class BotAnswer(TypedDict):
    """A bot of a game."""

    bot: str
    description: str
    limits: LimitsAnswer | None
    rating: RatingAnswer | None


def bots(game: GameArgument = None, as_json: JsonOption = False) -> None:
    """List the bots of a game.

    First those that every game has, weakest first, then the game's own: its
    strongest preset, and its levels for people.

    A rating is in Elo points above the bot random, with its 95 % interval; the
    time is what a decision typically takes on one core. Both were measured with
    the standard edition.

    Wherever a bot is asked for, its limits and the parameters of its search can
    be changed: strong:time=0.5 or plain:simulations=200,exploration=0.3.

    Examples:

      nebula-ai bots
      nebula-ai bots via_nebula --json
    """
    made = load(game)
    calibration = calibration_of(type(made))
    answers = [bot_answer(bot, calibration) for bot in bots_of(made).values()]
    if as_json:
        print_json(answers)
    else:
        console().print(bot_table(answers, calibration))


def bot_answer(bot: Bot, calibration: Calibration | None) -> BotAnswer:
    """A bot, and its rating if it has one."""
    limits = bot.limits if isinstance(bot, SearchBot) else None
    strength = calibration.bots.get(bot.name) if calibration else None
    return BotAnswer(
        bot=bot.name,
        description=bot.description,
        limits=LimitsAnswer(time=limits.time, simulations=limits.simulations, nodes=limits.nodes) if limits else None,
        rating=RatingAnswer(
            rating=strength.rating,
            low=strength.low,
            high=strength.high,
            games=strength.games,
            milliseconds=strength.milliseconds,
            engine_version=calibration.engine_version,
        )
        if strength and calibration
        else None,
    )


def bot_table(bots: list[BotAnswer], calibration: Calibration | None) -> Table:
    """Bots in rows; without columns for ratings if there are none."""
    rows = Table(box=None, pad_edge=False)
    rows.add_column("bot", no_wrap=True)
    if calibration:
        rows.add_column("rating", justify="right", no_wrap=True)
        rows.add_column("95 %", no_wrap=True)
        rows.add_column("games", justify="right", no_wrap=True)
        rows.add_column("time", justify="right", no_wrap=True)
        rows.caption = f"rated with version {calibration.engine_version}"
        rows.caption_justify = "left"
    rows.add_column("simulations", justify="right", no_wrap=True)
    rows.add_column("")
    for bot in bots:
        rating = bot["rating"]
        cells = ("-",) * 4
        if rating:
            interval = f"{rating['low']:.0f} to {rating['high']:.0f}"
            cells = (f"{rating['rating']:.0f}", interval, f"{rating['games']:,}", f"{rating['milliseconds']:,.1f} ms")
        simulations = bot["limits"] and bot["limits"]["simulations"]
        rows.add_row(
            bot["bot"],
            *(cells if calibration else ()),
            f"{simulations:,}" if simulations else "-",
            bot["description"],
        )
    return rows


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
            "--server",
            metavar="HOST:PORT",
            help="Ask this server (without TLS) instead of searching here.",
            show_default=False,
        ),
    ] = None,
    edition: EditionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a bot for the move of the seat that has to decide.

    A bot is asked by its name; without one it is strong, the game's best. Each
    has limits of its own. In place of those of strong there may be --time,
    --simulations or --nodes (or several: the first to fire); any bot's limits
    and parameters can be changed as in plain:time=0.5. The bot uses nothing
    that its seat cannot see. Equal state, seed, simulations and workers: equal
    answer. What one worker of strong answered can be had again, whatever ended
    it, with the simulations it did and --no-decided.

    All figures in the table are those of the seat that decides: its share of
    the win and its final points; or where playouts are cut off some turns
    later, as those of strong are, how often it leads then and its points then.

    Examples:

      nebula-ai move "$STATE"
      nebula-ai move "$STATE" --bot skilled
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
        from nebula_ai.commands.remote import RemoteError, ask

        try:
            answer = ask(server, position, bot=bot, limits=limits, decided=decided, seed=seed, workers=workers)
        except RemoteError as error:
            raise Failure(str(error)) from None
    else:
        decision = asked(game, bot, limits, decided).move(position, seed=seed, workers=workers)
        answer = answers.from_decision(game, position, decision)
    if as_json:
        print_json(answer)
    else:
        out = console()
        out.print(answers.headline(answer), soft_wrap=True)
        if answers.searched(answer):
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
    see: the cards of the bots stay hidden, and they do not see yours. Without
    --bot you play against strong, the game's best.

    Examples:

      nebula-ai play
      nebula-ai play via_nebula --bot novice
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
    opponent = asked(made, bot, given_limits(bot, time, simulations))
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


def asked(game: Game, bot: str | None, limits: Limits | None, decided: bool = True) -> Bot:
    """The bot of the option --bot, or the default one with these limits, if there are any. Raises InvalidInput."""
    return chosen(game, None, limits, decided) if bot is None else parse_bot(game, bot)


def given_limits(
    bot: str | None, time: float | None, simulations: int | None, nodes: int | None = None, decided: bool = True
) -> Limits | None:
    """The limits that the options give, if any. Raises LimitError, and InvalidInput for a bot together with limits."""
    if decided and time is None and simulations is None and nodes is None:
        return None
    if bot is not None:
        raise InvalidInput(
            "bot",
            "has limits of its own: give others with its name, as in --bot strong:time=0.2, or limits without a bot",
        )
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
