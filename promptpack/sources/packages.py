"""Folders of packs in installed distributions, which register them as entry points; none of their code is imported."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

from promptpack.files import SIBLING, Folder
from promptpack.problem import Location, PackError, Problem, UsageError, did_you_mean
from promptpack.sources.file_collection import SUFFIXES, Collection
from promptpack.sources.memory_folder import MemoryFolder

GROUP = "promptpack.packs"


def open_package(name: str) -> MemoryFolder:
    """Return the folder of packs that an installed distribution registers under a name."""
    found = {point.name: point for point in metadata.entry_points(group=GROUP)}
    if name not in found:
        known = f"installed are {', '.join(sorted(found))}" if found else f"no installed package registers {GROUP!r}"
        hint = did_you_mean(name, found) or known
        raise UsageError(Problem("PP779", f"no installed package registers packs as {name!r}", None, hint))
    point = found[name]
    folder = next((Folder(str(path)) for path in _places(point) if path.is_dir()), None)
    if folder is None:
        message = f"{_distribution(point)!r} registers {point.value!r} as {name!r}, but has no such folder"
        raise UsageError(Problem("PP779", message, None, "install it again, or ask its authors"))
    return _read(folder, f"package:{name}")


def choose_registered(text: str, shown: str) -> str:
    """Return the folder that the `entry_points.txt` of a wheel registers; raise a problem unless it is exactly one."""
    from configparser import ConfigParser, Error

    parser = ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except Error as error:
        message, hint = "the entry points of the wheel cannot be read", "build it again, or ask its authors"
        raise UsageError(Problem("PP779", message, Location(shown), hint)) from error
    points = dict(parser.items(GROUP)) if parser.has_section(GROUP) else {}
    folders = {to_path(value) for value in points.values()}
    if len(folders) == 1:
        return folders.pop()
    names = ", ".join(sorted(points))
    message = f"the wheel registers several folders of packs: {names}" if names else "the wheel registers no packs"
    hint = "install it, and use package:NAME" if names else f"it needs an entry point in the group {GROUP!r}"
    raise UsageError(Problem("PP779", message, Location(shown), hint))


def to_path(value: str) -> str:
    """Return the folder that the value of an entry point names: `acme.packs` and `acme:packs` are `acme/packs`."""
    return value.partition("[")[0].strip().replace(":", ".").replace(".", "/").strip("/")


def _places(point: metadata.EntryPoint) -> Iterator[Path]:
    """Yield where the folder may be: next to the metadata or, if the distribution is editable, where its package is."""
    path = to_path(point.value)
    if point.dist is not None:
        yield Path(str(point.dist.locate_file(path)))
    top, _, rest = path.partition("/")
    spec = PathFinder.find_spec(top)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(place) / rest


def _distribution(point: metadata.EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "a package"


def _read(folder: Folder, root: str) -> MemoryFolder:
    collection = Collection(root)
    for below in ("", SIBLING.rstrip("/")):
        for file in folder.find(*SUFFIXES, below=below):
            try:
                content = folder.read(file)
            except PackError as error:
                found = error.problems[0]
                collection.refuse(file, found.code, found.message, found.hint)
                continue
            if collection.accepts(file, len(content)):
                collection.add(file, content)
    return MemoryFolder(root, texts=collection.texts, refused=collection.refused, origin=root)
