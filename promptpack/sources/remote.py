"""Folders of packs at URLs, with fsspec from the extra `remote`: fetched once, verified, and cached by digest."""

from __future__ import annotations

import hashlib
import io
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from promptpack.cache import Cache
from promptpack.files import SIBLING
from promptpack.private_folder import PrivateFolder
from promptpack.problem import Location, Problem, PromptpackError, UsageError
from promptpack.source_names import is_archive
from promptpack.sources.archive import MAX_ARCHIVE_BYTES, read_archive
from promptpack.sources.file_collection import MAX_TOTAL_BYTES
from promptpack.sources.memory_folder import MemoryFolder

# No local files, no memory of this process, and no protocol that runs programs.
_PROTOCOLS = ("https", "http", "s3", "gs", "gcs", "az", "abfs", "abfss", "oci", "hf", "webdav", "webdavs")
_PIN = re.compile(r"sha256=[0-9a-f]{64}")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_CACHE = "sources"
_MAX_CACHE_BYTES = 1_000_000_000


class RemoteAddress(NamedTuple):
    """A URL of packs: `url` may have credentials, `shown` has none; `digest` is empty if the URL has no pin."""

    url: str
    shown: str
    digest: str
    is_folder: bool
    inside: str | None

    @property
    def name(self) -> str:
        """The URL in lock files."""
        return self.shown if self.inside is None else f"zip://{self.inside}::{self.shown}"

    @classmethod
    def parse(cls, source: str) -> RemoteAddress:
        """Parse a source such as `https://host/packs.zip#sha256=...` or `zip://folder::s3://bucket/a.zip`."""
        chain, _, target = source.rpartition("::")
        url, _, pin = target.partition("#")
        try:
            parts = urlsplit(url)
        except ValueError:  # its text may contain the credentials
            parts = None
        if parts is None:
            raise UsageError(Problem("PP783", "the URL is not valid", None, "check its host and port"))
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        refusal = next(_find_refusals(chain, parts, pin), None)
        if refusal is not None:
            message, hint = refusal
            raise UsageError(Problem("PP783", message, Location(shown), hint))
        inside = chain.removeprefix("zip").removeprefix("://") or None
        return cls(url, shown, pin.removeprefix("sha256="), not chain and parts.path.endswith("/"), inside)


def _find_refusals(chain: str, parts: SplitResult, pin: str) -> Iterator[tuple[str, str]]:
    """Yield why a URL is not used, each with a hint."""
    is_web, is_folder = parts.scheme in ("http", "https"), not chain and parts.path.endswith("/")
    if parts.scheme not in _PROTOCOLS:
        yield (
            f"packs are not read with {parts.scheme!r}",
            f"use one of {', '.join(_PROTOCOLS)}, or the path of a folder or archive",
        )
    if "::" in chain or (chain and chain != "zip" and not chain.startswith("zip://")):
        yield "only 'zip' may precede '::'", "write zip://FOLDER::URL"
    if pin and not _PIN.fullmatch(pin):
        yield "the part after '#' is not a digest", "write #sha256= and 64 hexadecimal digits"
    if not chain and not is_folder and not is_archive(parts.path):
        yield "the URL names neither an archive nor a folder", "end it with '.zip', '.whl' or, for a folder, '/'"
    if is_web and is_folder:
        yield "a web server does not list folders", "put the packs into a .zip file"
    if parts.scheme == "http" and not pin and parts.hostname not in _LOOPBACK:
        yield "http does not protect packs in transit", "use https, or add #sha256= and the digest of the archive"


def open_url(source: str, cache: Cache, pin: str = "") -> MemoryFolder:
    """Return the packs at a URL; with a digest, they are read from the cache, without the network, if they are there.

    The digest is that of the URL, or else `pin`, from a lock file.
    """
    address = RemoteAddress.parse(source)
    address = address._replace(digest=address.digest or pin)
    store = cache.open_folder(_CACHE)
    stored = _read_stored(store, address) if store is not None and address.digest else None
    if stored is not None:
        return stored
    from promptpack.sources.fetching import fetch, fetch_folder

    if address.is_folder:
        content = _pack(fetch_folder(address.url, address.shown), address)
    else:
        content = fetch(address.url, address.shown, MAX_ARCHIVE_BYTES)
        _require_digest(address, hashlib.sha256(content).hexdigest())  # before it is unpacked
    folder, digest = _unpack(content, address)
    _require_digest(address, digest)
    if store is not None:
        store.write(digest, content)
        store.shrink(_MAX_CACHE_BYTES)
    return replace(folder, pin=address.digest)


def _read_stored(store: PrivateFolder, address: RemoteAddress) -> MemoryFolder | None:
    """Return the folder with the digest of an address, if the cache has it undamaged."""
    content = store.read(address.digest, MAX_TOTAL_BYTES * 2)
    try:
        folder, digest = _unpack(content, address) if content is not None else (None, "")
    except PromptpackError:
        return None  # damaged: it is fetched again
    return replace(folder, pin=digest) if folder is not None and digest == address.digest else None


def _require_digest(address: RemoteAddress, found: str) -> None:
    if address.digest and found != address.digest:
        message = f"the content has the digest {found}, not {address.digest}"
        hint = "it was replaced or damaged; if the change is intended, use the new digest"
        raise UsageError(Problem("PP782", message, Location(address.shown), hint))


def _unpack(content: bytes, address: RemoteAddress) -> tuple[MemoryFolder, str]:
    """Return the folder of an archive, and its digest: that of the archive, or of the files of a folder."""
    if address.is_folder:
        folder = read_archive(content, address.shown.rstrip("/"), "packs")
        folder = MemoryFolder(address.shown.rstrip("/"), texts=folder.texts, refused=folder.refused)
        return folder, folder.digest
    digest = hashlib.sha256(content).hexdigest()
    return replace(read_archive(content, address.shown, address.inside), archive=digest), digest


def _pack(files: dict[str, bytes], address: RemoteAddress) -> bytes:
    """Return the files of a folder as an archive, for the cache."""
    from zipfile import ZipFile

    if not any(path.endswith((".yaml", ".yml")) and not path.startswith(SIBLING) for path in files):
        hint = "check its path; a pack is FOLDER/<name>/<version>.yaml"
        raise UsageError(Problem("PP778", "the folder has no packs", Location(address.shown), hint))
    content = io.BytesIO()
    with ZipFile(content, "w") as archive:
        for path, data in sorted(files.items()):
            archive.writestr(posixpath.normpath(f"packs/{path}"), data)
    return content.getvalue()
