"""The two sides of a diff: where packs are, and which version of a pack is meant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from promptpack import files
from promptpack.cache import Cache
from promptpack.cli.options import open_library
from promptpack.files import Folder
from promptpack.library import Library
from promptpack.library.choosing import choose, parse_reference
from promptpack.library.contents import read_contents
from promptpack.problem import Location, Problem, UsageError
from promptpack.source_names import is_archive, is_source, without_credentials
from promptpack.sources.git import Revision
from promptpack.sources.memory_folder import MemoryFolder
from promptpack.sources.opening import open_folder
from promptpack.versions.version_side import VersionSide, make_side

_PATHS = (".yaml", ".yml")


class VariantChoice(NamedTuple):
    """How a version is chosen: its locale, and the key of a trial."""

    locale: str | None = None
    key: str | None = None


class Place(NamedTuple):
    """Where the packs of a side are: a git revision of the folders, or the sources themselves.

    Without both, the packs are those that every command uses.
    """

    folders: tuple[str, ...] = ()
    revision: str = ""

    @classmethod
    def find(cls, given: str | None, folders: tuple[str, ...]) -> Place:
        """Return the place that `--from` or `--to` names; raise a `UsageError` if it may mean two places."""
        if given is None:
            return cls(folders)
        is_folder = Folder(given).is_there
        is_plain = not given.startswith((".", "/")) and not is_source(given)
        if is_folder and is_plain and is_revision(given, folders):
            message = f"{given!r} is a folder and a git revision"
            hint = f"write ./{given} for the folder, or git:{given}:{_first(folders)} for the revision"
            raise UsageError(Problem("PP946", message, None, hint))
        if is_folder or is_source(given) or is_archive(given):
            return cls((given,))
        return cls(folders or ("packs",), given)

    def __str__(self) -> str:
        if self.revision:
            return ", ".join(f"git:{self.revision}:{folder}" for folder in self.folders)
        return ", ".join(map(without_credentials, self.folders)) or _first(())

    def open(self) -> Library:
        """Return the packs of the place; a revision without the folder has none."""
        if not self.revision:
            return open_library(self.folders)
        cache = Cache.open(None)
        opened = [_open_revision(folder, self.revision) for folder in self.folders]
        return Library(read_contents(opened, cache), cache=cache)

    def at_root(self, root: str) -> Place:
        """Return the place of a pack file, whose folder of packs is `root`."""
        if self.revision or not self.folders:
            return self._replace(folders=(root,))
        known = {Folder(folder).real_root: folder for folder in self.folders}
        if Folder(root).real_root not in known:
            message = f"{root!r} is not in {self}"
            raise UsageError(Problem("PP945", message, None, "name the pack instead of its file, or a git revision"))
        return self


def _first(folders: tuple[str, ...]) -> str:
    return folders[0] if folders else "packs"


def is_revision(name: str, folders: tuple[str, ...]) -> bool:
    """Return whether git knows a revision of this name where the packs are."""
    try:
        Revision.find(_first(folders), name)
    except UsageError:
        return False
    return True


def _open_revision(folder: str, revision: str) -> Folder:
    if is_source(folder) or is_archive(folder):
        message = f"{without_credentials(folder)!r} has no revision {revision!r}"
        raise UsageError(Problem("PP945", message, None, "a revision needs a folder in a git repository"))
    source = f"git:{revision}:{folder}"
    try:
        return open_folder(source)
    except UsageError as error:
        # The packs are new since then, or nothing is committed yet.
        if error.problems[0].code == "PP773" or (error.problems[0].code, revision) == ("PP772", "HEAD"):
            return MemoryFolder(source)
        raise


def find_side(place: Place, text: str, choice: VariantChoice) -> VersionSide:
    """Return the version that a request or the path of a pack file names, in one locale or in all."""
    if is_path(text):
        return _find_file(place, text)
    library = place.open()
    with _located(place):
        entry = choose(library, parse_reference(text), choice.locale, None, choice.key)
    if choice.locale:
        return make_side(library, [entry])
    same = (one for one in library.entries if (one.name, one.version) == (entry.name, entry.version))
    return make_side(library, same)


def is_path(text: str) -> bool:
    """Return whether the word of a side is the path of a pack file."""
    return text.endswith(_PATHS)


def _find_file(place: Place, path: str) -> VersionSide:
    root, _ = files.find_root(path)
    home = place.at_root(root)
    library = home.open()
    wanted = Folder(root).to_relative(path)
    found = [entry for entry in library.entries if entry.file == wanted]
    if not found:
        hint = "pass the path of a pack, such as packs/planner/1.0.0.yaml"
        with _located(home):
            raise UsageError(Problem("PP704", f"no pack file {path!r}", None, hint))
    return make_side(library, found[:1])


@contextmanager
def _located(place: Place) -> Iterator[None]:
    """Let problems of a revision or another place say which side they mean."""
    try:
        yield
    except UsageError as error:
        if not (place.revision or place.folders):
            raise
        where = Location(str(place))
        raise UsageError([replace(one, location=one.location or where) for one in error.problems]) from error
