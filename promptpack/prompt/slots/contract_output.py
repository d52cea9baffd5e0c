"""A JSON Schema as an output schema, so that a pack's reply contract is printed as slot prompts print an output."""

from collections.abc import Mapping
from typing import Any, Final, Literal

Schema = Mapping[str, Any]
_KINDS: Final[Mapping[str, type]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
_DEEPEST: Final = 8


def derive_output(shape: Schema, language: str = "") -> Any:
    """Read the output schema that a contract's JSON Schema stands for, with its descriptions in the language."""
    return _Reader(shape, language).structure(shape, 0)


class _Reader:
    def __init__(self, root: Schema, language: str) -> None:
        self._root = root
        self._language = language

    def structure(self, schema: Schema, depth: int) -> Any:
        """Give a mapping, a list or a type."""
        schema = self._resolved(schema)
        if schema.get("properties") and depth < _DEEPEST:
            return {name: self._field(field, depth + 1) for name, field in schema["properties"].items()}
        if schema.get("type") == "array" and isinstance(schema.get("items"), Mapping) and depth < _DEEPEST:
            return [self._field(schema["items"], depth + 1)]
        return _kind(schema)

    def _field(self, field: Any, depth: int) -> Any:
        schema = self._resolved(field)
        inner, description = self.structure(schema, depth), self._description(schema)
        # A structure inside a tuple is printed one level deeper, so it is put there only to be described.
        return (inner, description) if description or not isinstance(inner, dict | list) else inner

    def _description(self, schema: Schema) -> str:
        text: str = schema.get("x-descriptions", {}).get(self._language, schema.get("description", ""))
        return text

    def _resolved(self, schema: Any) -> Schema:
        for _ in range(_DEEPEST):
            if not isinstance(schema, Mapping) or not str(schema.get("$ref", "")).startswith("#"):
                break
            node: Any = self._root
            for step in schema["$ref"][1:].split("/")[1:]:
                node = node[step.replace("~1", "/").replace("~0", "~")]
            schema = {**node, **{key: value for key, value in schema.items() if key != "$ref"}}
        return schema if isinstance(schema, Mapping) else {}


def _kind(schema: Schema) -> Any:
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if choices:
        return Literal[tuple(choices)]
    kinds = schema.get("type", [])
    names = kinds if isinstance(kinds, list) else [kinds]
    known = [_KINDS[name] for name in names if name in _KINDS]
    if not known:
        return Any
    result: Any = known[0]
    for kind in known[1:]:
        result = result | kind
    return result
