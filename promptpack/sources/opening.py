"""Open a source of packs by its name: a folder, an archive, `git:REVISION:FOLDER`, `package:NAME`, or a URL."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING

from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.problem import Location, Problem, UsageError
from promptpack.source_names import is_archive, is_source

if TYPE_CHECKING:
    from promptpack.sources.memory_folder import MemoryFolder


def is_elsewhere(source: str) -> bool:
    """Return whether a source is not a folder on this disk."""
    return is_source(source) or (is_archive(source) and not Folder(source).is_there)


def name_source(source: str) -> str:
    """Return the name of a source in lock files: without the credentials, the query and the digest of a URL."""
    if source.startswith("package:") or (source.startswith("git:") and not source.startswith("git://")):
        return source
    if is_source(source):
        from promptpack.sources.remote import RemoteAddress

        return RemoteAddress.parse(source).name
    return posixpath.normpath(source)


def open_folder(source: str, cache: Cache | None = None, pin: str = "") -> Folder:
    """Return an existing folder, or that of another source in memory; raise a `UsageError` if there is none.

    Downloads are stored in the `cache` by their digest. A source with a `pin` must have this digest.
    """
    name = str(source)
    folder = Folder(name)
    if is_elsewhere(name):
        return open_source(name, cache, pin)
    if not folder.is_there:
        raise UsageError(Problem("PP704", f"no folder {source!r}", None, "pass a folder that contains packs"))
    return folder


def open_source(source: str, cache: Cache | None = None, pin: str = "") -> MemoryFolder:
    """Return the folder of packs of a source that is not a folder on this disk; it must have the digest `pin`."""
    folder = _read(source, cache, pin)
    if pin and folder.source_digest != pin:
        message = f"the content has the digest {folder.source_digest}, and {pin} in packs.lock"
        name = name_source(source)
        hint = (
            f"it was replaced or damaged; if the change is intended, run: promptpack lock FOLDER {name} --update {name}"
        )
        raise UsageError(Problem("PP782", message, Location(name), hint))
    return replace(folder, source=name_source(source), pin=folder.pin or pin)


def _read(source: str, cache: Cache | None, pin: str) -> MemoryFolder:
    kind, _, rest = source.partition(":")
    if kind == "git" and not rest.startswith("//"):
        return _open_revision(rest)
    if kind == "package":
        from promptpack.sources.packages import open_package

        return open_package(rest)
    if is_source(source):
        from promptpack.sources.remote import open_url

        return open_url(source, cache or Cache(), pin)
    from promptpack.sources.archive import open_archive

    return open_archive(source)


def _open_revision(text: str) -> MemoryFolder:
    from promptpack.sources.git import open_revision

    revision, colon, folder = text.partition(":")
    if not colon or not folder:
        hint = f"write git:REVISION:FOLDER, such as git:{revision or 'v1.2.0'}:packs"
        raise UsageError(Problem("PP770", f"'git:{text}' names no folder", None, hint))
    return open_revision(folder, revision)
