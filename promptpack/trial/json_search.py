"""Find JSON objects and lists in a text, and compare values in them."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.schema.equality import equality_key
from promptpack.schema.pointers import MISSING, find_at
from promptpack.trial.model import Miss

_OPENING: Final = re.compile(r"[{\[]")
# Texts with more brackets that open nothing are searched no further.
_MAX_ATTEMPTS: Final = 2_000
_MAX_CHARACTERS: Final = 20_000_000
_MAX_SHOWN: Final = 200


def check_json(text: str, wanted: Mapping[str, Any], what: str) -> Iterator[Miss]:
    """Yield the values that no JSON in a text has at their pointers."""
    values = list(find_json(text))
    for pointer, expected in wanted.items():
        found = [one for one in (find_at(value, pointer) for value in values) if one is not MISSING]
        if not any(is_equal(one, expected) for one in found):
            shown = f"found {show(found[0])}" if found else "nothing is there"
            yield Miss(f"no JSON in {what} has {show(expected)} at {pointer!r}: {shown}", (pointer,))


def find_json(text: str) -> Iterator[Any]:
    """Yield the outermost JSON objects and lists in a text, as far as the limits allow."""
    decode = json.JSONDecoder(strict=False).raw_decode
    position, characters = 0, _MAX_CHARACTERS
    for _ in range(_MAX_ATTEMPTS):
        opening = _OPENING.search(text, position)
        if opening is None or characters < 0:
            return
        position = opening.start() + 1
        try:
            value, position = decode(text, opening.start())
        except json.JSONDecodeError as error:
            characters -= error.pos - opening.start()
        except (RecursionError, ValueError):
            characters -= len(text) - opening.start()
        else:
            yield value


def is_equal(value: Any, other: Any) -> bool:
    """Return whether JSON Schema treats two values as equal: 1 and 1.0 are, 1 and true are not."""
    try:
        return bool(equality_key(value) == equality_key(other))
    except RecursionError:
        return False  # no pack file is nested so deeply


def show(value: Any) -> str:
    """Return a value as short JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "a deeply nested value"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
