"""Inputs as MCP arguments, which are text: their descriptions for users, and the values that the texts mean."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack import strict_json
from promptpack.pack.model import Input, Pack
from promptpack.problem import ContextError, Problem

LOCALE: Final = "locale"
_MAX_SHOWN: Final = 80
_ONLY_TEXT: Final = frozenset(("string",))
_WORDS: Final = {
    "array": "a JSON array",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "a JSON object",
    "string": "text",
}
_KINDS: Final = {
    bool: "boolean",
    dict: "object",
    float: "number",
    int: "integer",
    list: "array",
    str: "string",
    type(None): "null",
}


def describe(declared: Input) -> str:
    """Return the description of an input, with its kind, its words and its default; a secret default is not shown."""
    schema = declared.schema
    facts = [_words_of(schema)] if _kinds(schema) != _ONLY_TEXT else []
    if "enum" in schema:
        facts = [f"one of {', '.join(map(_to_text, schema['enum']))}"]
    default = schema.get("default")
    if default not in (None, "", [], {}) and not declared.secret:
        facts.append(f"default {_shorten(_to_text(default))}")
    note = f"({'; '.join(facts)})" if facts else ""
    return f"{declared.description} {note}".strip()


def suggest(declared: Input) -> list[str]:
    """Return the words that an input accepts, if its schema lists them."""
    schema = declared.schema
    if "enum" in schema:
        return [_to_text(value) for value in schema["enum"]]
    return ["true", "false"] if "boolean" in (_kinds(schema) or ()) else []


def decode(pack: Pack, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Return the context that arguments mean; an empty text for an optional input means its default.

    Raise a `ContextError` with a problem for every argument that is not the JSON that its input needs.
    """
    context: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, text in arguments.items():
        declared = pack.inputs.get(name)
        if declared is None:
            context[name] = text  # refused by the pack, with a hint
        elif not _means_default(declared, text):
            try:
                context[name] = _decode(pack, declared, text)
            except ContextError as error:
                problems += error.problems
    if problems:
        raise ContextError(problems)
    return context


def _means_default(declared: Input, text: str) -> bool:
    is_text = "string" in (_kinds(declared.schema) or {"string"})
    return not text if is_text and not declared.required else not is_text and not text.strip()


def _decode(pack: Pack, declared: Input, text: str) -> Any:
    kinds = _kinds(declared.schema)
    if kinds == _ONLY_TEXT:
        return text
    try:
        value = strict_json.read(text)
    except (ValueError, RecursionError) as error:
        if kinds is None or "string" in kinds:
            return text
        raise ContextError(_not_json(declared, error)) from None
    if kinds is not None and "string" not in kinds:
        return value
    # The input accepts text and other kinds: text stays text, unless it is a JSON object or array, or not accepted.
    is_container = isinstance(value, dict | list) and _accepts(pack, declared.name, value)
    return text if not is_container and _accepts(pack, declared.name, text) else value


def _accepts(pack: Pack, name: str, value: Any) -> bool:
    return all(found.path[:1] != (name,) for found in pack._context_schema.check({name: value}))


def _not_json(declared: Input, error: Exception) -> Problem:
    reason = "" if declared.secret else f": {'nested too deeply' if isinstance(error, RecursionError) else error}"
    examples = () if declared.secret else declared.schema.get("examples", ())
    example = f", such as {_shorten(_to_text(examples[0]))}" if examples else ""
    hint = f"write {_words_of(declared.schema)}{example}"
    return Problem("PP651", f"argument {declared.name!r} is not valid JSON{reason}", None, hint)


def _words_of(schema: Mapping[str, Any]) -> str:
    kinds = _kinds(schema)
    return " or ".join(_WORDS.get(kind, kind) for kind in sorted(kinds)) if kinds else "text or JSON"


def _kinds(schema: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the types that a schema accepts; None if it may accept any."""
    if "type" in schema:
        named = schema["type"]
        return frozenset((named,) if isinstance(named, str) else named)
    if "enum" in schema or "const" in schema:
        return frozenset(_KINDS[type(value)] for value in schema.get("enum", (schema.get("const"),)))
    kinds = [_kinds(one) if isinstance(one, Mapping) else None for one in _branches(schema)]
    return frozenset[str]().union(*(one for one in kinds if one)) if kinds and None not in kinds else None


def _branches(schema: Mapping[str, Any]) -> Iterator[Any]:
    for keyword in ("anyOf", "oneOf"):
        yield from schema.get(keyword, ())


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
