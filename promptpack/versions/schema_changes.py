"""The changes that a changed JSON Schema means: values that have become valid, and values that have become invalid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

from promptpack import schema as schemas
from promptpack.pack.digest import write_canonical
from promptpack.problem import Location
from promptpack.schema.inclusion import Inclusion, includes
from promptpack.schema.pointers import find_target, pointer, split_pointer
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.schema_differences import (
    Difference,
    SchemaPath,
    WrittenSchema,
    iterate_differences,
    without_notes,
)
from promptpack.versions.sides import ComparisonMeter, short, write_value
from promptpack.versions.word_diff import diff_words


class SchemaSide(NamedTuple):
    """A schema of one pack: bundled, and in the file, unless it is not written in one; `location` is its key."""

    schema: Mapping[str, Any]
    node: WrittenSchema | None
    location: Location


class SchemaCodes(NamedTuple):
    """The codes of one kind of schema; `is_reply` if more values break, and not fewer."""

    fewer: str
    more: str
    unknown: str
    narrowing: str
    note: str
    is_reply: bool = False


class SchemaPair(NamedTuple):
    """The schema of both packs, and the words of messages for the part that it describes."""

    old: SchemaSide
    new: SchemaSide
    codes: SchemaCodes
    what: str
    verb: str
    where: str
    meter: ComparisonMeter


def compare_schemas(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes that a changed schema means; `node` of both sides shows where it changed."""
    if write_canonical(pair.old.schema) == write_canonical(pair.new.schema):
        return
    nodes = pair.old.node, pair.new.node
    differences = list(iterate_differences(nodes[0], nodes[1])) if nodes[0] and nodes[1] else []
    old, new = without_notes(pair.old.schema), without_notes(pair.new.schema)
    changes: list[Change] = []
    if write_canonical(old) != write_canonical(new):
        deciding = [one for one in differences if not (one.is_note or one.is_order)]
        changes += _Decision(pair, deciding).find_changes()
    changes += _find_notes(pair, differences)
    if not changes:
        changes.append(_make(pair, "PV326", f"{pair.what} is described by the same schema, written differently"))
    yield from changes


class _Decision:
    """Decides which values the keywords of a changed schema add and remove."""

    def __init__(self, pair: SchemaPair, differences: Sequence[Difference]) -> None:
        self._pair = pair
        self._differences = differences
        self._old, self._new = _as_mapping(pair.old.schema), _as_mapping(pair.new.schema)

    def find_changes(self) -> Iterator[Change]:
        meter = self._pair.meter.schemas
        fewer, more = includes(self._new, self._old, meter), includes(self._old, self._new, meter)
        added = self._find_added_properties() if fewer.answer == "no" else []
        if added:
            yield from self._explain_added(added, fewer)
            fewer = self._ignore_added(added, fewer)
        certain = more if self._pair.codes.is_reply else fewer
        yield from self._explain_fewer(fewer, is_certain=certain.answer == "yes")
        yield from self._explain_more(more, is_certain=certain.answer == "yes")

    def _find_added_properties(self) -> list[Difference]:
        """Return the optional properties that are new in open objects."""
        return [one for one in self._differences if one.old is None and self._is_open_and_optional(one)]

    def _is_open_and_optional(self, difference: Difference) -> bool:
        path = difference.path
        if len(path) < 2 or path[-2] != "properties":
            return False
        owners = [find_at(root, path[:-2]) for root in (self._old, self._new)]
        closed = any(
            isinstance(owner, Mapping) and owner.get(key) is False
            for owner in owners
            for key in ("additionalProperties", "unevaluatedProperties")
        )
        new = owners[1]
        return not closed and isinstance(new, Mapping) and path[-1] not in new.get("required", ())

    def _explain_added(self, added: Sequence[Difference], fewer: Inclusion) -> Iterator[Change]:
        for one in added:
            message = f"optional property {one.path[-1]!r} added to an open object of {self._pair.what}"
            yield self._change(self._pair.codes.narrowing, message, one.location, fewer)

    def _ignore_added(self, added: Sequence[Difference], fewer: Inclusion) -> Inclusion:
        """Return whether values are refused for another reason than the added properties."""
        relaxed = deepcopy(self._new)
        for one in added:
            owner = find_at(relaxed, one.path[:-1])
            if isinstance(owner, dict):
                owner.pop(one.path[-1], None)
        found = includes(relaxed, self._old, self._pair.meter.schemas)
        if found.answer == "no" and schemas.compile(self._new).accepts(found.counterexample):
            return fewer
        return found

    def _explain_fewer(self, fewer: Inclusion, *, is_certain: bool) -> Iterator[Change]:
        codes, what, verb = self._pair.codes, self._pair.what, self._pair.verb
        if fewer.answer == "no":
            message = f"{what} {verb} fewer values: {_refusal(self._new, fewer.counterexample)}"
            yield self._change(codes.fewer, message, self._locate(fewer.path), fewer)
        elif fewer.answer == "unknown" and not codes.is_reply:
            yield self._change(codes.unknown, f"{what} may {_may(verb)} fewer values: {fewer.reason}", self._locate())
        elif fewer.answer == "unknown" and is_certain:
            yield self._change(codes.fewer, f"{what} {verb} the same or fewer values", self._locate())

    def _explain_more(self, more: Inclusion, *, is_certain: bool) -> Iterator[Change]:
        codes, what, verb = self._pair.codes, self._pair.what, self._pair.verb
        if more.answer == "no":
            message = f"{what} {verb} more values, such as {short(more.counterexample)}"
            yield self._change(codes.more, message, self._locate(more.path), more)
        elif more.answer == "unknown" and codes.is_reply:
            yield self._change(codes.unknown, f"{what} may {_may(verb)} more values: {more.reason}", self._locate())
        elif more.answer == "unknown" and is_certain:
            yield self._change(codes.more, f"{what} {verb} the same or more values", self._locate())

    def _locate(self, keyword: str = "") -> Location:
        """Return the location of the difference nearest to a keyword of the schema."""
        path = split_pointer(keyword)
        best = max(self._differences, key=lambda one: _count_common(one.path, path), default=None)
        return best.location if best else self._pair.new.location

    def _change(self, code: str, message: str, location: Location, proof: Inclusion | None = None) -> Change:
        counterexample = (proof.counterexample,) if proof and proof.answer == "no" else None
        return make_change(code, message, location, self._pair.where, counterexample=counterexample)


def _as_mapping(schema: Mapping[str, Any] | bool) -> dict[str, Any]:
    """Return a schema as a mapping, also `true` and `false`."""
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    return dict(schema)


def find_at(root: Any, path: SchemaPath) -> Any:
    """Return the part of a bundled schema at a path without references on the way, or None."""
    found = root
    for step in path:
        while isinstance(found, Mapping) and step not in found and "$ref" in found:
            found = find_target(root, found["$ref"])
        if isinstance(found, Mapping):
            found = found.get(str(step))
        else:
            found = found[step] if isinstance(found, list) and isinstance(step, int) and step < len(found) else None
    return found


def _refusal(schema: Mapping[str, Any], value: Any) -> str:
    mismatch = schemas.compile(schema).check(value)[0]
    return f"{mismatch.pointer!r} {mismatch.message}" if mismatch.path and not mismatch.at_key else mismatch.message


def _may(verb: str) -> str:
    return {"accepts": "accept"}.get(verb, "have")


def _count_common(one: SchemaPath, other: Sequence[str]) -> int:
    return next(
        (at for at, (ours, theirs) in enumerate(zip(one, other, strict=False)) if str(ours) != theirs),
        min(len(one), len(other)),
    )


def _find_notes(pair: SchemaPair, differences: Sequence[Difference]) -> Iterator[Change]:
    for one in differences:
        if one.is_order:
            yield _make(pair, "PV325", f"{one.keyword!r} of {pair.what} has another order", one.location)
        elif one.is_note and not _is_section(pair, one):
            yield _explain_note(pair, one)


def _is_section(pair: SchemaPair, difference: Difference) -> bool:
    """Return whether a keyword of an input has changes of its own."""
    return not pair.codes.is_reply and difference.path in (("default",), ("trust",), ("secret",))


def _explain_note(pair: SchemaPair, one: Difference) -> Change:
    names = [step for before, step in pairwise(one.path) if before == "properties"]
    owner = f"{pointer(names)!r} in {pair.what}" if names else pair.what
    message = f"{one.keyword!r} of {owner} changed"
    texts = [write_value(side.value) if side else "" for side in (one.old, one.new)]
    words = diff_words(texts[0], texts[1], pair.meter.words)
    return make_change(pair.codes.note, message, one.location, pair.where, words=words)


def _make(pair: SchemaPair, code: str, message: str, location: Location | None = None) -> Change:
    return make_change(code, message, location or pair.new.location, pair.where)
