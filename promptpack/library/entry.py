"""A pack file of a library: its name, version and locale, its problems, and the result of building its pack."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from promptpack import document
from promptpack.cache import Cache
from promptpack.document import Document
from promptpack.files import Folder
from promptpack.lazy import cached_property
from promptpack.pack.model import Pack
from promptpack.pack.pack_schema import check, check_file
from promptpack.pack.version import Version, parse_version
from promptpack.problem import PackError, Problem
from promptpack.template.model import Source

_FILE = re.compile(r"(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]*?)?)(?:\.([a-z]{2,3}(?:-[A-Za-z]+)*))?\.ya?ml\Z")
# As on most disks; archives have no such limit.
_MAX_FILE_NAME = 255
# The sections of a whole variant: a variant with one of them inherits nothing.
_WHOLE = ("inputs", "extends", "slots", "abstract")

CacheRow = list[str]
"""A clean pack file in the cache: the digest of its bytes, its name, version and locale."""


@dataclass(frozen=True)
class Entry:
    """One pack file, parsed and checked against the pack schema."""

    folder: Folder
    file: str
    name: str
    version: Version | None
    locale: str
    load: Callable[[], Document] | None = field(compare=False, repr=False)
    problems: tuple[Problem, ...] = ()
    content: bytes | None = field(default=None, repr=False)
    is_clean: bool = field(default=False, compare=False, repr=False)
    """Whether it has neither problems nor warnings."""
    refused: Document | None = field(default=None, compare=False, repr=False)
    """The document, if it does not match the pack schema."""
    text_only: Document | None = field(default=None, compare=False, repr=False)
    """The document of a variant that is not complete without the default file."""
    default: str = ""
    """The digest of the default file that completes this variant."""

    @property
    def is_default(self) -> bool:
        """Whether the file name has no locale."""
        return not _names_locale(self.file)

    @property
    def locale_in_path(self) -> str:
        """The locale in the file name, or an empty text."""
        return _read_file_name(self.file)[2]

    @cached_property
    def document(self) -> Document | None:
        """The document, loaded on first use; None if it is not a valid pack file."""
        return self.load() if self.load else None

    @cached_property
    def digest(self) -> str:
        """The digest of the file's bytes; empty if the file cannot be read."""
        import hashlib

        return "" if self.content is None else hashlib.sha256(self.content + self.default.encode()).hexdigest()

    @property
    def row(self) -> CacheRow | None:
        """The row for the cache; None unless the file is clean."""
        return [self.digest, self.name, str(self.version), self.locale] if self.is_clean else None

    @cached_property
    def path(self) -> str:
        """The path as shown to users."""
        return self.folder.show(self.file)


class Listed(NamedTuple):
    """A pack file in the list of a library."""

    name: str
    version: Version | None
    locale: str
    path: str
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class BuildResult:
    """A pack, or problems; both if a reload keeps the last good pack of a file that is broken now."""

    found: Entry
    entry: Entry
    problems: tuple[Problem, ...] = ()
    build: Callable[[], Pack] | None = field(default=None, compare=False, repr=False)
    """Builds a pack without problems; None if the pack cannot be built."""
    reads: Mapping[str, bytes] = field(default_factory=dict)
    partials: Mapping[str, Source] = field(default_factory=dict)
    parents: tuple[Entry, ...] = ()
    """The files that the pack extends, nearest first; empty if it cannot be built."""

    @cached_property
    def pack(self) -> Pack | None:
        """The pack, built on first use; None if it cannot be built."""
        return None if self.build is None else self.build()

    @property
    def built(self) -> Pack | None:
        """The pack, if it is built already."""
        found: Pack | None = self.__dict__.get("pack")
        return found

    def is_current(self, entry: Entry, partials: Mapping[str, Source]) -> bool:
        """Return whether building the pack of an entry again would use the same files."""
        is_same = self.found == entry and _texts_of(self.partials) == _texts_of(partials)
        return is_same and all(map(self._is_unchanged, self.reads))

    def _is_unchanged(self, file: str) -> bool:
        try:
            return self.found.folder.read(file) == self.reads[file]
        except PackError:
            return False


def _texts_of(partials: Mapping[str, Source]) -> dict[str, str]:
    return {name: source.text for name, source in partials.items()}


def read_entry(
    folder: Folder,
    file: str,
    text: str | None = None,
    *,
    cache: Cache | None = None,
    cached: Entry | CacheRow | None = None,
) -> Entry:
    """Read and check a pack file, or `text` instead of its content; a broken file is named after its path.

    Return the `cached` entry if the bytes are the same. A file with the digest of the `cached` row is valid, so it is
    loaded on first use.
    """
    try:
        content = folder.read(file) if text is None else text.encode("utf-8", "surrogatepass")
    except PackError as error:
        return _broken(folder, file, None, error.problems)
    if isinstance(cached, Entry) and cached.content == content:
        return cached
    if cache is not None and isinstance(cached, list):
        digest, *identity = cached
        entry = _clean(folder, file, identity, content, lambda: _restore(content, entry.path, digest, cache))
        if entry.digest == digest:
            return entry
    return _parse_entry(folder, file, content, text, cache)


def _parse_entry(folder: Folder, file: str, content: bytes, text: str | None, cache: Cache | None) -> Entry:
    try:
        found = document.parse(content if text is None else text, folder.show(file))
        check_file(found)
    except PackError as error:
        return _broken(folder, file, None, error.problems, content)
    locale = _read_file_name(file)[2]
    if locale and _is_text_only(found.data):
        from promptpack.pack.variant_document import has_only_texts

        if "locale" not in found.data and has_only_texts(found.data):
            hint = f"write 'locale: {locale}', as in the file name"
            problem = Problem("PP203", "'locale' is missing", found.locate_key(("version",)), hint)
            return _broken(folder, file, found, (problem,), content)
        return replace(_broken(folder, file, found, (), content), text_only=found)
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


def complete_variants(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries, with each variant that contains only text completed by the default file of its version."""
    defaults = {(entry.folder, entry.name, entry.version): entry for entry in entries if entry.is_default}
    by_path = {(entry.folder, *_read_file_name(entry.file)): entry for entry in defaults.values()}
    for entry in entries:
        if entry.text_only is None:
            yield entry
            continue
        from promptpack.pack.variant_document import has_only_texts

        default = defaults.get((entry.folder, entry.name, entry.version))
        if default is None and has_only_texts(entry.text_only.data):
            name, version, _ = _read_file_name(entry.file)
            near = by_path.get((entry.folder, name, version, ""))
            if near is not None and near.document is None:
                yield _complete(entry, entry.text_only, near)
            else:
                yield replace(entry, problems=(_no_default(entry, entry.text_only, near),))
        else:
            yield _complete(entry, entry.text_only, default)


def _complete(entry: Entry, own: Document, default: Entry | None) -> Entry:
    from promptpack.pack.variant_document import complete_variant

    if default is not None and default.document is None:
        message = f"this variant needs {default.path}, which is broken"
        problem = Problem("PP237", message, own.locate_key(("name",)), "fix that file first")
        return replace(entry, problems=(problem,))
    try:
        found = complete_variant(default.document, own) if default is not None and default.document else own
        check(found)
    except PackError as error:
        return replace(entry, problems=error.problems)
    identity = [found.data["name"], found.data["version"], found.data.get("locale", "")]
    complete = _clean(entry.folder, entry.file, identity, entry.content or b"", lambda: found)
    return replace(complete, is_clean=False, default=default.digest if default else "")


def _no_default(entry: Entry, own: Document, near: Entry | None) -> Problem:
    """Return the problem of a variant without a default file; `near` is the default file that its path names."""
    message = f"this variant has only texts, but there is no default file of {entry.name}@{entry.version}"
    if near is None:
        hint = f"give it the name and version of that file, or add {entry.version}.yaml"
        return Problem("PP238", message, own.locate_key(("name",)), hint)
    key, value = ("version", str(near.version)) if near.name == entry.name else ("name", near.name)
    return Problem("PP238", message, own.locate((key,)), f"{near.path} has {key} {value!r}")


def _is_text_only(data: Any) -> bool:
    """Return whether the data of a variant leaves the inputs to the default file."""
    return isinstance(data, dict) and not any(key in data for key in _WHOLE)


def _names_locale(file: str) -> bool:
    return bool(_read_file_name(file)[2])


def _read_file_name(file: str) -> tuple[str, Version | None, str]:
    """Return the name, version and locale in the path of a file, as far as it has them."""
    *_, folder, name = ("", *file.rsplit("/", 2))
    found = _FILE.search(name) if len(name) <= _MAX_FILE_NAME else None
    if found is None:
        return "", None, ""
    return "" if found.start() else folder, parse_version(found[1]), found[2] or ""


def _restore(content: bytes, path: str, digest: str, cache: Cache) -> Document:
    data = cache.get("document", digest)
    return document.parse(content, path) if data is None else document.restore(content, path, data)


def _clean(folder: Folder, file: str, identity: list[str], content: bytes, load: Callable[[], Document]) -> Entry:
    name, version, locale = identity
    return Entry(folder, file, name, parse_version(version), locale, load, content=content, is_clean=True)


def _broken(
    folder: Folder,
    file: str,
    found: Document | None,
    problems: tuple[Problem, ...],
    content: bytes | None = None,
) -> Entry:
    data = found.data if found is not None and isinstance(found.data, Mapping) else {}
    in_path = _read_file_name(file)
    name = str(data["name"]) if isinstance(data.get("name"), str) else in_path[0]
    version = parse_version(str(data.get("version"))) or in_path[1]
    locale = str(data["locale"]) if isinstance(data.get("locale"), str) else in_path[2]
    return Entry(folder, file, name or file, version, locale, None, problems, content, refused=found)
