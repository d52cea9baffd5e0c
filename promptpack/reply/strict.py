"""Strict reading: explain why a reply is not exactly one strict JSON value."""

import re
from dataclasses import replace
from typing import Any

from promptpack.reply.candidates import ReplyCandidate, SearchLimits, find
from promptpack.reply.reading import Fault, Reading, ReadingOutcome, ReadingPolicy
from promptpack.reply.scan import scan
from promptpack.reply.syntax_tree import extract_data, walk

HALF_PAIR = "the text contains half of a surrogate pair"
_HALF = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_NAMED = ("duplicate", "non_finite", "number")
# Words or a fence wrap the object; lone punctuation is only bad syntax.
_AROUND = re.compile(r"\w|```|~~~")


def find_half_pairs(text: str, value: Any) -> list[str]:
    """Return the paths that contain half of a surrogate pair; such a text cannot be encoded."""
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


def explain_not_strict(text: str, policy: ReadingPolicy) -> Reading:
    """Refuse a reply that is not one strict JSON value, with the faults that explain why."""
    body = text.strip(" \t\r\n")
    if not body:
        return _refuse("no_answer", Fault("empty", "", "the reply is empty"))
    return _explain_named(text, text.index(body[0]), policy) or _explain_structure(text, policy)


def _explain_named(text: str, offset: int, policy: ReadingPolicy) -> Reading | None:
    """Explain faults that the strict parser only reports as an error: depth, repeated keys, NaN, infinite numbers."""
    if text[offset] not in "{[":
        return None
    found = scan(text, offset, max_depth=policy.max_depth, max_nodes=policy.max_nodes)
    if found.limit:
        return _refuse("invalid", Fault(found.limit, "", f"the reply exceeds the limit on {found.limit}"))
    data = extract_data(found.root)
    faults = [Fault(defect.rule, path, defect.message) for path, defect in data.defects if defect.rule in _NAMED]
    faults += [Fault("duplicate", path, "a key appears twice") for path in data.repeats]
    return _refuse("invalid", *faults) if faults and found.tail == "closed" else None


def _explain_structure(text: str, policy: ReadingPolicy) -> Reading:
    limits = SearchLimits(policy.max_depth, policy.max_nodes, policy.max_values, policy.max_candidates)
    found = find(text, limits).candidates
    whole: list[ReplyCandidate] = [one for one in found if one.scan is None or one.scan.tail == "closed"]
    if len(whole) > 1:
        return _refuse("ambiguous", Fault("multiple", "", "the reply contains more than one object"))
    if found and found[0].scan is not None and found[0].scan.tail in ("open", "cut"):
        return _refuse("truncated", Fault("truncated", "", "the reply ends before the object is complete"))
    only = whole[0] if whole and whole[0].scan is None else None
    if only is not None and _AROUND.search(text[: only.start] + text[only.end :]):
        return _refuse("invalid", Fault("wrapped", "", "the reply contains text around the object"))
    if not found:
        return _refuse("no_answer", Fault("no_json", "", "the reply contains no JSON object"))
    return _refuse("invalid", Fault("syntax", "", "the reply is not strict JSON"))


def _refuse(outcome: ReadingOutcome, *faults: Fault) -> Reading:
    return Reading(outcome, violations=tuple(replace(one, offset=0) for one in faults))
