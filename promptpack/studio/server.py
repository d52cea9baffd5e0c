"""The server: one page, its bundle, one WebSocket per tab; it listens on 127.0.0.1 only."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.resources import files as resources
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from promptpack.problem import Problem, UsageError
from promptpack.studio.access import Access
from promptpack.studio.connections import HttpConnection, PageConnection
from promptpack.studio.guard import NONCE, Guard
from promptpack.studio.handlers.catalogue import PoolName
from promptpack.studio.observer import PackObserver
from promptpack.studio.session import MAX_MESSAGE_BYTES, Pools, Session
from promptpack.studio.studio import Studio

HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765
_MAX_TABS: Final = 32
_TRY_LATER: Final = 1013
_TYPES: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_STATIC: Final = resources("promptpack.studio") / "static"
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="style-nonce" content="{nonce}">
<meta name="color-scheme" content="light dark">
<title>promptpack studio</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/studio.css">
<script src="/studio.js" defer></script>
</head>
<body><div id="studio"></div><noscript>promptpack studio needs JavaScript.</noscript></body>
</html>
"""


def listen(port: int | None) -> socket.socket:
    """Return a socket on the loopback address; without a port, on the usual one, or on any free one."""
    try:
        return socket.create_server((HOST, DEFAULT_PORT if port is None else port))
    except OSError as error:
        if port is None:
            return socket.create_server((HOST, 0))
        message = f"port {port} cannot be used: {os.strerror(error.errno or 0)}"
        hint = "choose another one with --port, or leave it out"
        raise UsageError(Problem("PP992", message, None, hint)) from error


def build_app(studio: Studio, access: Access, on_refused: Callable[[], object] = lambda: None) -> ASGIApp:
    """Return the application of a studio, behind its guard."""
    sessions: set[Session] = set()
    sizes: dict[PoolName, int] = {"quick": 1, "slow": 3, "drafts": 1, "model": 8}
    pools: Pools = {pool: ThreadPoolExecutor(size, f"studio-{pool}") for pool, size in sizes.items()}

    def broadcast(kind: str, news: Mapping[str, Any]) -> None:
        for session in sessions:
            session.announce(kind, news)

    @asynccontextmanager
    async def observe(_: Starlette) -> AsyncIterator[None]:
        background = ThreadPoolExecutor(1, "studio-background")
        observer = PackObserver(studio, background, broadcast)
        tasks = [asyncio.create_task(observer.watch()), asyncio.create_task(observer.check())]
        for task in tasks:
            task.add_done_callback(_report)
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for pool in (background, *pools.values()):
            pool.shutdown(wait=False, cancel_futures=True)

    async def connect(socket: WebSocket) -> None:
        await socket.accept()
        if len(sessions) >= _MAX_TABS:
            await socket.close(_TRY_LATER, "too many tabs")
            return
        session = Session(studio, pools, socket)
        sessions.add(session)
        try:
            await session.run()
        finally:
            sessions.discard(session)

    routes = [Route("/", _page), WebSocketRoute("/ws", connect), Route("/favicon.ico", _icon), Route("/{file}", _file)]
    app = Starlette(routes=routes, lifespan=observe)
    app.router.redirect_slashes = False
    return Guard(app, access, on_refused)


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve an application until the process is interrupted."""
    # Not `httptools`, even if it is installed: `h11` refuses ambiguous requests.
    config = uvicorn.Config(
        app,
        http=HttpConnection,
        ws=PageConnection,
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        lifespan="on",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _report(task: asyncio.Task[None]) -> None:
    """Report a task that was to run until the end of the server."""
    if not task.cancelled() and task.exception() is not None:
        report = {"message": "the studio no longer watches its files", "exception": task.exception()}
        asyncio.get_running_loop().call_exception_handler(report)


async def _page(request: HttpRequest) -> Response:
    return HTMLResponse(_PAGE.format(nonce=request.scope[NONCE]))


async def _icon(_: HttpRequest) -> Response:
    return _read("icon.svg")


async def _file(request: HttpRequest) -> Response:
    name = request.path_params["file"]
    known = {one.name for one in _STATIC.iterdir()}
    return _read(name) if name in known else PlainTextResponse("not found\n", 404)


def _read(name: str) -> Response:
    kind = _TYPES.get(name.rpartition(".")[2], "text/plain")
    return Response((_STATIC / name).read_bytes(), media_type=f"{kind}; charset=utf-8")
