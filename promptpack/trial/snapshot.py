"""Stored copies of rendered prompts, in a `snapshots` folder next to the pack, with secrets masked."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from promptpack import files
from promptpack.pack.model import Pack
from promptpack.problem import Location, PackError, Problem
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import Secrets
from promptpack.sources.memory_folder import MemoryFolder
from promptpack.trial.model import Miss

Read = Callable[[str], str]
_FOLDER = "snapshots"
_ENDING = ".txt"


class Snapshots:
    """The snapshots of one pack."""

    def __init__(self, pack: Pack, update: bool = False, read: Read | None = None) -> None:
        """Take a pack; `read` returns the text of a file, by default from the folder of the pack."""
        folder, _, file = pack.path.rpartition("/")
        self._prefix = f"{folder or '.'}/{_FOLDER}/{_stem(file)}."
        self._read = read or reader_of(pack)
        self._update = update
        self._owners: dict[str, str] = {}
        for test in pack.tests:
            if test.expect.get("snapshot"):
                self._owners.setdefault(self._path(test.name), test.name)

    @property
    def paths(self) -> Iterable[str]:
        """The files that the tests of the pack use."""
        return self._owners

    def _path(self, test: str) -> str:
        slug = re.sub(r"[^\w-]+", "-", test.casefold()).strip("-")
        return f"{self._prefix}{slug}{_ENDING}"

    def compare(self, test: str, prompt: Prompt) -> Iterator[Miss]:
        """Report how a prompt differs from its snapshot, or write the snapshot."""
        path = self._path(test)
        owner = self._owners[path]
        if owner != test:
            yield Miss(f"the test uses the same snapshot {path} as {owner!r}; rename one of the tests")
            return
        text = Secrets(prompt.pack, prompt.context).hide(prompt.to_text()) + "\n"
        if self._update:
            files.write(path, text)
            return
        try:
            stored = self._read(path)
        except PackError as error:
            if error.problems[0].code != "PP120":
                raise
            yield Miss(f"the test has no snapshot at {path}; run with --update to write it")
            return
        # A checkout on Windows has other line ends.
        stored, text = stored.replace("\r\n", "\n"), text.replace("\r\n", "\n")
        if stored != text:
            yield Miss(f"the prompt differs from its snapshot {path}", (), stored, text)


@dataclass(frozen=True)
class MemoryReader:
    """Reads files of a source that is not on disk; can be sent to another process."""

    texts: Mapping[str, bytes]

    def __call__(self, path: str) -> str:
        """Return the text of a file, by its shown path."""
        if path not in self.texts:
            raise PackError(Problem("PP120", "cannot be read: no such file", Location(path)))
        return self.texts[path].decode(errors="replace")


def reader_of(pack: Pack) -> Read:
    """Return the function that reads the snapshots of a pack; other processes can use it too."""
    folder = pack._folder
    if not isinstance(folder, MemoryFolder):
        return files.read_text
    inside = {folder.show(file): text for file, text in folder.texts.items() if file.endswith(_ENDING)}
    return MemoryReader(inside)


def find_stale(packs: Iterable[Pack], files_of_packs: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the snapshots that no test of these packs uses.

    A snapshot belongs to the pack file whose name it starts with. With the paths of all pack files, those that belong
    to no pack file are stale too.
    """
    used: set[str] = set()
    owners: dict[str, set[str]] = {}
    folders: dict[str, files.Folder] = {}
    for pack in packs:
        used.update(Snapshots(pack).paths)
        home, _, file = pack.path.rpartition("/")
        owners.setdefault(home or ".", set()).add(_stem(file))
        if pack._folder is not None:
            folders.setdefault(home or ".", pack._folder)
    known = None if files_of_packs is None else {path.rpartition(".")[0] for path in files_of_packs}
    return tuple(
        path
        for home, folder in sorted(folders.items())
        for path, stem in _find(folder, home)
        if path not in used and (stem in owners[home] or (known is not None and f"{home}/{stem}" not in known))
    )


def _find(folder: files.Folder, home: str) -> Iterator[tuple[str, str]]:
    """Yield the snapshots next to a pack, each with the stem of its pack file."""
    relative = folder.to_relative(home)
    below = f"{relative}/{_FOLDER}" if relative not in (None, ".") else _FOLDER
    for file in folder.find(_ENDING, below=below):
        name = file.rpartition("/")[2].removesuffix(_ENDING)
        yield f"{home}/{_FOLDER}/{name}{_ENDING}", name.rpartition(".")[0]


def _stem(file: str) -> str:
    return file.removesuffix(".yaml").removesuffix(".yml")
