"""Schemas that refer to other files, made into one schema whose references are all local."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from promptpack.problem import Location, PackError, Problem
from promptpack.schema.inspecting import CODES, inspect

if TYPE_CHECKING:
    Load = Callable[[str, str], tuple[str, Mapping[str, Any]]]
    """(file that refers, reference) -> (file referred to, its schema)."""


# What names or places a schema file, and says nothing about values.
_FILE_KEYS = ("$id", "$schema")
# What holds values, in which "$ref" is just a key.
_VALUE_KEYS = frozenset(("const", "default", "enum", "examples"))


def bundle(schema: Mapping[str, Any], file: str, load: Load) -> dict[str, Any]:
    """Bring every schema file that `schema` refers to into its `$defs`, and make the references local."""
    bundled = _Bundler(load).run(schema, file)
    unsafe = inspect(bundled)
    if unsafe:
        raise PackError(
            Problem(CODES[found.rule], f"{found.message} (in {found.pointer})", Location(file), found.hint)
            for found in unsafe
        )
    return bundled


def rebase(schema: Any, prefix: str) -> Any:
    """Move a schema below `prefix` (such as `#/$defs/params`): its own local references follow."""
    if type(schema) is str:
        return schema
    if isinstance(schema, list):
        return [rebase(item, prefix) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    moved = {key: value if key in _VALUE_KEYS else rebase(value, prefix) for key, value in schema.items()}
    reference = moved.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        moved["$ref"] = prefix + reference[1:]
    return moved


class _Bundler:
    def __init__(self, load: Load) -> None:
        self._load = load
        self._names: dict[str, str] = {}
        self._definitions: dict[str, Any] = {}

    def run(self, schema: Mapping[str, Any], file: str) -> dict[str, Any]:
        root: dict[str, Any] = self._localise(schema, file, "#")
        if self._definitions:
            root["$defs"] = {**root.get("$defs", {}), **self._definitions}
        return root

    def _localise(self, schema: Any, file: str, base: str) -> Any:
        if type(schema) is str:
            return schema
        if isinstance(schema, list):
            return [self._localise(item, file, base) for item in schema]
        if not isinstance(schema, Mapping):
            return schema
        local = {
            key: value if key in _VALUE_KEYS else self._localise(value, file, base) for key, value in schema.items()
        }
        reference = local.get("$ref")
        if isinstance(reference, str):
            local["$ref"] = self._local_reference(reference, file, base)
        return local

    def _local_reference(self, reference: str, file: str, base: str) -> str:
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
        self._definitions[name] = {}  # reserves the name while the files that this one refers to are read
        content = {key: value for key, value in schema.items() if key not in _FILE_KEYS}
        self._definitions[name] = self._localise(content, file, f"#/$defs/{name}")
        return name
