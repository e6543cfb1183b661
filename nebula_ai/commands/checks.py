"""Commands that check and measure the core: replay, bench, perft."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from nebula_ai import bench as benches
from nebula_ai import replay as replays
from nebula_ai.commands.common import (
    EditionOption,
    JsonOption,
    StateArgument,
    catalogue,
    complain,
    console,
    print_json,
    print_text,
    read,
)
from nebula_ai.json_lines import LineError
from nebula_core.search.tree import NODE_BYTES


def replay(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Recorded games.", show_default=False)],
    edition: EditionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play recorded games through the core and compare everything.

    Compared are the legal moves at every decision, the snapshots of the table
    and the final scores. Of each file the first difference is printed with its
    line. Exit status: 0 if everything agrees, 1 if something differs, 2 if a
    file is not readable.

    Example:

      nebula-ai replay games/*.jsonl
    """
    known = catalogue(edition)
    tally = replays.Tally()
    problems: list[dict[str, object]] = []
    for path in files:
        try:
            with path.open("rb") as file:
                tally += replays.replay(file, known)
        except LineError as error:
            kind = "difference" if isinstance(error, replays.Difference) else "unreadable"
            problems.append({"file": str(path), "line": error.line, "kind": kind, "reason": error.reason})
            if not as_json:
                say = print_text if kind == "difference" else complain
                say(f"{path}:{error.line}: {error.reason}")
        except OSError as error:
            problems.append({"file": str(path), "line": None, "kind": "unreadable", "reason": error.strerror})
            if not as_json:
                complain(f"{path}: {error.strerror}")
    if as_json:
        counted = {name: getattr(tally, name) for name in ("games", "decisions", "chances", "snapshots")}
        print_json({"agree": not problems, **counted, "problems": problems})
    elif not problems:
        print_text(f"{tally}: all agree")
    if problems:
        raise typer.Exit(2 if any(problem["kind"] == "unreadable" for problem in problems) else 1)


def bench(as_json: JsonOption = False) -> None:
    """Search fixed positions: how fast, and with what signature.

    The signature is a checksum over all that the searches found. It changes
    when, and only when, the behaviour of rules, random numbers or search does.

    Example:

      nebula-ai bench --json
    """
    measurements = [benches.measure(position) for position in benches.positions(catalogue(None).games)]
    total = benches.total(measurements)
    recorded = benches.recorded_signature()
    if as_json:
        print_json(
            {
                **measured(total),
                "recorded_signature": recorded,
                "positions": [measured(measurement) for measurement in measurements],
            }
        )
        return
    rows = Table(box=None, pad_edge=False)
    rows.add_column("position", no_wrap=True)
    for heading in ("simulations/s", "plies/s", "nodes", "bytes/node"):
        rows.add_column(heading, justify="right", no_wrap=True)
    for measurement in (*measurements, total):
        rows.add_row(
            measurement.position,
            f"{measurement.simulations / measurement.seconds:,.0f}",
            f"{measurement.plies / measurement.seconds:,.0f}",
            f"{measurement.nodes:,}",
            str(NODE_BYTES),
        )
    console().print(rows)
    agrees = "as recorded" if total.signature == recorded else f"recorded is {recorded}: the behaviour has changed"
    print_text(f"signature {total.signature} ({agrees})")


def measured(measurement: benches.Measurement) -> dict[str, object]:
    """A measurement as JSON values."""
    return {
        "position": measurement.position,
        "signature": measurement.signature,
        "simulations": measurement.simulations,
        "simulations_per_second": measurement.simulations / measurement.seconds,
        "plies": measurement.plies,
        "plies_per_second": measurement.plies / measurement.seconds,
        "nodes": measurement.nodes,
        "bytes_per_node": NODE_BYTES,
        "seconds": measurement.seconds,
    }


def perft(
    state: StateArgument,
    depth: Annotated[int, typer.Option("--depth", help="Number of decisions, 0 to 16.")] = 1,
    edition: EditionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the ways to make some decisions.

    Every outcome of chance counts as a way of its own. Two implementations of
    the rules that agree on these numbers agree on their moves. Each further
    decision takes about as many times longer as there are moves.

    Example:

      nebula-ai perft "$STATE" --depth 3
    """
    _, position = read(state, edition)
    ways = position.perft(depth)
    if as_json:
        print_json({"depth": depth, "ways": ways})
    else:
        print_text(str(ways))
