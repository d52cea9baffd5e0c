"""The strict reading: exactly one JSON value that meets the contract, and a name for everything else."""

import re
from typing import Any

from promptpack.reply.candidates import Candidate, Limits, find
from promptpack.reply.reading import Finding, Outcome, Policy, Reading, Violation
from promptpack.reply.scan import scan
from promptpack.reply.tree import harvest, walk

HALF_PAIR = "the text holds half of a surrogate pair"
_HALF = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_NAMED = ("duplicate", "non_finite", "number")
# Words or a fence around the object wrap it; lone punctuation is merely bad syntax.
_AROUND = re.compile(r"\w|```|~~~")


def half_pairs(text: str, value: Any) -> list[str]:
    """Name the places that hold half of a surrogate pair; such a text cannot be written out again."""
    if not ("\\u" in text and _ESCAPED_HALF.search(text)) and _encodes(text):
        return []
    return [
        path
        for path, item in walk(value)
        if (isinstance(item, str) and _HALF.search(item))
        or (isinstance(item, dict) and any(_HALF.search(key) for key in item))
    ]


def _encodes(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def read_strictly(text: str, policy: Policy) -> Reading:
    """Name what is wrong with a reply that is not one strict JSON value."""
    body = text.strip(" \t\r\n")
    if not body:
        return _no("no_answer", Finding("empty", "", "the reply is empty"))
    return _named(text, text.index(body[0]), policy) or _shape_of(text, policy)


def _named(text: str, offset: int, policy: Policy) -> Reading | None:
    """Name faults that the strict parser only stumbles over: depth, repeated keys, NaN, numbers out of range."""
    if text[offset] not in "{[":
        return None
    found = scan(text, offset, max_depth=policy.max_depth, max_nodes=policy.max_nodes)
    if found.limit:
        return _no("invalid", Finding(found.limit, "", f"the reply goes beyond the limit of {found.limit}"))
    data = harvest(found.root)
    firm = [Finding(mark.rule, path, mark.message) for path, mark in data.marks if mark.rule in _NAMED]
    firm += [Finding("duplicate", path, "a key is given twice") for path in data.repeats]
    return _no("invalid", *firm) if firm and found.tail == "closed" else None


def _shape_of(text: str, policy: Policy) -> Reading:
    limits = Limits(policy.max_depth, policy.max_nodes, policy.max_values, policy.max_candidates)
    found = find(text, limits).candidates
    whole: list[Candidate] = [one for one in found if one.scan is None or one.scan.tail == "closed"]
    if len(whole) > 1:
        return _no("ambiguous", Finding("multiple", "", "the reply holds more than one object"))
    if found and found[0].scan is not None and found[0].scan.tail in ("open", "cut"):
        return _no("truncated", Finding("truncated", "", "the reply ends before the object does"))
    only = whole[0] if whole and whole[0].scan is None else None
    if only is not None and _AROUND.search(text[: only.start] + text[only.end :]):
        return _no("invalid", Finding("wrapped", "", "the reply holds more than the object"))
    if not found:
        return _no("no_answer", Finding("no_json", "", "the reply holds no JSON object"))
    return _no("invalid", Finding("syntax", "", "the reply is not strict JSON"))


def _no(outcome: Outcome, *findings: Finding) -> Reading:
    return Reading(outcome, violations=tuple(Violation(one.rule, one.path, one.message, 0) for one in findings))
