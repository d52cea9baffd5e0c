"""`Source`, the `Template` or `Expression` that it compiles to, and the `Limits` of their work and memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from promptpack.lazy import cached_property
from promptpack.problem import Location
from promptpack.template.positions import decode

if TYPE_CHECKING:
    from promptpack.template.engine import Engine
    from promptpack.template.render_cache import PackCache
    from promptpack.template.runtime import IncludeStack, PackTemplate

Syntax = Literal["jinja", "handlebars"]
LocateCharacter = Callable[[int, int], Location]
# The path of a source that is not a file.
UNPLACED: Final = "<template>"
Fingerprint = bytes | str | tuple[str, ...]
"""Represents a value: equal fingerprints mean identical data."""
DEFAULT_INDENT: Final = 2
"""The indent of JSON, unless the pack chooses one line."""


@dataclass(frozen=True)
class Source:
    """The text of a template, and a function from its lines and columns to locations in a file."""

    text: str
    locate: LocateCharacter
    syntax: Syntax = "jinja"

    @classmethod
    def of_text(cls, text: str, name: str = UNPLACED, syntax: Syntax = "jinja") -> Source:
        """Return the source of a text that is a whole file, or not in a file."""

        def locate(line: int, column: int) -> Location:
            words = "".join(text.split("\n")[line - 1 : line])
            return Location(name, line, column)._with_word(words, column - 1)

        return cls(text, locate, syntax)

    def locate_word(self, position: int, word: str) -> Location:
        """Return the location of a word; Jinja knows only where the filter, test or lookup around it starts."""
        line, column = decode(position)
        found = self._lines[line - 1].find(word, column - 1) if line <= len(self._lines) else -1
        return self.locate(line, found + 1 if found >= 0 else column)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column of the text."""
        return min(sum(len(one) + 1 for one in self._lines[: line - 1]) + column - 1, len(self.text))

    def locate_offset(self, offset: int) -> Location:
        """Return the location of an offset of the text."""
        return self.locate(self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset))

    @property
    def line_count(self) -> int:
        """The number of lines of the text."""
        return self.text.count("\n") + 1

    def followed_by(self, others: Sequence[Source]) -> Source:
        """Return one source of several texts, which locates each line in the file of its own source."""
        if not others:
            return self

        def locate(line: int, column: int) -> Location:
            for source in (self, *others):
                if line <= source.line_count:
                    return source.locate(line, column)
                line -= source.line_count
            return others[-1].locate(1, 1)

        return Source("\n".join((self.text, *(source.text for source in others))), locate)

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")


class Scope(dict[str, Any]):
    """Values by name, and what caching needs: a snapshot of them, fingerprints of some, and the pack's cache."""

    __slots__ = ("cache", "fingerprints", "snapshot")

    def __init__(
        self,
        values: Mapping[str, Any],
        snapshot: Mapping[str, Any],
        fingerprints: Mapping[str, Fingerprint],
        cache: PackCache,
    ) -> None:
        super().__init__(values)
        self.snapshot: Mapping[str, Any] = snapshot
        self.fingerprints: Mapping[str, Fingerprint] = fingerprints
        self.cache: PackCache = cache


@dataclass(frozen=True)
class Template:
    """A compiled template; immutable, and safe to share between threads."""

    source: Source
    names: frozenset[str]
    partials: frozenset[str]
    size: int
    """The nodes of its syntax tree; 0 for a constant text."""
    _load: Callable[[], PackTemplate] = field(repr=False)
    _run: Callable[[Mapping[str, Any], IncludeStack | None], str] = field(repr=False)

    @property
    def code(self) -> PackTemplate:
        """The code that Jinja runs, compiled on first use."""
        return self._load()

    def render(self, context: Mapping[str, Any], include_stack: IncludeStack | None = None) -> str:
        """Render with partials from the include stack; raise `ContextError` with the location in the file.

        The context must be plain data: the code looks up keys without checking types, so callers' values must pass
        `prompt.plain_data` first. With a `Scope`, subtrees whose values have not changed come from the cache.
        """
        return self._run(context, include_stack)

    def __str__(self) -> str:
        return self.source.text


@dataclass(frozen=True)
class Expression:
    """A compiled expression, as in `when` and `require`."""

    source: Source
    names: frozenset[str]
    size: int
    engine: Engine = field(repr=False)
    _load: Callable[[], PackTemplate] = field(repr=False)
    _run: Callable[[Mapping[str, Any], IncludeStack | None], Any] = field(repr=False)

    @property
    def code(self) -> PackTemplate:
        """The code that evaluates it, compiled on first use."""
        return self._load()

    def evaluate(self, context: Mapping[str, Any]) -> Any:
        """Return the value; raise `ContextError` with the location in the pack file."""
        return self._run(context, None)

    def __str__(self) -> str:
        return self.source.text


@dataclass(frozen=True)
class Limits:
    """How much work and memory a template may use.

    The defaults are far above what a pack needs; an application may set others, a pack may not.
    """

    steps: int = 1_000_000
    output: int = 4_000_000
    text: int = 4_000_000
    items: int = 200_000
    bits: int = 4_096
    source: int = 200_000
    tokens: int = 10_000
    nodes: int = 15_000
