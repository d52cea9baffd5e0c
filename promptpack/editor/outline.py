"""The outline of a pack file: its sections, and each input, message, partial, action, rule and test."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from promptpack import document as documents
from promptpack.document import Document
from promptpack.problem import Location, PackError

_LISTED = ("inputs", "partials", "messages", "slots", "reply", "actions", "rules", "tests", "steps")
_MAX_DEPTH = 2
_LABELS = ("name", "id", "role", "history", "remove")


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A key or list item: its name, the section that contains it, and the lines from its location to `last_line`."""

    name: str
    section: str
    location: Location
    last_line: int
    items: tuple["OutlineItem", ...] = ()


def outline(text: str) -> tuple[OutlineItem, ...]:
    """Return the outline of a text; empty while it cannot be parsed."""
    try:
        found = documents.parse(text)
    except PackError:
        return ()
    return tuple(_items(found, (), found.data, range(1, found.text.rstrip().count("\n") + 2)))


def _items(document: Document, path: tuple[str | int, ...], values: Any, lines: range) -> Iterator[OutlineItem]:
    steps = values if isinstance(values, dict) else range(len(values)) if isinstance(values, list) else ()
    places = [(step, place) for step in steps if (place := document.locate_key((*path, step))).line in lines]
    ends = [max(here.line, after.line - 1) for (_, here), (_, after) in pairwise(places)] + [lines.stop - 1]
    for (step, place), end in zip(places, ends, strict=False):
        inner = (*path, step)
        has_items = step in _LISTED and len(inner) <= _MAX_DEPTH
        items = _items(document, inner, values[step], range(place.line, end + 1)) if has_items else ()
        yield OutlineItem(_label(step, values[step]), str(path[-1]) if path else "", place, end, tuple(items))


def _label(step: str | int, value: Any) -> str:
    if isinstance(step, str):
        return step
    return (
        str(next((value[key] for key in _LABELS if key in value), step + 1)) if isinstance(value, dict) else str(value)
    )
