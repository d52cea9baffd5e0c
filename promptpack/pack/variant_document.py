"""A locale variant that contains only text: everything else comes from the default file of the same version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptpack.document import Document
from promptpack.document.model import MappedDocument, Path
from promptpack.problem import PackError, Problem, did_you_mean
from promptpack.schema.pointers import ValuePath

# Lists whose items have names.
_NAMED: Mapping[ValuePath, str] = {("messages",): "id", ("reply", "rules"): "name", ("tests",): "name"}
# The key that a new item must have.
_MAIN_KEY: Mapping[ValuePath, str] = {("messages",): "role", ("reply", "rules"): "require", ("tests",): "context"}
_LIKE = "like"  # gives a new test its context
# A message with one of these keys is whole; others replace the text of a message in the default file.
_OF_WHOLE_MESSAGES = ("role", "history")


def has_only_texts(data: Any) -> bool:
    """Return whether a message of a variant has no role, so that only a default file can complete it."""
    messages = data.get("messages") if isinstance(data, dict) else None
    listed = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    return any("id" in one and not any(key in one for key in _OF_WHOLE_MESSAGES) for one in listed)


@dataclass(frozen=True)
class VariantDocument(MappedDocument):
    """The data of the default file with the texts of a variant; every value keeps its location."""

    default: Document = field(kw_only=True)
    own: Document = field(kw_only=True)
    own_paths: Mapping[ValuePath, ValuePath] = field(kw_only=True)
    """Where the values of the variant are: the paths in the variant's file by the paths in the merged data."""

    @property
    def default_path(self) -> str:
        """The path of the default file."""
        return self.default.path

    def owns(self, path: Path) -> bool:
        """Return whether a value, or a part of it, is in the variant's own file."""
        step = tuple(path)
        return self.origin(step)[0] is self.own or any(one[: len(step)] == step for one in self.own_paths)

    def origin(self, path: Path) -> tuple[Document, Path]:
        """Return the file that contains the value at a path, and its path there."""
        step = tuple(path)
        if not step:
            return self.own, step
        for size in range(len(step), 0, -1):
            if (found := self.own_paths.get(step[:size])) is not None:
                return self.own, (*found, *step[size:])
        return self.default, step


def complete_variant(default: Document, own: Document) -> VariantDocument:
    """Return the data of a default file with the texts of a variant; merge mappings by key, named items by name."""
    merge = _Merge(own)
    data = merge.merge(default.data, own.data, (), ())
    if merge.problems:
        raise PackError(merge.problems)
    return VariantDocument(own.path, own.text, data, own.warnings, default=default, own=own, own_paths=merge.own_paths)


class _Merge:
    def __init__(self, own: Document) -> None:
        self._own = own
        self.own_paths: dict[ValuePath, ValuePath] = {}
        self.problems: list[Problem] = []

    def merge(self, default: Any, own: Any, path: ValuePath, own_path: ValuePath) -> Any:
        if isinstance(default, dict) and isinstance(own, dict):
            return self._merge_mappings(default, own, path, own_path)
        if isinstance(default, list) and isinstance(own, list) and path in _NAMED and _are_parts(own, path):
            return self._merge_lists(default, own, path, own_path)
        self.own_paths[path] = own_path
        return own

    def _merge_mappings(self, default: Any, own: Any, path: ValuePath, own_path: ValuePath) -> dict[str, Any]:
        merged = dict(default)
        for key, value in own.items():
            if key in default:
                merged[key] = self.merge(default[key], value, (*path, key), (*own_path, key))
                continue
            merged[key] = value
            self.own_paths[*path, key] = (*own_path, key)
            hint = did_you_mean(key, [name for name in default if name not in own])
            if _has_fixed_keys(path) or (hint and "example" in path):
                message = f"the default file has no {key!r} in {path[-1]!r}"
                hint = hint or "a variant with only texts cannot add it; add it to the default file"
                self.problems.append(Problem("PP236", message, self._own.locate_key((*own_path, key)), hint))
        return merged

    def _merge_lists(self, default: list[Any], own: list[Any], path: ValuePath, own_path: ValuePath) -> list[Any]:
        merged, label = list(default), _NAMED[path]
        indexes = {item.get(label): index for index, item in enumerate(default)}
        for number, item in enumerate(own):
            index = indexes.get(item.get(label))
            if label not in item:
                self._refuse_unnamed(label, default, own, (*own_path, number))
            elif index is None and (key := _MAIN_KEY.get(path, label)) not in item and _LIKE not in item:
                self._refuse(item[label], indexes, key, (*own_path, number, label))
            elif index is None:
                self.own_paths[*path, len(merged)] = (*own_path, number)
                merged.append(item)
            else:
                merged[index] = self.merge(default[index], item, (*path, index), (*own_path, number))
        return merged

    def _refuse_unnamed(self, label: str, default: list[Any], own: list[Any], place: ValuePath) -> None:
        named = [one.get(label) for one in own]
        unused = next((one[label] for one in default if label in one and one[label] not in named), None)
        hint = f"name the message of the default file that it replaces: '{label}: {unused or 'NAME'}'"
        self.problems.append(Problem("PP236", f"this message has no {label!r}", self._own.locate(place), hint))

    def _refuse(self, name: str, known: Iterable[str | None], key: str, place: ValuePath) -> None:
        names = [one for one in known if one]
        hint = did_you_mean(name, names) or f"it has {', '.join(names) or 'none'}; a new one needs {key!r}"
        message = f"the default file has no {place[-1]} {name!r} in {place[-3]!r}"
        self.problems.append(Problem("PP236", message, self._own.locate(place), hint))


def _has_fixed_keys(path: ValuePath) -> bool:
    """Return whether only the default file can define the names in a mapping: actions, properties of params, models."""
    if path == ("models",):
        return True
    return path[:2] == ("reply", "actions") and (len(path) == 2 or (path[-1] == "properties" and "params" in path))


def _are_parts(items: list[Any], path: ValuePath) -> bool:
    """Return whether the items of a list replace those with the same names; whole messages replace the list."""
    if not all(isinstance(item, dict) and isinstance(item.get(_NAMED[path], ""), str) for item in items):
        return False
    if path == ("messages",):
        return any("id" in item for item in items) and not any(
            key in item for item in items for key in _OF_WHOLE_MESSAGES
        )
    return all(_NAMED[path] in item for item in items)
