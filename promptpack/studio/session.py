"""The `Session`: one page's WebSocket. Messages are JSON objects `{id, do, ...}`; each gets one answer with its id."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import nullcontext, suppress
from typing import Any, Final, NoReturn

from starlette.websockets import WebSocket, WebSocketDisconnect

from promptpack.cycle.services import Cancellation
from promptpack.problem import Problem, PromptpackError, UsageError, as_data
from promptpack.studio.handlers.catalogue import HANDLERS, PageHandler, PoolName
from promptpack.studio.handlers.replies import try_model
from promptpack.studio.open_texts import OpenTexts
from promptpack.studio.request import PageRequest, SendToPage
from promptpack.studio.studio import Studio

Pools = Mapping[PoolName, Executor]
MAX_MESSAGE_BYTES: Final = 2_500_000
_MAX_WAITING: Final = 64
_MAX_WAITING_BYTES: Final = 16_000_000
_MAX_ANSWERS: Final = 4
_MAX_PATH: Final = 500
_MAX_VALUES: Final = 100_000
_BYTES_PER_VALUE: Final = 200
_NO_MESSAGE: Final = "a message is a JSON object with an id and a word"
_TAB: Final = re.compile(r"[a-z0-9]{8,32}")
_SIGNS: Final = ",[{"
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_ID: Final = re.compile(r'^\{"id":\s*(\d{1,15}),|"id":\s*(\d{1,15}),\s*"do":\s*"\w+"\}$')
_TOO_MANY_VALUES: Final = Problem(
    "PP994", f"the message has more than {_MAX_VALUES:,} values", None, "use a smaller context"
)
_SHOWN: Final = 40
# The messages allowed at once, and per second after them; typing needs about ten.
_BURST: Final = 400
_PER_SECOND: Final = 100
_POLICY: Final = 1008


class Session:
    """Answers the messages of one page until it disconnects."""

    def __init__(self, studio: Studio, pools: Pools, socket: WebSocket) -> None:
        given = socket.query_params.get("tab", "")
        self._tab = given if _TAB.fullmatch(given) else secrets.token_hex(8)
        self._studio = studio
        self._pools = pools
        self._socket = socket
        self._texts = OpenTexts()
        self._newest: dict[tuple[str, str], int] = {}
        self._tasks: dict[asyncio.Task[None], int] = {}
        self._cancellations: dict[int, Cancellation] = {}
        self._pace = _TokenBucket()
        self._sending = asyncio.Lock()
        # Drafts and models wait for nothing else; their answers are short.
        self._answers = {pool: asyncio.Semaphore(_MAX_ANSWERS) for pool in ("quick", "slow")}
        self._news: dict[str, dict[str, Any]] = {}
        self._announcing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Read messages until the page is gone; its unfinished requests are cancelled, but what it typed is kept."""
        self._studio.tabs[self._tab] += 1
        try:
            while True:
                await self._receive(await self._socket.receive_text())
        except (WebSocketDisconnect, KeyError, asyncio.CancelledError):
            pass  # a message of bytes has no text; the task is cancelled when the server ends
        finally:
            self._studio.tabs -= Counter([self._tab])
            for cancellation in self._cancellations.values():
                cancellation.cancel()
            for task in (*self._tasks, *([self._announcing] if self._announcing else [])):
                if task.get_name() != "keep":
                    task.cancel()

    def announce(self, kind: str, news: Mapping[str, Any]) -> None:
        """Send news soon, and wait for nothing; those that a slow page has not read yet become one message."""
        self._news.setdefault(kind, {}).update(news)
        if self._announcing is None or self._announcing.done():
            self._announcing = asyncio.create_task(self._send_news())

    async def _send_news(self) -> None:
        while self._news:
            kind = next(iter(self._news))
            await self._send({"event": kind, kind: self._news.pop(kind)})

    async def _send(self, data: Mapping[str, Any]) -> None:
        """Send a message to the page; a page that is gone gets none."""
        text = json.dumps(data, ensure_ascii=True, default=str)
        async with self._sending:
            try:
                await self._socket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                return  # it disconnects now, which `run` notices

    async def _receive(self, text: str) -> None:
        if not self._pace.allows() or len(self._tasks) >= _MAX_WAITING:
            await self._refuse("too many messages")
        values = _count_values(text)
        if values > _MAX_VALUES:
            number = _ID.search(f"{text[:100]}\n{text[-100:]}")
            if number is None:
                await self._refuse(_NO_MESSAGE)
            await self._send({"id": int(number[1] or number[2]), "problems": [as_data(_TOO_MANY_VALUES)]})
            return
        size = sys.getsizeof(text) * 2 + values * _BYTES_PER_VALUE
        while self._tasks and sum(self._tasks.values()) + size > _MAX_WAITING_BYTES:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        fields = _parse(text)
        if fields is None:
            await self._refuse(_NO_MESSAGE)
        name, number, path = fields["do"], fields["id"], _read_path(fields)
        if name == "type":
            typed = fields.get("text")
            self._texts.keep(path, typed if isinstance(typed, str) else None)
        elif name == "stop":
            self._stop(fields.get("of"))
        else:
            task = asyncio.create_task(self._answer(name, number, path, fields), name=name)
            self._tasks[task] = size
            task.add_done_callback(self._tasks.pop)

    async def _refuse(self, why: str) -> NoReturn:
        with suppress(RuntimeError):  # it is being closed already
            await self._socket.close(_POLICY, why)
        raise WebSocketDisconnect(_POLICY)

    def _stop(self, number: object) -> None:
        if isinstance(number, int) and number in self._cancellations:
            self._cancellations[number].cancel()

    async def _answer(self, name: str, number: int, path: str, fields: Mapping[str, Any]) -> None:
        handler, key = HANDLERS.get(name), (name, path)
        pool: PoolName = "model" if name == "try" else handler.pool if handler else "quick"
        request = PageRequest(fields, self._texts, self._tab, self._make_emit(number))

        def is_old() -> bool:
            return self._newest.get(key, number) != number

        def work() -> dict[str, Any] | None:
            return self._try(number, request) if name == "try" else self._run(name, handler, request, is_old)

        self._newest[key] = number
        try:
            async with self._answers.get(pool) or nullcontext():
                await self._send({"id": number, **await self._wait_for(name, pool, work)})
        finally:
            if not is_old():
                self._newest.pop(key, None)

    def _make_emit(self, number: int) -> SendToPage:
        loop = asyncio.get_running_loop()
        return lambda data: asyncio.run_coroutine_threadsafe(self._send({**data, "of": number}), loop)

    async def _wait_for(self, name: str, pool: PoolName, work: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        self._studio.waiting += 1
        try:
            answer = await loop.run_in_executor(self._pools[pool], work)
        except PromptpackError as error:
            return {"problems": self._studio.project.shown(error)}
        except Exception as error:  # noqa: BLE001 -- the page must not wait forever; this is a bug
            loop.call_exception_handler({"message": f"{name[:_SHOWN]} failed", "exception": error})
            return {"problems": [describe_bug(error)]}
        finally:
            self._studio.waiting -= 1
        return {"skipped": True} if answer is None else {"ok": answer}

    def _run(
        self, name: str, handler: PageHandler | None, request: PageRequest, is_old: Callable[[], bool]
    ) -> dict[str, Any] | None:
        """Return what a handler answers; None if a newer message of its kind waits."""
        if handler is None:
            message = f"unknown message {name[:_SHOWN]!r}"
            raise UsageError(Problem("PP994", message, None, "reload the page; it may be older than the server"))
        if handler.is_replaceable and is_old():
            return None
        with self._studio.project.lock if handler.pool == "quick" else nullcontext():
            return handler.run(self._studio, request)

    def _try(self, number: int, request: PageRequest) -> dict[str, Any]:
        cancellation = self._cancellations[number] = Cancellation()
        try:
            return try_model(self._studio, request, cancellation)
        finally:
            self._cancellations.pop(number, None)


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


def _count_values(text: str) -> int:
    """Return about how many values a message has; signs in its strings count only if there are few of them."""
    signs = sum(map(text.count, _SIGNS))
    return signs if signs <= _MAX_VALUES else sum(map(_STRING.sub("", text).count, _SIGNS))


def _read_path(fields: Mapping[str, Any]) -> str:
    path = fields.get("path")
    return path if isinstance(path, str) and len(path) <= _MAX_PATH else ""


def _parse(text: str) -> dict[str, Any] | None:
    """Return the fields of a message; None if it is not one."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_message = isinstance(fields, dict) and isinstance(fields.get("do"), str) and type(fields.get("id")) is int
    return fields if is_message else None
