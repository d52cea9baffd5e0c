"""Changes of texts and notes, wherever they are in a pack."""

from __future__ import annotations

from collections.abc import Iterator

from promptpack.pack.placed import Placed
from promptpack.problem import Location
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.sides import ComparisonMeter, Side, find_changed_keys, from_to, locate_changed, write_value
from promptpack.versions.word_diff import diff_words


def explain_text(
    code: str, what: str, pair: tuple[Placed | None, Placed | None], where: str, meter: ComparisonMeter
) -> Change:
    """Return the change of a text, or of another value that the model reads, by words."""
    old, new = pair
    texts = ["" if side is None else write_value(side.value) for side in pair]
    words = diff_words(texts[0], texts[1], meter.words)
    if new is None or old is None:
        placed = new or old
        location = placed.locate_key() if placed else None
        return make_change(code, f"{what} {'added' if old is None else 'removed'}", location, where, words=words)
    is_text = isinstance(old.value, str) and isinstance(new.value, str)
    location = locate_text(new, words.offset) if is_text else new.locate_key()
    return make_change(code, f"{what} changed", location, where, words=words)


def compare_notes(before: Placed, after: Placed, what: str, where: str) -> Iterator[Change]:
    """Yield the changed keys that begin with `x-`."""
    for key in sorted(find_changed_keys(before, after)):
        if key.startswith("x-"):
            message = f"{key!r} of {what} changed{from_to(before.value.get(key), after.value.get(key))}"
            yield make_change("PV327", message, locate_changed(before, after, key), where)


def locate_text(placed: Placed, offset: int) -> Location:
    """Return the location of an offset of a text."""
    text: str = placed.value
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return placed.document.locate_inside(placed.path, line, column)


def has_other_syntax(old: Side, new: Side, before: Placed, after: Placed) -> bool:
    """Return whether the files of an inherited part have another syntax, and the packs have not."""
    syntaxes = [placed.document.data.get("syntax", "jinja") for placed in (before, after)]
    return old.pack.syntax == new.pack.syntax and syntaxes[0] != syntaxes[1]
