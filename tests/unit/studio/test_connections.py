"""A real server whose connections have little patience."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import connect
from websockets.frames import Frame, Opcode

from promptpack.studio import connections
from promptpack.studio.connections import HttpConnection, PageConnection

GONE: list[int] = []
UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


async def answer(_: object) -> PlainTextResponse:
    return PlainTextResponse("x" * 20_000_000)


async def talk(page: WebSocket) -> None:
    await page.accept()
    try:
        while True:
            await page.send_text(await page.receive_text() * 20_000_000)
    except WebSocketDisconnect as gone:
        GONE.append(gone.code)


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    app = Starlette(routes=[Route("/", answer), WebSocketRoute("/ws", talk)])
    config = uvicorn.Config(app, http=HttpConnection, ws=PageConnection, lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        yield listener.getsockname()[1]
        server.should_exit = True
        await task


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTTP/1.1\r\nHost: x", b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"],
    ids=["nothing", "half a request", "an answer that is not read"],
)
async def test_a_connection_without_an_answered_request_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connections, "_PATIENCE_SECONDS", 0.1)
    async with served() as port, asyncio.timeout(30):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(sent)
        while not reader.at_eof() and not writer.transport.is_closing():
            writer.write(b"a" if sent else b"")
            await asyncio.sleep(0.05)
        writer.transport.abort()


@pytest.mark.asyncio
async def test_a_page_may_be_idle_and_is_cut_off_when_it_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_PATIENCE_SECONDS", 0.3)
    GONE.clear()
    async with served() as port, asyncio.timeout(30):
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as page:
            await asyncio.sleep(0.6)
            await page.send("x")
            assert len(await page.recv()) == 20_000_000
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(f"GET /ws HTTP/1.1\r\nHost: x\r\n{UPGRADE}\r\n".encode())
        assert await reader.readexactly(12) == b"HTTP/1.1 101"
        for _ in range(3):
            writer.write(Frame(Opcode.TEXT, b"x").serialize(mask=True))
        while len(GONE) < 2:
            await asyncio.sleep(0.05)
        writer.transport.abort()
