"""`labels.yaml` -> `LabelIndex`: names for exact versions of packs, with weights for trials."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from promptpack import schema
from promptpack.document import Document, parse
from promptpack.files import Folder
from promptpack.library.contents import LABELS, Contents
from promptpack.pack.pack_schema import find_mismatches, find_misread, read_shipped
from promptpack.pack.version import Version, parse_version
from promptpack.problem import PackError, Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from promptpack.library.entry import Entry

_HASH_BITS = 64
# The comparisons of names for the hints at missing labels; more labels are not misspelled.
_MAX_COMPARISONS = 50_000


class Label(NamedTuple):
    """One label of a pack: a version, another label, or the weights of versions; and the file that has it."""

    pack: str
    name: str
    target: str | Mapping[str, float]
    document: Document

    @property
    def path(self) -> tuple[str, str, str]:
        """The path of the label in its file."""
        return "labels", self.pack, self.name

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions or the label that it names."""
        return (self.target,) if isinstance(self.target, str) else tuple(self.target)

    @property
    def alias(self) -> str:
        """The other label that it names; empty if it names versions."""
        return self.target if isinstance(self.target, str) and self.target[0].isalpha() else ""


class LabelIndex:
    """The labels of a library's folders; of two labels with the same name, that of the first folder counts."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.all: dict[str, dict[str, Label]] = {}
        self._ends: dict[tuple[str, str], Label | PackError] = {}
        self._comparisons = _MAX_COMPARISONS
        for document in documents:
            for pack, labels in document.data["labels"].items():
                for name, target in labels.items():
                    self.all.setdefault(pack, {}).setdefault(name, Label(pack, name, target, document))

    def __iter__(self) -> Iterator[Label]:
        return (label for labels in self.all.values() for label in labels.values())

    def follow(self, pack: str, name: str) -> Label:
        """Return the label that names versions, through labels that name other labels."""
        labels = self.all.get(pack, {})
        if name not in labels:
            hint = did_you_mean(name, labels) or (f"its labels are {', '.join(labels)}" if labels else _NO_LABELS)
            raise UsageError(Problem("PP745", f"{pack!r} has no label {name!r}", None, hint))
        end = self._ends.get((pack, name)) or self._find_end(pack, name, labels)
        if isinstance(end, PackError):
            raise PackError(end.problems)
        return end

    def _find_end(self, pack: str, name: str, labels: Mapping[str, Label]) -> Label | PackError:
        """Return the end of a chain of labels, or its problem; each label of the chain has the same end."""
        label, trail = labels[name], {name: None}
        end: Label | PackError | None = None
        while end is None and label.alias:
            if label.alias in trail:
                names = list(trail)
                end = PackError(_cycle(labels, names[names.index(label.alias) :]))
            elif label.alias not in labels:
                self._comparisons -= len(labels)
                end = PackError(_missing_label(label, labels if self._comparisons >= 0 else {}))
            else:
                trail[label.alias] = None
                end, label = self._ends.get((pack, label.alias)), labels[label.alias]
        end = end or label
        self._ends.update(dict.fromkeys(((pack, one) for one in trail), end))
        return end

    def choose(self, pack: str, name: str, key: str | None = None) -> Version:
        """Return the version that a label names; of a trial, the one for a key."""
        label = self.follow(pack, name)
        chosen = label.target if isinstance(label.target, str) else _draw(label, label.target, key)
        version = parse_version(chosen)
        assert version is not None  # noqa: S101 -- it names no other label
        return version


_NO_LABELS = f"add it with 'promptpack label', or write a range such as ^1; the labels are in {LABELS}"


def read_labels(contents: Contents) -> LabelIndex:
    """Return the labels of a library's folders; raise all problems of their files."""
    paths = [folder.show(LABELS) for folder in contents.folders if folder.root not in contents.labels]
    unreadable = [problem for path in paths for problem in contents.broken.get(path, ())]
    if unreadable:
        raise PackError(unreadable)
    return LabelIndex([read(content, _path(root)) for root, content in contents.labels.items()])


def _path(root: str) -> str:
    return Folder(root).show(LABELS)


def find_problems(contents: Contents, entries: Iterable[Entry]) -> dict[str, tuple[Problem, ...]]:
    """Return the problems of each file of labels, by path."""
    found: dict[str, tuple[Problem, ...]] = {}
    listed = tuple(entries)
    for root, content in contents.labels.items():
        path = _path(root)
        try:
            found[path] = tuple(check(LabelIndex([read(content, path)]), listed))
        except PackError as error:
            found[path] = error.problems
    return {path: problems for path, problems in found.items() if problems}


def keep_good(contents: Contents, last: Contents) -> Contents:
    """Return contents in which a file of labels that is broken now is as it was before, if it was good then."""
    broken = find_problems(contents, contents.entries)
    kept = {
        root: content
        for root, content in last.labels.items()
        if _path(root) in broken and content != contents.labels[root]
    }
    good = {root: kept[root] for root in kept if _path(root) not in find_problems(last, contents.entries)}
    reported = {_path(root): broken[_path(root)] for root in good}
    return contents._replace(labels={**contents.labels, **good}, broken={**contents.broken, **reported})


def read(content: bytes | str, path: str) -> Document:
    """Parse and validate a file of labels."""
    document = parse(content, path)
    problems = [
        Problem("PP742", one.message, (place.locate_key if one.at_key else place.locate)(one.path), one.hint)
        for place, one in find_mismatches(labels_schema(), document)
    ]
    problems = problems or list(_find_invalid(document))
    if problems:
        raise PackError(find_misread(document) or problems)
    return document


@cache
def labels_schema() -> schema.Schema:
    """Return the schema of labels; it is read once."""
    return schema.compile(read_shipped("labels.schema.json"))


def check(labels: LabelIndex, entries: Iterable[Entry]) -> Iterator[Problem]:
    """Yield the labels that name no existing version: a missing one, a missing label, or each other in a cycle."""
    versions: dict[str, set[Version]] = {}
    for entry in entries:
        if entry.version is not None:
            versions.setdefault(entry.name, set()).add(entry.version)
    reported: set[Problem] = set()
    for label in labels:
        try:
            labels.follow(label.pack, label.name)
        except PackError as error:
            yield from (problem for problem in error.problems if problem not in reported)
            reported.update(error.problems)  # all labels that lead there fail in the same way
    for pack, several in labels.all.items():
        if pack in versions:
            yield from _check_versions(several.values(), versions[pack])
        else:
            yield _missing_pack(next(iter(several.values())), versions)


def _missing_pack(label: Label, versions: Mapping[str, set[Version]]) -> Problem:
    """Return the problem of all labels of a pack, with the name of the first."""
    hint = did_you_mean(label.pack, versions) or "'promptpack list' shows all packs"
    place = label.document.locate_key(label.path[:2])
    return Problem("PP744", f"label {label.name!r}: no pack named {label.pack!r}", place, hint)


def _check_versions(labels: Iterable[Label], existing: set[Version]) -> Iterator[Problem]:
    hint = f"its versions are {', '.join(map(str, sorted(existing)))}"
    for label in labels:
        for text in () if label.alias else label.versions:
            if parse_version(text) not in existing:
                message = f"label {label.name!r} names {label.pack}@{text}, which does not exist"
                yield Problem("PP744", message, locate(label, text), hint)


def locate(label: Label, version: str) -> Any:
    """Return the location of a version in a label."""
    if isinstance(label.target, str):
        return label.document.locate(label.path)
    return label.document.locate_key((*label.path, version))


def _find_invalid(document: Document) -> Iterator[Problem]:
    """Yield the problems that the schema cannot find: invalid versions, and trials without a weight above 0."""
    for label in LabelIndex([document]):
        for text in () if label.alias else label.versions:
            if parse_version(text) is None:
                hint = "write it as 1.0.0, without leading zeros"
                yield Problem("PP742", f"{text!r} is not a version", locate(label, text), hint)
        if not isinstance(label.target, str) and not any(label.target.values()):
            place = document.locate_key(label.path)
            yield Problem(
                "PP742",
                f"no version of the trial {label.name!r} has a weight above 0",
                place,
                "raise one of its weights",
            )


def _draw(label: Label, weights: Mapping[str, float], key: object) -> str:
    """Return the version of a key: the same in every process, however the file orders the versions."""
    if type(key) is not str:
        message = f"{label.pack}@{label.name} is a trial of {len(weights)} versions, and needs a key"
        if key is not None:
            message = f"the key of {label.pack}@{label.name} is of type {type(key).__name__!r}, not text"
        hint = "pass key= (a command: --key), such as the id of the user: each key gets the same version every time"
        raise UsageError(Problem("PP746", message, None, hint))
    text = json.dumps([label.pack, label.name, key])
    point = int.from_bytes(hashlib.sha256(text.encode()).digest()[: _HASH_BITS // 8])
    versions, ends = _shares(tuple(sorted(weights.items(), key=lambda pair: _order(pair[0]))))
    return versions[bisect_right(ends, point)]


@cache
def _shares(weights: tuple[tuple[str, float], ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the versions, and where the share of each ends among all hashes; exact, so that no platform differs."""
    shares = [Fraction(str(weight)) for _, weight in weights]
    ends = tuple(int(total * (1 << _HASH_BITS) / sum(shares)) for total in accumulate(shares))
    return tuple(version for version, _ in weights), ends


def _order(text: str) -> Version:
    return parse_version(text) or Version(0, 0, 0)


def _cycle(labels: Mapping[str, Label], trail: list[str]) -> Problem:
    order = {name: index for index, name in enumerate(labels)}
    start = min(range(len(trail)), key=lambda index: order[trail[index]])
    label = labels[trail[start]]
    cycle = " -> ".join((*trail[start:], *trail[: start + 1]))
    place = label.document.locate(label.path)
    return Problem("PP743", f"labels of {label.pack!r} form a cycle: {cycle}", place, "let one of them name a version")


def _missing_label(label: Label, labels: Mapping[str, Label]) -> Problem:
    message = f"label {label.name!r} names {label.alias!r}, which is not a label of {label.pack!r}"
    hint = did_you_mean(label.alias, labels) or "name a version such as 1.0.0, or another label"
    return Problem("PP744", message, label.document.locate(label.path), hint)
