"""Texts of parts of a template, kept until what they were made of changes; `cutting` says which parts.

A text is kept with the images of the values that it was made of, which are equal only where the values are, and with
what it cost to write. One object holds all of it, so that threads see a text with what belongs to it, or another.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from promptpack.template.limits import Meter
from promptpack.template.model import Image

Key = tuple[Any, ...]

_LONGEST: Final = 1_000_000


class Written(NamedTuple):
    """The text of a part as it was last written, what it was made of, and what it cost."""

    key: Key
    text: str
    steps: int
    output: int


def find_key(names: Iterable[str], images: Mapping[str, Image], meter: Meter) -> Key | None:
    """Give what a text depends on; None where there is something that cannot be compared."""
    try:
        return (meter.limits, *[images[name] for name in names])
    except KeyError:
        return None


def recall(written: Written | None, key: Key, meter: Meter) -> str | None:
    """Give a text that was written of the same values, at the same cost; one too dear is left to fail in its place."""
    if written is None or written.key != key or written.steps > meter.steps or written.output > meter.output:
        return None
    meter.steps -= written.steps
    meter.output -= written.output
    return written.text


def note(key: Key, text: str, before: tuple[int, int], meter: Meter) -> Written | None:
    """Make a note of a text, given what was left of steps and output before it was written."""
    if len(text) > _LONGEST:
        return None
    steps, output = before
    return Written(key, text, steps - meter.steps, output - meter.output)
