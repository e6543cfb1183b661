"""TLS, tokens and quotas, with real certificates on a real server at a loopback port; and where it may listen."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
import trustme
from cryptography.hazmat.primitives import serialization
from google.protobuf.duration_pb2 import Duration
from google.rpc.code_pb2 import Code
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from nebula_ai.errors import InvalidInput
from nebula_ai.registry import Catalogue
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State
from nebula_server import calls, security, unknown_methods
from nebula_server.errors import Refused
from nebula_server.security import Client, Quota, Tokens
from nebula_server.server import Server
from nebula_server.service import SERVICE
from tests.nebula_server.conftest import Stub, refusal
from tests.waiting import PATIENCE, until

OTHER = "test.Other"
"""A service that `Calls` does not follow, with the kinds of methods that ours has not."""

Context = aio.ServicerContext[Any, Any]


@dataclass
class Served:
    """A server whose methods answer with the name of the client, searches only once they are released."""

    channel: Any  # a channel of bytes, for which the type checker wants a type wherever it is used
    port: int
    timeout: float | None = None
    """Of the client's searches, in seconds."""
    ended: list[calls.Call] = field(default_factory=list)
    running: int = 0
    """Searches that run now."""
    release: asyncio.Event = field(default_factory=asyncio.Event)
    broken: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether searches fail when they are released."""

    def list_moves(self, token: str | None = None) -> Any:
        """Calls a method that does not search."""
        return self.channel.unary_unary(f"/{SERVICE}/ListMoves")(b"", metadata=bearer(token))

    def get_move(self, token: str | None = None) -> Any:
        """Calls a search."""
        method = self.channel.unary_unary(f"/{SERVICE}/GetMove")
        return method(b"", metadata=bearer(token), timeout=self.timeout)

    def analyze(self, token: str | None = None) -> Any:
        """Calls a search that answers twice: at once, and when it is released."""
        method = self.channel.unary_stream(f"/{SERVICE}/AnalyzeState")
        return method(b"", metadata=bearer(token), timeout=self.timeout)


def bearer(token: str | None) -> tuple[tuple[str, str], ...]:
    """The metadata of a call with this token."""
    return () if token is None else (("authorization", f"Bearer {token}"),)


@asynccontextmanager
async def serving(clients: dict[str, Client]) -> AsyncIterator[Served]:
    """A server on a free port, and a channel to it."""

    async def list_moves(_: bytes, __: Context) -> bytes:
        return calls.current.get().client.encode()

    async def get_move(_: bytes, __: Context) -> bytes:
        with search():
            await served.release.wait()
            return answer()

    async def analyze_state(_: bytes, context: Context) -> None:
        with search():
            await context.write(answer())
            await served.release.wait()
            await context.write(answer())

    async def gather(requests: AsyncIterator[bytes], _: Context) -> bytes:
        return b"".join([request async for request in requests])

    async def echo(requests: AsyncIterator[bytes], _: Context) -> AsyncIterator[bytes]:
        async for request in requests:
            yield request

    @contextmanager
    def search() -> Iterator[None]:
        served.running += 1
        try:
            yield
        finally:
            served.running -= 1

    def answer() -> bytes:
        if served.broken.is_set():
            raise MemoryError
        return calls.current.get().client.encode()

    server = unknown_methods.server(
        interceptors=[calls.Calls(SERVICE, lambda call: served.ended.append(call)), Tokens(clients)]
    )
    ours: dict[str, Any] = {
        "ListMoves": grpc.unary_unary_rpc_method_handler(list_moves),
        "GetMove": grpc.unary_unary_rpc_method_handler(get_move),
        "AnalyzeState": grpc.unary_stream_rpc_method_handler(analyze_state),
    }
    others: dict[str, Any] = {
        "Gather": grpc.stream_unary_rpc_method_handler(gather),
        "Echo": grpc.stream_stream_rpc_method_handler(echo),
    }
    server.add_registered_method_handlers(SERVICE, ours)
    server.add_registered_method_handlers(OTHER, others)
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
    reflection.enable_server_reflection((SERVICE, reflection.SERVICE_NAME), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with asyncio.timeout(PATIENCE), aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            served = Served(channel, port)
            yield served
    finally:
        await server.stop(0)


def a_client(token: str, calls_per_minute: int = 1000, searches: int = 100) -> Client:
    """Who has this token."""
    return Client(security.hash_of(token), calls_per_minute, searches)


# Always the same, because they are part of the names of tests.
WEB, PHONE = f"nebula_{'w' * 43}", f"nebula_{'p' * 43}"
CLIENTS = {"web": a_client(WEB), "phone": a_client(PHONE)}


# Tokens.


@pytest.mark.parametrize(("token", "name"), [(WEB, b"web"), (PHONE, b"phone")])
async def test_a_client_is_known_by_its_token(token: str, name: bytes) -> None:
    async with serving(CLIENTS) as served:
        served.release.set()
        assert await served.list_moves(token) == name
        assert await served.get_move(token) == name
        assert [answer async for answer in served.analyze(token)] == [name, name]
        gather = served.channel.stream_unary(f"/{OTHER}/Gather")
        assert await gather(iter([b"a", b"b"]), metadata=bearer(token)) == b"ab"
        echo = served.channel.stream_stream(f"/{OTHER}/Echo")
        assert [answer async for answer in echo(iter([b"a", b"b"]), metadata=bearer(token))] == [b"a", b"b"]
        await until(lambda: len(served.ended) == 3)
        assert {call.client.encode() for call in served.ended} == {name}


async def test_the_scheme_is_written_as_one_likes() -> None:
    async with serving(CLIENTS) as served:
        method = served.channel.unary_unary(f"/{SERVICE}/ListMoves")
        assert await method(b"", metadata=(("authorization", f"bearer {WEB}"),)) == b"web"


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ((), "TOKEN_MISSING"),
        ((("authorisation", f"Bearer {WEB}"),), "TOKEN_MISSING"),
        ((("authorization", ""),), "TOKEN_MALFORMED"),
        ((("authorization", WEB),), "TOKEN_MALFORMED"),
        ((("authorization", f"Basic {WEB}"),), "TOKEN_MALFORMED"),
        ((("authorization", "Bearer"),), "TOKEN_MALFORMED"),
        ((("authorization", f"Bearer  {WEB}"),), "TOKEN_MALFORMED"),
        ((("authorization", f"Bearer {WEB} {WEB}"),), "TOKEN_MALFORMED"),
        ((("authorization", f"Bearer {'a' * 1000}"),), "TOKEN_MALFORMED"),
        ((("authorization", f"Bearer {WEB}"), ("authorization", f"Bearer {WEB}")), "TOKEN_MALFORMED"),
        ((("authorization", f"Bearer {WEB}x"),), "TOKEN_UNKNOWN"),
        ((("authorization", f"Bearer {WEB[:-1]}"),), "TOKEN_UNKNOWN"),
        ((("authorization", f"Bearer {security.hash_of(WEB).hex()}"),), "TOKEN_UNKNOWN"),
        ((("authorization", "Bearer web"),), "TOKEN_UNKNOWN"),
    ],
)
async def test_no_client_no_answer(metadata: tuple[tuple[str, str], ...], reason: str) -> None:
    """Whatever kind of method it is; and the refusal repeats nothing of what was sent."""
    async with serving(CLIENTS) as served:
        channel = served.channel
        refused = [
            await refusal(channel.unary_unary(f"/{SERVICE}/ListMoves")(b"", metadata=metadata)),
            await refusal(channel.unary_stream(f"/{SERVICE}/AnalyzeState")(b"", metadata=metadata).read()),
            await refusal(channel.stream_unary(f"/{OTHER}/Gather")(metadata=metadata)),
            await refusal(channel.stream_stream(f"/{OTHER}/Echo")(metadata=metadata).read()),
        ]
        for one in refused:
            assert (one.code, one.reason, one.domain) == (grpc.StatusCode.UNAUTHENTICATED, reason, "nebula_ai")
            assert (one.metadata, one.retry_seconds) == ({}, None)
            assert not any(word in one.message for key, value in metadata for word in value.split() if len(word) > 6)
        await until(lambda: len(served.ended) == 2)
        assert {(call.client, call.notes["reason"]) for call in served.ended} == {("anonymous", reason)}
        assert await served.list_moves(WEB) == b"web"


async def test_health_is_open_to_all() -> None:
    async with serving(CLIENTS) as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        request = health_pb2.HealthCheckRequest()
        checked = await stub.Check(request)  # type: ignore[attr-defined]
        watched = await stub.Watch(request).read()  # type: ignore[attr-defined]
        assert checked.status == watched.status == health_pb2.HealthCheckResponse.SERVING
        # What only begins with its name is another service.
        refused = await refusal(served.channel.unary_unary(f"/{OTHER}/Gather")(b""))
        assert refused.reason == "TOKEN_MISSING"


async def test_reflection_needs_a_token() -> None:
    async with serving(CLIENTS) as served:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(served.channel)

        def ask(metadata: tuple[tuple[str, str], ...]) -> Any:
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            return stub.ServerReflectionInfo(iter([request]), metadata=metadata)

        assert (await refusal(ask(()).read())).reason == "TOKEN_MISSING"
        listed = (await ask(bearer(WEB)).read()).list_services_response.service
        assert SERVICE in [service.name for service in listed]


# Quotas.


async def test_calls_per_minute() -> None:
    """Every call counts, also one of another service; who has none left is told when to ask again."""
    clients = {"web": a_client(WEB, calls_per_minute=2), "phone": a_client(PHONE)}
    async with serving(clients) as served:
        assert await served.list_moves(WEB) == b"web"
        await served.channel.stream_unary(f"/{OTHER}/Gather")(iter([b"a"]), metadata=bearer(WEB))
        for call in (served.list_moves(WEB), served.analyze(WEB).read()):
            refused = await refusal(call)
            assert (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "CALL_QUOTA")
            assert refused.retry_seconds is not None
            assert 1 <= refused.retry_seconds <= 30
        assert await served.list_moves(PHONE) == b"phone"
        # Nobody else uses up what is the client's.
        assert (await refusal(served.list_moves(f"{PHONE}x"))).reason == "TOKEN_UNKNOWN"
        await until(lambda: len(served.ended) == 5)
        assert [call.notes.get("reason") for call in served.ended if call.client == "web"] == [
            None,
            "CALL_QUOTA",
            "CALL_QUOTA",
        ]


def refused_at(quota: Quota, now: float) -> Refused | None:
    """Why a call at this time is not allowed."""
    try:
        quota.take_call(now)
    except Refused as refused:
        return refused
    return None


def test_a_quota_fills_up_steadily() -> None:
    quota = Quota(a_client(WEB, calls_per_minute=30))
    start = 1234.5
    assert [refused_at(quota, start) for _ in range(30)] == [None] * 30
    assert refused_at(quota, start) is not None
    assert refused_at(quota, start + 1.9) is not None
    assert refused_at(quota, start + 2.1) is None
    assert refused_at(quota, start + 2.1) is not None
    # After a long pause there are as many as at first, and no more.
    assert [refused_at(quota, start + 1e6) for _ in range(30)] == [None] * 30
    assert refused_at(quota, start + 1e6) is not None


def test_a_client_that_waits_as_told_is_let_in() -> None:
    seed = 71
    print("seed", seed)
    random = Random(seed)
    for per_minute in (1, 7, 60, 1000, security.MAX_CALLS_PER_MINUTE):
        quota = Quota(a_client(WEB, calls_per_minute=per_minute))
        now, allowed, start = 1e5, 0, 1e5
        for _ in range(3000):
            refused = refused_at(quota, now)
            if refused is None:
                allowed += 1
            else:
                assert refused.code == Code.RESOURCE_EXHAUSTED
                assert refused.retry_seconds is not None
                now += refused.retry_seconds
                assert refused_at(quota, now) is None
                allowed += 1
            assert allowed <= per_minute + (now - start) * per_minute / 60 + 1e-6
            now += random.random() / per_minute


async def search_quota_used_up(served: Served, token: str) -> bool:
    """Whether the client may not search, be it for one answer or for several."""
    reasons = []
    for call in (served.get_move(token), served.analyze(token).read()):
        refused = await refusal(call)
        assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert refused.retry_seconds == security.SEARCH_RETRY_SECONDS
        reasons.append(refused.reason)
    return reasons == ["SEARCH_QUOTA"] * 2


async def test_searches_at_once() -> None:
    async with serving({"web": a_client(WEB, searches=2), "phone": a_client(PHONE, searches=1)}) as served:
        move, analysis, phone = served.get_move(WEB), served.analyze(WEB), served.analyze(PHONE)
        await until(lambda: served.running == 3)
        assert await search_quota_used_up(served, WEB)
        assert await search_quota_used_up(served, PHONE)
        # What does not search goes on.
        assert await served.list_moves(WEB) == b"web"
        served.release.set()
        assert await move == b"web"
        assert [answer async for answer in analysis] == [b"web"] * 2
        assert [answer async for answer in phone] == [b"phone"] * 2
        await until(lambda: len(served.ended) == 8)
        reasons = [call.notes.get("reason") for call in served.ended]
        assert (reasons.count("SEARCH_QUOTA"), reasons.count(None)) == (4, 4)


async def test_who_has_the_answer_may_search_again_at_once() -> None:
    async with serving({"web": a_client(WEB, searches=1)}) as served:
        served.release.set()
        for _ in range(100):
            assert await served.get_move(WEB) == b"web"
            assert [answer async for answer in served.analyze(WEB)] == [b"web"] * 2


@pytest.mark.parametrize("how", ["cancelled", "late", "vanished", "failed"])
async def test_a_search_that_nobody_waits_for_counts_no_more(how: str) -> None:
    async with serving({"web": a_client(WEB, searches=2)}) as served:
        for _ in range(3):
            async with aio.insecure_channel(f"127.0.0.1:{served.port}") as channel:
                other = replace(served, channel=channel, timeout=0.2 if how == "late" else None)
                move, analysis = other.get_move(WEB), other.analyze(WEB)
                if how != "late":  # which may be too late even to begin
                    await until(lambda: served.running == 2)
                    assert await search_quota_used_up(served, WEB)
                if how == "cancelled":
                    move.cancel()
                    analysis.cancel()
                elif how == "late":
                    for call in (move, analysis):
                        assert await call.code() == grpc.StatusCode.DEADLINE_EXCEEDED
                elif how == "failed":
                    assert await analysis.read() == b"web"
                    served.broken.set()
                    served.release.set()
                    for call in (move, analysis):
                        assert await call.code() == grpc.StatusCode.UNKNOWN
            await until(lambda: served.running == 0)
            served.broken.clear()
            served.release.clear()
        # Both places are free again.
        served.release.set()
        await asyncio.gather(served.get_move(WEB), served.analyze(WEB).read())


# TLS.


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """Who signs the certificates."""
    return trustme.CA()


class Files:
    """PEM files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, content: bytes) -> Path:
        """A new file with this content."""
        path = self.folder / f"{len(list(self.folder.iterdir()))}.pem"
        path.write_bytes(content)
        return path

    def pair(self, issued: trustme.LeafCert) -> tuple[Path, Path]:
        """Certificate and key."""
        return self.write(chain(issued)), self.write(issued.private_key_pem.bytes())


def chain(issued: trustme.LeafCert) -> bytes:
    """The certificate, and those between it and its authority."""
    return b"".join(pem.bytes() for pem in issued.cert_chain_pems)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A folder for PEM files."""
    return Files(tmp_path)


@asynccontextmanager
async def secure(credentials: grpc.ServerCredentials) -> AsyncIterator[str]:
    """A server with these credentials that knows no method but health; its address."""
    server = aio.server()
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
    port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


async def answered(channel: aio.Channel) -> bool:
    """Whether the server answers over this channel, rather than breaking the connection off."""
    async with channel:
        stub = health_pb2_grpc.HealthStub(channel)
        code = await stub.Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE).code()  # type: ignore[attr-defined]
        assert code in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE)
        return bool(code == grpc.StatusCode.OK)


@pytest.mark.parametrize("kind", trustme.KeyType)
async def test_tls(authority: trustme.CA, files: Files, kind: trustme.KeyType) -> None:
    certificate, key = files.pair(authority.create_child_ca().issue_cert("127.0.0.1", key_type=kind))
    trusted = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
    strange = grpc.ssl_channel_credentials(trustme.CA().cert_pem.bytes())
    async with secure(security.credentials(certificate, key, None)) as address:
        assert await answered(aio.secure_channel(address, trusted))
        assert not await answered(aio.secure_channel(address, strange))
        assert not await answered(aio.insecure_channel(address))


async def test_mutual_tls(authority: trustme.CA, files: Files) -> None:
    """Who has no certificate of the right authority gets no answer, not even of health."""
    clients = trustme.CA()
    certificate, key = files.pair(authority.issue_cert("127.0.0.1"))
    credentials = security.credentials(certificate, key, files.write(clients.cert_pem.bytes()))

    def client(issued: trustme.LeafCert | None) -> grpc.ChannelCredentials:
        roots = authority.cert_pem.bytes()
        if issued is None:
            return grpc.ssl_channel_credentials(roots)
        return grpc.ssl_channel_credentials(roots, issued.private_key_pem.bytes(), chain(issued))

    async with secure(credentials) as address:
        assert await answered(aio.secure_channel(address, client(clients.issue_cert("web@example.org"))))
        assert not await answered(aio.secure_channel(address, client(None)))
        assert not await answered(aio.secure_channel(address, client(authority.issue_cert("web@example.org"))))
        old = clients.issue_cert("web@example.org", not_after=datetime(2020, 1, 1))
        assert not await answered(aio.secure_channel(address, client(old)))


def encrypted(key: bytes, form: serialization.PrivateFormat) -> bytes:
    """A key with a password."""
    secret = serialization.BestAvailableEncryption(b"password")
    loaded = serialization.load_pem_private_key(key, None)
    return loaded.private_bytes(serialization.Encoding.PEM, form, secret)


def wrong_files(authority: trustme.CA, files: Files) -> dict[str, tuple[Path, Path, Path | None, str, str]]:
    """By what is wrong: certificate, key, authorities of the clients, the setting and words of the reason."""
    issued, other = authority.issue_cert("127.0.0.1"), authority.issue_cert("127.0.0.1")
    rsa = authority.issue_cert("127.0.0.1", key_type=trustme.KeyType.RSA)
    certificate, key = files.pair(issued)
    nowhere = files.folder / "nowhere.pem"
    garbage = b"-----BEGIN %s-----\nnonsense\n-----END %s-----\n"
    bad_certificate = files.write(garbage % (b"CERTIFICATE", b"CERTIFICATE"))
    bad_key = files.write(garbage % (b"PRIVATE KEY", b"PRIVATE KEY"))
    old = files.pair(authority.issue_cert("127.0.0.1", not_after=datetime(2020, 1, 1)))
    early = files.pair(authority.issue_cert("127.0.0.1", not_before=datetime(2999, 1, 1)))
    locked = [
        files.write(encrypted(issued.private_key_pem.bytes(), form))
        for form in (serialization.PrivateFormat.PKCS8, serialization.PrivateFormat.TraditionalOpenSSL)
    ]
    large = files.write(chain(issued) * 2000)
    return {
        "no certificate": (nowhere, key, None, "tls_certificate", "No such file"),
        "no key": (certificate, nowhere, None, "tls_key", "No such file"),
        "no authorities": (certificate, key, nowhere, "tls_client_ca", "No such file"),
        "a folder": (certificate, files.folder, None, "tls_key", "Is a directory"),
        "too large": (large, key, None, "tls_certificate", "has more than 1,048,576 bytes"),
        "exchanged": (key, certificate, None, "tls_certificate", "has no certificate in PEM form"),
        "no key inside": (certificate, certificate, None, "tls_key", "has no private key in PEM form"),
        "garbage": (bad_certificate, key, None, "tls_certificate", "has no certificate that can be used"),
        "garbage for a key": (certificate, bad_key, None, "tls_key", "has no key that can be used"),
        "another's key": (certificate, files.pair(other)[1], None, "tls_key", "is not the one of the certificate"),
        "a key of another kind": (certificate, files.pair(rsa)[1], None, "tls_key", "is not the one of the"),
        "expired": (*old, None, "tls_certificate", "certificate has expired"),
        "not yet valid": (*early, None, "tls_certificate", "not yet valid"),
        "encrypted": (certificate, locked[0], None, "tls_key", "is encrypted"),
        "encrypted in the old way": (certificate, locked[1], None, "tls_key", "is encrypted"),
        "no authority": (certificate, key, certificate, "tls_client_ca", "is that of an authority"),
        "garbage for authorities": (
            certificate,
            key,
            bad_certificate,
            "tls_client_ca",
            "no certificate that can be used",
        ),
    }


def test_wrong_files_are_found_at_the_start(authority: trustme.CA, files: Files) -> None:
    """The reason names the setting, and repeats nothing of the files."""
    for wrong, (certificate, key, client_ca, setting, words) in wrong_files(authority, files).items():
        with pytest.raises(InvalidInput) as refused:
            security.credentials(certificate, key, client_ca)
        assert refused.value.field == setting, wrong
        assert words in refused.value.reason, wrong
        assert "\n" not in refused.value.reason
        assert "BEGIN" not in refused.value.reason


def test_expired_authorities(files: Files, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, key = files.pair(authority.issue_cert("127.0.0.1"))
    clients = files.write(trustme.CA().cert_pem.bytes())
    monkeypatch.setattr("nebula_server.security.time.time", lambda: datetime(3001, 1, 1).timestamp())
    with pytest.raises(InvalidInput, match="have expired") as refused:
        security.credentials(certificate, key, clients)
    assert refused.value.field == "tls_client_ca"


# All of it together.


async def test_the_service_behind_tls_and_tokens(catalogue: Catalogue, authority: trustme.CA, files: Files) -> None:
    certificate, key = files.pair(authority.issue_cert("127.0.0.1"))
    clients = {"web": a_client(WEB, searches=1), "phone": a_client(PHONE, calls_per_minute=1)}
    server = Server(catalogue, 1, credentials=security.credentials(certificate, key, None), clients=clients)
    port = await server.start("127.0.0.1:0")

    def channel_of(token: str) -> aio.Channel:
        tls = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
        both = grpc.composite_channel_credentials(tls, grpc.access_token_call_credentials(token))
        return aio.secure_channel(f"127.0.0.1:{port}", both)

    try:
        async with (
            asyncio.timeout(PATIENCE),
            channel_of(WEB) as web,
            channel_of(PHONE) as phone,
            channel_of("x") as none,
        ):
            stub: Stub = OpponentServiceStub(web)
            state = State(packed=(await stub.CreateState(pb.CreateStateRequest(game="nebula", players=2))).state.packed)
            for _ in range(3):
                long = pb.GetMoveRequest(state=state, limits=SearchLimits(time=Duration(seconds=600)))
                call = stub.GetMove(long)
                await until(lambda: server.searches.running == 1)
                refused = await refusal(stub.GetMove(long))
                assert (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SEARCH_QUOTA")
                call.cancel()
                await until(lambda: server.searches.running == 0)
            await OpponentServiceStub(phone).ListGames(pb.ListGamesRequest())
            assert (await refusal(OpponentServiceStub(phone).ListGames(pb.ListGamesRequest()))).reason == "CALL_QUOTA"
            # Who is nobody is told so before the request is looked at.
            garbage: Any = none.unary_unary(f"/{SERVICE}/ListGames")
            assert (await refusal(garbage(b"\xff\xff\xff"))).reason == "TOKEN_UNKNOWN"
    finally:
        await server.stop(0)


# Where to listen.


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:50051", "127.255.0.1:0", "localhost:50051", "[::1]:50051", "[::ffff:127.0.0.1]:1", "unix:/tmp/nebula"],
)
def test_loopback_needs_no_tls(address: str) -> None:
    security.check_exposure(address, tls=False, insecure=False)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0:50051", "[::]:50051", ":50051", "192.0.2.1:50051", "[2001:db8::1]:50051", "[::ffff:0.0.0.0]:50051",
        "[::ffff:192.0.2.1]:50051", "0:50051", "127.0.0.1.example.invalid:50051", "no.such.host.invalid:50051",
        f"{'x' * 70}.invalid:50051", "ipv4:0.0.0.0:50051", "ipv6:[::]:50051", "dns:///localhost:50051", "::1:50051",
        "*:50051", "vsock:1:50051", "\0:50051",
    ],
)  # fmt: skip
def test_anywhere_else_needs_tls_or_the_users_word(address: str) -> None:
    with pytest.raises(InvalidInput, match="no TLS") as refused:
        security.check_exposure(address, tls=False, insecure=False)
    assert refused.value.field == "address"
    security.check_exposure(address, tls=True, insecure=False)
    security.check_exposure(address, tls=False, insecure=True)


def test_a_name_with_one_address_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 0)) for host in ("127.0.0.1", "192.0.2.1")]
    monkeypatch.setattr("nebula_server.security.socket.getaddrinfo", lambda *_, **__: found)
    with pytest.raises(InvalidInput):
        security.check_exposure("name:50051", tls=False, insecure=False)


@pytest.mark.parametrize("address", ["", "localhost", "nowhere at all"])
def test_an_address_has_a_port(address: str) -> None:
    with pytest.raises(InvalidInput, match="must be HOST:PORT"):
        security.check_exposure(address, tls=False, insecure=False)


# The file of clients.


def test_tokens_are_made_and_read(tmp_path: Path) -> None:
    """The file takes the lines of each client as they are made, and has no token in it."""
    path = tmp_path / "clients.toml"
    tokens = {name: security.new_token() for name in ("web", "chat-bot", "x_2")}
    path.write_text("\n".join(security.client_entry(name, token) for name, token in tokens.items()))
    clients = security.read_clients(path)
    assert {name: client.token_sha256 for name, client in clients.items()} == {
        name: security.hash_of(token) for name, token in tokens.items()
    }
    assert all(client.calls_per_minute > 0 and client.searches > 0 for client in clients.values())
    assert len(set(tokens.values())) == len(tokens)
    for token in tokens.values():
        assert token not in path.read_text()
        assert security.BEARER.fullmatch(f"Bearer {token}")


@pytest.mark.parametrize("name", ["", "Web", "1st", "anonymous", "a b", "a.b", "x" * 33, "web\n", 'x"]', "é"])
def test_names_that_no_client_may_have(name: str) -> None:
    with pytest.raises(InvalidInput, match="the name of a client"):
        security.client_entry(name, WEB)


HASH = security.hash_of(WEB).hex()
GOOD = f'[clients.web]\ntoken_sha256 = "{HASH}"\ncalls_per_minute = 60\nsearches = 2\n'


@pytest.mark.parametrize(
    ("content", "field", "words"),
    [
        ("", "clients", "is missing"),
        ("[clients]", "clients", "at least one"),
        ("clients = 3", "clients", "must be a table"),
        ("clients.web = 3", "clients.web", "must be a table"),
        (GOOD.replace("web", "anonymous"), "clients.anonymous", "the name of a client"),
        (GOOD.replace("[clients.web]", "[clients.'a b']"), "clients.'a b'", "the name of a client"),
        (GOOD.replace("searches", "search"), "clients.web.search", "did you mean searches"),
        (GOOD.replace("searches = 2", ""), "clients.web.searches", "is missing"),
        (GOOD.replace("= 2", "= 0"), "clients.web.searches", "must be 1 to"),
        (GOOD.replace("= 60", "= -1"), "clients.web.calls_per_minute", "must be 1 to"),
        (GOOD.replace("= 60", "= 1.5"), "clients.web.calls_per_minute", "must be a whole number"),
        (GOOD.replace(HASH, WEB), "clients.web.token_sha256", "must be 64 of"),
        (GOOD.replace(HASH, HASH.upper()), "clients.web.token_sha256", "must be 64 of"),
        (GOOD.replace("token_sha256", "token"), "clients.web.token", "there is token_sha256"),
        (GOOD + GOOD.replace("web", "phone"), "clients.phone.token_sha256", "is also that of web"),
        (GOOD + GOOD, "tokens", "is not TOML"),
        (GOOD + "[other]", "other", "is not known"),
    ],
)
def test_files_of_clients_that_are_refused(tmp_path: Path, content: str, field: str, words: str) -> None:
    """With the key, the reason and the file; never with a hash, or a token that stands in its place."""
    path = tmp_path / "clients.toml"
    path.write_text(content)
    with pytest.raises(InvalidInput) as refused:
        security.read_clients(path)
    assert refused.value.field == field
    assert words in refused.value.reason
    assert path.name in refused.value.reason
    assert not any(secret in str(refused.value) for secret in (WEB, HASH))


def test_a_file_of_clients_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file") as refused:
        security.read_clients(tmp_path / "clients.toml")
    assert refused.value.field == "tokens"
