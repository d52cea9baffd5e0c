"""Apply the safe fixes of a `LintReport`; everything around them stays: comments, layout, line endings."""

import re
from collections.abc import Iterable

from promptpack import document, files
from promptpack.linter.lint_report import Edit, LintReport
from promptpack.problem import PackError

_TEMPLATE = ".j2"
_CHARACTER = re.compile(r"\r\n|.", re.DOTALL)
_BOM = "\ufeff"


def apply_fixes(report: LintReport) -> int:
    """Write the files that the report's safe fixes change, and return their number."""
    by_file: dict[str, list[Edit]] = {}
    for problem, fix in report.safe_fixes.items():
        if problem.location:
            by_file.setdefault(problem.location.path, []).extend(fix.edits)
    for path, changes in by_file.items():
        fixed = apply(files.read(path).decode(), changes)
        if not path.endswith(_TEMPLATE):
            _check_still_parses(path, fixed)
        files.write(path, fixed)
    return len(by_file)


def apply(raw: str, edits: Iterable[Edit]) -> str:
    """Apply edits to a file's text as it is on disk; of two that overlap, the second is left for the next run."""
    chosen: list[Edit] = []
    for edit in sorted(set(edits)):
        if not chosen or chosen[-1].end <= edit.start:
            chosen.append(edit)
    # Edits count characters as documents do: without the byte order mark, and CRLF as one character.
    starts = [found.start() for found in _CHARACTER.finditer(raw, 1 if raw.startswith(_BOM) else 0)] + [len(raw)]
    for edit in reversed(chosen):
        raw = raw[: starts[edit.start]] + edit.text + raw[starts[edit.end] :]
    return raw


def _check_still_parses(path: str, text: str) -> None:
    try:
        document.parse(text, path)
    except PackError as error:
        raise AssertionError(f"the fixes would break {path}") from error
