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

    At the end of an object, `read` reads the whole text so far.
    """

    def __init__(self, shape: Shape, read: Callable[[str], Reading], echo: PromptEcho) -> None:
        self._parser = StreamParser(PartialObject(shape, echo), self._read_span)
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._chunks: list[str | bytes] = []

    def feed(self, chunk: str | bytes) -> Progress:
        """Read the next chunk of the reply."""
        self._chunks.append(chunk)
        partial, before = self._parser.partial, self._parser.partial.complete
        known = len(before)
        self._parser.feed(chunk if isinstance(chunk, str) else self._decoder.decode(chunk))
        fresh = partial.complete[known if partial.complete is before else 0 :]
        return Progress(tuple(fresh), tuple(partial.alarms), self._parser)

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
