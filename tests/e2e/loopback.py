"""A real HTTP server on 127.0.0.1 that answers like a model's server, with its errors, streams and bad manners."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

# whole: as it should be. silent: takes the request and says nothing. dropped: hangs up without an answer.
# cut: hangs up in the middle of the body.
Manner = Literal["whole", "silent", "dropped", "cut"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server sends for one request; a stream is a list of pieces."""

    body: bytes | tuple[bytes, ...] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    manner: Manner = "whole"


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it arrived; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any


class Loopback:
    """Answers requests one after the other, or asks a function; used in a `with`, on its own port.

    With `keep_alive`, a client may send several requests on one connection, and must close it before the server ends.
    """

    def __init__(self, answers: Iterable[Answer] | Callable[[Received], Answer], *, keep_alive: bool = False) -> None:
        self.received: list[Received] = []
        self.keep_alive = keep_alive
        self.opened = 0
        self.closed = 0
        self.closing = threading.Event()
        self._answers: Iterator[Answer] = iter(()) if callable(answers) else iter(answers)
        self._function = answers if callable(answers) else None
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.loopback = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def address(self) -> str:
        """Where the server listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, received: Received) -> Answer:
        """Give the answer to a request."""
        self.received.append(received)
        if self._function is not None:
            return self._function(received)
        return next(self._answers, None) or Answer(b'{"error": {"message": "no answer is left"}}', 400)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def json_answer(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Answer with JSON."""
    return Answer(json.dumps(data).encode(), status, {"Content-Type": "application/json", **(headers or {})})


def openai_answer(text: str | None, calls: Iterable[Mapping[str, Any]] = (), finish_reason: str = "stop") -> Answer:
    """Answer as chat completions do."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = list(calls)
    return json_answer(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "loopback-1",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": {
                "prompt_tokens": 11,
                "completion_tokens": 7,
                "total_tokens": 18,
                "prompt_tokens_details": {"cached_tokens": 4},
            },
        }
    )


def openai_stream(deltas: Iterable[Mapping[str, Any]], finish_reason: str | None = "stop") -> Answer:
    """Answer as streamed chat completions do, with the usage in the last chunk."""
    shared = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "loopback-1"}
    chunks: list[Any] = [
        {**shared, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    if finish_reason:
        chunks += [{**shared, "choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]}]
        chunks += [
            {**shared, "choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}
        ]
    lines = [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks]
    return _events([*lines, b"data: [DONE]\n\n"] if finish_reason else lines)


def openai_error(status: int, message: str, code: str = "", headers: Mapping[str, str] | None = None) -> Answer:
    """Answer as OpenAI refuses."""
    return json_answer({"error": {"message": message, "type": "error", "param": None, "code": code}}, status, headers)


def anthropic_answer(blocks: Iterable[Mapping[str, Any]], stop_reason: str = "end_turn") -> Answer:
    """Answer as the Messages API does."""
    return json_answer(_anthropic_message(list(blocks), stop_reason, 7))


def anthropic_stream(
    blocks: Iterable[tuple[Mapping[str, Any], Iterable[Mapping[str, Any]]]], stop_reason: str | None = "end_turn"
) -> Answer:
    """Answer as the streamed Messages API does; a block is its beginning and its deltas."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": _anthropic_message([], None, 1)},
        {"type": "ping"},
    ]
    for index, (begin, deltas) in enumerate(blocks):
        events += [{"type": "content_block_start", "index": index, "content_block": begin}]
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events += [{"type": "content_block_stop", "index": index}]
    if stop_reason:
        ending = {"stop_reason": stop_reason, "stop_sequence": None}
        events += [{"type": "message_delta", "delta": ending, "usage": {"output_tokens": 7}}]
        events += [{"type": "message_stop"}]
    return anthropic_events(events)


def anthropic_events(events: Iterable[Mapping[str, Any]]) -> Answer:
    """Answer with these server-sent events."""
    return _events(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


def anthropic_error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Answer as Anthropic refuses."""
    return json_answer({"type": "error", "error": {"type": kind, "message": message}}, status, headers)


def _anthropic_message(blocks: list[Mapping[str, Any]], stop_reason: str | None, output_tokens: int) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "loopback-1",
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "cache_read_input_tokens": 2, "output_tokens": output_tokens},
    }


def _events(pieces: Iterable[bytes]) -> Answer:
    return Answer(tuple(pieces), headers={"Content-Type": "text/event-stream"})


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for every answer, so that nothing outlives its test
    loopback: Loopback


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = 30

    def setup(self) -> None:
        self.server.loopback.opened += 1
        super().setup()

    def finish(self) -> None:
        super().finish()
        self.server.loopback.closed += 1

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        loopback = self.server.loopback
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = loopback.answer(Received(self.path, headers, json.loads(raw)))
        self.close_connection = not loopback.keep_alive
        if answer.manner == "silent":
            loopback.closing.wait()
        elif answer.manner != "dropped":
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "keep-alive" if self.server.loopback.keep_alive else "close")
        if isinstance(answer.body, tuple):
            self._send_chunks(answer.body, whole=answer.manner == "whole")
        else:
            self._send_body(answer.body, whole=answer.manner == "whole")

    def _send_body(self, body: bytes, *, whole: bool) -> None:
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if whole else body[: len(body) // 2])

    def _send_chunks(self, pieces: tuple[bytes, ...], *, whole: bool) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        if whole:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the parent's own word
        """Say nothing: a test's output is the test's."""
