"""Open a source of packs by its name: a folder, an archive, `git:REVISION:FOLDER`, `package:NAME`, or a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.problem import Problem, UsageError
from promptpack.source_names import is_archive, is_source

if TYPE_CHECKING:
    from promptpack.sources.memory_folder import MemoryFolder


def open_folder(source: str, cache: Cache | None = None) -> Folder:
    """Return an existing folder, or that of another source in memory; raise a `UsageError` if there is none.

    What is downloaded is stored in the `cache` by its digest.
    """
    name = str(source)
    folder = Folder(name)
    if is_source(name) or (is_archive(name) and not folder.is_there):
        return open_source(name, cache)
    if not folder.is_there:
        raise UsageError(Problem("PP704", f"no folder {source!r}", None, "pass a folder that contains packs"))
    return folder


def open_source(source: str, cache: Cache | None = None) -> MemoryFolder:
    """Return the folder of packs of a source that is not a folder on this disk."""
    kind, _, rest = source.partition(":")
    if kind == "git" and not rest.startswith("//"):
        return _open_revision(rest)
    if kind == "package":
        from promptpack.sources.packages import open_package

        return open_package(rest)
    if is_source(source):
        from promptpack.sources.remote import open_url

        return open_url(source, cache or Cache())
    from promptpack.sources.archive import open_archive

    return open_archive(source)


def _open_revision(text: str) -> MemoryFolder:
    from promptpack.sources.git import open_revision

    revision, colon, folder = text.partition(":")
    if not colon or not folder:
        hint = f"write git:REVISION:FOLDER, such as git:{revision or 'v1.2.0'}:packs"
        raise UsageError(Problem("PP770", f"'git:{text}' names no folder", None, hint))
    return open_revision(folder, revision)
