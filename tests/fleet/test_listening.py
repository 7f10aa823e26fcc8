"""The socket at which a server listens."""

import asyncio
import socket

import pytest

from rulezero.fleet.listening import listening


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_answers_are_sent_at_once(host: str) -> None:
    """No answer waits until the client has acknowledged the one before: TCP_NODELAY is set."""
    if host == "::1" and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    delays: list[bool] = []

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        delays.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0)
        writer.close()

    async def connect(opened: socket.socket) -> None:
        async with await asyncio.start_server(note, sock=opened):
            reader, writer = await asyncio.open_connection(*opened.getsockname()[:2])
            await reader.read()
            writer.close()

    with listening(host, 0) as opened:
        asyncio.run(connect(opened))
    assert delays == [False]
