"""Long paragraphs, and the files of packs that each of them stands in."""

import hashlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from promptpack.document import Document
from promptpack.lazy import cached_property

_LONG: Final = 200

Path = tuple[str | int, ...]


class Paragraph(NamedTuple):
    """A paragraph, and where it begins: the path of its text, and the line in it."""

    path: Path
    line: int
    text: str

    @property
    def digest(self) -> str:
        """A name for its text that is short enough to be kept."""
        return hashlib.blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Repeats:
    """The files of each paragraph, by its digest. Every pack asks, so that none may look at all the others."""

    def __init__(self) -> None:
        self._places: dict[str, _Places] = {}

    def add(self, digest: str, owner: str, file: str) -> None:
        """Note that a paragraph stands in a file of a pack."""
        self._places.setdefault(digest, _Places()).add(owner, file)

    def besides(self, owner: str, digest: str) -> tuple[str, int]:
        """Give the first file of other packs that a paragraph stands in, and how many there are."""
        return self._places[digest].besides(owner) if digest in self._places else ("", 0)


class _Places:
    def __init__(self) -> None:
        self._files: dict[str, set[str]] = {}

    def add(self, owner: str, file: str) -> None:
        self._files.setdefault(owner, set()).add(file)

    def besides(self, owner: str) -> tuple[str, int]:
        first = next((first for name, first in self._firsts if name != owner), "")
        return first, self._count - len(self._files.get(owner, ()))

    @cached_property
    def _firsts(self) -> list[tuple[str, str]]:
        return sorted(((name, min(files)) for name, files in self._files.items()), key=lambda pair: pair[1])

    @cached_property
    def _count(self) -> int:
        return sum(map(len, self._files.values()))


def find_paragraphs(document: Document) -> Iterator[Paragraph]:
    """Find the long paragraphs of a pack file."""
    data: dict[str, Any] = document.data
    for path, text in _texts(data):
        line = 1
        for paragraph in text.split("\n\n"):
            start = line + len(paragraph) - len(paragraph.lstrip("\n"))
            if len(paragraph.strip()) >= _LONG:
                yield Paragraph(path, start, paragraph.strip())
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
