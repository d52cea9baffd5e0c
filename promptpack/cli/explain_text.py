"""An explanation as text: each origin on a line, and the text that comes from it below."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import click

from promptpack.characters import visible
from promptpack.prompt.provenance.explanation import Explanation, Span, Trust

COLOURS: Final[dict[Trust, str]] = {"trusted": "green", "untrusted": "red", "fenced": "yellow", "secret": "magenta"}
# Starts a line of the prompt, or continues the line above.
_START, _CONTINUED = "  |", "  +"


def write_text(explanation: Explanation) -> str:
    """Write an explanation; adjacent lines of one template are written together."""
    is_at_start = True
    lines: list[str] = []
    for _, group in groupby(explanation.spans, _group_key):
        spans = list(group)
        lines.append(click.style(spans[0].trust, fg=COLOURS[spans[0].trust]) + f"  {visible(_describe(spans))}")
        lines += _write_lines("".join(span.text for span in spans), is_at_start)
        is_at_start = spans[-1].text.endswith("\n")
    return "\n".join(lines)


def _group_key(span: Span) -> object:
    is_joined = span.kind in ("template", "layout") and (span.location is None or span.location.line)
    path = span.location.path if span.location else ""
    return (span.kind, span.trust, path, span.inputs, span.partials, span.overlay) if is_joined else span


def _describe(spans: list[Span]) -> str:
    first, last = spans[0].location, spans[-1].location
    text = spans[0].describe()
    return f"{text} to {last.line}" if first and last and last.line > first.line else text


def _write_lines(text: str, is_at_start: bool) -> Iterator[str]:
    for index, line in enumerate(text.removesuffix("\n").split("\n")):
        prefix = _START if index or is_at_start else _CONTINUED
        yield f"{prefix} {visible(line)}" if line else prefix
