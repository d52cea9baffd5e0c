"""A cache of computed results for later processes: plain JSON, signed, and optional.

Cached data is never executed, and only trusted if this user has signed it with a key from outside the folder. Entries
that cannot be read or written are silently computed again: `docs/decisions/0011-the-cache.md`.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from promptpack import files
from promptpack.code_stamp import compute_code_stamp
from promptpack.problem import Problem, UsageError

if TYPE_CHECKING:
    from promptpack.private_folder import PrivateFolder

_VARIABLE: Final = "PROMPTPACK_CACHE"
_OFF_WORDS: Final = ("off", "no", "0", "false")
_KEY_FILE: Final = "cache.key"
_KEY_LENGTH: Final = 32
_MAX_ENTRY_BYTES: Final = 16_000_000
_MAX_BYTES: Final = 200_000_000
_SIGNATURE_LENGTH: Final = 32


class Cache:
    """Caches values by name; without a folder it caches nothing."""

    def __init__(self, folder: PrivateFolder | None = None, key: bytes = b"", stamp: str = "") -> None:
        self._folder = folder
        self._key = key
        self._stamp = stamp

    @classmethod
    def open(cls, where: str | bool | None = None) -> Cache:
        """Open the cache in a folder; by default `PROMPTPACK_CACHE` or the user's own; `False` for no cache."""
        given = where if where is not None else files.read_environment(_VARIABLE)
        if given is False or (isinstance(given, str) and given.lower() in _OFF_WORDS):
            return cls()
        from promptpack.private_folder import PrivateFolder, user_folder

        place = given if isinstance(given, str) and given else user_folder("cache")
        folder = PrivateFolder.open(place) if place else None
        if folder is None and isinstance(given, str) and given:
            hint = "use a folder that only you can access (mode 0700), or 'off'"
            raise UsageError(Problem("PP790", f"the cache folder {given!r} is not private", None, hint))
        key = _read_key()
        if folder is None or key is None:
            return cls()
        return cls(folder, key, _compute_stamp())

    @property
    def is_on(self) -> bool:
        """Whether anything is cached."""
        return self._folder is not None

    def open_folder(self, name: str) -> PrivateFolder | None:
        """Return a folder inside the cache, for files that are not entries; None if nothing is cached."""
        return self._folder.open_inner(name) if self._folder is not None else None

    def get(self, *name: str) -> Any:
        """Return the value that this user and this version cached under a name, or None."""
        if self._folder is None:
            return None
        from hmac import compare_digest

        content = self._folder.read(self._file(name), _MAX_ENTRY_BYTES)
        if content is None:
            return None
        signature, data = content[:_SIGNATURE_LENGTH], content[_SIGNATURE_LENGTH:]
        return json.loads(data) if compare_digest(signature, self._sign(name, data)) else None

    def put(self, value: Any, *name: str) -> None:
        """Cache plain data under a name, if possible."""
        if self._folder is None:
            return
        content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")
        if len(content) + _SIGNATURE_LENGTH <= _MAX_ENTRY_BYTES:
            self._folder.write(self._file(name), self._sign(name, content) + content)

    def shrink(self) -> None:
        """Remove old entries if the folder has grown too large."""
        if self._folder is not None:
            self._folder.shrink(_MAX_BYTES)

    def _bytes(self, name: tuple[str, ...]) -> bytes:
        # A path whose bytes are not UTF-8 contains surrogates.
        return "\0".join((self._stamp, *name)).encode(errors="surrogatepass")

    def _file(self, name: tuple[str, ...]) -> str:
        import hashlib

        return hashlib.blake2b(self._bytes(name), digest_size=20).hexdigest()

    def _sign(self, name: tuple[str, ...], content: bytes) -> bytes:
        import hashlib

        head = self._bytes(name)
        signer = hashlib.blake2b(len(head).to_bytes(8, "big") + head, key=self._key, digest_size=_SIGNATURE_LENGTH)
        signer.update(content)
        return signer.digest()


@cache
def _compute_stamp() -> str:
    """Return a text that identifies the running code; it does not change during a process."""
    from promptpack._version import __version__

    return f"{__version__} {compute_code_stamp()}"


def _read_key() -> bytes | None:
    """Return the user's key, created on first use; it is stored outside the cache, which may be copied or shared."""
    from promptpack.private_folder import PrivateFolder, user_folder

    place = user_folder("state")
    folder = PrivateFolder.open(place) if place else None
    if folder is None:
        return None
    key = folder.read(_KEY_FILE, _KEY_LENGTH)
    if key is None:
        from secrets import token_bytes

        # If two processes create a key at the same time, both use the first one.
        folder.write(_KEY_FILE, token_bytes(_KEY_LENGTH), replace=False)
        key = folder.read(_KEY_FILE, _KEY_LENGTH)
    return key if key is not None and len(key) == _KEY_LENGTH else None
