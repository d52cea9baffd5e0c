"""Find the names in the templates and expressions of a file, for highlighting: inputs, other names, filters, tests."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from jinja2 import nodes

from promptpack.document import normalize
from promptpack.editor.buffer import Buffer
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.subject import Subject
from promptpack.problem import Location
from promptpack.template.language import FUNCTIONS

_Named = nodes.Name | nodes.Filter | nodes.Test
TokenKind = Literal["parameter", "variable", "function"]


class NameToken(NamedTuple):
    """A name; `parameter` is an input, `function` also a filter or a test."""

    location: Location
    kind: TokenKind


def find_tokens(buffer: Buffer) -> tuple[NameToken, ...]:
    """Return the names in order; none while the text cannot be read, and none in Handlebars templates."""
    subject = buffer.subject
    if subject is None or subject.document.text != normalize(buffer.text) or buffer.syntax != "jinja":
        return ()
    lines = subject.document.text.split("\n")
    texts = (*subject.texts, *subject.partials.values())
    found = {token for text in texts for token in _tokens(text, subject, lines)}
    return tuple(sorted(found))


def _tokens(text: ParsedText, subject: Subject, lines: list[str]) -> Iterator[NameToken]:
    found: Iterator[_Named] = text.tree.find_all((nodes.Name, nodes.Filter, nodes.Test))
    for node in found:
        location = text.source.locate_word(node.lineno, node.name)
        if location.path != subject.document.path or location.line != location.end_line:
            continue
        # Jinja adds names of its own, and does not know where the name of each filter is.
        if lines[location.line - 1][location.column - 1 : location.end_column - 1] == node.name:
            yield NameToken(location, _kind(node, subject))


def _kind(node: _Named, subject: Subject) -> TokenKind:
    if not isinstance(node, nodes.Name) or node.name in FUNCTIONS:
        return "function"
    return "parameter" if node.name in subject.inputs else "variable"
