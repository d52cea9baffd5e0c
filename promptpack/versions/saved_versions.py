"""The saved versions of packs: as they are in HEAD of the git repository around their folder."""

from __future__ import annotations

from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.library import Library
from promptpack.library.contents import read_contents
from promptpack.pack.version import Version
from promptpack.problem import UsageError
from promptpack.sources.git import open_revision
from promptpack.versions.version_files import VersionFiles, read_version

HEAD = "HEAD"


def open_saved(folder: Folder) -> Library:
    """Return the packs of a folder in HEAD; raise a `UsageError` if it is not in a repository, or not in HEAD."""
    return Library(read_contents([open_revision(folder.root, HEAD)], Cache()))


def find_saved(folder: Folder) -> Library | None:
    """Return the packs of a folder in HEAD; None if it is not in a repository, or not in HEAD."""
    try:
        return open_saved(folder)
    except UsageError:
        return None


def has_version(library: Library | None, name: str, version: Version) -> bool:
    """Return whether a library has a version of a pack, in any locale."""
    return library is not None and any((one.name, one.version) == (name, version) for one in library.entries)


def read_saved(library: Library, name: str, version: Version) -> VersionFiles:
    """Read the files of a saved version."""
    return read_version(library, library.folders[0], name, version)
