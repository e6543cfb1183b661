"""Where a service is, and how a channel to it is made: checked before anything is sent. Knows no method."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from os import PathLike
from pathlib import Path

import grpc

from nebula_ai.errors import InvalidInput, shown

KEEPALIVE_MILLISECONDS = 6 * 60 * 1000
"""How often a channel asks whether the other end of a call that waits is still there. A server that was not told
otherwise ends a connection that asks more often than every five minutes, with too_many_pings."""

RECONNECT_MILLISECONDS = 100
"""How soon a lost connection is made anew; gRPC's own second would be longer than most attempts wait for each other."""

OPTIONS = (
    ("grpc.keepalive_time_ms", KEEPALIVE_MILLISECONDS),
    ("grpc.initial_reconnect_backoff_ms", RECONNECT_MILLISECONDS),
)

UNIX = "unix:"
"""Before the path of a socket of the file system, in an address."""

MAX_SECONDS = 1e9
"""A longer time for a call is a mistake."""


@dataclass(frozen=True, slots=True)
class Tls:
    """What a connection with TLS goes by: files in PEM form."""

    root: str | PathLike[str] | None = None
    """Certificates of the authorities that are trusted to sign the server's; None for those that gRPC trusts."""
    certificate: str | PathLike[str] | None = None
    """The client's own certificate, with those up to its authority, for a server that asks for one."""
    key: str | PathLike[str] | None = None
    """The key of `certificate`."""


class Connection:
    """One service, and who asks it."""

    def __init__(self, address: str, token: str | None, tls: Tls | None, timeout: float) -> None:
        """See `nebula_ai.client.Client`. Raises InvalidInput."""
        if not re.fullmatch(rf"{UNIX}\S+|[^\s/]+:[0-9]{{1,5}}", address):
            raise InvalidInput("address", f"must be HOST:PORT or unix:PATH, not {shown(address)}")
        if token is not None and not re.fullmatch(r"[!-~]+", token):
            raise InvalidInput("token", "must be printable ASCII without spaces")
        if token is not None and tls is None and not is_loopback(address):
            raise InvalidInput("tls", f"must be given: a token is not sent to {shown(address)} for all to read")
        self.address = address
        self.credentials = None if tls is None else credentials(tls)
        self.metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self.timeout = checked_timeout(timeout)


def checked_timeout(timeout: float) -> float:
    """It, if a call can have so many seconds. Raises InvalidInput."""
    if not 0 < timeout <= MAX_SECONDS:
        raise InvalidInput("timeout", f"must be over 0 and at most {MAX_SECONDS:.0f} seconds, not {shown(timeout)}")
    return timeout


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine for sure, so that nobody else can read what is sent."""
    if address.startswith(UNIX):
        return True
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def credentials(tls: Tls) -> grpc.ChannelCredentials:
    """The credentials of a channel. Raises InvalidInput that names the file."""
    if (tls.certificate is None) != (tls.key is None):
        raise InvalidInput("tls", "certificate and key must be given together")
    return grpc.ssl_channel_credentials(
        root_certificates=read("root", tls.root),
        private_key=read("key", tls.key),
        certificate_chain=read("certificate", tls.certificate),
    )


def read(field: str, path: str | PathLike[str] | None) -> bytes | None:
    """A file's content. Raises InvalidInput."""
    if path is None:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InvalidInput(f"tls.{field}", f"cannot read the file {shown(str(path), 400)}: {error.strerror}") from None
