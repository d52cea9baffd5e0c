"""A pack file as the library knows it: its name, version and locale, and what was wrong with it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from promptpack import document
from promptpack.document import Document
from promptpack.files import Folder
from promptpack.pack import Version, check, parse_version
from promptpack.problem import PackError, Problem

_FILE = re.compile(
    r"(?:(.*/)?([^/]+)/)?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]*?)?)(?:\.([a-z]{2,3}(?:-[A-Za-z]+)*))?\.ya?ml\Z"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One pack file; `document` is None when it could not be read as a pack."""

    folder: Folder
    file: str
    name: str
    version: Version | None
    locale: str
    is_default: bool
    document: Document | None
    problems: tuple[Problem, ...] = ()

    @property
    def shown(self) -> str:
        """The path as the user would write it."""
        return self.folder.show(self.file)


def read_entry(folder: Folder, file: str, text: str | None = None) -> Entry:
    """Read a pack file, or `text` in its place, up to the schema check; a broken one keeps the name of its path."""
    try:
        found = document.parse(folder.read(file) if text is None else text, folder.show(file))
    except PackError as error:
        return _broken(folder, file, None, error.problems)
    try:
        check(found)
    except PackError as error:
        return _broken(folder, file, found, error.problems)
    data = found.data
    return Entry(
        folder, file, data["name"], parse_version(data["version"]), data.get("locale", ""), _is_default(file), found
    )


def _broken(folder: Folder, file: str, found: Document | None, problems: tuple[Problem, ...]) -> Entry:
    data = found.data if found is not None and isinstance(found.data, Mapping) else {}
    by_path = _FILE.search(file)
    name = data.get("name") if isinstance(data.get("name"), str) else by_path[2] if by_path else file
    version = parse_version(str(data.get("version"))) or (parse_version(by_path[3]) if by_path else None)
    locale = data.get("locale") if isinstance(data.get("locale"), str) else by_path[4] if by_path else ""
    return Entry(folder, file, name or file, version, locale or "", _is_default(file), None, problems)


def _is_default(file: str) -> bool:
    by_path = _FILE.search(file)
    return by_path is None or by_path[4] is None
