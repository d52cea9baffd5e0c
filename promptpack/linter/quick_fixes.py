"""Fixes for problems of any stage, from the problem and the text of its file.

They may change what a pack does, so an editor offers them, and `--fix` does not apply them. A fix is offered only if
the file can still be parsed, so only the problems at the cursor are fixed, and not all problems of a file.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from typing import Final, NamedTuple

from promptpack import document as documents
from promptpack.document import Document
from promptpack.document.edits import Edit, apply_edits
from promptpack.document.line_index import LineIndex
from promptpack.linter.entry_edits import insert_entry
from promptpack.linter.lint_report import Fix
from promptpack.problem import Location, PackError, Problem, suggested_word

_INSTEAD: Final = re.compile(r"(?:write|close '\{\{' with) '(\S+|\{\{ \w+ \}\})'(?=\Z|,)")
_QUOTED: Final = re.compile(r"'([^']+)'")
_AMBIGUOUS: Final = ("PP115", "PP116")
_MISREAD: Final = "PL027"
_PLAIN_VALUE: Final = re.compile(r"(?P<start>\s*(?:- +)*[\w$-]+: +)(?P<value>[^\s\"'{\[|>].*)")
_CORRECTED: Final = "write: "
_CLOSE: Final = re.compile(r"close it with '(.+)'\Z")
_EXPRESSION: Final = re.compile(r"\{\{[-+]?\s*[\w.]+(?:\s*\|\s*\w+(?:\([^(){}\n]*\))?)*")
# Characters that are parsed to try the fixes of one request.
_MAX_PARSED: Final = 1_000_000


class _ProblemPlace(NamedTuple):
    """A problem in a text; `document` is None if the text cannot be parsed."""

    problem: Problem
    location: Location
    text: str
    document: Document | None
    start: int
    end: int

    @property
    def covered(self) -> str:
        return self.text[self.start : self.end]

    @property
    def line_end(self) -> int:
        end = self.text.find("\n", self.start)
        return len(self.text) if end < 0 else end

    @property
    def line_start(self) -> int:
        return self.text.rfind("\n", 0, self.start) + 1


def find_fixes(problems: Iterable[Problem], text: str, document: Document | None) -> Iterator[tuple[Problem, Fix]]:
    """Yield the fixes of problems in a text; of the first ones only if the text is long."""
    lines = LineIndex(text)
    for problem in islice(problems, 1 + _MAX_PARSED // (len(text) + 1)):
        location = problem.location
        if location is not None and location.line:
            start, end = lines.find(location.line, location.column), lines.find(*location.end)
            place = _ProblemPlace(problem, location, text, document, start, end)
            yield from ((problem, fix) for find in _FINDERS for fix in find(place))


def _replace_word(place: _ProblemPlace) -> Iterator[Fix]:
    """Apply a suggestion, if the wrong word, which the message quotes, is at the location."""
    instead = _INSTEAD.match(place.problem.hint)
    right = instead[1] if instead else suggested_word(place.problem.hint)
    start = place.start + (place.text[place.start : place.start + 1] in ('"', "'"))
    found = (re.compile(re.escape(word) + r"(?!\w)") for word in _QUOTED.findall(place.problem.message))
    wrong = max((one[0] for pattern in found if (one := pattern.match(place.text, start))), key=len, default="")
    if right and wrong and wrong != right:
        yield Fix(f"replace {wrong!r} with {right!r}", (Edit(start, start + len(wrong), right),))


def _declare_input(place: _ProblemPlace) -> Iterator[Fix]:
    name = _QUOTED.search(place.problem.message)
    is_declarable = "declare it" in place.problem.hint or suggested_word(place.problem.hint)
    if place.problem.code != "PP301" or name is None or place.document is None or not is_declarable:
        return
    entry = f"{name[1]}: {{type: string}}"
    edit = insert_entry(place.document, ("inputs",), entry)
    messages = place.document.locate_key(("messages",))
    if edit is None and "inputs" not in place.document.data and messages.column == 1:
        start = place.document.find_offset(messages.line, 1)
        edit = Edit(start, start, f"inputs:\n  {entry}\n")
    if edit:
        yield Fix(f"declare the input {name[1]!r}", (edit,))


def _quote_value(place: _ProblemPlace) -> Iterator[Fix]:
    if place.problem.code in _AMBIGUOUS:
        yield Fix(f"quote {place.covered}", (Edit(place.start, place.end, json.dumps(place.covered)),))
    elif place.problem.code == "PP301" and place.problem.hint == f'write it in quotes: "{place.covered}"':
        yield from _if_parsed(place, f"quote {place.covered}", Edit(place.start, place.end, f"'{place.covered}'"))
    elif place.problem.code == _MISREAD and "curly" in place.problem.message:
        text = json.dumps(place.covered[1:-1], ensure_ascii=False)
        yield from _if_parsed(place, "use straight quotes", Edit(place.start, place.end, text))
    elif place.problem.code == _MISREAD:
        value = _PLAIN_VALUE.fullmatch(place.text, place.line_start, place.line_end)
        if value:
            text = json.dumps(value["value"], ensure_ascii=False)
            yield from _if_parsed(place, "put the whole value in quotes", Edit(*value.span("value"), text))


def _correct_line(place: _ProblemPlace) -> Iterator[Fix]:
    """Write the corrected line of a YAML syntax error."""
    if place.problem.hint.startswith(_CORRECTED):
        corrected = place.problem.hint.removeprefix(_CORRECTED)
        line = place.text[place.line_start : place.line_end]
        start = place.line_start + len(line) - len(line.lstrip())
        yield from _if_parsed(place, f"write {corrected!r}", Edit(start, place.line_end, corrected))


def _if_parsed(place: _ProblemPlace, title: str, edit: Edit) -> Iterator[Fix]:
    """Yield a fix unless the line would still be a syntax error."""
    try:
        documents.parse(apply_edits(place.text, [edit]))
    except PackError as error:
        found = error.problems[-1].location
        if found is None or found.line <= place.location.line or place.document is not None:
            return
    yield Fix(title, (edit,))


def _close_tag(place: _ProblemPlace) -> Iterator[Fix]:
    closing = _CLOSE.match(place.problem.hint)
    if place.problem.code != "PP302" or closing is None or place.document is None:
        return
    if closing[1].startswith("{%"):
        at, text = _end_of_block(place, place.document, closing[1])
    elif closing[1] in ("}}", "%}", "#}"):
        expression = _EXPRESSION.match(place.text, place.start)
        at, text = expression.end() if expression else place.line_end, f" {closing[1]}"
    else:
        tag_end = re.compile(r"\s*[-+]?[}%]\}").search(place.text, place.start, place.line_end)
        at, text = tag_end.start() if tag_end else place.line_end, closing[1]
    yield from _if_parsed(place, f"close it with {closing[1]!r}", Edit(at, at, text))


def _end_of_block(place: _ProblemPlace, document: Document, closing: str) -> tuple[int, str]:
    """Return where a block tag is closed: on its own line at the end of the text if it starts its line."""
    indent = document.block_indent(place.location.line)
    before = place.text[place.line_start : place.start]
    if indent is None or before.strip() or place.text[place.start : place.line_end].count("{%") > 1:
        quote = place.text[place.line_end - 1]
        return place.line_end - (indent is None and quote in "\"'"), closing
    last = next(line for line in count(place.location.line) if document.block_indent(line + 1) is None)
    lines = LineIndex(place.text)
    end = len(place.text[: lines.find(last + 1, 1)].rstrip()) if place.text.count("\n") >= last else len(place.text)
    return end, f"\n{before}{closing}"


_FINDERS: Final[tuple[Callable[[_ProblemPlace], Iterator[Fix]], ...]] = (
    _replace_word,
    _declare_input,
    _quote_value,
    _correct_line,
    _close_tag,
)
