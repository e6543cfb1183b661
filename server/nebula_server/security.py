"""Who may ask: TLS, bearer tokens with quotas, and where the service may listen. Knows no games and no searches.

A token is 256 random bits, so its plain SHA-256 is enough to keep: nobody guesses what it is the hash of. What is kept
of the clients is bounded by the file that names them, whatever arrives.
"""

import hashlib
import ipaddress
import math
import re
import secrets
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import grpc
from google.rpc.code_pb2 import Code
from grpc import aio
from grpc_health.v1 import health

from nebula_ai.checked import Value, read_toml, reason_of, top_table
from nebula_ai.errors import EditionError, InvalidInput, shown, shown_path
from nebula_server import calls
from nebula_server.errors import Refused
from nebula_server.service import SERVICE, refuse

Context = aio.ServicerContext[Any, Any]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

MAX_PEM_BYTES = 1 << 20
"""A larger file is not read: chains have a few KiB, all the authorities of a system fewer than 300."""

UNIX = "unix:"
"""Before the path of a socket of the file system, in an address."""

OPEN = f"/{health.SERVICE_NAME}/"
"""Methods that need no token: who watches over the service is no client of it."""

SEARCHING = frozenset(f"/{SERVICE}/{method}" for method in ("GetMove", "AnalyzeState"))
"""Methods that count as searches."""

BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] ([A-Za-z0-9._~+/-]{1,256}={0,2})")
"""The value of `authorization`, as RFC 6750 has it, of bounded length."""

TOKEN_PREFIX = "nebula_"
"""Tells what a token that turns up somewhere is for, also to tools that look for such things."""

CLIENT_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
"""Names stand in logs and metrics as they are."""

MAX_CALLS_PER_MINUTE = 1_000_000
MAX_SEARCHES = 10_000

SEARCH_RETRY_SECONDS = 1
"""When a client whose searches are all taken may ask again: they take seconds."""


# TLS.


def credentials(certificate: Path, key: Path, client_ca: Path | None) -> grpc.ServerCredentials:
    """TLS credentials from PEM files: the server's certificate, followed by those between it and its root, and its key.

    With `client_ca` only clients whose certificate one of these authorities has signed can connect (mutual TLS).
    Raises InvalidInput with the setting (``tls_certificate``, ``tls_key``, ``tls_client_ca``) and what is wrong with
    the file: it cannot be read, is not what it should be, does not fit the others, or is not valid at this time.
    """
    chain = read_pem("tls_certificate", certificate, "CERTIFICATE")
    secret = read_pem("tls_key", key, "PRIVATE KEY")
    authorities = None if client_ca is None else read_pem("tls_client_ca", client_ca, "CERTIFICATE")
    check_pair(certificate, key)
    if client_ca is not None:
        check_authorities(client_ca)
    return grpc.ssl_server_credentials(
        [(secret, chain)], root_certificates=authorities, require_client_auth=client_ca is not None
    )


def read_pem(setting: str, path: Path, kind: str) -> bytes:
    """The content of a PEM file that has something of this kind. Raises InvalidInput."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_PEM_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InvalidInput(setting, f"cannot read the file {shown_path(path)}: {reason_of(error)}") from None
    if len(content) > MAX_PEM_BYTES:
        raise InvalidInput(setting, f"the file {shown_path(path)} has more than {MAX_PEM_BYTES:,} bytes")
    if f"{kind}-----".encode() not in content:
        raise InvalidInput(setting, f"the file {shown_path(path)} has no {kind.lower()} in PEM form")
    return content


def check_pair(certificate: Path, key: Path) -> None:
    """Raises InvalidInput if no client could accept this certificate and key.

    A client that trusts just this certificate shakes hands, in memory, with a server that has both: so all that TLS
    asks of them is asked before anybody connects.
    """
    client = trusting("tls_certificate", certificate)
    # The certificate is an end of trust by itself, whoever signed it: that is for the real clients to judge.
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    client.check_hostname = False
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def password() -> str:
        raise InvalidInput("tls_key", f"the key in {shown_path(key)} is encrypted; it must have no password")

    try:
        server.load_cert_chain(certificate, key, password)
    except ssl.SSLError as error:
        if error.reason in ("KEY_VALUES_MISMATCH", "NO_CERTIFICATE_ASSIGNED"):
            raise InvalidInput("tls_key", f"the key in {shown_path(key)} is not the one of the certificate") from None
        if error.reason in ("EE_KEY_TOO_SMALL", "CA_KEY_TOO_SMALL", "CA_MD_TOO_WEAK"):
            raise InvalidInput("tls_certificate", f"the certificate in {shown_path(certificate)} is too weak") from None
        raise InvalidInput("tls_key", f"the file {shown_path(key)} has no key that can be used") from None

    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True)
    try:
        for end in ends * 2:  # hello, the certificate, what the client thinks of it, the end
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    except ssl.SSLCertVerificationError as error:
        reason = f"the certificate in {shown_path(certificate)} cannot be used: {error.verify_message}"
        raise InvalidInput("tls_certificate", reason) from None


def check_authorities(path: Path) -> None:
    """Raises InvalidInput if no certificate of the file can vouch for clients now."""
    authorities = trusting("tls_client_ca", path).get_ca_certs()
    if not authorities:
        raise InvalidInput("tls_client_ca", f"no certificate in {shown_path(path)} is that of an authority (CA)")
    if all(ssl.cert_time_to_seconds(str(authority["notAfter"])) <= time.time() for authority in authorities):
        raise InvalidInput("tls_client_ca", f"all certificates in {shown_path(path)} have expired")


def trusting(setting: str, path: Path) -> ssl.SSLContext:
    """A client that trusts the certificates of a file. Raises InvalidInput if it has none."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        client.load_verify_locations(path)
    except ssl.SSLError:
        raise InvalidInput(setting, f"the file {shown_path(path)} has no certificate that can be used") from None
    return client


# Where to listen.


def check_exposure(address: str, tls: bool, insecure: bool) -> None:
    """Raises InvalidInput if others than this machine could reach ``HOST:PORT`` without TLS.

    With `tls`, or with `insecure` (the user says that it shall be so), any address will do. Sockets of the file system
    (``unix:PATH``) are reached by nobody else.
    """
    if tls or insecure or address.startswith(UNIX):
        return
    host, colon, _ = address.rpartition(":")
    if not colon:
        raise InvalidInput("address", f"must be HOST:PORT, not {shown(address)}")
    if not is_loopback(host):
        reason = f"{shown(address)} is not known to be reached by this machine only, and there is no TLS"
        remedy = "set tls_certificate and tls_key, or listen at 127.0.0.1, or say with insecure that it shall be so"
        raise InvalidInput("address", f"{reason}: {remedy}")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host: an address, IPv6 in brackets, or a name, whose addresses all count.

    A name that has no address is not loopback: gRPC may find one where the system does not.
    """
    # Without a host gRPC listens everywhere; a colon outside brackets is part of a scheme, or of half an address.
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not bare or (bare == host and ":" in host):
        return False
    try:
        found = socket.getaddrinfo(bare, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    addresses = [ipaddress.ip_address(where[0]) for *_, where in found]
    return all((getattr(address, "ipv4_mapped", None) or address).is_loopback for address in addresses)


# Tokens.


@dataclass(frozen=True, slots=True)
class Client:
    """Who has a token, and what it may ask for."""

    token_sha256: bytes
    """The 32 bytes of the token's SHA-256."""
    calls_per_minute: int
    """From 1. After a pause as many may come at once."""
    searches: int
    """From 1: searches at once, waiting ones included."""


def new_token() -> str:
    """A new token: 256 random bits as text."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def hash_of(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


def client_entry(name: str, token: str) -> str:
    """The lines of a file of clients for a new one, with quotas that suit a front end. Raises InvalidInput."""
    check_name("name", name)
    return f"""\
[clients.{name}]
token_sha256 = "{hash_of(token).hex()}"
calls_per_minute = 600
searches = 4
"""


def check_name(field: str, name: str) -> None:
    """Raises InvalidInput unless a client may have this name."""
    if not CLIENT_NAME.fullmatch(name) or name == calls.ANONYMOUS:
        words = f"must be at most 32 of a-z, 0-9, _ and -, a letter first, and not {calls.ANONYMOUS}"
        raise InvalidInput(field, f"the name of a client {words}")


def read_clients(path: Path) -> dict[str, Client]:
    """The clients of a TOML file, by name: ``[clients.NAME]`` with token_sha256, calls_per_minute and searches.

    Raises InvalidInput with the key and the reason; it repeats no hash, which might be the token itself by mistake.
    """
    try:
        content = read_toml(path)
    except EditionError as error:
        raise InvalidInput("tokens", error.reason) from None
    try:
        tables = top_table(content, InvalidInput, "clients", ("clients",))["clients"].mapping()
        clients = {}
        owners: dict[bytes, str] = {}
        for name, table in tables.items():
            check_name(table.path, name)
            clients[name] = parse_client(table)
            owner = owners.setdefault(clients[name].token_sha256, name)
            if owner != name:
                raise InvalidInput(f"{table.path}.token_sha256", f"is also that of {owner}")
        if not clients:
            raise InvalidInput("clients", "must have at least one client")
    except InvalidInput as error:
        raise InvalidInput(error.field, f"{error.reason} (in {shown_path(path)})") from None
    return clients


def parse_client(value: Value) -> Client:
    """One client. Raises InvalidInput."""
    table = value.table(("token_sha256", "calls_per_minute", "searches"))
    text = table["token_sha256"].raw
    if not (isinstance(text, str) and re.fullmatch(r"[0-9a-f]{64}", text)):
        table["token_sha256"].refuse("must be 64 of 0-9 and a-f, as `nebula-ai token NAME` prints it")
    return Client(
        token_sha256=bytes.fromhex(text),
        calls_per_minute=table["calls_per_minute"].integer(1, MAX_CALLS_PER_MINUTE),
        searches=table["searches"].integer(1, MAX_SEARCHES),
    )


class Quota:
    """What a client has used. A bucket of calls, full at first, that fills up steadily; and the searches that run."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._searches = 0
        self._calls = float(client.calls_per_minute)
        self._counted = -math.inf

    def take_call(self, now: float) -> None:
        """One call less, at `now` (seconds of a clock that never goes back). Raises Refused."""
        most = self.client.calls_per_minute
        per_second = most / 60
        self._calls = min(most, self._calls + (now - self._counted) * per_second)
        self._counted = now
        if self._calls < 1:
            message = f"calls per minute: at most {most}, and this would be one more"
            wait = math.ceil((1 - self._calls) / per_second)
            raise Refused(Code.RESOURCE_EXHAUSTED, "CALL_QUOTA", message, wait)
        self._calls -= 1

    @asynccontextmanager
    async def search(self, context: Context) -> AsyncIterator[None]:
        """One search more until it is left; or the end of the call, if that is one too many."""
        most = self.client.searches
        if self._searches >= most:
            message = f"searches at once: at most {most}, and this would be one more"
            await refuse(context, Refused(Code.RESOURCE_EXHAUSTED, "SEARCH_QUOTA", message, SEARCH_RETRY_SECONDS))
        self._searches += 1
        try:
            yield
        finally:
            self._searches -= 1


class Tokens(aio.ServerInterceptor):
    """Lets through only calls with a client's token, within its quotas, and says whose they are. Health is open to all.

    It goes inside of `Calls`, and outside of what decodes requests: nothing that is refused here is looked into.
    """

    def __init__(self, clients: Mapping[str, Client]) -> None:
        """`clients` by name."""
        self._quotas = {name: Quota(client) for name, client in clients.items()}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The method's handler, or one like it that refuses."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or method.startswith(OPEN):
            return handler
        try:
            name = self._client_of(token_of(handler_call_details.invocation_metadata))
            if call := calls.current.get(None):  # reflection has none
                call.client = name
            self._quotas[name].take_call(time.monotonic())
        except Refused as refused:
            return refusing(handler, refused)
        return counted(handler, self._quotas[name]) if method in SEARCHING else handler

    def _client_of(self, token: str) -> str:
        """The client whose token it is. Raises Refused. It takes equally long whichever it is, and if it is none."""
        presented = hash_of(token)
        found = None
        for name, quota in self._quotas.items():
            if secrets.compare_digest(quota.client.token_sha256, presented):
                found = name
        if found is None:
            raise Refused(Code.UNAUTHENTICATED, "TOKEN_UNKNOWN", "the token is not known here")
        return found


def token_of(metadata: Any) -> str:
    """The token in a request's metadata. Raises Refused."""
    values = [value for key, value in metadata or () if key == "authorization"]
    if not values:
        message = "a token is needed: metadata authorization, with Bearer and the token"
        raise Refused(Code.UNAUTHENTICATED, "TOKEN_MISSING", message)
    match = BEARER.fullmatch(values[0]) if len(values) == 1 and isinstance(values[0], str) else None
    if match is None:
        message = "the metadata authorization must be there once, as Bearer, a space and the token"
        raise Refused(Code.UNAUTHENTICATED, "TOKEN_MALFORMED", message)
    return match[1]


def refusing(handler: Handler, refused: Refused) -> Handler:
    """A handler for the same kind of method that refuses each call."""

    async def answer(_: object, context: Context) -> None:
        await refuse(context, refused)

    make = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }[handler.request_streaming, handler.response_streaming]
    return make(answer)


def counted(handler: Any, quota: Quota) -> Handler:  # the types of gRPC know only handlers that are not asynchronous
    """The handler of a search, counted while it runs.

    It ends before its answer is sent, so whoever has the answer may search again at once.
    """

    async def answer(request: Any, context: Context) -> Any:
        async with quota.search(context):
            return await handler.unary_unary(request, context)

    async def stream(request: Any, context: Context) -> None:
        async with quota.search(context):
            await handler.unary_stream(request, context)  # writes by itself

    make, method = (
        (grpc.unary_stream_rpc_method_handler, stream)
        if handler.response_streaming
        else (grpc.unary_unary_rpc_method_handler, answer)
    )
    return make(method, handler.request_deserializer, handler.response_serializer)
