"""Set or delete an entry of nested mappings in a document's text; comments and layout around it stay."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from promptpack.document.edits import Edit, apply_edits
from promptpack.document.model import Document
from promptpack.document.parse import parse
from promptpack.document.source_spans import find_block_span, find_entry_span
from promptpack.document.yaml_nodes import YamlMapping, YamlNode
from promptpack.problem import PromptpackError

_INDENT = "  "


def set_entry(raw: str, document: Document, path: Sequence[str], value: str) -> str | None:
    """Return the text of a file with another value at a path, which is written as YAML on one line.

    Return None if the layout of the file is too unusual to change only this entry.
    """
    found = _find(document, path)
    edit = _replace(document, path, value) if len(found) > len(path) else _insert(document, found, path, value)
    wanted = _with_entry(document.data or {}, path, parse(value, document.path).data)
    return _apply(raw, document, edit, wanted)


def delete_entry(raw: str, document: Document, path: Sequence[str]) -> str | None:
    """Return the text of a file without the entry at a path; a mapping that becomes empty is deleted too.

    Return None if the layout of the file is too unusual to delete only this entry.
    """
    while len(path) > 1 and len(_data_at(document.data, path[:-1])) == 1:
        path = path[:-1]
    wanted = _without_entry(document.data, path)
    if len(path) == 1:
        path, wanted = path[:1], {**document.data, path[0]: {}}
        return _apply(raw, document, _replace(document, path, "{}"), wanted)
    owner, value = _find(document, path)[-2:]
    span = find_entry_span(document.text, owner, path[-1], value)
    span = span or find_block_span(document.text, owner, path[-1]) or _line_span(document.text, owner, path[-1])
    return _apply(raw, document, Edit(*span) if span else None, wanted)


def _apply(raw: str, document: Document, edit: Edit | None, wanted: Any) -> str | None:
    """Apply an edit, unless it would change anything else."""
    if edit is None:
        return None
    written = Edit(edit.start, edit.end, edit.text.replace("\n", "\r\n")) if "\r\n" in raw else edit
    changed = apply_edits(raw, [written])
    try:
        return changed if parse(changed, document.path).data == wanted else None
    except PromptpackError:
        return None


def _find(document: Document, path: Sequence[str]) -> list[YamlNode]:
    """Return the nodes along a path, from the root, as far as they exist."""
    nodes = [document._root]
    for step in path:
        inner = nodes[-1].child(step)
        if inner is None:
            break
        nodes.append(inner)
    return nodes


def _replace(document: Document, path: Sequence[str], value: str) -> Edit | None:
    *_, owner, node = _find(document, path)
    text, key = document.text, owner.key(path[-1])
    if not isinstance(node, YamlMapping):
        space = "" if text[node.start - 1 : node.start].isspace() else " "
        return Edit(node.start, node.end, f"{space}{value}")
    if text[node.start] == "{":
        return Edit(node.start, _closing_brace(text, node) + 1, value)
    span = _line_span(text, owner, path[-1])
    return Edit(key.end, span[1], f": {value}\n") if span and key else None


def _insert(document: Document, found: list[YamlNode], path: Sequence[str], value: str) -> Edit | None:
    text, node, rest = document.text, found[-1], path[len(found) - 1 :]
    if isinstance(node, YamlMapping) and text[node.start : node.start + 1] == "{" and node.keys:
        nested = "".join(f"{key}: {{" for key in rest[:-1]) + f"{rest[-1]}: {value}" + "}" * (len(rest) - 1)
        end = max(_end(text, child) for child in node.children.values())
        return Edit(end, end, f", {nested}")
    if isinstance(node, YamlMapping) and node.keys:
        last = list(node.keys)[-1]
        span = _line_span(text, node, last)
        if span is None:
            return None
        lead = "" if text[: span[1]].endswith("\n") else "\n"
        return Edit(span[1], span[1], lead + _block(rest, value, node.keys[last].column - 1))
    if len(found) == 1:
        return Edit(len(text), len(text), _block(rest, value, 0))
    key = found[-2].key(path[len(found) - 2])
    end = node.start if not isinstance(node, YamlMapping) else _closing_brace(text, node) + 1
    start = len(text[: node.start].rstrip(" ")) if isinstance(node, YamlMapping) else node.start
    indent = (key.column - 1 if key else 0) + len(_INDENT)
    return Edit(start, end, f"\n{_block(rest, value, indent)}".removesuffix("\n"))


def _block(path: Sequence[str], value: str, indent: int) -> str:
    lines = [f"{' ' * indent}{_INDENT * depth}{key}:" for depth, key in enumerate(path)]
    return "\n".join(lines) + f" {value}\n"


def _line_span(text: str, owner: YamlNode, name: str) -> tuple[int, int] | None:
    """Return the lines of an entry of a block mapping, with everything that is indented below it."""
    key = owner.key(name)
    if key is None:
        return None
    start = text.rfind("\n", 0, key.start) + 1
    if text[start : key.start].strip():
        return None
    found = re.compile(rf"[^\n]*(?:\n|\Z)(?:(?:[ \t]*\n)*[ \t]{{{key.column},}}[^\n]*(?:\n|\Z))*").match(text, start)
    return (start, found.end()) if found else None


def _closing_brace(text: str, node: YamlMapping) -> int:
    inner = [_end(text, child) for child in node.children.values()]
    return text.index("}", max(inner, default=node.start))


def _end(text: str, node: YamlNode) -> int:
    return _closing_brace(text, node) + 1 if isinstance(node, YamlMapping) else node.end


def _data_at(data: Any, path: Sequence[str]) -> Any:
    for step in path:
        data = data[step]
    return data


def _with_entry(data: Any, path: Sequence[str], value: Any) -> Any:
    if not path:
        return value
    inner: Mapping[str, Any] = data or {}
    return {**inner, path[0]: _with_entry(inner.get(path[0]), path[1:], value)}


def _without_entry(data: Mapping[str, Any], path: Sequence[str]) -> Any:
    if len(path) == 1:
        return {key: value for key, value in data.items() if key != path[0]}
    return {**data, path[0]: _without_entry(data[path[0]], path[1:])}
