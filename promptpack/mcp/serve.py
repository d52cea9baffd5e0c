"""`serve`: a server over standard input and output, or over HTTP, until it is stopped."""

import asyncio
import logging
import os
import socket
import threading
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import BinaryIO, Final, cast

import anyio
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from promptpack.mcp.addresses import host_headers, origin_headers
from promptpack.mcp.server import PackMcpServer

PATH: Final = "/mcp"
MAX_REQUEST_BYTES: Final = 4_000_000
_MAX_SESSIONS: Final = 100
_MAX_CONNECTIONS: Final = 200
_SHUTDOWN_SECONDS: Final = 1
_STDIN: Final = 0
_log = logging.getLogger("promptpack.mcp")


def serve_stdio(server: PackMcpServer) -> None:
    """Serve one client over standard input and output, until the input ends; logs go to standard error."""

    async def run() -> None:
        lines = cast("anyio.AsyncFile[str]", _StreamLines(os.fdopen(_STDIN, "rb", closefd=False)))
        async with stdio_server(stdin=lines) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def serve_http(server: PackMcpServer, listener: socket.socket, allowed_hosts: Sequence[str] = ()) -> None:
    """Serve clients over streamable HTTP, until the process is interrupted.

    Requests with another Host or Origin than this machine and the allowed hosts are refused: a web page could send
    them through a browser on this machine.
    """
    security = TransportSecuritySettings(
        allowed_hosts=host_headers(allowed_hosts), allowed_origins=origin_headers(allowed_hosts)
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_REQUEST_BYTES,
        max_sessions=_MAX_SESSIONS,
        transport_security=security,
    )
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    _HttpServer(config, server).run(sockets=[listener])


class _HttpServer(uvicorn.Server):
    """Ends the streams of announcements first, which would keep it waiting."""

    def __init__(self, config: uvicorn.Config, server: PackMcpServer) -> None:
        super().__init__(config)
        self._server = server

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Clients that are still connected are cut off, which is not an error now.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._server.end_announcements()
        await super().shutdown(sockets)


class _StreamLines:
    """The lines of a stream, read by a thread that does not keep the process alive, so that Ctrl-C ends it at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[str]:
        queue = asyncio.Queue[bytes](maxsize=1)
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(queue, loop), daemon=True).start()
        while line := await queue.get():
            yield line.decode(errors="replace")

    def _read(self, queue: asyncio.Queue[bytes], loop: asyncio.AbstractEventLoop) -> None:
        line = b" "
        # The loop is closed when the server ends first.
        with suppress(RuntimeError, CancelledError):
            while line:
                line = self._stream.readline(MAX_REQUEST_BYTES + 1)
                if len(line) > MAX_REQUEST_BYTES:
                    _log.error("a message is larger than %s bytes; the connection ends", MAX_REQUEST_BYTES)
                    line = b""
                asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()
