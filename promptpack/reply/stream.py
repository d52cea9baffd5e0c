"""Read a reply in chunks: the part of the answer that is certain so far, and the alarms about it."""

import codecs
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from promptpack.reply.outer_encoding import blank_before
from promptpack.reply.partial_object import PartialObject
from promptpack.reply.reading import Fault, PromptEcho, Reading
from promptpack.reply.repair import set_at
from promptpack.reply.shape import Shape
from promptpack.reply.stream_parser import StreamParser

# The first chunks are read one by one; later ones together, once they have this many characters.
MAX_SINGLE_CHUNKS, MIN_TOGETHER = 20_000, 1_000
# Or until this many characters were searched again, because markers or objects may have started in them.
MAX_SEARCHED_AGAIN = 200_000


@dataclass(frozen=True, slots=True)
class Progress:
    """The result of one chunk; `value` and `complete` always show the current state of the stream."""

    fresh: tuple[str, ...]
    violations: tuple[Fault, ...]
    _parser: StreamParser = field(repr=False, compare=False)

    @property
    def value(self) -> dict[str, Any]:
        """The answer so far: complete values, and the start of a growing text."""
        growing = self._parser.growing_text()
        return set_at(self._parser.partial.root, *growing) if growing else self._parser.partial.root

    @property
    def complete(self) -> tuple[str, ...]:
        """The pointers of all complete values."""
        return tuple(self._parser.partial.complete)


class ReplyStream:
    """Reads a reply in chunks, in linear time; it never shows part of a number, a fixed word or a key.

    At the end of an object, `read` reads the whole text so far. A reply in very many chunks is shown with a delay.
    """

    def __init__(self, shape: Shape, read: Callable[[str], Reading], echo: PromptEcho) -> None:
        self._parser = StreamParser(PartialObject(shape, echo), self._read_span)
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._chunks: list[str | bytes] = []
        self._unread: list[str | bytes] = []
        self._calls = self._unread_length = 0
        self._unchanged = Progress((), (), self._parser)

    def feed(self, chunk: str | bytes) -> Progress:
        """Read the next chunk of the reply."""
        self._chunks.append(chunk)
        self._unread.append(chunk)
        self._calls += 1
        self._unread_length += len(chunk)
        is_slow = self._calls > MAX_SINGLE_CHUNKS or self._parser.searched_again > MAX_SEARCHED_AGAIN
        if is_slow and self._unread_length < MIN_TOGETHER:
            return self._unchanged
        return self._read_on()

    def _read_on(self) -> Progress:
        partial, before = self._parser.partial, self._parser.partial.complete
        known = len(before)
        self._parser.feed(self._take_unread())
        fresh = partial.complete[known if partial.complete is before else 0 :]
        progress = Progress(tuple(fresh), tuple(partial.alarms), self._parser)
        self._unchanged = Progress((), progress.violations, self._parser)
        return progress

    def _take_unread(self) -> str:
        unread, self._unread, self._unread_length = self._unread, [], 0
        return "".join(chunk if isinstance(chunk, str) else self._decoder.decode(chunk) for chunk in unread)

    @property
    def raw(self) -> str | bytes:
        """The whole reply so far."""
        raw: str | bytes
        if all(isinstance(chunk, str) for chunk in self._chunks):
            raw = "".join(chunk for chunk in self._chunks if isinstance(chunk, str))
        else:
            raw = b"".join(chunk if isinstance(chunk, bytes) else chunk.encode() for chunk in self._chunks)
        self._chunks = [raw]
        return raw

    def _read_span(self, start: int, end: int) -> Reading:
        raw = self.raw
        text = raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
        return self._read(blank_before(text[:end], start))
