"""A paragraph that several packs have word for word.

What is copied is mended in one place and forgotten in the other. A partial in `_partials/`, or in a pack that both
extend, holds it once. Told are paragraphs of 200 characters and more, once for each file; other versions and other
languages of the same pack do not count.

Bad: the same ten lines of safety rules in `planner` and in `router`.
Good: `{% include "safety" %}` in both.
"""

from collections.abc import Iterator
from typing import Any, Final

from promptpack.document import Document
from promptpack.lazy import cached_property
from promptpack.linter.rule import Advice
from promptpack.linter.subject import Neighbours, Subject
from promptpack.problem import Severity

CODE: Final = "PL021"
NAME: Final = "repeated-text"
SEVERITY: Final[Severity] = "note"

_LONG: Final = 200

Path = tuple[str | int, ...]


def check(subject: Subject) -> Iterator[Advice]:
    """Look for the pack's paragraphs in the other packs."""
    neighbours = subject.neighbours
    index = neighbours.once(CODE, lambda: _index(neighbours))
    name = subject.identity[0]
    told: set[str] = set()
    for path, line, paragraph in _paragraphs(subject.document):
        first, count = index[paragraph].besides(name) if paragraph in index else ("", 0)
        if count and paragraph not in told:
            told.add(paragraph)
            message = f"this paragraph of {len(paragraph):,} characters also stands in {first}"
            more = f" and {count - 1} more" if count > 1 else ""
            place = subject.document.locate_inside(path, line, 1)
            yield Advice(message + more, place, "put it into a partial that both include")


class _Places:
    """The files that a paragraph stands in; each is asked of many, so that none may look at them all."""

    def __init__(self) -> None:
        self._files: dict[str, set[str]] = {}

    def add(self, owner: str, file: str) -> None:
        self._files.setdefault(owner, set()).add(file)

    def besides(self, owner: str) -> tuple[str, int]:
        """Give the first file of other packs, and how many there are."""
        return next((first for name, first in self._firsts if name != owner), ""), self._count - len(
            self._files.get(owner, ())
        )

    @cached_property
    def _firsts(self) -> list[tuple[str, str]]:
        return sorted(((name, min(files)) for name, files in self._files.items()), key=lambda pair: pair[1])

    @cached_property
    def _count(self) -> int:
        return sum(map(len, self._files.values()))


def _index(neighbours: Neighbours) -> dict[str, _Places]:
    found: dict[str, _Places] = {}
    for document in neighbours.documents():
        for _, _, paragraph in _paragraphs(document):
            found.setdefault(paragraph, _Places()).add(document.data["name"], document.path)
    return found


def _paragraphs(document: Document) -> Iterator[tuple[Path, int, str]]:
    data: dict[str, Any] = document.data
    for path, text in _texts(data):
        line = 1
        for paragraph in text.split("\n\n"):
            start = line + len(paragraph) - len(paragraph.lstrip("\n"))
            if len(paragraph.strip()) >= _LONG:
                yield path, start, paragraph.strip()
            line += paragraph.count("\n") + 2


def _texts(data: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    for name, text in data.get("partials", {}).items():
        yield ("partials", name), text
    yield from _strings(data.get("slots"), ("slots",))
    for index, message in enumerate(data.get("messages", ())):
        content = message.get("content")
        if isinstance(content, str):
            yield ("messages", index, "content"), content
        for number, part in enumerate(content if isinstance(content, list) else ()):
            if "text" in part:
                yield ("messages", index, "content", number, "text"), part["text"]


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    match value:
        case str():
            yield path, value
        case dict():
            for key, item in value.items():
                yield from _strings(item, (*path, key))
        case list():
            for index, item in enumerate(value):
                yield from _strings(item, (*path, index))
