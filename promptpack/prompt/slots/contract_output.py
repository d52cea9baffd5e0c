"""A contract's JSON Schema -> an output schema, so that slot prompts print the contract like any other output."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from promptpack.pack.schema_references import resolve
from promptpack.schema.pointers import SchemaData

_TYPES: Final[Mapping[str, type]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
_MAX_DEPTH: Final = 8


def derive_output(shape: SchemaData, language: str = "") -> Any:
    """Derive the output schema of a contract's JSON Schema, with the descriptions in `language`."""
    return _ContractReader(shape, language).structure(shape, 0)


class _ContractReader:
    def __init__(self, root: SchemaData, language: str) -> None:
        self._root = root
        self._language = language

    def structure(self, schema: SchemaData, depth: int) -> Any:
        """Return a mapping, a list or a type."""
        schema = resolve(self._root, schema)
        if schema.get("properties") and depth < _MAX_DEPTH:
            return {name: self._field(field, depth + 1) for name, field in schema["properties"].items()}
        if schema.get("type") == "array" and isinstance(schema.get("items"), Mapping) and depth < _MAX_DEPTH:
            return [self._field(schema["items"], depth + 1)]
        return _type(schema)

    def _field(self, field: Any, depth: int) -> Any:
        schema = resolve(self._root, field)
        inner, description = self.structure(schema, depth), self._description(schema)
        # A structure inside a tuple is printed one level deeper, so only described structures get a tuple.
        return (inner, description) if description or not isinstance(inner, dict | list) else inner

    def _description(self, schema: SchemaData) -> str:
        text: str = schema.get("x-descriptions", {}).get(self._language, schema.get("description", ""))
        return text


def _type(schema: SchemaData) -> Any:
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if choices:
        return Literal[tuple(choices)]
    declared = schema.get("type", [])
    names = declared if isinstance(declared, list) else [declared]
    types = [_TYPES[name] for name in names if name in _TYPES]
    if not types:
        return Any
    union: Any = types[0]
    for other in types[1:]:
        union = union | other
    return union
