"""The size of a strict schema: count it, and refuse a schema that a provider would refuse."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.problem import PackError, Problem
from promptpack.schema.strict.provider_support import Profile

_HINT: Final = "use fewer actions, tools and fields, or ask without a strict schema"


class OptionalProperties:
    """The optional properties that are written as nullable, so that some of them can be left out of `required`."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[list[str], dict[str, Any], list[str]]] = {}

    def add(self, required: list[str], properties: dict[str, Any], optional: list[str]) -> None:
        """Remember the optional properties of one written object."""
        if optional:
            self._names[id(properties)] = required, properties, optional

    def shrink(self, schema: Mapping[str, Any], profile: Profile) -> None:
        """Leave properties out of `required` until the schema has no more unions than the provider allows."""
        if not profile.max_unions:
            return
        excess = _SchemaSize(schema).unions - profile.max_unions
        present = {id(node["properties"]) for node, _ in _iterate(schema) if "properties" in node}
        for required, properties, names in reversed([one for key, one in self._names.items() if key in present]):
            for name in reversed(names):
                options = properties[name]["anyOf"]
                if excess > 0 and len(options) == 2:
                    properties[name] = options[0]
                    required.remove(name)
                    excess -= 1


def check_size(schema: Mapping[str, Any], profile: Profile, provider: str, what: str) -> None:
    """Raise `PackError` for each limit of the provider that a strict schema exceeds."""
    size = _SchemaSize(schema)
    counts = (
        (size.properties, profile.max_properties, "properties"),
        (size.levels, profile.max_levels, "levels of objects"),
        (size.enum_values, profile.max_enum_values, "enum values"),
        (size.name_characters, profile.max_name_characters, "characters in names and enum values"),
        (size.unions, profile.max_unions, "properties with alternatives"),
        (size.optional, profile.max_optional, "optional properties"),
    )
    problems = [
        Problem("PP644", f"{what} has {count:,} {noun} in its strict schema; {provider} allows {limit:,}", None, _HINT)
        for count, limit, noun in counts
        if limit and count > limit
    ]
    if problems:
        raise PackError(problems)


class _SchemaSize:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        nodes = list(_iterate(schema))
        objects = [node["properties"] for node, _ in nodes if "properties" in node]
        required = [node["required"] for node, _ in nodes if "properties" in node]
        enums = [node["enum"] for node, _ in nodes if "enum" in node]
        names = [*schema.get("$defs", ()), *(name for one in objects for name in one)]
        self.properties = sum(map(len, objects))
        self.levels = max((level for _, level in nodes), default=0)
        self.enum_values = sum(map(len, enums))
        self.name_characters = sum(map(len, names)) + sum(len(str(value)) for one in enums for value in one)
        self.unions = sum("anyOf" in inner for one in objects for inner in one.values())
        self.optional = self.properties - sum(map(len, required))


def _iterate(schema: Mapping[str, Any], level: int = 0) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield a strict schema and its parts, each with the number of objects around its values."""
    level += "properties" in schema
    yield schema, level
    for inner in (*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("$defs", {}).values()):
        yield from _iterate(inner, level)
    if "items" in schema:
        yield from _iterate(schema["items"], level)
