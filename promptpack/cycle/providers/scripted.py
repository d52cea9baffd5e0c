"""A provider without a server: it returns prepared replies, for tests, examples and `make run`."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from promptpack.cycle.cycle_errors import ProviderError
from promptpack.cycle.provider import Completion, Request
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import ToolCall

# Text, data to write as JSON, tool calls, a whole completion, or an error to raise.
ScriptedReply = str | Mapping[str, Any] | ToolCall | tuple[ToolCall, ...] | Completion | ProviderError
_PIECE_LENGTH = 16


class ScriptedProvider:
    """Return prepared replies in order, or call a function for each; `requests` lists all requests.

    `replies` are texts, mappings (sent as JSON), tool calls, completions or errors to raise; or a function that gets
    the request and returns one of these.
    """

    def __init__(self, replies: Iterable[ScriptedReply] | Callable[[Request], ScriptedReply]) -> None:
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._answer = replies if callable(replies) else None
        self._replies: Iterator[ScriptedReply] = iter(()) if callable(replies) else iter(replies)

    def __repr__(self) -> str:
        return f"ScriptedProvider({len(self.requests)} requests)"

    def complete(self, request: Request) -> Completion:
        """Return the next reply; `request` is kept in `requests`."""
        completion = _completion(self._next(request))
        if request.on_delta is not None:
            for start in range(0, len(completion.text), _PIECE_LENGTH):
                request.on_delta(completion.text[start : start + _PIECE_LENGTH])
        return completion

    async def acomplete(self, request: Request) -> Completion:
        """Return the next reply; see `complete`."""
        return self.complete(request)

    def _next(self, request: Request) -> ScriptedReply:
        with self._lock:
            self.requests.append(request)
            asked = len(self.requests)
            reply = None if self._answer else next(self._replies, None)
        if self._answer is not None:
            return self._answer(request)
        if reply is None:
            message = f"the script has no reply to request {asked}"
            raise UsageError(Problem("PP612", message, None, "pass one reply per request, or a function"))
        return reply


def _completion(reply: ScriptedReply) -> Completion:
    if isinstance(reply, ProviderError):
        raise reply
    if isinstance(reply, Completion):
        return reply
    if isinstance(reply, str):
        return Completion(reply)
    if isinstance(reply, Mapping):
        return Completion(json.dumps(reply, ensure_ascii=False))
    calls = (reply,) if isinstance(reply, ToolCall) else reply
    return Completion(tool_calls=calls, finish_reason="tool_calls")
