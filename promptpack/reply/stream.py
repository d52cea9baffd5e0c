"""Read a reply in chunks: the certain part of the object so far, and the reading of the whole reply at the end."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from promptpack.reply.choice import Check
from promptpack.reply.read import read
from promptpack.reply.reading import Fault, Policy, Reading
from promptpack.reply.repair import set_at
from promptpack.reply.shape import Shape
from promptpack.reply.stream_parser import StreamParser

_DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Progress:
    """The result of one chunk; `value` and `complete` always show the current state of the stream."""

    fresh: tuple[str, ...]
    violations: tuple[Fault, ...]
    _parser: StreamParser = field(repr=False, compare=False)

    @property
    def value(self) -> dict[str, Any]:
        """The object so far: complete values, and the start of a growing text."""
        growing = self._parser.growing_text()
        return set_at(self._parser.partial.root, *growing) if growing else self._parser.partial.root

    @property
    def complete(self) -> tuple[str, ...]:
        """The pointers of all complete values."""
        return tuple(self._parser.partial.complete)


class ReplyStream:
    """Reads a reply in chunks, in linear time; it never shows part of a number, a fixed word or a key."""

    def __init__(self, shape: Mapping[str, Any] | Shape, check: Check, *, policy: Policy = _DEFAULT) -> None:
        self._shape, self._check, self._policy = Shape.of(shape), check, policy
        self._parser = StreamParser(self._shape)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._chunks: list[str | bytes] = []

    def feed(self, chunk: str | bytes) -> Progress:
        """Read the next chunk of the reply."""
        self._chunks.append(chunk)
        partial = self._parser.partial
        before = len(partial.complete)
        self._parser.feed(chunk if isinstance(chunk, str) else self._decoder.decode(chunk))
        return Progress(tuple(partial.complete[before:]), tuple(partial.alarms), self._parser)

    def close(self, finish_reason: str | None = None) -> Reading:
        """End the stream and read the whole reply once."""
        return read(self.raw, self._shape, self._check, policy=self._policy, finish_reason=finish_reason)

    @property
    def raw(self) -> str | bytes:
        """The whole reply so far."""
        if all(isinstance(chunk, str) for chunk in self._chunks):
            return "".join(chunk for chunk in self._chunks if isinstance(chunk, str))
        return b"".join(chunk if isinstance(chunk, bytes) else chunk.encode() for chunk in self._chunks)
