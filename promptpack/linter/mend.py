"""`Report` -> mended files: the edits of a report applied to the files as they are on disk."""

from promptpack import document, files
from promptpack.linter.edit import Edit, apply
from promptpack.linter.report import Report
from promptpack.problem import PackError

_TEMPLATE = ".j2"


def mend(report: Report) -> int:
    """Write the files that the report's edits change; give how many there are."""
    by_file: dict[str, list[Edit]] = {}
    for problem, edits in report.fixes.items():
        if problem.location:
            by_file.setdefault(problem.location.path, []).extend(edits)
    for path, changes in by_file.items():
        mended = apply(files.read(path).decode(), changes)
        if not path.endswith(_TEMPLATE):
            _refuse_broken(path, mended)
        files.write(path, mended)
    return len(by_file)


def _refuse_broken(path: str, text: str) -> None:
    try:
        document.parse(text, path)
    except PackError as error:
        raise AssertionError(f"mending would break {path}") from error
