"""For programs: a list of problems as JSON."""

import json

from promptpack.characters import visible
from promptpack.linter.lint_report import LintReport
from promptpack.problem import as_data


def write(report: LintReport) -> str:
    """Return every problem as one object; `fixable` says whether `--fix` can fix it."""
    fixable = report.safe_fixes
    found = [{**as_data(problem), "fixable": problem in fixable} for problem in report.problems]
    return visible(json.dumps(found, ensure_ascii=False, indent=2))
