"""JSON pointers and references: write, split, follow and bundle them; and the `Mismatch` of a value at a pointer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from promptpack.schema.safety import SchemaMeter

ValuePath = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""
SchemaData = Mapping[str, Any]
"""A JSON Schema, not compiled."""
Load = Callable[[str, str], tuple[str, Mapping[str, Any]]]
"""(file that refers, reference) -> (file referred to, its schema)."""

# Keywords that identify a schema file and do not validate values.
_FILE_KEYS = ("$id", "$schema")
# Keywords that hold plain values, in which "$ref" is an ordinary key.
_VALUE_KEYS = frozenset(("const", "default", "enum", "examples"))
MISSING: Final[Any] = object()
"""Stands for a value that does not exist, where null does."""
_LEAVES = frozenset((str, int, float, bool, type(None)))


def pointer(path: Iterable[str | int]) -> str:
    """Return a path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def split_pointer(pointer: str) -> list[str]:
    """Return the unescaped keys of a JSON pointer or a local reference."""
    return [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]


def find_at(value: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer, or `MISSING`."""
    for key in split_pointer(pointer):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdecimal() and len(key) < 10 and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


def value_at(value: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer; raise a `LookupError` if there is none."""
    found = find_at(value, pointer)
    if found is MISSING:
        raise LookupError(pointer)
    return found


def find_target(root: Any, reference: Any) -> Any:
    """Return the part of a schema that a local reference points to, or None if it does not exist."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found = find_at(root, reference)
    return None if found is MISSING else found


def bundle(schema: Mapping[str, Any], file: str, load: Load, meter: SchemaMeter) -> dict[str, Any]:
    """Copy every schema file that `schema` refers to into its `$defs`, and make the references local."""
    return _Bundler(load, meter).run(schema, file)


def rebase(schema: Any, prefix: str) -> Any:
    """Return a schema moved below `prefix` (such as `#/$defs/params`), with its local references adjusted."""
    if isinstance(schema, list):
        return [item if type(item) in _LEAVES else rebase(item, prefix) for item in schema]
    if type(schema) is not dict and not isinstance(schema, Mapping):
        return schema
    moved = {
        key: value if type(value) in _LEAVES or key in _VALUE_KEYS else rebase(value, prefix)
        for key, value in schema.items()
    }
    reference = moved.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        moved["$ref"] = prefix + reference[1:]
    return moved


class _Bundler:
    def __init__(self, load: Load, meter: SchemaMeter) -> None:
        self._load = load
        self._meter = meter
        self._names: dict[str, str] = {}
        self._definitions: dict[str, Any] = {}

    def run(self, schema: Mapping[str, Any], file: str) -> dict[str, Any]:
        root: dict[str, Any] = self._make_local(schema, file, "#")
        if self._definitions:
            root["$defs"] = {**root.get("$defs", {}), **self._definitions}
        return root

    def _make_local(self, schema: Any, file: str, base: str) -> Any:
        if type(schema) is str:
            return schema
        if isinstance(schema, list):
            return [self._make_local(item, file, base) for item in schema]
        if not isinstance(schema, Mapping):
            return schema
        self._meter.count_mapping()
        local = {
            key: value if key in _VALUE_KEYS else self._make_local(value, file, base) for key, value in schema.items()
        }
        reference = local.get("$ref")
        if isinstance(reference, str):
            local["$ref"] = self._make_reference_local(reference, file, base)
        return local

    def _make_reference_local(self, reference: str, file: str, base: str) -> str:
        target, _, fragment = reference.partition("#")
        if not target:
            return base + fragment
        found, schema = self._load(file, target)
        return f"#/$defs/{self._include(found, schema)}{fragment}"

    def _include(self, file: str, schema: Mapping[str, Any]) -> str:
        if file in self._names:
            return self._names[file]
        name = file.rsplit("/", 1)[-1].removesuffix(".json").removesuffix(".schema")
        while name in self._definitions:
            name += "_"
        self._names[file] = name
        self._definitions[name] = {}  # reserves the name while referenced files are read
        content = {key: value for key, value in schema.items() if key not in _FILE_KEYS}
        self._definitions[name] = self._make_local(content, file, f"#/$defs/{name}")
        return name


@dataclass(frozen=True)
class Mismatch:
    """The failed `keyword` and its value (`expected`), at a path; `at_key` if the key itself is wrong.

    For an unknown key, `expected` is the nearest known key, or None. For an unsafe schema, `keyword` names the danger,
    such as `cycle`.
    """

    keyword: str
    path: tuple[str | int, ...]
    message: str
    hint: str = ""
    at_key: bool = False
    expected: Any = field(default=None, compare=False)

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer."""
        return pointer(self.path)


def keep_misspelled(mismatches: Iterable[Mismatch]) -> list[Mismatch]:
    """Leave out the missing keys that are misspelled: such a key is one problem, that it is unknown."""
    found = pair_keys(tuple(mismatches))
    misspelled = {(one.path[:-1], one.hint) for one in found if one.at_key}
    return [
        one
        for one in found
        if one.keyword != "required" or (one.path[:-1], f"did you mean {one.path[-1]!r}?") not in misspelled
    ]


def pair_keys(found: tuple[Mismatch, ...]) -> tuple[Mismatch, ...]:
    """Suggest the only missing key of a mapping for its only unknown key."""
    pairs: dict[tuple[str | int, ...], str] = {}
    for owner in {one.path[:-1] for one in found if one.at_key and one.expected is None}:
        inside = [one for one in found if one.path[:-1] == owner]
        missing = [one.path[-1] for one in inside if one.keyword == "required"]
        if len(missing) == 1 and sum(one.at_key for one in inside) == 1:
            pairs[owner] = str(missing[0])
    return tuple(
        replace(one, hint=f"did you mean {near!r}?", expected=near)
        if one.at_key and (near := pairs.get(one.path[:-1]))
        else one
        for one in found
    )
