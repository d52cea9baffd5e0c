"""Reports kept for the next time: that of a folder holds as long as no file in it, no setting and no code changes."""

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import asdict

from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.linter.plain import plain_report, restore_report
from promptpack.linter.report import Report
from promptpack.linter.settings import Settings
from promptpack.problem import PackError


def recall(cache: Cache, root: str, settings: Settings, wanted: Collection[str], work: Callable[[], Report]) -> Report:
    """Give the report of a folder from the cache, or work it out and keep it.

    Rules may look at every pack around theirs, so every file of the folder is part of what a report relies on.
    """
    if not cache.is_on:
        return work()
    name = ("lint", _digest(Folder(root), settings, wanted))
    kept = cache.get(*name)
    if kept is not None:
        return restore_report(kept)
    report = work()
    cache.put(plain_report(report), *name)
    cache.shrink()
    return report


def _digest(folder: Folder, settings: Settings, wanted: Collection[str]) -> str:
    # Places are told as paths seen from where the user stands, so the way to the folder counts as well.
    about = json.dumps([folder.root, sorted(wanted), asdict(settings)], sort_keys=True)
    whole = hashlib.sha256(about.encode())
    for file in folder.find(""):
        whole.update(f"\0{file}\0".encode("utf-8", "surrogateescape"))
        whole.update(_content_digest(folder, file))
    return whole.hexdigest()


def _content_digest(folder: Folder, file: str) -> bytes:
    try:
        return hashlib.sha256(folder.read(file)).digest()
    except PackError as error:
        return str(error).encode("utf-8", "surrogateescape")
