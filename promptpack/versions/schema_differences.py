"""Where two JSON Schemas differ: each changed keyword, in the file that contains it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from promptpack.pack.digest import write_canonical
from promptpack.pack.placed import Placed
from promptpack.pack.schema_references import References
from promptpack.problem import Location
from promptpack.schema.safety import LIST_KEYWORDS, MAPPING_KEYWORDS, SCHEMA_KEYWORDS
from promptpack.schema.supported_keywords import KEYWORD_TYPES, UNSUPPORTED_KEYWORDS

SchemaPath = tuple[str | int, ...]
# The keywords that decide which values are valid; `format` does not.
_DECIDING: Final = (KEYWORD_TYPES.keys() | UNSUPPORTED_KEYWORDS | {"then", "else", "minContains", "maxContains"}) - {
    "format"
}
_NAMES: Final = (*(key for key in MAPPING_KEYWORDS if key != "$defs"), "dependentRequired")


class WrittenSchema(NamedTuple):
    """A schema in a file, with the documents for its references."""

    placed: Placed
    root: Placed
    references: References

    def child(self, *steps: str | int) -> WrittenSchema:
        """Return a schema below this one."""
        return self._replace(placed=self.placed.child(*steps))

    def keywords(self) -> dict[str, WrittenSchema]:
        """Return the keywords, with those of the schema that `$ref` names; own ones win."""
        own = {key: self.child(key) for key in self.placed.value if key not in ("$ref", "$defs")}
        if "$ref" not in self.placed.value:
            return own
        target, root = self.references.follow(self.placed, self.root)
        named = WrittenSchema(target, root, self.references)
        return {**(named.keywords() if isinstance(target.value, Mapping) else {}), **own}


class Difference(NamedTuple):
    """A keyword, or a named part of one, that differs; `path` has no references on the way."""

    path: SchemaPath
    old: Placed | None
    new: Placed | None
    is_order: bool = False

    @property
    def keyword(self) -> str:
        """The keyword that differs."""
        return str(self.path[-2] if len(self.path) > 1 and self.path[-2] in _NAMES else self.path[-1])

    @property
    def is_note(self) -> bool:
        """Whether it changes no valid value: a description, a title, an example."""
        return bool(self.path) and self.keyword not in _DECIDING

    @property
    def location(self) -> Location:
        """Where it is: the first new word of a list, the keyword, or the removed keyword in the old file."""
        if self.old is not None and self.new is not None and not self.is_order:
            before, after = self.old.value, self.new.value
            if isinstance(before, list) and isinstance(after, list):
                known = set(map(write_canonical, before))
                added = next((at for at, item in enumerate(after) if write_canonical(item) not in known), None)
                return self.new.locate_key() if added is None else self.new.locate(added)
        place = self.new or self.old
        assert place is not None  # noqa: S101 -- a difference has at least one side
        return place.locate_key()


def iterate_differences(old: WrittenSchema, new: WrittenSchema) -> Iterator[Difference]:
    """Yield the differences, in the order of the old schema, then the additions; references are followed."""
    yield from _compare(old, new, (), set())


def without_notes(schema: Any) -> Any:
    """Return a schema with only the keywords that decide which values are valid."""
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key in SCHEMA_KEYWORDS and key in _DECIDING:
            found[key] = without_notes(value)
        elif key in LIST_KEYWORDS:
            found[key] = [without_notes(item) for item in value]
        elif key in MAPPING_KEYWORDS:
            found[key] = {name: without_notes(item) for name, item in value.items()}
        elif key in _DECIDING:
            found[key] = value
    return found


def _compare(
    old: WrittenSchema, new: WrittenSchema, path: SchemaPath, seen: set[tuple[int, int]]
) -> Iterator[Difference]:
    before, after = old.placed.value, new.placed.value
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        if before is not after:
            yield Difference(path, old.placed, new.placed)
        return
    pair = id(before), id(after)
    if pair in seen:
        return
    seen.add(pair)
    ours, theirs = old.keywords(), new.keywords()
    for key in (*ours, *(key for key in theirs if key not in ours)):
        yield from _compare_keyword(key, ours.get(key), theirs.get(key), (*path, key), seen)


def _compare_keyword(
    key: str, old: WrittenSchema | None, new: WrittenSchema | None, path: SchemaPath, seen: set[tuple[int, int]]
) -> Iterator[Difference]:
    if old is None or new is None:
        if key in _NAMES:
            yield from _compare_names(old, new, path, seen)
        else:
            yield Difference(path, old and old.placed, new and new.placed)
    elif key in _NAMES:
        yield from _compare_names(old, new, path, seen)
    elif key in SCHEMA_KEYWORDS:
        yield from _compare(old, new, path, seen)
    elif key in LIST_KEYWORDS and len(old.placed.value) == len(new.placed.value):
        for index in range(len(old.placed.value)):
            yield from _compare(old.child(index), new.child(index), (*path, index), seen)
    else:
        yield from _compare_values(old.placed, new.placed, path)


def _compare_names(
    old: WrittenSchema | None, new: WrittenSchema | None, path: SchemaPath, seen: set[tuple[int, int]]
) -> Iterator[Difference]:
    before, after = old.placed.value if old else {}, new.placed.value if new else {}
    for name in (*before, *(name for name in after if name not in before)):
        ours = old.child(name) if old and name in before else None
        theirs = new.child(name) if new and name in after else None
        if ours is None or theirs is None:
            yield Difference((*path, name), ours and ours.placed, theirs and theirs.placed)
        elif path[-1] == "dependentRequired":
            yield from _compare_values(ours.placed, theirs.placed, (*path, name))
        else:
            yield from _compare(ours, theirs, (*path, name), seen)
    common = [name for name in before if name in after]
    # The order of other names is visible nowhere.
    if old and new and path[-1] == "properties" and common != [name for name in after if name in before]:
        yield Difference(path, old.placed, new.placed, is_order=True)


def _compare_values(old: Placed, new: Placed, path: SchemaPath) -> Iterator[Difference]:
    keyword = str(path[-1])
    if write_canonical(old.value, keyword) != write_canonical(new.value, keyword):
        yield Difference(path, old, new, is_order=_sort(old.value) == _sort(new.value))


def _sort(value: Any) -> Any:
    return sorted(map(write_canonical, value)) if isinstance(value, list) else write_canonical(value)
