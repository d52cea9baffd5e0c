"""Edits that add and remove whole entries of a mapping in a document: inputs, actions, rules, slots."""

from promptpack.document import Document
from promptpack.document.edits import Edit
from promptpack.document.model import Path
from promptpack.pack.placed import Placed


def remove_entry(document: Document, path: Path) -> Edit | None:
    """Return the edit that removes an entry, or its mapping if it has no other; None if other text depends on it."""
    owner = document.data
    for step in path[:-1]:
        owner = owner[step]
    if len(owner) == 1 and len(path) > 1:
        return remove_entry(document, path[:-1])
    span = document.entry_span(path, blocks=True)
    return Edit(*span) if span else None


def insert_entry(document: Document, path: Path, entry: str) -> Edit | None:
    """Return the edit that adds an entry, which starts in column 1, to the mapping at `path`, before its other entries.

    None if the file has no such mapping, or if an entry of several lines would be inserted into a `{...}`.
    """
    owner = document.data
    for step in path:
        owner = owner.get(step) if isinstance(owner, dict) else None
    if not owner or not isinstance(owner, dict) or not document.owns(path):
        return None
    first = document.locate_key((*path, next(iter(owner))))
    if first.path != document.path:
        return None
    start = document.find_offset(first.line, first.column)
    if not document.text[document.find_offset(first.line, 1) : start].strip():
        indent = " " * (first.column - 1)
        return Edit(start, start, entry.replace("\n", f"\n{indent}") + f"\n{indent}")
    return None if "\n" in entry else Edit(start, start, f"{entry}, ")


def copy_entry(placed: Placed, document: Document) -> Edit | None:
    """Return the edit that adds the entry of another document, as it is written there, to the same mapping."""
    key = placed.locate_key()
    start = placed.document.find_offset(key.line, key.column)
    span = placed.document.entry_span(placed.path, blocks=True)
    if span is None or key.path != placed.document.path or placed.document.text[span[0] : start].strip():
        return None
    indent = "\n" + " " * (key.column - 1)
    entry = placed.document.text[start : span[1]].strip().removesuffix(",")
    return insert_entry(document, placed.path[:-1], entry.replace(indent, "\n"))
