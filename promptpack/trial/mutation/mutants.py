"""Find the small changes of a pack's files that its tests should notice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from promptpack.document import Document, parse
from promptpack.document.edits import Edit
from promptpack.library.pickling import StoredPack
from promptpack.problem import Location
from promptpack.schema import iterate_schemas
from promptpack.schema.pointers import ValuePath
from promptpack.trial.mutation.text_spans import find_conditions, find_sentences, strip_mark

MAX_MUTANTS: Final = 1_000
"""The most changes to try per pack."""
_SCHEMA_ENDINGS: Final = (".json", ".schema.yaml", ".schema.yml")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file of a pack."""

    message: str
    location: Location
    root: str = field(repr=False)
    """The folder of the file, as in `StoredPack.texts`."""
    file: str = field(repr=False)
    edits: tuple[Edit, ...] = field(repr=False)
    wanted: Any = field(repr=False)
    """The data of the file after the change; edits that would change anything else are not made."""


def find_mutants(stored: StoredPack) -> list[Mutant]:
    """Return the changes of a pack's own file and of the schema files it uses; an even choice if there are too many."""
    found = list(chain.from_iterable(_find_in_file(stored, root, file) for root, file in _own_files(stored)))
    if len(found) <= MAX_MUTANTS:
        return found
    return [found[number * len(found) // MAX_MUTANTS] for number in range(MAX_MUTANTS)]


def _own_files(stored: StoredPack) -> Iterator[tuple[str, str]]:
    yield stored.root, stored.file
    for root, texts in stored.texts.items():
        yield from ((root, file) for file in sorted(texts) if file.endswith(_SCHEMA_ENDINGS) and file != stored.file)


def _find_in_file(stored: StoredPack, root: str, file: str) -> Iterator[Mutant]:
    document = parse(stored.texts[root][file], stored.show(root, file))
    finder = _Finder(document, root, file)
    if file == stored.file:
        yield from finder.find_in_pack()
    else:
        yield from finder.find_in_schema(())


class _Finder:
    """Finds the changes of one file."""

    def __init__(self, document: Document, root: str, file: str) -> None:
        self._document = document
        self._root = root
        self._file = file

    def find_in_pack(self) -> Iterator[Mutant]:
        """Yield the changes of a pack file, in the order of the file's sections."""
        data = self._document.data
        for name in data.get("inputs", ()):
            yield from self.find_in_schema(("inputs", name))
        for path in _text_paths(data):
            yield from self._find_in_text(path)
        for index, message in enumerate(data.get("messages", ())):
            yield from self._drop(("messages", index), "message", message.get("id") or message.get("role", ""))
            yield from self._invert(("messages", index, "when"), "condition")
        reply = data.get("reply", {})
        for name, action in reply.get("actions", {}).items():
            if isinstance(action, Mapping) and "params" in action:
                yield from self.find_in_schema(("reply", "actions", name, "params"))
        for index in range(len(reply.get("rules", ()))):
            yield from self._invert(("reply", "rules", index, "when"), "condition")
            yield from self._invert(("reply", "rules", index, "require"), "rule")

    def find_in_schema(self, path: ValuePath) -> Iterator[Mutant]:
        """Yield the changes of a schema: a missing enum word, a field that is no longer required."""
        for inner, schema in iterate_schemas(_at(self._document.data, path)):
            for index, word in enumerate(_listed(schema, "enum")):
                yield from self._drop((*path, *inner, "enum", index), "enum word", str(word))
            for index, name in enumerate(_listed(schema, "required")):
                yield from self._drop((*path, *inner, "required", index), "required field", str(name))

    def _find_in_text(self, path: ValuePath) -> Iterator[Mutant]:
        text: str = _at(self._document.data, path)
        for start, end in find_sentences(text):
            message = f"the sentence {_short(text[start:end])} is dropped"
            edits, rest = self._cut(path, text, start, end)
            yield from self._make(message, edits, path, rest, self._locate(path, text, start))
        for start, end in find_conditions(text):
            yield from self._negate(path, text, (start, end), "condition")

    def _drop(self, path: ValuePath, noun: str, name: str) -> Iterator[Mutant]:
        items = _at(self._document.data, path[:-1])
        rest = [item for index, item in enumerate(items) if index != path[-1]]
        edits = [Edit(*self._item_span(path, len(items)))] if rest else []
        yield from self._make(
            f"the {noun} {_short(name)} is dropped", edits, path[:-1], rest, self._document.locate(path)
        )

    def _item_span(self, path: ValuePath, count: int) -> tuple[int, int]:
        """Return the offsets of an item of a list in block style or in brackets, with the comma."""
        start, end = self._span(path)
        block = _find_block_item(self._document.text, start)
        if block is not None:
            return block
        *owner, index = path
        neighbour = self._span((*owner, int(index) + 1 if int(index) + 1 < count else int(index) - 1))
        return (start, neighbour[0]) if neighbour[0] > start else (neighbour[1], end)

    def _span(self, path: ValuePath) -> tuple[int, int]:
        place = self._document.locate(path)
        find = self._document.find_offset
        return find(place.line, place.column), find(place.end_line, place.end_column)

    def _invert(self, path: ValuePath, noun: str) -> Iterator[Mutant]:
        text = _at(self._document.data, path)
        if isinstance(text, str) and text.strip():
            start = len(text) - len(text.lstrip())
            yield from self._negate(path, text, (start, len(text.rstrip())), noun)

    def _negate(self, path: ValuePath, text: str, span: tuple[int, int], noun: str) -> Iterator[Mutant]:
        start, end = span
        first, last = self._offset(path, text, start), self._offset(path, text, end - 1) + 1
        edits = [Edit(first, first, "not ("), Edit(last, last, ")")]
        wanted = f"{text[:start]}not ({text[start:end]}){text[end:]}"
        yield from self._make(f"the {noun} {_short(text[start:end])} is inverted", edits, path, wanted)

    def _cut(self, path: ValuePath, text: str, start: int, end: int) -> tuple[list[Edit], str]:
        """Return the edits that drop a part of a text, and the rest; a line that becomes empty is dropped too."""
        first = self._offset(path, text, start)
        last = first + end - start
        if self._document.text[first:last] != text[start:end]:
            return [], text
        line = _line_around(text, start, end)
        if strip_mark(text[slice(*line)]) != text[start:end]:
            before, after = _spaces_around(text, start, end)
            return [Edit(first - before, last + after)], text[: start - before] + text[end + after :]
        rest = text[: line[0]] + text[line[1] + 1 :]
        # At the end of a block, YAML ignores the empty lines before the dropped one.
        rest = rest if text[line[1] :].strip() else rest.rstrip("\n") + "\n"
        around = _line_around(self._document.text, first, last)
        return ([Edit(around[0], around[1] + 1)] if rest.strip() else []), rest

    def _make(
        self, message: str, edits: list[Edit], path: ValuePath, wanted: Any, place: Location | None = None
    ) -> Iterator[Mutant]:
        if edits:
            where = place or self._document.locate_offset(edits[0].start)
            data = _replace(self._document.data, path, wanted)
            yield Mutant(message, where, self._root, self._file, tuple(edits), data)

    def _offset(self, path: ValuePath, text: str, offset: int) -> int:
        """Return the offset in the file of an offset in the text at a path."""
        found = self._locate(path, text, offset)
        return self._document.find_offset(found.line, found.column)

    def _locate(self, path: ValuePath, text: str, offset: int) -> Location:
        line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
        return self._document.locate_inside(path, line, column)


def _text_paths(data: Mapping[str, Any]) -> Iterator[ValuePath]:
    """Yield the paths of the texts that become parts of the prompt."""
    for index, message in enumerate(data.get("messages", ())):
        content = message.get("content")
        if isinstance(content, str):
            yield "messages", index, "content"
        elif isinstance(content, list):
            parts = (number for number, part in enumerate(content) if isinstance(part.get("text"), str))
            yield from (("messages", index, "content", number, "text") for number in parts)
    for name, text in data.get("partials", {}).items():
        if isinstance(text, str):
            yield "partials", name
    yield from _texts_below(data.get("slots", {}), ("slots",))


def _texts_below(value: Any, path: ValuePath) -> Iterator[ValuePath]:
    if isinstance(value, str):
        yield path
    elif isinstance(value, Mapping):
        yield from chain.from_iterable(_texts_below(item, (*path, key)) for key, item in value.items())
    elif isinstance(value, list):
        yield from chain.from_iterable(_texts_below(item, (*path, index)) for index, item in enumerate(value))


def _at(data: Any, path: ValuePath) -> Any:
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else data[step]
    return data


def _find_block_item(text: str, start: int) -> tuple[int, int] | None:
    """Return the offsets of the lines of an item that follows a dash on its line; None for an item in brackets."""
    first = text.rfind("\n", 0, start) + 1
    dash = text[first:start]
    if dash.strip() != "-":
        return None
    indent, end = len(dash) - len(dash.lstrip()), first
    for line in text[first:].splitlines(keepends=True):
        if end > first and line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        end += len(line)
    return first, end


def _spaces_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return how many spaces to drop before and after a part of a line: those after it, or else those before it."""
    after = len(text[end:]) - len(text[end:].lstrip(" "))
    return (0, after) if after else (len(text[:start]) - len(text[:start].rstrip(" ")), 0)


def _line_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of the line that contains a part of a text."""
    after = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if after < 0 else after


def _replace(data: Any, path: ValuePath, value: Any) -> Any:
    """Return data with another value at a path."""
    if not path:
        return value
    changed = _replace(data[path[0]], path[1:], value)
    if isinstance(data, list):
        return [changed if index == path[0] else item for index, item in enumerate(data)]
    return {**data, path[0]: changed}


def _listed(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    found = schema.get(keyword)
    return found if isinstance(found, list) and len(found) > 1 else []


def _short(text: str, limit: int = 60) -> str:
    one_line = " ".join(text.split())
    return repr(one_line if len(one_line) <= limit else f"{one_line[: limit - 3]}...")
