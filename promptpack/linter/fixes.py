"""Apply the fixes of a `LintReport` to the files on disk."""

from promptpack import document, files
from promptpack.linter.edit import Edit, apply
from promptpack.linter.lint_report import LintReport
from promptpack.problem import PackError

_TEMPLATE = ".j2"


def apply_fixes(report: LintReport) -> int:
    """Write the files that the report's fixes change, and return their number."""
    by_file: dict[str, list[Edit]] = {}
    for problem, edits in report.fixes.items():
        if problem.location:
            by_file.setdefault(problem.location.path, []).extend(edits)
    for path, changes in by_file.items():
        fixed = apply(files.read(path).decode(), changes)
        if not path.endswith(_TEMPLATE):
            _check_still_parses(path, fixed)
        files.write(path, fixed)
    return len(by_file)


def _check_still_parses(path: str, text: str) -> None:
    try:
        document.parse(text, path)
    except PackError as error:
        raise AssertionError(f"the fixes would break {path}") from error
