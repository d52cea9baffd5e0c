"""Texts that are not saved yet, and contexts, in the user's own folder: a crash loses at most the last second."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any, Final, NamedTuple

from promptpack import files
from promptpack.private_folder import PrivateFolder, user_folder

_MAX_BYTES: Final = 8_000_000
_SUFFIX: Final = ".json"
_MAX_FOLDER_BYTES: Final = 200_000_000


class Draft(NamedTuple):
    """A text that was typed, and the digest of the file that it changes."""

    text: str
    base: str


class Drafts:
    """The drafts of one folder of packs; without a private folder, nothing is kept."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        home = user_folder("state")
        # The folder around it may not exist yet, and is created as a private one too.
        outer = PrivateFolder.open(home) if home else None
        self._folder = PrivateFolder.open(f"{outer.root}/studio") if outer else None

    @property
    def is_kept(self) -> bool:
        """Whether drafts survive the end of the process."""
        return self._folder is not None

    def put(self, path: str, tab: str, text: str, base: str) -> bool:
        """Keep what a tab typed over the file with the digest `base`; return whether it is on disk."""
        return self._write(self._name("draft", path, tab), {"path": path, "base": base, "text": text})

    def get(self, path: str, tab: str) -> Draft | None:
        """Return the draft of a file in a tab."""
        found = self._read(self._name("draft", path, tab))
        if not isinstance(found, dict) or not all(isinstance(found.get(key), str) for key in ("text", "base")):
            return None
        return Draft(found["text"], found["base"])

    def drop(self, path: str, tab: str) -> None:
        """Forget the draft of a file in a tab."""
        if self._folder is not None:
            files.remove(f"{self._folder.root}/{self._name('draft', path, tab)}")

    def take(self, path: str, tab: str, *, live: Collection[str]) -> Draft | None:
        """Make the newest draft of a file that no live tab has the one of this tab, and return it."""
        for other in self.tabs(path):
            draft = None if other in live else self.get(path, other)
            if draft is not None and self.put(path, tab, *draft):
                self.drop(path, other)
                return draft
        return None

    def tabs(self, path: str) -> list[str]:
        """Return the tabs that have a draft of a file, the newest draft first."""
        start = self._name("draft", path, "").removesuffix(_SUFFIX)
        found = [item for item in self._items() if item.name.startswith(start)]
        newest = sorted(found, key=lambda item: item.stat(follow_symlinks=False).st_mtime_ns, reverse=True)
        return [item.name[len(start) :].removesuffix(_SUFFIX) for item in newest]

    def find(self, paths: Iterable[str]) -> set[str]:
        """Return those paths of which there is a draft."""
        starts = {item.name.rpartition("-")[0] for item in self._items()}
        return {path for path in paths if self._name("draft", path, "").rpartition("-")[0] in starts}

    def contexts(self, pack: str) -> dict[str, Any]:
        """Return the contexts that were kept for a pack, by name."""
        found = self._read(self._name("contexts", pack))
        return found if isinstance(found, dict) else {}

    def put_contexts(self, pack: str, contexts: dict[str, Any]) -> bool:
        """Keep the contexts of a pack; return whether they are on disk."""
        return self._write(self._name("contexts", pack), contexts)

    def _name(self, kind: str, key: str, tab: str = "") -> str:
        digest = hashlib.sha256(f"{self._root}\0{kind}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()
        return f"{kind}-{digest[:40]}-{tab}{_SUFFIX}"

    def _items(self) -> list[os.DirEntry[str]]:
        if self._folder is None:
            return []
        with suppress(OSError), os.scandir(self._folder.root) as items:
            return list(items)
        return []

    def _read(self, name: str) -> Any:
        content = self._folder.read(name, _MAX_BYTES) if self._folder else None
        try:
            return None if content is None else json.loads(content)
        except (ValueError, RecursionError):
            return None  # a draft that cannot be read does not count; the file on disk does

    def _write(self, name: str, data: Any) -> bool:
        if self._folder is None or not self._folder.write(name, json.dumps(data).encode()):
            return False
        self._folder.shrink(_MAX_FOLDER_BYTES)
        return True
