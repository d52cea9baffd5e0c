"""What was worked out before, kept for the next process: plain JSON, signed, and never needed.

Nothing that is read from here is run, and nothing is believed that this user has not signed with a key from outside of
the folder. What cannot be read or written is worked out again, without a word: `docs/decisions/0011-the-cache.md`.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from promptpack import files
from promptpack.private import PrivateFolder, user_folder
from promptpack.problem import Problem, UsageError

_VARIABLE: Final = "PROMPTPACK_CACHE"
_OFF: Final = ("off", "no", "0", "false")
_KEY_FILE: Final = "cache.key"
_KEY_LENGTH: Final = 32
_LARGEST_ENTRY: Final = 16_000_000
_LARGEST: Final = 200_000_000
_SIGNATURE: Final = 32


class Cache:
    """Values by name; without a folder it keeps nothing."""

    def __init__(self, folder: PrivateFolder | None = None, key: bytes = b"", stamp: str = "") -> None:
        self._folder = folder
        self._key = key
        self._stamp = stamp

    @classmethod
    def open(cls, where: str | bool | None = None) -> Cache:
        """Open the cache in a folder; by default in the user's own, or as `PROMPTPACK_CACHE` says; `False` for none."""
        given = where if where is not None else files.setting(_VARIABLE)
        if given is False or (isinstance(given, str) and given.lower() in _OFF):
            return cls()
        place = given if isinstance(given, str) and given else user_folder("cache")
        folder = PrivateFolder.open(place) if place else None
        if folder is None and isinstance(given, str) and given:
            hint = "give a folder of your own with mode 0700, or 'off'"
            raise UsageError(Problem("PP790", f"the cache folder {given!r} is not private", None, hint))
        key = _key()
        if folder is None or key is None:
            return cls()
        return cls(folder, key, _stamp())

    @property
    def is_on(self) -> bool:
        """Whether anything is kept."""
        return self._folder is not None

    def get(self, *name: str) -> Any:
        """Get what was kept under a name by this user and this version, or None."""
        if self._folder is None:
            return None
        from hmac import compare_digest

        content = self._folder.read(self._file(name), _LARGEST_ENTRY)
        if content is None or not compare_digest(content[:_SIGNATURE], self._sign(name, content[_SIGNATURE:])):
            return None
        return json.loads(content[_SIGNATURE:])

    def put(self, value: Any, *name: str) -> None:
        """Keep plain data under a name; where that cannot be done, nothing is kept."""
        if self._folder is None:
            return
        content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")
        if len(content) + _SIGNATURE <= _LARGEST_ENTRY:
            self._folder.write(self._file(name), self._sign(name, content) + content)

    def shrink(self) -> None:
        """Keep the folder from growing without end."""
        if self._folder is not None:
            self._folder.shrink(_LARGEST)

    def _bytes(self, name: tuple[str, ...]) -> bytes:
        # A path whose bytes are no UTF-8 has halves of surrogate pairs in their place.
        return "\0".join((self._stamp, *name)).encode(errors="surrogatepass")

    def _file(self, name: tuple[str, ...]) -> str:
        import hashlib

        return hashlib.blake2b(self._bytes(name), digest_size=20).hexdigest()

    def _sign(self, name: tuple[str, ...], content: bytes) -> bytes:
        import hashlib

        head = self._bytes(name)
        signer = hashlib.blake2b(len(head).to_bytes(8, "big") + head, key=self._key, digest_size=_SIGNATURE)
        signer.update(content)
        return signer.digest()


@cache
def _stamp() -> str:
    """Name the code that is running, which stays the same for as long as it runs."""
    from promptpack._version import __version__

    return f"{__version__} {files.code_stamp()}"


def _key() -> bytes | None:
    """Get the user's key, made on first use; it is kept apart from the cache, which may be copied or shared."""
    place = user_folder("state")
    folder = PrivateFolder.open(place) if place else None
    if folder is None:
        return None
    key = folder.read(_KEY_FILE, _KEY_LENGTH)
    if key is None:
        from secrets import token_bytes

        # Of two processes that make it at once, both take the one that was there first.
        folder.write(_KEY_FILE, token_bytes(_KEY_LENGTH), replace=False)
        key = folder.read(_KEY_FILE, _KEY_LENGTH)
    return key if key is not None and len(key) == _KEY_LENGTH else None
