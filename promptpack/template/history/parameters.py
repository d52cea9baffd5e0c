"""Tool -> its parameters, from a flat description or a JSON Schema."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypedDict, get_args

from promptpack.problem import ContextError, Problem, did_you_mean
from promptpack.template.history import go_json, go_text
from promptpack.template.history.go_format import format_value

Style = Literal["auto", "flat", "json-schema"]
_STYLES: Final[tuple[str, ...]] = get_args(Style)
_SCHEMA_KEYS: Final = ("parameters", "input_schema", "inputSchema")


class Parameter(TypedDict):
    """One parameter: its name, whether it is required, and its type as a short text."""

    name: str
    required: bool
    type: str


def tool_parameters(tool: Mapping[str, Any], style: Style = "auto") -> list[Parameter]:
    """Return the parameters of a tool, sorted by the code points of their names.

    The flat style maps a name to a type or to `{type, required: true, enum}`; a JSON Schema has `properties` and a
    list of `required` names. `auto` recognizes an object schema. A `schema_text` is parsed as Go parses JSON.
    """
    if style not in _STYLES:
        hint = did_you_mean(str(style), _STYLES) or f"use one of {', '.join(_STYLES)}"
        raise ContextError(Problem("PP433", f"unknown style {style!r} of tool parameters", hint=hint))
    described = _described(tool)
    if style == "json-schema" or (style == "auto" and _is_json_schema(described)):
        return _from_json_schema(described)
    return [_flat(name, described[name]) for name in sorted(described)]


def _described(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    text = tool.get("schema_text")
    if isinstance(text, str):
        return _parameters_of_text(text)
    schema = next((tool[key] for key in _SCHEMA_KEYS if isinstance(tool.get(key), Mapping)), None)
    return {} if schema is None else {str(name): value for name, value in schema.items()}


def _parameters_of_text(text: str) -> dict[str, go_json.GoJsonValue]:
    """Decode as Go does into a struct with a map field: ignore letter case, merge duplicates, clear on null."""
    try:
        members = go_json.read_members(text) or []
    except go_json.GoJsonError:
        return {}
    found: dict[str, go_json.GoJsonValue] = {}
    for name, value in members:
        if go_text.fold(name) != "parameters":
            continue
        if value is None:
            found = {}
        elif isinstance(value, dict):
            found = {**found, **value}
    return found


def _is_json_schema(described: Mapping[str, Any]) -> bool:
    properties = described.get("properties", {})
    return described.get("type") == "object" and isinstance(properties, Mapping)


def _from_json_schema(schema: Mapping[str, Any]) -> list[Parameter]:
    properties = schema.get("properties")
    described = properties if isinstance(properties, Mapping) else {}
    listed = schema.get("required")
    required = {name for name in listed if isinstance(name, str)} if isinstance(listed, (list, tuple)) else set()
    return [
        {"name": str(name), "required": name in required, "type": _schema_type(described[name])}
        for name in sorted(described, key=str)
    ]


def _schema_type(described: object) -> str:
    if not isinstance(described, Mapping):
        return ""
    kind = described.get("type")
    return _type_text("|".join(str(one) for one in kind) if isinstance(kind, (list, tuple)) else kind, described)


def _flat(name: str, described: object) -> Parameter:
    if isinstance(described, str):
        return {"name": name, "required": True, "type": go_text.trim_space(described)}
    if not isinstance(described, Mapping):
        return {"name": name, "required": False, "type": ""}
    required = described.get("required") is True
    return {"name": name, "required": required, "type": _type_text(described.get("type"), described)}


def _type_text(kind: object, described: Mapping[str, Any]) -> str:
    text = go_text.trim_space(kind) if isinstance(kind, str) else ""
    choices = described.get("enum")
    if not isinstance(choices, (list, tuple)) or not choices:
        return text
    return f"{text or 'enum'}:{'/'.join(format_value(choice) for choice in choices)}"
