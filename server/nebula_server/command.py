"""The command `nebula-ai` with `serve` among its commands: the library's command knows nothing of the service."""

import os
from typing import Annotated

import typer

from nebula_ai.cli import app
from nebula_ai.commands.common import note, print_text


@app.command()
def serve(
    config: Annotated[
        str | None, typer.Option("--config", metavar="FILE", help="TOML file with settings.", show_default=False)
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            help="Where to listen; port 0 takes a free one.",
            show_default="127.0.0.1:50051",
        ),
    ] = None,
    editions: Annotated[
        list[str] | None,
        typer.Option(
            "--edition",
            metavar="FILE",
            help="An edition file to offer as well; give it again for more.",
            show_default=False,
        ),
    ] = None,
    cores: Annotated[
        str | None,
        typer.Option("--cores", metavar="N", help="How many cores may search at once.", show_default="all"),
    ] = None,
    memory_bytes: Annotated[
        str | None,
        typer.Option(
            "--memory-bytes",
            metavar="SIZE",
            help="What the trees of all searches may take together.",
            show_default="256MiB for each core",
        ),
    ] = None,
    searches_per_client: Annotated[
        str | None,
        typer.Option(
            "--searches-per-client",
            metavar="N",
            help="How many searches of one client may run at once.",
            show_default="the number of cores",
        ),
    ] = None,
    drain_seconds: Annotated[
        str | None,
        typer.Option(
            "--drain-seconds",
            metavar="SECONDS",
            help="How long running calls may go on after SIGTERM.",
            show_default="10",
        ),
    ] = None,
    log_format: Annotated[
        str | None,
        typer.Option("--log-format", metavar="console|json", help="How the log is written.", show_default="console"),
    ] = None,
    metrics_address: Annotated[
        str | None,
        typer.Option(
            "--metrics-address", metavar="[HOST:]PORT", help="Where Prometheus may ask.", show_default="nowhere"
        ),
    ] = None,
    tls_certificate: Annotated[
        str | None,
        typer.Option("--tls-certificate", metavar="FILE", help="Certificate chain, PEM.", show_default="no TLS"),
    ] = None,
    tls_key: Annotated[
        str | None, typer.Option("--tls-key", metavar="FILE", help="Key of the certificate, PEM.", show_default=False)
    ] = None,
    tls_client_ca: Annotated[
        str | None,
        typer.Option(
            "--tls-client-ca",
            metavar="FILE",
            help="Authorities whose clients are let in, PEM.",
            show_default="clients need no certificate",
        ),
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option(
            "--tokens", metavar="FILE", help="Clients, their tokens and quotas, TOML.", show_default="no tokens needed"
        ),
    ] = None,
    insecure: Annotated[
        bool | None, typer.Option("--insecure", help="Listen to other machines without TLS.", show_default=False)
    ] = None,
) -> None:
    """Serve games and moves over gRPC until Ctrl-C.

    Requests name an edition file by the name that stands in it. A setting
    that no flag gives is looked for in the environment, --cores as
    NEBULA_AI_CORES, and then in the file of --config, as cores.

    Examples:

      nebula-ai serve

      nebula-ai serve --address 127.0.0.1:50052 --edition house.toml

      NEBULA_AI_LOG_FORMAT=json nebula-ai serve --config nebula-ai.toml
    """
    flags = {name: value for name, value in locals().items() if value not in (None, [])}
    # gRPC logs to standard error by itself, also what becomes an error of ours. It looks at this when it is loaded.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # They take longer to load than most commands run.
    from nebula_server import logs, server, settings

    given = settings.read(flags)
    with logs.configured(given.settings.log_format):
        server.serve(given)


@app.command()
def token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the client is called in logs and quotas.")],
) -> None:
    """Make a token for a client of the service, and its entry for the file of tokens.

    The token goes to standard error and is kept nowhere; the entry, which
    only has its hash, goes to standard output.

    Example:

      nebula-ai token web-page >> tokens.toml
    """
    from nebula_server import security

    made = security.new_token()
    entry = security.client_entry(name, made)
    note(f"the token of {name}: {made}")
    print_text(entry.rstrip("\n"))


def main() -> None:
    """Runs the command that the command line names."""
    app()
