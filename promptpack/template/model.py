"""`Source`, `Template` and `Expression`: what is compiled, and what compiling gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from promptpack.problem import Location
from promptpack.template.positions import decode

if TYPE_CHECKING:
    from promptpack.template.engine import Engine
    from promptpack.template.partials import PackTemplate, Trail
    from promptpack.template.render_cache import PackCache

    Syntax = Literal["jinja", "handlebars"]
    Locate = Callable[[int, int], Location]

# The name of a source that is no file.
UNPLACED: Final = "<template>"
Fingerprint = bytes | str | tuple[str, ...]
"""Stands for a value: equal fingerprints mean identical data."""


@dataclass(frozen=True)
class Source:
    """A template's text and the way from a line and column in it to a place in a file."""

    text: str
    locate: Locate
    syntax: Syntax = "jinja"

    @classmethod
    def of_text(cls, text: str, name: str = UNPLACED, syntax: Syntax = "jinja") -> Source:
        """Take a text that is a file of its own, or no file at all."""
        return cls(text, lambda line, column: Location(name, line, column), syntax)

    def locate_word(self, position: int, word: str) -> Location:
        """Point at the word itself: Jinja knows only where the filter, test or look-up around it starts."""
        line, column = decode(position)
        lines = self.text.split("\n")
        found = lines[line - 1].find(word, column - 1) if line <= len(lines) else -1
        return self.locate(line, found + 1 if found >= 0 else column)


class Scope(dict[str, Any]):
    """Values by name, the fingerprints of those that may be compared between renders, and the pack's cache."""

    __slots__ = ("cache", "fingerprints")

    def __init__(self, values: Mapping[str, Any], fingerprints: Mapping[str, Fingerprint], cache: PackCache) -> None:
        super().__init__(values)
        self.fingerprints = fingerprints
        self.cache = cache


@dataclass(frozen=True)
class Template:
    """A compiled template; immutable, and safe to share between threads."""

    source: Source
    names: frozenset[str]
    partials: frozenset[str]
    _load: Callable[[], PackTemplate] = field(repr=False)
    _run: Callable[[Mapping[str, Any], Trail | None], str] = field(repr=False)

    @property
    def code(self) -> PackTemplate:
        """What Jinja runs, made on first use."""
        return self._load()

    def render(self, context: Mapping[str, Any], trail: Trail | None = None) -> str:
        """Render with partials from the trail; raises `ContextError` with the place in the file.

        The context is plain data, as `prompt.plain` makes it of whatever a caller gives: the code looks up keys without
        asking whose they are, so all that takes a caller's values sees to that before. Of a `Scope`, parts whose values
        are as they were the last time are not written again.
        """
        return self._run(context, trail)

    def __str__(self) -> str:
        return self.source.text


@dataclass(frozen=True)
class Expression:
    """A compiled expression, as in `when` and `require`."""

    source: Source
    names: frozenset[str]
    engine: Engine = field(repr=False)
    _run: Callable[[Mapping[str, Any], Trail | None], Any] = field(repr=False)

    def evaluate(self, context: Mapping[str, Any]) -> Any:
        """Work out the value; raises `ContextError` with the place in the pack file."""
        return self._run(context, None)

    def __str__(self) -> str:
        return self.source.text
