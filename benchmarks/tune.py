"""Tunes parameters of a game's bot `strong`, by matches against it as it is.

    python -m benchmarks.tune --output FILE [--game G] [--players N] [--trials N] [--setups N] [--time S]

Optuna says what to try next; it is the project's extra `tune`. A trial is a match of the arena: `strong` with other
parameters, the challenger, against `strong`, in the same setups as all trials. What the tuner wants is a large share of
the wins. The best of many trials owes some of its share to luck: play its match again with another seed.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from benchmarks.command import GameOption, SetupsOption, VariantOption, as_text, budget, run, variants_of
from nebula_ai.arena import games, results, spread
from nebula_ai.arena.statistics import Estimate, pair_results
from nebula_ai.bench import checksum
from nebula_ai.bots import parse_bot
from nebula_ai.commands.arena import WorkersOption
from nebula_ai.commands.common import Failure, console, print_text
from nebula_ai.commands.states import PlayersOption, chosen_game
from nebula_ai.cores import available_cores
from nebula_ai.search import Limits

BOT = "strong"
SECONDS = 0.05


def suggested(trial: Any) -> str:
    """The parameters that a trial of Optuna's is to try, as in the text of a bot: what is tuned, and where."""
    exploration = trial.suggest_float("exploration", 0.05, 1, log=True)
    playout_turns = trial.suggest_int("playout_turns", 1, 12)
    playout_choices = trial.suggest_int("playout_choices", 1, 8)
    return f"exploration={exploration:.3g},playout_turns={playout_turns},playout_choices={playout_choices}"


def opened(output: Path, name: str, seed: int) -> Any:
    """Optuna's study of this name in a file, which may hold others. Raises Failure."""
    try:
        import optuna
    except ImportError:
        raise Failure("Optuna is not installed: python -m pip install 'nebula-ai[tune]'") from None
    try:
        storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(output)))
        study = optuna.create_study(storage=storage, study_name=name, direction="maximize", load_if_exists=True)
    except OSError as error:
        raise Failure(f"{output}: {error.strerror}") from None
    except ValueError:
        raise Failure(f"{output} is no file of Optuna's studies") from None
    # A sampler keeps nothing: with the same seed it would begin with the same trials again.
    study.sampler = optuna.samplers.TPESampler(seed=seed + len(study.trials))
    return study


def finished(study: Any) -> list[Any]:
    """The trials that were played to their end, best first."""
    trials = [trial for trial in study.trials if trial.value is not None]
    return sorted(trials, key=lambda trial: (-trial.value, trial.number))


def tell(study: Any) -> None:
    """Prints the best bot, and all trials."""
    trials = finished(study)
    table = Table(box=None, pad_edge=False)
    for heading in ("trial", *trials[0].params, "wins", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for trial in trials:
        low, high = trial.user_attrs["low"], trial.user_attrs["high"]
        values = (f"{value:.3g}" for value in trial.params.values())
        table.add_row(str(trial.number), *values, f"{trial.value:.1%}", f"{low:.1%} to {high:.1%}")
    print_text(f"best: {trials[0].user_attrs['bot']}")
    console().print(table)


def main(
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="Where trials are kept; a run goes on from there.")
    ],
    game: GameOption = None,
    players: PlayersOption = None,
    variant: VariantOption = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="How many there are to be in all.")] = 30,
    setups: SetupsOption = 20,
    simulations: Annotated[
        int | None, typer.Option("--simulations", help="Of a decision, instead of a time.", show_default=False)
    ] = None,
    time: Annotated[
        float | None, typer.Option("--time", help="Seconds for a decision.", show_default=str(SECONDS))
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**31, help="Seed of the tuner, the setups and the bots.")
    ] = 1,
    workers: WorkersOption = None,
) -> None:
    """Tune parameters of a game's bot `strong`."""
    made = chosen_game(game, None)
    count = made.players[0] if players is None else players
    as_it_is = parse_bot(made, f"{BOT}:{as_text(budget(time, simulations, Limits(time=SECONDS)))}")

    def against(challenger: str) -> results.Header:
        names = [challenger, as_it_is.name]
        return results.made_header(made, count, variants_of(made, variant), names, seed=seed, setups=setups)

    def share(header: results.Header) -> Estimate:
        cores = min(workers or available_cores(), header.games)
        played = spread.in_processes(partial(games.play, header, None), header.fixtures(), cores)
        (result,) = pair_results(header, [one.record for one in played])
        assert result.share is not None, "there is a setup at least"
        return result.share

    def objective(trial: Any) -> float:
        header = against(f"{as_it_is.name},{suggested(trial)}")
        found = share(header)
        for key, value in (("bot", header.bots[0]), ("low", found.low), ("high", found.high)):
            trial.set_user_attr(key, value)
        return found.mean

    base = against(as_it_is.name)
    games.opened(base, None)
    study = opened(output, f"{made.name} {checksum(repr(base))}", seed)
    study.optimize(objective, n_trials=max(0, trials - len(finished(study))))
    tell(study)


if __name__ == "__main__":
    run(main)
