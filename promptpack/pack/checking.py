"""A document against `pack.schema.json`: every problem at once, each at its key's line and column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from promptpack import files, schema
from promptpack.document import read_json
from promptpack.pack.placed import Placed, items_at
from promptpack.problem import Location, PackError, Problem

if TYPE_CHECKING:
    from promptpack.document import Document


# Keywords of JSON Schema that would make references mean something else than they say.
_REDIRECTING = ("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "$vocabulary")
_CODES = {"additionalProperties": "PP202", "required": "PP203", "type": "PP204", "enum": "PP205"}


def check(document: Document) -> None:
    """Raise every problem that the pack schema and its plain neighbours find."""
    findings = pack_schema().check(document.data)
    problems = [*_problems(document, findings), *_below_misspelt(document, findings)] or list(_repeated(document))
    if problems:
        raise PackError(in_order(problems))


@cache
def pack_schema() -> schema.Schema:
    """The pack schema, compiled once."""
    return schema.compile(_read_pack_schema())


@cache
def schema_schema() -> schema.Schema:
    """The part of the pack schema that describes JSON Schemas, for schemas in separate files."""
    return schema.compile({"$ref": "#/$defs/schema", "$defs": _read_pack_schema()["$defs"]})


@cache
def _read_pack_schema() -> Mapping[str, Any]:
    document = read_json(files.shipped("schemas").read("pack.schema.json"), "pack.schema.json")
    return document.data  # type: ignore[no-any-return]


def schema_problems(placed: Placed) -> list[Problem]:
    """Find what is wrong with a JSON Schema that stands in a file of its own."""
    return _problems(placed.document, schema_schema().check(placed.value))


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Sort problems by their place."""
    return sorted(problems, key=lambda problem: problem.location or Location(""))


def _problems(document: Document, findings: tuple[schema.Mismatch, ...]) -> list[Problem]:
    misspelt = {(finding.path[:-1], finding.hint) for finding in findings if finding.at_key}
    return [
        _problem(document, finding)
        for finding in findings
        # A key that is there under a misspelt name is one problem, not two.
        if finding.rule != "required" or (finding.path[:-1], f"did you mean {finding.path[-1]!r}?") not in misspelt
    ]


def _below_misspelt(document: Document, findings: tuple[schema.Mismatch, ...]) -> list[Problem]:
    """Find what is wrong below misspelt keys, so that it does not come up only once they are mended."""
    if not findings or not isinstance(document.data, dict):
        return []
    from promptpack.pack.respelling import Respelt

    respelt = Respelt(document.path, document.text, document.data, document.warnings).respell(findings)
    found = pack_schema().check(respelt.data) if respelt.misspelt else ()
    below = (finding for finding in found if len(finding.path) > 1 and finding.path[0] in respelt.misspelt)
    return _problems(respelt, tuple(below))


def _problem(document: Document, finding: schema.Mismatch) -> Problem:
    if finding.at_key and finding.path[-1] in _REDIRECTING:
        message = f"{finding.path[-1]!r} would send references elsewhere"
        return Problem("PP211", message, document.locate_key(finding.path), "write '$ref: #/$defs/name'")
    key_is_meant = finding.at_key or finding.rule == "type"
    place = document.locate_key(finding.path) if key_is_meant else document.locate(finding.path)
    where = schema.pointer(finding.path[:-1] if finding.at_key or finding.rule == "required" else finding.path)
    message = f"{finding.message} (in {where})" if where else finding.message
    return Problem(_CODES.get(finding.rule, "PP201"), message, place, finding.hint)


def _repeated(document: Document) -> Iterator[Problem]:
    """Find names that are given twice in lists, where a schema cannot see them."""
    root = Placed(document.data, document, ())
    for path, label in ((("messages",), "id"), (("tests",), "name"), (("reply", "rules"), "name")):
        seen: set[str] = set()
        for item in items_at(root, *path):
            name = item.value.get(label)
            if name in seen:
                message = f"{label} {name!r} is used twice in {path[-1]!r}"
                yield Problem("PP206", message, item.locate(label), "give it another one")
            if name is not None:
                seen.add(name)
