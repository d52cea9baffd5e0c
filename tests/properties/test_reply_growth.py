"""Reading a reply of four times the length takes about four times the calls, however it is built."""

import sys
from collections.abc import Callable
from typing import Any, Final

import pytest

from promptpack import Pack
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version

WORDS: Final = [f"some long word {number:03}" for number in range(100)]
ITEM: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["name"],
}
KINDS: Final = [
    {"properties": {"kind": {"const": kind}, "value": {"type": "string"}}, "required": ["kind"]} for kind in "ab"
]
SHAPES: Final[dict[str, dict[str, Any]]] = {
    "numbers": {"type": "object", "additionalProperties": {"type": "integer"}},
    "rows": {"type": "object", "properties": {"rows": {"type": "array", "items": ITEM}}},
    "words": {"type": "object", "required": ["a"], "properties": {"a": {"enum": WORDS}, "b": {"enum": WORDS}}},
    "kinds": {"type": "object", "oneOf": KINDS},
}
TEXTS: Final[dict[str, tuple[str, Callable[[int], str]]]] = {
    "texts in place of numbers": ("numbers", lambda size: "{" + ", ".join(f'"k{n}": "{n}"' for n in range(size)) + "}"),
    "texts in a list of one": ("numbers", lambda size: "[{" + ", ".join(f'"k{n}": "{n}"' for n in range(size)) + ",}]"),
    "other names": ("rows", lambda size: '{"rows": [' + '{"Name": "x"}, ' * size + "]}"),
    "other names and two values": ("rows", lambda size: '{"rows": [' + '{"Name": "x", "n": 1, "n": 2}, ' * size + "]}"),
    "misspelled words": ("words", lambda size: '{"a": "some lnog word", "b": "some lnog word"}\n' * (size // 4)),
    "unknown keys": ("words", lambda size: '{"aa": 1}\n' * (size // 4)),
    "kinds": ("kinds", lambda size: "{" + ", ".join(f'"k{n}": {n}' for n in range(size)) + ', "kind": "c"' * size + "}"),
}  # fmt: skip


def calls(work: Callable[[], object]) -> int:
    """Count the calls of functions, also those written in C."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def stream(pack: Pack, text: str) -> None:
    """Read a text in chunks."""
    reading = pack.stream()
    for start in range(0, len(text), 50):
        reading.feed(text[start : start + 50])
    reading.close()


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("read", [Pack.check, stream], ids=["whole", "in chunks"])
def test_the_calls_grow_with_the_text(name: str, read: Callable[[Pack, str], object]) -> None:
    shape, text_of = TEXTS[name]
    pack = Pack("growth", Version(1, 0, 0), "growth.yaml", contract=Contract("growth", SHAPES[shape]))
    read(pack, text_of(8))
    small, large = (calls(lambda size=size: read(pack, text_of(size))) for size in (150, 600))  # type: ignore[misc]
    assert large < 6 * small + 10_000
