"""The options of an `anyOf` or `oneOf`: those that a value may belong to, found by their fixed words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from promptpack.schema.equality import equality_key
from promptpack.schema.pointers import SchemaData

# With more options that a value may belong to, none is certain.
_MAX_CANDIDATES: Final = 50
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "null": (type(None),),
    "integer": (int, float), "number": (int, float),
}  # fmt: skip


class Options:
    """Some options; `parts_of` returns the parts of one, and `meets` whether a value meets a schema."""

    def __init__(
        self, options: Iterable[Any], parts_of: Callable[[Any], Iterable[SchemaData]], meets: Callable[[Any, Any], bool]
    ) -> None:
        self._options = tuple(options)
        self._parts_of, self._meets = parts_of, meets
        self._by_type: dict[Any, list[Any]] = {}
        words: dict[str, dict[Any, list[int]]] = {}
        for index, option in enumerate(self._options):
            for name, key in _fixed_words(parts_of(option)):
                words.setdefault(name, {}).setdefault(key, []).append(index)
        self._name = max(words, key=lambda name: len(words[name]), default="")
        self._by_word = words.get(self._name, {})
        fixed = {index for found in self._by_word.values() for index in found}
        self._others = [index for index in range(len(self._options)) if index not in fixed]

    def possible(self, value: Any) -> list[Any]:
        """Return the options that a value may belong to."""
        if isinstance(value, dict):
            candidates = self._find_candidates(value)
            return candidates if len(candidates) > _MAX_CANDIDATES else self._check(candidates, value)
        kind = type(value), isinstance(value, float) and value.is_integer()
        if kind not in self._by_type:
            self._by_type[kind] = self._check(self._options, value)
        return self._by_type[kind]

    def _find_candidates(self, value: Mapping[str, Any]) -> list[Any]:
        if value.get(self._name) is None:
            return list(self._options)
        same = self._by_word.get(equality_key(value[self._name]), [])
        return [self._options[index] for index in sorted({*same, *self._others})]

    def _check(self, options: Iterable[Any], value: Any) -> list[Any]:
        return [option for option in options if self._may_be(option, value)]

    def _may_be(self, option: SchemaData, value: Any) -> bool:
        """Return whether the fixed words of an option (its discriminator) do not rule it out.

        A null may mean that an optional field is absent, as in replies to strict schemas.
        """
        parts = tuple(self._parts_of(option))
        if not all("type" not in part or has_type(part["type"], value) for part in parts):
            return False
        if not isinstance(value, dict):
            return True
        fixed = (
            (name, inner)
            for part in parts
            for name, inner in part.get("properties", {}).items()
            if name in value and words_of(inner) is not None
        )
        return all(
            self._meets(inner, value[name])
            for name, inner in fixed
            if value[name] is not None or any(name in part.get("required", ()) for part in parts)
        )


def _fixed_words(parts: Iterable[SchemaData]) -> Iterator[tuple[str, Any]]:
    """Yield the names of properties with fixed words, each with one of the words."""
    for part in parts:
        for name, inner in part.get("properties", {}).items():
            yield from ((name, equality_key(word)) for word in words_of(inner) or ())


def words_of(schema: Any) -> Sequence[Any] | None:
    """Return the fixed words of a schema; None if it has none."""
    if not isinstance(schema, Mapping):
        return None
    return [schema["const"]] if "const" in schema else schema.get("enum")


def has_type(kind: Any, value: Any) -> bool:
    """Return whether a value has one of the types that a schema names."""
    names = (kind,) if isinstance(kind, str) else tuple(kind)
    return any(_is_a(name, value) for name in names)


def _is_a(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))
