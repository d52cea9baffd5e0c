"""A library -> the files of a typed package, and its differences from the existing files."""

import posixpath
from collections.abc import Iterable, Mapping
from typing import Final

from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.problem import PackError, Problem, UsageError
from promptpack.stubs.python_names import Names, to_identifier
from promptpack.stubs.writing import MARK, write_module, write_source, write_types

_OWN: Final = ("__init__", "_source")


def write_package(library: Library, folders: Iterable[str], command: str) -> dict[str, str]:
    """Return the files of a typed package by their names.

    `folders` are the packs' folders, relative to the package, and `command` writes the package again.
    """
    modules: dict[str, str] = {}
    names = Names(_OWN)
    packs = [pack for name in _names(library) if not (pack := library.get(name)).abstract]
    for pack in packs:
        modules[names.choose(to_identifier(pack.name, "pack"))] = write_module(_variants(library, pack), pack)
    if not modules:
        raise UsageError(Problem("PP648", "there is no pack to generate a module from", None, "name a folder of packs"))
    files = {f"{name}.py": text for name, text in modules.items()}
    return {"__init__.py": _write_init(modules), "_source.py": write_source(folders, command), **files}


def find_changes(written: Mapping[str, str], existing: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the files to write, and the generated files that are left over; raise for files of others."""
    foreign = [name for name in written if name in existing and not existing[name].startswith(MARK)]
    if foreign:
        hint = "choose another folder with -o, or move the file"
        message = "exists, and 'promptpack stubs' did not write it"
        raise UsageError([Problem("PP647", f"{name!r} {message}", None, hint) for name in sorted(foreign)])
    changed = {name: text for name, text in written.items() if existing.get(name) != text}
    left = [name for name, text in existing.items() if name not in written and text.startswith(MARK)]
    return changed, sorted(left)


def stale(folder: str, changed: Mapping[str, str], left: Iterable[str], command: str) -> PackError:
    """Return the error that lists the files of a package that are out of date."""
    names = sorted((*changed, *left))
    hint = f"run: {command}"
    return PackError([Problem("PP649", f"{posixpath.join(folder, name)} is out of date", None, hint) for name in names])


def _names(library: Library) -> list[str]:
    return sorted({entry.name for entry in library.entries})


def _variants(library: Library, default: Pack) -> dict[str, Pack]:
    """Return the variants of a pack that have the same types, by locale."""
    entries = [one for one in library.entries if one.name == default.name and one.version == default.version]
    built = {entry.locale: library.get(default.label, entry.locale) for entry in entries if entry.locale}
    types = write_types(default)
    same = {locale: pack for locale, pack in built.items() if write_types(pack) == types}
    return {**same, default.locale: default}


def _write_init(modules: Iterable[str]) -> str:
    listed = "".join(f'    "{name}",\n' for name in sorted(modules))
    imported = "".join(f"    {name},\n" for name in sorted(modules))
    return f'{MARK}"""Typed packs, one module each."""\n\nfrom . import (\n{imported})\n\n__all__ = [\n{listed}]\n'
