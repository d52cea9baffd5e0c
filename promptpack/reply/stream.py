"""A reply that arrives in chunks: what is certain so far, and the verdict at the end."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from promptpack.reply.increment import Machine
from promptpack.reply.judge import Check
from promptpack.reply.read import read
from promptpack.reply.reading import Policy, Reading, Violation
from promptpack.reply.repair import set_at
from promptpack.reply.shape import Shape

_DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Partial:
    """What one chunk brought; `value` and `complete` tell the state of the stream at the moment they are asked."""

    fresh: tuple[str, ...]
    violations: tuple[Violation, ...]
    _machine: Machine = field(repr=False, compare=False)

    @property
    def value(self) -> dict[str, Any]:
        """Give the object so far: finished values, and a free text as far as it has come."""
        growing = self._machine.growing()
        return set_at(self._machine.growth.root, *growing) if growing else self._machine.growth.root

    @property
    def complete(self) -> tuple[str, ...]:
        """Give the pointers of all values that are finished."""
        return tuple(self._machine.growth.complete)


class ReplyStream:
    """Reads a reply as it comes; linear over the whole stream, and never half a number, word or key."""

    def __init__(self, shape: Mapping[str, Any] | Shape, check: Check, *, policy: Policy = _DEFAULT) -> None:
        self._shape, self._check, self._policy = Shape.of(shape), check, policy
        self._machine = Machine(self._shape)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._chunks: list[str | bytes] = []

    def feed(self, chunk: str | bytes) -> Partial:
        """Take in the next piece of the reply."""
        self._chunks.append(chunk)
        growth = self._machine.growth
        before = len(growth.complete)
        self._machine.feed(chunk if isinstance(chunk, str) else self._decoder.decode(chunk))
        return Partial(tuple(growth.complete[before:]), tuple(growth.violations), self._machine)

    def close(self, finish_reason: str | None = None) -> Reading:
        """End the stream and read the whole reply once."""
        return read(self.raw, self._shape, self._check, policy=self._policy, finish_reason=finish_reason)

    @property
    def raw(self) -> str | bytes:
        """Give everything that has come in."""
        if all(isinstance(chunk, str) for chunk in self._chunks):
            return "".join(chunk for chunk in self._chunks if isinstance(chunk, str))
        return b"".join(chunk if isinstance(chunk, bytes) else chunk.encode() for chunk in self._chunks)
