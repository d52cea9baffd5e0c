"""Explain a YAML syntax error: find the line where it began, and the correction that removes it.

A correction is only suggested if it works: with it, the text parses at least some lines further than without it.
"""

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from promptpack.document.line_fixes import PROPOSALS, LineFix

if TYPE_CHECKING:
    import yaml

# How many lines before the error may have caused it, how many after it must parse, how long a line may be, and how
# much text all attempts may parse in total.
_MAX_LINES: Final = 60
_LOOKAHEAD: Final = 40
_MAX_LENGTH: Final = 2_000
_MAX_PARSED: Final = 800_000
_TOP_LEVEL: Final = re.compile(r"[A-Za-z]\w*:")
_CONFLICT: Final = re.compile(r"<{7} |={7}$|>{7} ")
# libyaml's words, and ours.
_WORDS: Final = {
    "could not find expected ':'": "a key has no ':', or a line is indented too little",
    "did not find expected key": "a line is not indented like its neighbours, or a quote or bracket is not closed",
    "did not find expected '-' indicator": "a list item has no '-', or is not indented like its neighbours",
    "mapping values are not allowed in this context": "a ':' is not allowed here",
    "mapping keys are not allowed in this context": "a '?' is not allowed here",
    "block sequence entries are not allowed in this context": "a '-' is not allowed here",
    "found character that cannot start any token": "a value cannot start with this character",
    "did not find expected ',' or ']'": "a '[' has no ']'",
    "did not find expected ',' or '}'": "a '{' has no '}'",
    "found unexpected end of stream": "a quote or bracket is not closed",
    "found unexpected document indicator": "a quote is not closed before '---' or '...'",
    "found unknown escape character": "an unknown escape follows '\\'",
    "did not find expected hexdecimal number": "an escape after '\\' has a wrong number",
    "did not find expected <document start>": "a line is indented too little, or text follows the last value",
    "did not find expected node content": "a value is missing",
    "did not find expected comment or line break": "text is not allowed here",
    "did not find expected whitespace or line break": "a space is missing",
    "found undefined tag handle": "a '!' starts a tag; quote the value",
}


class YamlMistake(NamedTuple):
    """A syntax error in the author's words; lines and columns count from 0."""

    message: str
    hint: str
    line: int
    column: int


def explain(text: str, error: "yaml.MarkedYAMLError") -> YamlMistake:
    """Return what is wrong, where it began, and the corrected line."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = text.split("\n")
    conflict = next((at for at, one in enumerate(lines) if _CONFLICT.match(one)), None)
    if conflict is not None:
        return YamlMistake(
            "unresolved merge conflict", "keep one of the two versions, and remove the marks", conflict, 0
        )
    fix = _find_fix(lines, error, min(line, len(lines) - 1))
    if fix is not None:
        return YamlMistake(fix.message, fix.hint or f"write: {fix.corrected.strip()}", *(fix.place or fix[1:3]))
    opened = error.context_mark
    if opened is not None and error.context and ("flow" in error.context or "quoted" in error.context):
        line, column = opened.line, opened.column
    problem = str(error.problem or error.context)
    reason = _WORDS.get(problem, "this is not allowed here")
    return YamlMistake(f"cannot be read as YAML: {reason}", "", line, column)


def _find_fix(lines: list[str], error: "yaml.MarkedYAMLError", failed: int) -> LineFix | None:
    """Return the first correction that works, nearest to the error; it must not move the error to a nearby line."""
    opened = min(error.context_mark.line, failed) if error.context_mark else failed
    # A part that starts with a top-level key can be parsed on its own.
    first = min(max(0, failed - _MAX_LINES), opened)
    start = next((at for at in range(first, -1, -1) if _TOP_LEVEL.match(lines[at])), 0)
    fix = _try_fixes(lines[start : failed + _LOOKAHEAD], failed - start, opened - start)
    if fix is None:
        return None
    place = fix.place and (fix.place[0] + start, fix.place[1])
    return fix._replace(line=fix.line + start, place=place)


def _try_fixes(lines: list[str], failed: int, opened: int) -> LineFix | None:
    rows = dict.fromkeys((*range(failed, max(-1, failed - _MAX_LINES), -1), opened))
    tries = max(1, _MAX_PARSED // (sum(map(len, lines)) + 1))
    for propose in PROPOSALS:
        for at in rows:
            for fix in propose(lines, at) if len(lines[at]) <= _MAX_LENGTH else ():
                if not tries:
                    return None
                tries -= 1
                if _helps(lines, fix, failed):
                    return fix
    return None


def _helps(lines: list[str], fix: LineFix, failed: int) -> bool:
    found = _find_error([*lines[: fix.line], fix.corrected, *lines[fix.line + 1 :]])
    return found is None or failed + 1 < found < len(lines) - 1


def _find_error(lines: list[str]) -> int | None:
    """Return the line of the first syntax error, or None."""
    import yaml
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out

    parser = CParser("\n".join(lines).encode(errors="surrogatepass"))
    try:
        while parser.get_event() is not None:
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return mark.line if mark else 0
    except yaml.reader.ReaderError:
        return 0
    return None
