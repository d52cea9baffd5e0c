"""Long paragraphs, and an index of the pack files that contain each of them."""

import hashlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from promptpack.document import Document
from promptpack.lazy import cached_property
from promptpack.pack.placed import Placed, items_at
from promptpack.schema.pointers import ValuePath

_MIN_LENGTH: Final = 200


class Paragraph(NamedTuple):
    """A paragraph, the path of the YAML value that contains it, and the line in that value where it starts."""

    path: ValuePath
    line: int
    text: str

    @property
    def digest(self) -> str:
        """A hash of its text, short enough to be cached."""
        return hashlib.blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class ParagraphIndex:
    """The files that contain each paragraph, by its digest; it saves comparing every pack with all others."""

    def __init__(self) -> None:
        self._files: dict[str, _Files] = {}

    def add(self, digest: str, owner: str, file: str) -> None:
        """Record that a file of the pack `owner` contains a paragraph."""
        self._files.setdefault(digest, _Files()).add(owner, file)

    def in_other_packs(self, owner: str, digest: str) -> tuple[str, int]:
        """Return the first file of other packs that contains a paragraph, and the number of such files."""
        return self._files[digest].in_other_packs(owner) if digest in self._files else ("", 0)


class _Files:
    def __init__(self) -> None:
        self._by_owner: dict[str, set[str]] = {}

    def add(self, owner: str, file: str) -> None:
        self._by_owner.setdefault(owner, set()).add(file)

    def in_other_packs(self, owner: str) -> tuple[str, int]:
        first = next((first for name, first in self._firsts if name != owner), "")
        return first, self._count - len(self._by_owner.get(owner, ()))

    @cached_property
    def _firsts(self) -> list[tuple[str, str]]:
        return sorted(((name, min(files)) for name, files in self._by_owner.items()), key=lambda pair: pair[1])

    @cached_property
    def _count(self) -> int:
        return sum(map(len, self._by_owner.values()))


def find_paragraphs(document: Document) -> Iterator[Paragraph]:
    """Iterate over the long paragraphs of a pack file."""
    for text in _texts(document):
        line = 1
        for paragraph in text.value.split("\n\n"):
            start = line + len(paragraph) - len(paragraph.lstrip("\n"))
            if len(paragraph.strip()) >= _MIN_LENGTH:
                yield Paragraph(text.path, start, paragraph.strip())
            line += paragraph.count("\n") + 2


def _texts(document: Document) -> Iterator[Placed]:
    root = Placed(document.data, document, ())
    for section in ("partials", "slots"):
        yield from root.child(section).strings() if section in root.value else ()
    for message in items_at(root, "messages"):
        content = message.value.get("content")
        if isinstance(content, str):
            yield message.child("content")
        for index, part in enumerate(content if isinstance(content, list) else ()):
            if "text" in part:
                yield message.child("content", index, "text")
