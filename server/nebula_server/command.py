"""The command `nebula-ai` with `serve` among its commands: the library's command knows nothing of the service."""

import logging
import os
from pathlib import Path
from typing import Annotated

import typer

from nebula_ai.cli import app


@app.command()
def serve(
    address: Annotated[
        str, typer.Option("--address", metavar="HOST:PORT", help="Where to listen; port 0 takes a free one.")
    ] = "127.0.0.1:50051",
    edition: Annotated[
        list[Path] | None,
        typer.Option(
            "--edition",
            metavar="FILE",
            help="An edition file to offer as well; give it again for more.",
            show_default=False,
        ),
    ] = None,
    cores: Annotated[
        int | None,
        typer.Option("--cores", help="How many cores may search at once.", show_default="all"),
    ] = None,
) -> None:
    """Serve games and moves over gRPC until Ctrl-C.

    Requests name an edition file by the name that stands in it.

    Examples:

      nebula-ai serve

      nebula-ai serve --address 127.0.0.1:50052 --edition house.toml
    """
    # gRPC logs to standard error by itself, also what becomes an error of ours. It looks at this when it is loaded.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # It takes longer to load than most commands run.
    from nebula_server import server

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    server.serve(address, edition or [], cores)


def main() -> None:
    """Runs the command that the command line names."""
    app()
