"""A draft -> `Release`: the files of the release, the lock, and the draft's files to remove."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from promptpack.flow import check_flow, read_flow
from promptpack.library import Library, choosing
from promptpack.library.choosing import parse_reference
from promptpack.library.contents import LOCK
from promptpack.library.locking import renew_lock
from promptpack.pack.version import Version
from promptpack.problem import PackError, Problem, UsageError
from promptpack.versions.bumps import is_enough
from promptpack.versions.file_plan import FilePlan
from promptpack.versions.pack_versions import PackVersions, open_versions, too_small


class Release(NamedTuple):
    """A draft that becomes a release."""

    versions: PackVersions
    draft: Version
    version: Version
    plan: FilePlan
    references: tuple[Problem, ...] = ()
    """The references to the draft that remain; its files are kept if there are any."""
    is_released: bool = False
    """Whether the release is complete and locked, so that only the draft is removed."""

    @property
    def label(self) -> str:
        """The name and the version of the release."""
        return f"{self.versions.name}@{self.version}"


def plan_release(library: Library, request: str) -> Release:
    """Plan the release of the newest draft of a pack, or of the requested one; raise if its number is too small.

    The release is written first, then the lock, and the draft is removed last: an interruption loses nothing, and
    planning it again continues.
    """
    versions = open_versions(library, request)
    draft = _choose_draft(versions, request)
    version, source = replace(draft, pre=()), versions.read(draft)
    plan = FilePlan(versions.folder, source.copies(version))
    left = plan.pending()  # refuses a release that exists with different content
    lock = versions.library._locks.get(versions.folder.root)
    is_released = not left.writes and lock is not None and lock.has(versions.name, version)
    writes = {} if is_released else {**plan.writes, LOCK: _check(versions, draft, plan)}
    without = plan._replace(removes=source.removal_order)
    released, alone = (_problems(one.preview(versions.library)) for one in (plan, without))
    references = _find_new(alone, released)
    done = FilePlan(versions.folder, writes, () if references else without.removes)
    return Release(versions, draft, version, done, references, is_released)


def _check(versions: PackVersions, draft: Version, plan: FilePlan) -> str:
    """Return the text of the new lock file; raise if the version is too small, or the release would be broken."""
    _require_enough(versions, draft)
    released = plan.preview(versions.library)
    new = _find_new(_problems(released), _problems(versions.library))
    if new:
        raise PackError(new)
    return renew_lock(released, versions.folder)


def _choose_draft(versions: PackVersions, request: str) -> Version:
    drafts = [version for version in versions.all if version.is_draft]
    if "@" in request:
        wanted = choosing.choose(versions.library, parse_reference(request), None).version
        drafts = [version for version in drafts if version == wanted]
    if not drafts:
        hint = (
            f"create a draft: promptpack bump {versions.name} patch --pre dev; a release is locked by: promptpack lock"
        )
        raise UsageError(Problem("PP937", f"no draft matches {request!r}", None, hint))
    return drafts[-1]


def _require_enough(versions: PackVersions, draft: Version) -> None:
    base = versions.release_before(draft)
    if base is None:
        return
    comparison = versions.compare(base, draft)
    needed = versions.needed(base, comparison, draft)
    if not is_enough(base, draft, needed):
        raise PackError(too_small(f"{versions.name}@{draft}", f"{versions.name}@{draft}", comparison, needed))


def _problems(library: Library) -> dict[Problem, None]:
    """Return the problems of packs, labels and flows."""
    found = dict.fromkeys(library.problems)
    for folder in library.folders:
        try:
            flow = read_flow.find(folder)
            found |= dict.fromkeys(check_flow.check(flow, library) if flow is not None else ())
        except PackError as error:
            found |= dict.fromkeys(error.problems)
    return found


def _find_new(problems: Iterable[Problem], before: Iterable[Problem]) -> tuple[Problem, ...]:
    known = set(before)
    return tuple(problem for problem in problems if problem not in known)
