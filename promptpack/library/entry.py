"""A pack file as the library knows it: its name, version and locale, and what was wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from promptpack.files import Folder
from promptpack.lazy import cached_property
from promptpack.pack.version import Version, parse_version
from promptpack.problem import PackError, Problem

if TYPE_CHECKING:
    from promptpack.cache import Cache
    from promptpack.document import Document

_FILE = re.compile(
    r"(?:(.*/)?([^/]+)/)?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]*?)?)(?:\.([a-z]{2,3}(?:-[A-Za-z]+)*))?\.ya?ml\Z"
)


Row = list[str]
"""What is kept of a clean pack file: the digest of its bytes, its name, version and locale."""


@dataclass(frozen=True)
class Entry:
    """One pack file, up to the schema check."""

    folder: Folder
    file: str
    name: str
    version: Version | None
    locale: str
    is_default: bool
    load: Callable[[], Document] | None = field(compare=False, repr=False)
    problems: tuple[Problem, ...] = ()
    content: bytes | None = field(default=None, repr=False)
    is_clean: bool = field(default=False, compare=False, repr=False)
    """Whether there is nothing to tell of it."""
    refused: Document | None = field(default=None, compare=False, repr=False)
    """The document that the schema check refused."""

    @cached_property
    def document(self) -> Document | None:
        """The document, loaded when it is first asked for; None when it could not be read as a pack."""
        return self.load() if self.load else None

    @cached_property
    def digest(self) -> str:
        """The digest of the file's bytes; empty when they could not be read."""
        import hashlib

        return "" if self.content is None else hashlib.sha256(self.content).hexdigest()

    @property
    def row(self) -> Row | None:
        """What is kept of it, if it is clean."""
        return [self.digest, self.name, str(self.version), self.locale] if self.is_clean else None

    @cached_property
    def shown(self) -> str:
        """The path as the user would write it."""
        return self.folder.show(self.file)


def read_entry(
    folder: Folder,
    file: str,
    text: str | None = None,
    *,
    cache: Cache | None = None,
    known: Entry | Row | None = None,
) -> Entry:
    """Read a pack file, or `text` in its place, up to the schema check; a broken one keeps the name of its path.

    An entry that is `known` with the same bytes is kept. A file whose bytes have the digest of a `known` row passed the
    check before, so it is loaded only when needed.
    """
    try:
        content = folder.read(file) if text is None else text.encode("utf-8", "surrogatepass")
    except PackError as error:
        return _broken(folder, file, None, error.problems)
    if isinstance(known, Entry) and known.content == content:
        return known
    if cache is not None and isinstance(known, list):
        digest, *named = known
        entry = _clean(folder, file, named, content, lambda: _restore(content, entry.shown, digest, cache))
        if entry.digest == digest:
            return entry
    return _parse_entry(folder, file, content, text, cache)


def _parse_entry(folder: Folder, file: str, content: bytes, text: str | None, cache: Cache | None) -> Entry:
    from promptpack import document
    from promptpack.pack import check

    try:
        found = document.parse(content if text is None else text, folder.show(file))
    except PackError as error:
        return _broken(folder, file, None, error.problems, content)
    try:
        check(found)
    except PackError as error:
        return _broken(folder, file, found, error.problems, content)
    data: Mapping[str, Any] = found.data
    entry = _clean(folder, file, [data["name"], data["version"], data.get("locale", "")], content, lambda: found)
    if found.warnings:
        return replace(entry, is_clean=False)
    if cache is not None and cache.is_on:
        cache.put(data, "document", entry.digest)
    return entry


def _restore(content: bytes, shown: str, digest: str, cache: Cache) -> Document:
    from promptpack import document

    data = cache.get("document", digest)
    return document.parse(content, shown) if data is None else document.restore(content, shown, data)


def _clean(folder: Folder, file: str, named: list[str], content: bytes, load: Callable[[], Document]) -> Entry:
    name, version, locale = named
    is_default = _is_default(file)
    return Entry(folder, file, name, parse_version(version), locale, is_default, load, content=content, is_clean=True)


def _broken(
    folder: Folder,
    file: str,
    found: Document | None,
    problems: tuple[Problem, ...],
    content: bytes | None = None,
) -> Entry:
    data = found.data if found is not None and isinstance(found.data, Mapping) else {}
    by_path = _FILE.search(file)
    name = data.get("name") if isinstance(data.get("name"), str) else by_path[2] if by_path else file
    version = parse_version(str(data.get("version"))) or (parse_version(by_path[3]) if by_path else None)
    locale = data.get("locale") if isinstance(data.get("locale"), str) else by_path[4] if by_path else ""
    is_default = _is_default(file)
    return Entry(folder, file, name or file, version, locale or "", is_default, None, problems, content, refused=found)


def _is_default(file: str) -> bool:
    by_path = _FILE.search(file)
    return by_path is None or by_path[4] is None
