"""A value against a schema of everyday keywords, looked at once and without making functions of the schema."""

from __future__ import annotations

from typing import Any, Final

_CLASSES: Final = {
    "string": (str,),
    "object": (dict,),
    "array": (list,),
    "boolean": (bool,),
    "number": (int, float),
    "null": (type(None),),
}
_ABOUT: Final = frozenset(("title", "description", "default", "examples", "$comment"))


class UndecidedError(Exception):
    """Only `jsonschema` can tell."""


def meets(value: Any, schema: Any) -> bool:
    """Say whether plain data meets a schema; raises `UndecidedError` where a keyword is not of every day."""
    if type(schema) is not dict:
        raise UndecidedError
    return all(_meets_keyword(value, keyword, schema[keyword]) for keyword in schema if keyword not in _ABOUT)


def _meets_keyword(value: Any, keyword: str, wanted: Any) -> bool:
    match keyword, wanted:
        case "type", "integer" if type(value) is not float:
            return type(value) is int
        case "type", str() if wanted in _CLASSES:
            return type(value) in _CLASSES[wanted]
        case "minLength", int():
            return type(value) is not str or len(value) >= wanted
        case "maxLength", int():
            return type(value) is not str or len(value) <= wanted
        case "enum", [*words] if all(type(word) is str for word in words):
            return value in words
        case "required", list():
            return type(value) is not dict or all(name in value for name in wanted)
        case "properties", dict():
            return type(value) is not dict or all(
                meets(value[name], inner) for name, inner in wanted.items() if name in value
            )
        case "items", dict():
            return type(value) is not list or all(meets(item, wanted) for item in value)
    raise UndecidedError
