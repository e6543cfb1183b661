"""Who asks, as the queue of searches knows it."""

import pytest

from nebula_server.calls import Call, host_of


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:192.0.2.1:40000", "192.0.2.1"),
        ("ipv6:%5B2001:db8::1%5D:40000", "%5B2001:db8::1%5D"),
        ("unix:", "unix"),
        ("unix:/run/nebula-ai.sock", "unix"),
        ("unix:/run/with:colon", "unix"),
        ("", ""),
    ],
)
def test_the_host_of_an_address(peer: str, host: str) -> None:
    assert host_of(peer) == host


def test_turns_go_by_the_token_or_else_by_the_host() -> None:
    """Whatever the host is called, it is no client's."""
    calls = [
        Call("1", "GetMove", client="web", host="192.0.2.1"),
        Call("2", "GetMove", client="phone", host="192.0.2.1"),
        Call("3", "GetMove", host="192.0.2.1"),
        Call("4", "GetMove", host="192.0.2.2"),
        Call("5", "GetMove", host="web"),
        Call("6", "GetMove"),
    ]
    assert len({call.turn for call in calls}) == len(calls)
    assert calls[2].turn == Call("7", "ListMoves", host="192.0.2.1").turn
    assert calls[0].turn == Call("8", "GetMove", client="web", host="192.0.2.2").turn
