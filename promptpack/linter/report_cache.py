"""Cached reports, one per folder: valid until a file in it, a setting or the code of promptpack changes."""

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import asdict

from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings
from promptpack.linter.serialization import dump_report, load_report
from promptpack.problem import PackError


def get_or_compute(
    cache: Cache, root: str, settings: LintSettings, wanted: Collection[str], compute: Callable[[], LintReport]
) -> LintReport:
    """Return the cached report of a folder, or compute and cache it.

    Rules may read every pack of the library, so a report depends on every file of the folder.
    """
    if not cache.is_on:
        return compute()
    name = ("lint", _digest(Folder(root), settings, wanted))
    stored = cache.get(*name)
    if stored is not None:
        return load_report(stored)
    report = compute()
    cache.put(dump_report(report), *name)
    cache.shrink()
    return report


def _digest(folder: Folder, settings: LintSettings, wanted: Collection[str]) -> str:
    # Reported paths are relative to the working directory, so the path as the user wrote it is part of the key.
    key = json.dumps([folder.root, sorted(wanted), asdict(settings)], sort_keys=True)
    digest = hashlib.sha256(key.encode())
    for file in folder.find(""):
        digest.update(f"\0{file}\0".encode("utf-8", "surrogateescape"))
        digest.update(_content_digest(folder, file))
    return digest.hexdigest()


def _content_digest(folder: Folder, file: str) -> bytes:
    try:
        return hashlib.sha256(folder.read(file)).digest()
    except PackError as error:
        return str(error).encode("utf-8", "surrogateescape")
