"""Apply the safe fixes of a `LintReport`; everything around them stays: comments, layout, line endings."""

import re
from bisect import bisect_left
from collections.abc import Iterable

from promptpack import document, files
from promptpack.linter.lint_report import Edit, LintReport
from promptpack.problem import PackError

_TEMPLATE = ".j2"
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
    skipped = len(raw) - len(raw.removeprefix(_BOM))
    breaks = [found.start() - skipped - number for number, found in enumerate(re.finditer("\r\n", raw))]
    pieces, last = list[str](), 0
    for edit in chosen:
        start, end = (skipped + offset + bisect_left(breaks, offset) for offset in (edit.start, edit.end))
        pieces += (raw[last:start], edit.text)
        last = end
    return "".join([*pieces, raw[last:]])


def _check_still_parses(path: str, text: str) -> None:
    try:
        document.parse(text, path)
    except PackError as error:
        raise AssertionError(f"the fixes would break {path}") from error
