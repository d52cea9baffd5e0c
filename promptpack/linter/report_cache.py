"""Cached reports, one per folder: valid until a file they depend on, a setting or the code of promptpack changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import asdict
from typing import TYPE_CHECKING

from promptpack.cache import Cache
from promptpack.files import Folder, RecordingFolder
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings
from promptpack.linter.serialization import dump_report, load_report
from promptpack.problem import PackError

if TYPE_CHECKING:
    from promptpack.linter.result_cache import ResultCache


def get_or_compute(
    cache: Cache,
    root: str,
    settings: LintSettings,
    wanted: Collection[str],
    compute: Callable[[], tuple[LintReport, ResultCache]],
) -> LintReport:
    """Return the cached report of a folder, or compute and cache it, unless a pack in it is broken.

    Rules may read every pack of the library, so a report depends on every file of the folder.
    """
    if not cache.is_on:
        return compute()[0]
    folder = RecordingFolder(root)
    visible = set(folder.find(""))
    name = ("lint", _digest(folder, visible, settings, wanted))
    stored = cache.get(*name)
    if stored is not None and folder.is_unchanged(stored["reads"], stored["absent"]):
        return load_report(stored["report"])
    report, results = compute()
    if results.is_complete:
        # References may lead to hidden files, and to `schemas` next to the folder.
        reads = {file: digest for one in results.dependencies for file, digest in one["reads"].items()}
        absent = sorted({file for one in results.dependencies for file in one["absent"]})
        hidden = {file: digest for file, digest in reads.items() if file not in visible}
        cache.put({"report": dump_report(report), "reads": hidden, "absent": absent}, *name)
        cache.shrink()
    return report


def _digest(folder: Folder, files: Collection[str], settings: LintSettings, wanted: Collection[str]) -> str:
    # Reported paths are relative to the working directory, so the path as the user wrote it is part of the key.
    key = json.dumps([folder.root, sorted(wanted), asdict(settings)], sort_keys=True)
    digest = hashlib.sha256(key.encode())
    for file in sorted(files):
        digest.update(f"\0{file}\0".encode("utf-8", "surrogateescape"))
        digest.update(_content_digest(folder, file))
    return digest.hexdigest()


def _content_digest(folder: Folder, file: str) -> bytes:
    try:
        return hashlib.sha256(folder.read(file)).digest()
    except PackError as error:
        return str(error).encode("utf-8", "surrogateescape")
