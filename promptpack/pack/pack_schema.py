"""Check a document against `pack.schema.json` and the limits on its size; report all problems with their locations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import replace
from functools import cache
from typing import Any, Final

from promptpack import files, schema
from promptpack.document import Document, read_json
from promptpack.pack.placed import Placed, items_at
from promptpack.problem import Location, PackError, Problem

# JSON Schema keywords that change the target of references.
_REDIRECTING = ("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "$vocabulary")
_FILE_NAME = re.compile(r"(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]*?)?)(?:\.([a-z]{2,3}(?:-[A-Za-z]+)*))?\.ya?ml\Z")
_MISREAD = "PP128"
_CURLY = ("“", "”", "„", "‘", "’", "«", "»")
_MAX_ENTRIES: Final = 1_000
"""The entries of a pack: each takes up to a millisecond to check."""
_MAX_OVERLAYS: Final = 200
"""Lint compares each glob with all others."""
# Keys of messages, rules and slots whose values are not templates.
_WORDS: Final = ("id", "name", "path", "role", "type")
_CODES = {"additionalProperties": "PP202", "required": "PP203", "type": "PP204", "enum": "PP205"}


def check(document: Document) -> None:
    """Raise all mismatches with the pack schema, or else all duplicate names."""
    problems = find_problems(pack_schema(), document) or list(_find_duplicates(document))
    if problems and (misread := find_misread(document)):
        raise PackError(misread)
    if problems:
        raise PackError(sort_problems(problems))


def check_file(document: Document) -> None:
    """Raise if a file alone has too many entries; it need not be valid."""
    data = document.data if isinstance(document.data, Mapping) else {}
    reply = data["reply"] if isinstance(data.get("reply"), Mapping) else {}
    texts = (data.get("messages"), data.get("slots"), data.get("partials"), reply.get("rules"), data.get("models"))
    check_size(document, data.get("inputs"), reply.get("actions"), data.get("models"), texts)


def check_size(document: Document, inputs: object, actions: object, models: object, texts: Iterable[Any]) -> None:
    """Raise if a pack has too many inputs, actions, texts or overlays for models."""
    counts = {"inputs": inputs, "actions": actions, "texts": range(sum(map(_count_texts, texts)))}
    large = [what for what, found in counts.items() if isinstance(found, Sized) and len(found) > _MAX_ENTRIES]
    excess = [f"{_MAX_ENTRIES:,} {' and '.join(large)}"] if large else []
    if isinstance(models, Mapping) and len(models) > _MAX_OVERLAYS:
        excess.append(f"{_MAX_OVERLAYS} globs in 'models'")
    if excess:
        message = f"the pack has more than {' and '.join(excess)}, with those it inherits"
        raise PackError([Problem("PP218", message, document.locate(), "split it into several packs")])


def _count_texts(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(_count_texts(inner) for key, inner in value.items() if key not in _WORDS)
    return sum(map(_count_texts, value)) if isinstance(value, list) else isinstance(value, str)


def find_problems(compiled: schema.Schema, document: Document) -> list[Problem]:
    """Return the mismatches of a document as problems, each once."""
    found = (_to_problem(*pair) for pair in find_mismatches(compiled, document))
    return list({(one.location, one.message): one for one in found}.values())


@cache
def pack_schema() -> schema.Schema:
    """The pack schema, compiled once."""
    return schema.compile(read_shipped("pack.schema.json"))


@cache
def schema_schema() -> schema.Schema:
    """The part of the pack schema that describes JSON Schemas, for schemas in separate files."""
    return schema.compile({"$ref": "#/$defs/schema", "$defs": read_shipped("pack.schema.json")["$defs"]})


@cache
def read_shipped(file: str) -> Mapping[str, Any]:
    """Read a shipped schema; all packs share it."""
    data: Mapping[str, Any] = read_json(files.shipped("schemas").read(file), file).data
    return data


def schema_problems(placed: Placed) -> list[Problem]:
    """Return the problems of a JSON Schema in a separate file."""
    found = schema_schema().check(placed.value)
    return [_to_problem(placed.document, one) for one in schema.keep_misspelled(found)] if found else []


def sort_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems sorted by location."""
    return sorted(problems, key=lambda problem: problem.location or Location(""))


def find_misread(document: Document) -> list[Problem]:
    """Return the warnings of a document that explain why its values are not as the author meant them, as errors."""
    return [replace(warning, severity="error") for warning in document.warnings if warning.code == _MISREAD]


def find_mismatches(compiled: schema.Schema, document: Document) -> Iterator[tuple[Document, schema.Mismatch]]:
    """Yield the mismatches of a document, each with the document that locates it.

    A misspelled key is one mismatch, that it is unknown; everything else is checked as if the key were correct.
    """
    found = compiled.check(document.data)
    if not found:
        return
    mismatches = schema.pair_keys(found)
    if not isinstance(document.data, dict):
        yield from ((document, mismatch) for mismatch in mismatches)
        return
    from promptpack.pack.rekeyed_document import RekeyedDocument

    rekeyed = RekeyedDocument(document.path, document.text, document.data, document.warnings, written=document)
    rekeyed = rekeyed.rekey(mismatches)
    misspelled = [tuple(rekeyed.origin(path)[1]) for path in rekeyed.written_keys]
    yield from ((document, mismatch) for mismatch in mismatches if mismatch.at_key and mismatch.path in misspelled)
    rest = schema.keep_misspelled(compiled.check(rekeyed.data))
    yield from ((rekeyed, mismatch) for mismatch in rest if mismatch.path not in rekeyed.written_keys)


def _to_problem(document: Document, mismatch: schema.Mismatch) -> Problem:
    if mismatch.at_key and mismatch.path[-1] in _REDIRECTING:
        message = f"{mismatch.path[-1]!r} changes the target of references"
        return Problem("PP211", message, document.locate_key(mismatch.path), "remove it; refer to '#/$defs/name'")
    is_about_key = mismatch.at_key or mismatch.keyword == "type"
    location = document.locate_key(mismatch.path) if is_about_key else document.locate(mismatch.path)
    where = schema.pointer(mismatch.path[:-1] if mismatch.at_key or mismatch.keyword == "required" else mismatch.path)
    message = f"{mismatch.message} (in {where})" if where else mismatch.message
    hint = _hint_from_path(document.path, mismatch) or _hint_for_place(mismatch) or mismatch.hint
    hint = hint or _hint_for_quotes(document.data, mismatch)
    return Problem(_CODES.get(mismatch.keyword, "PP201"), message, location, hint)


def _hint_for_place(mismatch: schema.Mismatch) -> str:
    """Return where a key belongs that is known in another section, and not similar to a known key here."""
    if not mismatch.at_key or mismatch.expected is not None:
        return ""
    here = tuple(step for step in mismatch.path[:-1] if isinstance(step, str))
    places = (name for name, path, keys in _places() if mismatch.path[-1] in keys and path != here[:2])
    place = next(places, None)
    return f"{mismatch.path[-1]!r} belongs in {place}" if place else ""


@cache
def _places() -> tuple[tuple[str, tuple[str, ...], frozenset[str]], ...]:
    """The sections with fixed keys: the words for each, its path, and its keys."""
    parts = pack_schema().source["$defs"]
    sections = (
        ("'reply'", ("reply",), parts["reply"]),
        ("a message", ("messages",), parts["message"]),
        ("an action of 'reply'", ("reply", "actions"), parts["action"]),
        ("a rule of 'reply'", ("reply", "rules"), parts["rule"]),
        ("an overlay of 'models'", ("models",), parts["overlay"]),
        ("a test", ("tests",), parts["test"]),
        ("the top level", (), pack_schema().source),
    )
    return tuple((name, path, frozenset(part["properties"])) for name, path, part in sections)


def _hint_from_path(path: str, mismatch: schema.Mismatch) -> str:
    """Return a hint at the version or locale in the name of the file."""
    found = _FILE_NAME.search(path)
    said = {"/version": found[1], "/locale": found[2]}.get(mismatch.pointer) if found else None
    return f"the file name says {said!r}" if said and mismatch.keyword in ("pattern", "type") else ""


def _hint_for_quotes(value: Any, mismatch: schema.Mismatch) -> str:
    for step in () if mismatch.keyword == "required" else mismatch.path:
        value = value[step]
    is_curly = isinstance(value, str) and value[:1] in _CURLY and value[-1:] in _CURLY
    return "curly quotes are part of the value; use straight quotes or none" if is_curly else ""


def _find_duplicates(document: Document) -> Iterator[Problem]:
    """Yield duplicate names in lists, which a schema cannot find."""
    root = Placed(document.data, document, ())
    for path, label in ((("messages",), "id"), (("tests",), "name"), (("reply", "rules"), "name")):
        seen: set[str] = set()
        for item in items_at(root, *path):
            name = item.value.get(label)
            if name in seen:
                message = f"{label} {name!r} is used twice in {path[-1]!r}"
                yield Problem("PP206", message, item.locate(label), f"use a different {label}")
            if name is not None:
                seen.add(name)
