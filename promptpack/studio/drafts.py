"""Texts that are not saved yet, and contexts, in the user's own folder: a crash loses at most the last second."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, Final

from promptpack import files
from promptpack.private_folder import PrivateFolder, user_folder

_MAX_BYTES: Final = 8_000_000
_MAX_FOLDER_BYTES: Final = 200_000_000


class Drafts:
    """The drafts of one folder of packs; without a private folder, nothing is kept."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        home = user_folder("state")
        # The folder around it may not exist yet, and is created as a private one too.
        outer = PrivateFolder.open(home) if home else None
        self._folder = PrivateFolder.open(f"{outer.root}/studio") if outer else None
        if self._folder is not None:
            self._folder.shrink(_MAX_FOLDER_BYTES)

    @property
    def is_kept(self) -> bool:
        """Whether drafts survive the end of the process."""
        return self._folder is not None

    def put(self, path: str, text: str, base: str) -> bool:
        """Keep a text that was typed over the file with the digest `base`; return whether it is on disk."""
        return self._write("draft", path, {"path": path, "base": base, "text": text})

    def get(self, path: str) -> tuple[str, str] | None:
        """Return the draft of a file, and the digest of the file that it changes."""
        found = self._read("draft", path)
        if not isinstance(found, dict) or not all(isinstance(found.get(key), str) for key in ("text", "base")):
            return None
        return found["text"], found["base"]

    def drop(self, path: str) -> None:
        """Forget the draft of a file."""
        if self._folder is not None:
            files.remove(f"{self._folder.root}/{self._name('draft', path)}")

    def contexts(self, pack: str) -> dict[str, Any]:
        """Return the contexts that were kept for a pack, by name."""
        found = self._read("contexts", pack)
        return found if isinstance(found, dict) else {}

    def put_contexts(self, pack: str, contexts: dict[str, Any]) -> bool:
        """Keep the contexts of a pack; return whether they are on disk."""
        return self._write("contexts", pack, contexts)

    def _name(self, kind: str, key: str) -> str:
        digest = hashlib.sha256(f"{self._root}\0{kind}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()
        return f"{kind}-{digest[:40]}.json"

    def _read(self, kind: str, key: str) -> Any:
        content = self._folder.read(self._name(kind, key), _MAX_BYTES) if self._folder else None
        try:
            return None if content is None else json.loads(content)
        except (ValueError, RecursionError):
            return None  # a draft that cannot be read does not count; the file on disk does

    def _write(self, kind: str, key: str, data: Any) -> bool:
        content = json.dumps(data).encode()
        return self._folder is not None and self._folder.write(self._name(kind, key), content)
