"""Apply the safe fixes of a `LintReport`; everything around them stays: comments, layout, line endings."""

from promptpack import document, files
from promptpack.document.edits import Edit, apply_edits
from promptpack.linter.lint_report import LintReport
from promptpack.problem import PackError

_TEMPLATE = ".j2"


def apply_fixes(report: LintReport) -> int:
    """Write the files that the report's safe fixes change, and return their number."""
    by_file: dict[str, list[Edit]] = {}
    for problem, fix in report.safe_fixes.items():
        if problem.location:
            by_file.setdefault(problem.location.path, []).extend(fix.edits)
    for path, changes in by_file.items():
        files.require_writable(path)
        fixed = apply_edits(files.read(path).decode(), changes)
        if not path.endswith(_TEMPLATE):
            _check_still_parses(path, fixed)
        files.write(path, fixed)
    return len(by_file)


def _check_still_parses(path: str, text: str) -> None:
    try:
        document.parse(text, path)
    except PackError as error:
        raise AssertionError(f"the fixes would break {path}") from error
