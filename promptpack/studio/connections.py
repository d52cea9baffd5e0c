"""The connections of the server: one that sends or reads nothing is cut off, so that it takes no place from a page."""

from __future__ import annotations

import asyncio
from typing import Final

from h11 import IDLE, SEND_RESPONSE, Request
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_MAX_WAITING: Final = 100
"""How many connections may wait for a request; another one takes the place of the oldest."""
_PATIENCE_SECONDS: Final = 10
_MAX_HEADERS: Final = 100
_MAX_HEADER_BYTES: Final = 8_000


class HttpConnection(H11Protocol):
    """A connection that is cut off if no request is answered for some time; a WebSocket is no longer one."""

    _deadline: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the place of the oldest connection if there are too many."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(_PATIENCE_SECONDS, transport.abort)
        waiting = [one for one in self.connections if isinstance(one, HttpConnection)]
        if len(waiting) > _MAX_WAITING:
            oldest = min(waiting, key=lambda one: one._deadline.when())
            self.connections.discard(oldest)
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._deadline.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._deadline.cancel()
        self._deadline = self.loop.call_later(_PATIENCE_SECONDS, self.transport.abort)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be parsed, which may be the body of a request that is being answered."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        if self.conn.our_state in (IDLE, SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def handle_websocket_upgrade(self, event: Request) -> None:
        """Become a WebSocket, which may be idle; refuse what its parser would never answer."""
        has_body = any(name in (b"content-length", b"transfer-encoding") for name, _ in event.headers)
        parts = [event.target, *map(b"".join, event.headers)]
        is_large = len(parts) > _MAX_HEADERS or max(map(len, parts)) > _MAX_HEADER_BYTES
        if event.method != b"GET" or event.http_version != b"1.1" or has_body or is_large:
            self.send_400_response("Invalid WebSocket request.")
            return
        super().handle_websocket_upgrade(event)
        self._deadline.cancel()


class PageConnection(WebSocketsSansIOProtocol):
    """A WebSocket that is cut off if its page does not read for some time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Notice everything that the system does not take at once."""
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(0)

    def pause_writing(self) -> None:
        """Start to wait for the page."""
        super().pause_writing()
        self._deadline = self.loop.call_later(_PATIENCE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue; the page has read everything."""
        super().resume_writing()
        if self._deadline is not None:
            self._deadline.cancel()

    def keepalive_timeout(self) -> None:
        """Cut off a page that answers no ping."""
        super().keepalive_timeout()
        self.transport.abort()
