"""Packs and libraries as source texts and digests, so that another process can build them again; no code is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.library.building import lineage
from promptpack.library.contents import FLOW, LABELS, LOCK, read_contents
from promptpack.library.entry import Entry
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.sources.memory_folder import MemoryFolder
from promptpack.template.model import Limits

if TYPE_CHECKING:
    from promptpack.library.library import Library

FileTexts = dict[str, dict[str, bytes]]
"""The files of each folder, by the root of the folder and the relative path."""


class StoredPack(NamedTuple):
    """The texts of a pack and its parents, with the digest that the pack must have again."""

    texts: FileTexts
    path: str
    limits: Limits
    digest: str
    label: str = ""
    overlay: str = ""
    """The glob of the overlay for a model, if the pack has one."""

    def restore(self) -> Pack:
        """Build the pack; refuse it if its digest is different here."""
        return require_digest(self.build(), str(self.digest))

    def build(self) -> Pack:
        """Build the pack, whatever its digest."""
        library = _open(self.texts, self.limits, {})
        entry = next((entry for entry in library.entries if entry.path == self.path), None)
        if entry is None:
            message = f"the stored pack has no file {self.path!r}"
            raise UsageError(Problem("PP740", message, None, "store the pack again"))
        pack = library._build_entry(entry)
        pack = library._with_label(pack, self.label) if self.label else pack
        return pack._find_overlay(self.overlay) or pack

    @property
    def root(self) -> str:
        """The folder of the pack's own file."""
        return next(
            root for root, texts in self.texts.items() if any(self.show(root, file) == self.path for file in texts)
        )

    @property
    def file(self) -> str:
        """The pack's own file, relative to its folder."""
        return next(file for file in self.texts[self.root] if self.show(self.root, file) == self.path)

    @staticmethod
    def show(root: str, file: str) -> str:
        """Return the path of a file as shown to the user."""
        return MemoryFolder(root).show(file)


class StoredLibrary(NamedTuple):
    """The texts of a library's folders, with the digest that each pack must have again."""

    texts: FileTexts
    limits: Limits
    digests: Mapping[str, str]
    is_frozen: bool = False

    def restore(self) -> Library:
        """Open the library; a pack whose digest is different here is refused when it is used."""
        library = _open(self.texts, self.limits, self.digests)
        library._is_frozen = self.is_frozen
        return library

    @property
    def digest(self) -> str:
        """One hash of all files."""
        import hashlib

        found = hashlib.sha256()
        for root, files in self.texts.items():
            for name in (root, *sorted(files)):
                found.update(f"{len(name)}:{name}".encode("utf-8", "surrogatepass"))
                found.update(hashlib.sha256(files.get(name, b"")).digest())
        return f"sha256:{found.hexdigest()}"


def store_pack(library: Library, entry: Entry, pack: Pack) -> StoredPack:
    """Return a pack as texts: its file, its parents, their partials, and the schema files that it uses."""
    texts: FileTexts = {}
    for home, found in lineage(library, entry):
        texts.setdefault(found.folder.root, dict(_partials(home, found.folder)))
        texts[found.folder.root].update(_files(home, found))
    texts[entry.folder.root].update(library._result(entry).reads)
    overlay = pack.overlay.glob if pack.overlay else ""
    return StoredPack(texts, entry.path, pack.limits, pack.digest, pack.requested_label, overlay)


def store_library(library: Library) -> StoredLibrary:
    """Return a library as texts; builds every pack, to know which schema files they use."""
    texts: FileTexts = {folder.root: dict(_partials(library, folder)) for folder in library.folders}
    beside = library._contents
    for file, contents in ((FLOW, beside.flows), (LABELS, beside.labels), (LOCK, beside.locks)):
        for root, content in contents.items():
            texts[root][file] = content
    digests: dict[str, str] = {}
    for entry in library.entries:
        result = library._result(entry)
        texts[entry.folder.root] |= {**dict(_files(library, entry)), **result.reads}
        if result.pack is not None:
            digests[entry.path] = result.pack.digest
    return StoredLibrary(texts, library._limits, digests, library._is_frozen)


def require_digest(pack: Pack, expected: str | None) -> Pack:
    """Return a pack that was built again; raise a problem if it has another digest than expected."""
    if expected is not None and pack.digest != expected:
        message = f"{pack.label} has a different digest here: {pack.digest}, not {expected}"
        raise UsageError(Problem("PP740", message, None, "use the same files and the same version of promptpack"))
    return pack


def _open(texts: FileTexts, limits: Limits, digests: Mapping[str, str]) -> Library:
    from promptpack.library.library import Library

    folders = [MemoryFolder(root, texts=dict(files)) for root, files in texts.items()]
    library = Library(read_contents(folders, Cache()), limits)
    library._digests = digests
    return library


def _files(library: Library, entry: Entry) -> Iterator[tuple[str, bytes]]:
    """Yield a file, and the default file that completes it if it is a variant with only texts."""
    for one in library._contents.entries:
        is_same_version = (one.name, one.version) == (entry.name, entry.version) and one.is_default
        if one.folder == entry.folder and is_same_version and one.content is not None:
            yield one.file, one.content
    if entry.content is not None:  # as it was good, if the file is broken or gone now
        yield entry.file, entry.content


def _partials(library: Library, folder: Folder) -> Iterator[tuple[str, bytes]]:
    for name, source in library._partials_of(folder).items():
        # Reading a partial removes the newline at its end.
        yield f"_partials/{name}.j2", f"{source.text}\n".encode("utf-8", "surrogatepass")
