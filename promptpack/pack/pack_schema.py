"""Check a document against `pack.schema.json`, and report all problems with their locations."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from promptpack import files, schema
from promptpack.document import Document, read_json
from promptpack.pack.placed import Placed, items_at
from promptpack.problem import Location, PackError, Problem

# JSON Schema keywords that change the target of references.
_REDIRECTING = ("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "$vocabulary")
_CURLY = ("“", "”", "„", "‘", "’", "«", "»")
_CODES = {"additionalProperties": "PP202", "required": "PP203", "type": "PP204", "enum": "PP205"}


def check(document: Document) -> None:
    """Raise all mismatches with the pack schema, or else all duplicate names."""
    found = find_mismatches(pack_schema(), document)
    problems = [_to_problem(place, mismatch) for place, mismatch in found] or list(_find_duplicates(document))
    if problems:
        raise PackError(sort_problems(problems))


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
    return [_to_problem(placed.document, one) for one in keep_misspelled(schema_schema().check(placed.value))]


def sort_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems sorted by location."""
    return sorted(problems, key=lambda problem: problem.location or Location(""))


def keep_misspelled(mismatches: Iterable[schema.Mismatch]) -> list[schema.Mismatch]:
    """Leave out the missing keys that are misspelled: such a key is one problem, that it is unknown."""
    found = tuple(mismatches)
    misspelled = {(one.path[:-1], one.hint) for one in found if one.at_key}
    return [
        one
        for one in found
        if one.rule != "required" or (one.path[:-1], f"did you mean {one.path[-1]!r}?") not in misspelled
    ]


def find_mismatches(compiled: schema.Schema, document: Document) -> Iterator[tuple[Document, schema.Mismatch]]:
    """Yield the mismatches of a document, each with the document that locates it.

    A misspelled key is one mismatch, that it is unknown; everything else is checked as if the key were correct.
    """
    mismatches = compiled.check(document.data)
    if not mismatches or not isinstance(document.data, dict):
        yield from ((document, mismatch) for mismatch in mismatches)
        return
    from promptpack.pack.rekeyed_document import RekeyedDocument

    rekeyed = RekeyedDocument(document.path, document.text, document.data, document.warnings, written=document)
    rekeyed = rekeyed.rekey(mismatches)
    misspelled = [tuple(rekeyed.origin(path)[1]) for path in rekeyed.written_keys]
    yield from ((document, mismatch) for mismatch in mismatches if mismatch.at_key and mismatch.path in misspelled)
    rest = keep_misspelled(compiled.check(rekeyed.data))
    yield from ((rekeyed, mismatch) for mismatch in rest if mismatch.path not in rekeyed.written_keys)


def _to_problem(document: Document, mismatch: schema.Mismatch) -> Problem:
    if mismatch.at_key and mismatch.path[-1] in _REDIRECTING:
        message = f"{mismatch.path[-1]!r} changes the target of references"
        return Problem("PP211", message, document.locate_key(mismatch.path), "remove it; refer to '#/$defs/name'")
    is_about_key = mismatch.at_key or mismatch.rule == "type"
    location = document.locate_key(mismatch.path) if is_about_key else document.locate(mismatch.path)
    where = schema.pointer(mismatch.path[:-1] if mismatch.at_key or mismatch.rule == "required" else mismatch.path)
    message = f"{mismatch.message} (in {where})" if where else mismatch.message
    hint = mismatch.hint or _hint_for_quotes(document.data, mismatch)
    return Problem(_CODES.get(mismatch.rule, "PP201"), message, location, hint)


def _hint_for_quotes(value: Any, mismatch: schema.Mismatch) -> str:
    for step in () if mismatch.rule == "required" else mismatch.path:
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
