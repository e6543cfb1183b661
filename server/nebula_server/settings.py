"""What the service can be told, and where it was told so: by a flag, else the environment, else a file, else nowhere.

Knows the names and ranges of all settings, and no more of what they do. None of them is a secret: keys and tokens stand
in files of their own, whose paths are settings.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ByteSize, Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from nebula_ai.cores import available_cores
from nebula_ai.errors import InvalidInput, shown, shown_path, unknown_word

PREFIX = "NEBULA_AI_"
"""Of every variable of the environment that is a setting."""

OF_KUBERNETES = re.compile(f"{PREFIX}(SERVICE|PORT)(_|$)")
"""Variables that nobody wrote: Kubernetes tells all containers of a service called nebula-ai by them."""

CONFIG = "config"
"""What names the file: a flag and a variable like those of the settings."""

SPECIAL_FLAGS = {"editions": "--edition"}
"""The flag of a list takes one value, and is given again for the next."""


class Settings(BaseSettings):
    """All settings. Their docstrings are what docs/operations.md says of them."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )

    address: str = "127.0.0.1:50051"
    """Where to listen: `HOST:PORT`, where port 0 takes a free one, or `unix:PATH`, a socket that only its own user can
    connect to. Any other host than loopback needs TLS or `insecure`."""
    editions: Annotated[tuple[Path, ...], NoDecode] = ()
    """Edition files to offer beside the standard ones; in the environment separated like a `PATH`."""
    cores: int | None = Field(default=None, ge=1)
    """How many cores may search at once; all that the process may use if it is not set, in a container by its quota of
    processor time."""
    memory_bytes: ByteSize | None = None
    """What the trees of all searches may take together, such as `512MiB`; 256 MiB for each core if it is not set. The
    process itself takes about 100 MiB more."""
    searches_per_client: int | None = Field(default=None, ge=1)
    """How many searches of one client may run at once; as many as there are cores if it is not set. Without tokens a
    client is whoever asks from one address."""
    drain_seconds: float = Field(default=10.0, ge=0, le=3600)
    """How long running calls may go on when the service is told to stop; then searches are cut short, and answer."""
    log_format: Literal["console", "json"] = "console"
    """How the log is written: for people, or one JSON object a line."""
    metrics_address: str | None = None
    """Where Prometheus may ask, `HOST:PORT`, or only the port for loopback. No metrics are served if it is not set."""
    tls_certificate: Path | None = None
    """PEM file with the server's certificate and those between it and its authority. TLS is off if it is not set."""
    tls_key: Path | None = None
    """PEM file with the key of the certificate."""
    tls_client_ca: Path | None = None
    """PEM file with the authorities whose clients are let in; clients need no certificate if it is not set."""
    tokens: Path | None = None
    """TOML file with the clients, their hashed tokens and quotas; nobody needs a token if it is not set."""
    insecure: bool = False
    """Whether to listen to other machines without TLS: only behind something that does it, such as a proxy."""

    @field_validator("editions", mode="before")
    @classmethod
    def split(cls, value: Any) -> Any:
        """A list of files, from the one line that a variable of the environment is."""
        return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value

    @field_validator("cores")
    @classmethod
    def usable(cls, value: int | None) -> int | None:
        """No more cores than there are."""
        if value is not None and value > available_cores():
            raise ValueError(f"must be at most {available_cores()}, the cores that this process may use")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what it is made from: `read` brings the sources together, and so knows which value is whose."""
        return (init_settings,)


@dataclass(frozen=True, slots=True)
class Given:
    """The settings, and by name where each that was given comes from: a flag, a variable, or a key of a file."""

    settings: Settings
    sources: Mapping[str, str]

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Name, value and source of every setting."""
        for name in Settings.model_fields:
            yield name, as_text(getattr(self.settings, name)), self.sources.get(name, "default")

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """What is wrong with the value of a setting is said of the place where it was given. Raises InvalidInput."""
        with blame(self.sources):
            yield


def read(flags: Mapping[str, Any]) -> Given:
    """The settings from all that was given.

    `flags`: by name the values of the flags that were used, among them that of ``--config``. Raises InvalidInput, whose
    field is the flag, the variable or the key of the file that is wrong.
    """
    flags = dict(flags)
    check_environment()
    path = flags.pop(CONFIG, None) or os.environ.get(variable(CONFIG))
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for given, source in (
        (from_file(Path(path)) if path else {}, lambda name: f"{shown_path(path)}: {name}"),
        (EnvSettingsSource(Settings)(), variable),
        (flags, flag),
    ):
        values |= given
        sources |= {name: source(name) for name in given}
    with blame(sources):
        try:
            return Given(Settings(**values), sources)
        except ValidationError as error:
            first = error.errors()[0]
            raise InvalidInput(str(first["loc"][0]), explained(first)) from None


def from_file(path: Path) -> dict[str, Any]:
    """The settings that stand in a TOML file. Raises InvalidInput, and OSError if it cannot be read."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # no TOML, or no UTF-8
        raise InvalidInput(shown_path(path), f"is no TOML: {error}") from None
    for name in content:
        if name not in Settings.model_fields:
            raise unknown(shown_path(path), name)
    return content


def check_environment() -> None:
    """Raises InvalidInput if a variable looks like a setting but is none: who wrote it believes that it has effect."""
    known = {variable(name) for name in (*Settings.model_fields, CONFIG)}
    for name in os.environ:
        if name.startswith(PREFIX) and name not in known and not OF_KUBERNETES.match(name):
            raise unknown(name, name.removeprefix(PREFIX))


def unknown(source: str, name: str) -> InvalidInput:
    """The error for a name that is no setting's."""
    return InvalidInput(source, f"the setting {unknown_word(name, Settings.model_fields)}")


def flag(name: str) -> str:
    """The flag for a setting."""
    return SPECIAL_FLAGS.get(name) or f"--{name.replace('_', '-')}"


def variable(name: str) -> str:
    """The variable of the environment for a setting."""
    return PREFIX + name.upper()


@contextmanager
def blame(sources: Mapping[str, str]) -> Iterator[None]:
    """Errors that name a setting name its source instead."""
    try:
        yield
    except InvalidInput as error:
        if error.field not in Settings.model_fields:
            raise
        source = sources.get(error.field, error.field)
        raise InvalidInput(source, error.reason) from error


def explained(error: Any) -> str:
    """Why Pydantic refuses a value, in our words."""
    reason = str(error["ctx"]["error"]) if error["type"] == "value_error" else error["msg"]
    return f"{reason.replace('Input should be', 'must be')}, not {shown(error['input'])}"


def as_text(value: Any) -> str:
    """A value as the log shows it; empty if it is not set."""
    match value:
        case None:
            return ""
        case tuple():
            return os.pathsep.join(map(str, value))
        case _:
            return str(value)
