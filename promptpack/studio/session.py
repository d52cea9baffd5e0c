"""The `Session`: one page's WebSocket. Messages are JSON objects `{id, do, ...}`; each gets one answer with its id."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from promptpack.cycle.services import Cancellation
from promptpack.problem import Problem, PromptpackError, UsageError, as_data
from promptpack.studio.handlers.catalogue import HANDLERS, PoolName
from promptpack.studio.handlers.replies import try_model
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio

Pools = Mapping[PoolName, Executor]
MAX_MESSAGE_BYTES: Final = 8_000_000
_MAX_OPEN_TEXTS: Final = 64
_MAX_TEXT: Final = 1_000_000
_MAX_WAITING: Final = 64
# The messages allowed at once, and per second after them; typing needs about ten.
_BURST: Final = 400
_PER_SECOND: Final = 100
_POLICY: Final = 1008


class Session:
    """Answers the messages of one page until it disconnects."""

    def __init__(self, studio: Studio, pools: Pools, socket: WebSocket) -> None:
        self._studio = studio
        self._pools = pools
        self._socket = socket
        self._texts: dict[str, str] = {}
        self._newest: dict[tuple[str, str], int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._cancellations: dict[int, Cancellation] = {}
        self._pace = _TokenBucket()
        self._sending = asyncio.Lock()

    async def run(self) -> None:
        """Read messages until the page is gone; its unfinished requests are cancelled."""
        try:
            while True:
                await self._receive(await self._socket.receive_text())
        except (WebSocketDisconnect, KeyError):  # KeyError: a message of bytes
            pass
        finally:
            for cancellation in self._cancellations.values():
                cancellation.cancel()
            for task in self._tasks:
                task.cancel()

    async def send(self, data: Mapping[str, Any]) -> None:
        """Send a message to the page; a page that is gone gets none."""
        text = json.dumps(data, ensure_ascii=True, default=str)
        async with self._sending:
            try:
                await self._socket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                return  # it disconnects now, which `run` notices

    async def _receive(self, text: str) -> None:
        if not self._pace.allows() or len(self._tasks) >= _MAX_WAITING:
            await self._socket.close(_POLICY, "too many messages")
            raise WebSocketDisconnect(_POLICY)
        fields = _parse(text)
        if fields is None:
            await self._socket.close(_POLICY, "a message is a JSON object with an id and a word")
            raise WebSocketDisconnect(_POLICY)
        name, number, path = fields["do"], fields["id"], str(fields.get("path", ""))
        if name == "type":
            self._keep_text(path, fields.get("text"))
            return
        if name == "stop":
            self._stop(fields.get("of"))
            return
        self._newest[name, path] = number
        task = asyncio.create_task(self._answer(name, number, path, fields))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _keep_text(self, path: str, text: object) -> None:
        """Remember a text as it is typed; null forgets it. Too large a text is refused when it is saved."""
        has_room = path in self._texts or len(self._texts) < _MAX_OPEN_TEXTS
        if isinstance(text, str) and len(text) <= _MAX_TEXT and has_room:
            self._texts[path] = text
        else:
            self._texts.pop(path, None)

    def _stop(self, number: object) -> None:
        if isinstance(number, int) and number in self._cancellations:
            self._cancellations[number].cancel()

    async def _answer(self, name: str, number: int, path: str, fields: Mapping[str, Any]) -> None:
        loop = asyncio.get_running_loop()

        def emit(data: Mapping[str, Any]) -> None:
            asyncio.run_coroutine_threadsafe(self.send({**data, "of": number}), loop)

        request = PageRequest(fields, dict(self._texts), emit)
        work, pool = self._find_work(name, number, path, request)
        self._studio.waiting += 1
        try:
            answer = await loop.run_in_executor(self._pools[pool], work)
        except PromptpackError as error:
            await self.send({"id": number, "problems": self._studio.project.shown(error)})
        except Exception as error:  # noqa: BLE001 -- the page must not wait forever; this is a bug
            asyncio.get_running_loop().call_exception_handler({"message": f"{name} failed", "exception": error})
            await self.send({"id": number, "problems": [describe_bug(error)]})
        else:
            await self.send({"id": number, "skipped": True} if answer is None else {"id": number, "ok": answer})
        finally:
            self._studio.waiting -= 1

    def _find_work(
        self, name: str, number: int, path: str, request: PageRequest
    ) -> tuple[Callable[[], dict[str, Any] | None], PoolName]:
        """Return the function that answers a message, and where it runs; None if a newer message of its kind waits."""
        if name == "try":
            return lambda: self._try(number, request), "slow"
        handler = HANDLERS.get(name)

        def work() -> dict[str, Any] | None:
            if handler is None:
                message = f"unknown message {name[:40]!r}"
                raise UsageError(Problem("PP994", message, None, "reload the page; it may be older than the server"))
            if handler.is_replaceable and self._newest[name, path] != number:
                return None
            if handler.pool != "quick":
                return handler.run(self._studio, request)
            with self._studio.project.lock:
                return handler.run(self._studio, request)

        return work, handler.pool if handler else "quick"

    def _try(self, number: int, request: PageRequest) -> dict[str, Any]:
        cancellation = self._cancellations[number] = Cancellation()
        try:
            return try_model(self._studio, request, cancellation)
        finally:
            del self._cancellations[number]


def describe_bug(error: Exception) -> dict[str, Any]:
    """Return an unexpected error as a problem for the page; its text may contain secrets, so it stays here."""
    hint = "please report it, with the lines in the terminal"
    return as_data(Problem("PP995", f"this is a bug in promptpack: {type(error).__name__}", None, hint))


class _TokenBucket:
    """A bucket of messages that fills with time."""

    def __init__(self) -> None:
        self._remaining = float(_BURST)
        self._last = time.monotonic()

    def allows(self) -> bool:
        now = time.monotonic()
        self._remaining = min(_BURST, self._remaining + (now - self._last) * _PER_SECOND) - 1
        self._last = now
        return self._remaining >= 0


def _parse(text: str) -> dict[str, Any] | None:
    """Return the fields of a message; None if it is not one."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_message = isinstance(fields, dict) and isinstance(fields.get("do"), str) and type(fields.get("id")) is int
    return fields if is_message else None
