"""Fetch files with fsspec, within limits of time and size; messages never contain the credentials of a URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from promptpack.files import SIBLING
from promptpack.problem import Location, MissingExtraError, Problem, PromptpackError, UsageError
from promptpack.sources.file_collection import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, SUFFIXES, Collection

if TYPE_CHECKING:
    from yarl import URL

_SECONDS = 60
_CONNECT_SECONDS = 10
_SILENT_SECONDS = 20
_PIECE = 1_000_000


class _RefusedRedirectError(Exception):
    """A server redirects from https to another protocol."""


def fetch(url: str, shown: str, limit: int) -> bytes:
    """Return the content of a URL of at most `limit` bytes."""
    try:
        return _read(*_open(url), shown, limit)
    except Exception as error:  # noqa: BLE001 -- every file system of fsspec has its own errors
        found = _translate(error, shown)
    # Outside the handler: an error of the network contains the URL with its credentials.
    raise found


def fetch_folder(url: str, shown: str) -> dict[str, bytes]:
    """Return the files that packs may use of a folder in an object store and of `schemas` next to it, by path."""
    try:
        return _read_all(*_open(url), shown)
    except Exception as error:  # noqa: BLE001 -- as above
        found = _translate(error, shown)
    raise found


def _open(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    from fsspec.core import url_to_fs

    options: dict[str, Any] = {"skip_instance_cache": True}
    if url.startswith("http"):
        import aiohttp

        timeout = aiohttp.ClientTimeout(_SECONDS, sock_connect=_CONNECT_SECONDS, sock_read=_SILENT_SECONDS)
        options |= {"get_client": _open_session, "client_kwargs": {"timeout": timeout}, "block_size": 0}
    elif url.startswith("s3://"):
        options["config_kwargs"] = {"connect_timeout": _CONNECT_SECONDS, "read_timeout": _SILENT_SECONDS}
    system, path = url_to_fs(url, **options)
    return system, path


async def _open_session(**options: Any) -> Any:
    import aiohttp

    async def check(_: object, __: object, redirect: aiohttp.TraceRequestRedirectParams) -> None:
        if leaves_https(redirect.url, redirect.response.headers.get("Location", "")):
            raise _RefusedRedirectError

    trace = aiohttp.TraceConfig()
    trace.on_request_redirect.append(check)
    return aiohttp.ClientSession(trace_configs=[trace], **options)


def leaves_https(url: URL, location: str) -> bool:
    """Return whether a redirect leads from https to another protocol."""
    return url.scheme == "https" and url.join(type(url)(location)).scheme != "https"


def _read(system: Any, path: str, shown: str, limit: int) -> bytes:
    # With a size, the http file system asks once instead of twice; it does not use it for streams.
    options = {"block_size": 0, "size": 1} if path.startswith("http") else {}
    pieces, total = [], 0
    with system.open(path, "rb", **options) as stream:
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            total += len(piece)
            if total > limit:
                raise UsageError(Collection(shown).too_large(f"has more than {limit:,} bytes"))
    return b"".join(pieces)


def _read_all(system: Any, path: str, shown: str) -> dict[str, bytes]:
    names = dict(_find_files(system, path))
    if len(names) > MAX_FILES:
        raise UsageError(Collection(shown).too_large(f"has more than {MAX_FILES:,} files"))
    files: dict[str, bytes] = {}
    total = 0
    for relative, name in names.items():
        files[relative] = _read(system, name, f"{shown}{relative}", MAX_FILE_BYTES)
        total += len(files[relative])
        if total > MAX_TOTAL_BYTES:
            raise UsageError(Collection(shown).too_large(f"has more than {MAX_TOTAL_BYTES:,} bytes"))
    return files


def _find_files(system: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the path of each file relative to the folder, and its name in the object store."""
    own = path.rstrip("/") + "/"
    parent = own[:-1].rpartition("/")[0]
    siblings = ((SIBLING, f"{parent}/{SIBLING.removeprefix('../')}"),) if parent else ()
    for start, prefix in (("", own), *siblings):
        for name in sorted(str(one) for one in system.find(prefix)):
            if name.startswith(prefix) and name.endswith(SUFFIXES):
                yield start + name.removeprefix(prefix), name


def _translate(error: Exception, shown: str) -> PromptpackError:
    """Return the problem of an error, without its text, which may contain credentials."""
    if isinstance(error, PromptpackError):
        return error
    if isinstance(error, ImportError):
        name = (error.name or str(error).removeprefix("Install ").partition(" ")[0]).partition(".")[0]
        hint = "run: python -m pip install 'promptpack-agents[remote]'"
        hint += "" if name in ("fsspec", "aiohttp") else f", and install {name}"
        return MissingExtraError(Problem("PP785", f"reading packs from {shown} needs the extra 'remote'", None, hint))
    return UsageError(Problem("PP781", f"cannot be fetched: {_describe(error)}", Location(shown), _HINT))


_HINT = "check the address and the network; a URL with #sha256= works offline once it was fetched"


def _describe(error: Exception) -> str:
    kind = type(error).__name__
    status = getattr(error, "status", None)
    if isinstance(error, _RefusedRedirectError) or "Redirect" in kind:
        return "the server redirects too often" if "TooMany" in kind else "the server redirects to another protocol"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "access is denied"
    if isinstance(error, TimeoutError) or "Timeout" in kind:
        return "the server did not answer in time"
    if "Connect" in kind and "Disconnected" not in kind:  # ClientConnectorError, EndpointConnectionError, ...
        return "the server cannot be reached"
    if "Payload" in kind or "Disconnected" in kind:
        return "the download was cut off"
    return f"the server answered with status {status}" if isinstance(status, int) else kind
