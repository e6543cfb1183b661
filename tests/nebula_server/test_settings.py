"""Settings: where a value comes from, which source goes first, and what is said of one that is wrong."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import ByteSize

from nebula_ai.cli import app
from nebula_ai.errors import InvalidInput
from nebula_server import command  # noqa: F401  # adds its commands
from nebula_server.server import serve
from nebula_server.settings import CONFIG, Given, Settings, flag, read, variable

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of whoever runs the tests."""
    for name in (*Settings.model_fields, CONFIG):
        monkeypatch.delenv(variable(name), raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with two settings."""
    path = tmp_path / "nebula-ai.toml"
    path.write_text('drain_seconds = 1.5\nlog_format = "json"\n')
    return path


def test_defaults() -> None:
    given = read({})
    assert given == Given(Settings(), {})
    assert {source for _, _, source in given.lines()} == {"default"}
    assert given.settings.address.startswith("127.0.0.1:")


def test_flags_go_before_the_environment_and_that_before_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def drain_seconds(**flags: str) -> tuple[str, str]:
        """Value and source."""
        lines = {name: (value, source) for name, value, source in read(flags).lines()}
        assert flags.get("config") is None or lines["log_format"] == ("json", f"{str(file)!r}: log_format")
        return lines["drain_seconds"]

    assert drain_seconds() == ("10.0", "default")
    assert drain_seconds(config=str(file)) == ("1.5", f"{str(file)!r}: drain_seconds")
    monkeypatch.setenv("NEBULA_AI_DRAIN_SECONDS", "2.5")
    assert drain_seconds(config=str(file)) == ("2.5", "NEBULA_AI_DRAIN_SECONDS")
    assert drain_seconds(config=str(file), drain_seconds="3.5") == ("3.5", "--drain-seconds")


def test_the_environment_may_name_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEBULA_AI_CONFIG", str(file))
    assert read({}).settings.drain_seconds == 1.5


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEBULA_AI_CORES", "")
    assert read({}).settings.cores is None


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("cores", "1", 1),
        ("memory_bytes", "64MiB", ByteSize(64 << 20)),
        ("insecure", "true", True),
        ("editions", f"a.toml{os.pathsep}b.toml", (Path("a.toml"), Path("b.toml"))),
        ("tokens", "tokens.toml", Path("tokens.toml")),
    ],
)
def test_values_of_the_environment(name: str, text: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable(name), text)
    assert getattr(read({}).settings, name) == value


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("cores", "0", "must be greater than or equal to 1, not '0'"),
        ("cores", "many", "must be a valid integer"),
        ("cores", "100000", r"must be at most \d+, the cores that this process may use, not '100000'"),
        ("drain_seconds", "-1", "must be greater than or equal to 0"),
        ("drain_seconds", "nan", "must be less than or equal to 3600"),
        ("drain_seconds", "inf", "must be less than or equal to 3600"),
        ("log_format", "xml", "must be 'console' or 'json', not 'xml'"),
        ("memory_bytes", "much", "could not parse value and unit"),
        ("searches_per_client", "0", "must be greater than or equal to 1"),
        ("insecure", "perhaps", "must be a valid boolean"),
    ],
)
def test_a_wrong_value_is_said_of_its_source(
    name: str, value: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(source: str, flags: dict[str, Any]) -> None:
        with pytest.raises(InvalidInput, match=f": {reason}") as error:
            read(flags)
        assert error.value.field == source

    refused(flag(name), {name: value})
    path = tmp_path / "wrong.toml"
    path.write_text(f'{name} = "{value}"\n')
    refused(f"{str(path)!r}: {name}", {"config": str(path)})
    monkeypatch.setenv(variable(name), value)
    refused(variable(name), {})


def test_an_unknown_key_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("corse = 2\n")
    with pytest.raises(InvalidInput, match=r"wrong\.toml': the setting 'corse' is not known \(did you mean cores\?\)"):
        read({"config": str(path)})


def test_an_unknown_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEBULA_AI_CORSE", "2")
    with pytest.raises(InvalidInput, match=r"NEBULA_AI_CORSE: the setting 'CORSE' is not known \(did you mean cores\?"):
        read({})


@pytest.mark.parametrize("name", ["SERVICE_HOST", "SERVICE_PORT_GRPC", "PORT", "PORT_50051_TCP_ADDR"])
def test_variables_of_kubernetes_are_no_settings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come by themselves where a service is called nebula-ai."""
    monkeypatch.setenv(f"NEBULA_AI_{name}", "10.0.0.1")
    read({})
    monkeypatch.setenv(f"NEBULA_AI_X{name}", "10.0.0.1")
    with pytest.raises(InvalidInput, match=f"NEBULA_AI_X{name}"):
        read({})


@pytest.mark.parametrize("content", [b"cores = \n", b"\xff"])
def test_a_file_that_is_no_toml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wrong.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"wrong\.toml': is no TOML: "):
        read({"config": str(path)})


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"address": "127.0.0.1:x"}, "--address: must be HOST:PORT"),
        ({"address": "0.0.0.0:0"}, "--address: '0.0.0.0:0' is not known to be reached by this machine only"),
        ({"metrics_address": "here"}, "--metrics-address: must be HOST:PORT or PORT, not 'here'"),
        ({"metrics_address": "127.0.0.1:99999"}, "--metrics-address: must be HOST:PORT or PORT"),
        ({"metrics_address": "192.0.2.1:0"}, "--metrics-address: cannot listen at '192.0.2.1:0': "),
        ({"tls_key": "key.pem"}, "tls_certificate: is missing: a key needs"),
        ({"tls_certificate": "chain.pem"}, "tls_key: is missing: a certificate needs"),
        ({"tls_client_ca": "ca.pem"}, "tls_certificate: is missing: only with TLS"),
        ({"tls_key": "key.pem", "tls_certificate": "no.pem"}, "--tls-certificate: cannot read the file 'no.pem'"),
        ({"tokens": "no.toml"}, "--tokens: cannot read the file 'no.toml'"),
        ({"memory_bytes": "1"}, "--memory-bytes: must be at least"),
    ],
)
def test_what_the_server_cannot_use_is_said_of_its_source(flags: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        serve(read({"address": "127.0.0.1:0"} | flags))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--cores", "0"], "error: --cores: must be greater than or equal to 1, not '0'"),
        (["--config", "no-such-file.toml"], "error: no-such-file.toml: No such file or directory"),
    ],
)
def test_the_command_says_in_one_line_what_is_wrong(arguments: list[str], line: str) -> None:
    program = "from nebula_server.command import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program, "serve", *arguments], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (2, line + "\n")


def test_every_setting_has_its_flag() -> None:
    serve = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]  # it is a group
    flags = {option.name: option.opts for option in serve.params}
    assert flags == {name: [flag(name)] for name in (CONFIG, *Settings.model_fields)}


def test_the_page_has_every_setting_as_it_is() -> None:
    """The table of docs/operations.md says what the class says, in its order."""
    (section,) = re.findall(r"^## Settings\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", section, re.MULTILINE)
    expected = [
        (name, default_of(name), " ".join((field.description or "").split()))
        for name, field in Settings.model_fields.items()
    ]
    assert rows == expected


def test_the_example_of_a_file_is_one() -> None:
    """Also what it has as comments."""
    path = ROOT / "deploy" / "nebula-ai.toml"
    assert read({CONFIG: str(path)}).settings.log_format == "json"
    commented = re.findall(r"^#(\w+) = ", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(commented) <= Settings.model_fields.keys()


def default_of(name: str) -> str:
    """How the page shows a default."""
    value = Settings.model_fields[name].default
    return "" if value in (None, ()) else f"`{str(value).lower() if isinstance(value, bool) else value}`"
