"""For programs: every version that differs, with its changes, as JSON."""

import json
from typing import Any

from promptpack.characters import visible
from promptpack.problem import as_data
from promptpack.versions.change import largest
from promptpack.versions.version_diff import DiffReport, VersionDiff
from promptpack.versions.version_side import VersionSide


def write(report: DiffReport) -> str:
    """Return one object: both places, the packs and the problems."""
    data = {
        "from": report.old,
        "to": report.new,
        "bump": largest(diff.bump for diff in report.diffs),
        "packs": [diff_as_data(diff) for diff in report.diffs],
        "problems": [as_data(problem) for problem in report.problems],
    }
    return visible(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def diff_as_data(diff: VersionDiff) -> dict[str, Any]:
    """Return a version that differs as plain data."""
    return {
        "name": diff.name,
        "status": diff.status,
        "old": _side(diff.old),
        "new": _side(diff.new),
        "class": diff.kind,
        "bump": diff.bump,
        "base": str(diff.base.version) if diff.base else None,
        "required": str(diff.required) if diff.required else None,
        "declared": diff.declared,
        "too_small": diff.is_too_small,
        "changes": [change.to_dict() for change in diff.changes],
        "problems": [as_data(problem) for problem in diff.problems],
    }


def _side(side: VersionSide | None) -> dict[str, Any] | None:
    if side is None:
        return None
    files = [{"path": entry.path, "locale": entry.locale} for entry in side.entries]
    return {"version": str(side.version) if side.version else None, "files": files}
