"""Fill the `${name}` placeholders in slot values; filled text is not searched again."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from promptpack.pack.output.type_entry import ATOMS

_PLACEHOLDER: Final = re.compile(r"\$\{\s*([^}]+?)\s*\}")


def fill_placeholders(value: Any, mappings: Any) -> Any:
    """Fill the placeholders in a value; a string that is exactly one placeholder becomes the mapped object itself."""
    if not isinstance(mappings, dict):
        raise TypeError(f"Variable mappings require a dictionary but got: {mappings}")
    return _walk(value, mappings)


def _walk(value: Any, mappings: dict[Any, Any]) -> Any:
    if isinstance(value, str):
        return _fill_text(value, mappings)
    if type(value) in ATOMS:
        return value
    if isinstance(value, Mapping):
        return {_walk(key, mappings): _walk(item, mappings) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple([_walk(item, mappings) for item in value])
    if isinstance(value, set):
        return {_walk(item, mappings) for item in value}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_walk(item, mappings) for item in value]
    return value


def _fill_text(text: str, mappings: dict[Any, Any]) -> Any:
    if type(text) is str and "${" not in text:
        return text
    whole = _PLACEHOLDER.fullmatch(text)
    if whole:
        return mappings.get(whole[1].strip(), text)
    return _PLACEHOLDER.sub(lambda match: _fill_match(match, mappings), text)


def _fill_match(match: re.Match[str], mappings: dict[Any, Any]) -> str:
    name = match[1].strip()
    return str(mappings[name]) if name in mappings else match[0]
