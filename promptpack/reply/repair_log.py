"""Write the repair log of a reading: first the repairs of the raw text, then those at paths of the value."""

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from promptpack.reply.choice import Choice
from promptpack.reply.hidden_text import ANY_MARKER
from promptpack.reply.outer_encoding import DecodedReply
from promptpack.reply.path_map import PathMap
from promptpack.reply.reading import Repair
from promptpack.reply.repair import risk_of
from promptpack.reply.syntax_tree import TextRepair
from promptpack.schema.pointers import value_at

_SPAN = attrgetter("start", "end")
_KINDS = (
    ("think", ANY_MARKER),
    ("fence", re.compile(r"```|~~~")),
    ("token", re.compile(r"<\|[^|]*\|>|</?s>|<eos>|\[/?INST\]|\[TOOL_CALLS\]")),
    ("tag", re.compile(r"</?[A-Za-z_][^<>]{0,60}>")),
    ("prose", re.compile(r"\w")),
    ("extra-bracket", re.compile(r"[\]})]")),
    ("fence", re.compile(r"`")),
)


def write_repair_log(
    raw: str, decoded: DecodedReply, choice: Choice, echoes: Sequence[Choice] = ()
) -> tuple[Repair, ...]:
    """List every change that leads from the raw reply to the value; `echoes` repeat examples of the prompt."""
    repairs = [*_outside(raw, decoded, choice, echoes), *_inside(choice)]
    spans = choice.candidate.spans
    known = spans if repairs and isinstance(spans, dict) else {}
    paths = {(decoded.raw_offset(start), decoded.raw_offset(end)): path for path, (start, end) in known.items()}
    starts = {start: path for (start, _), path in paths.items()}
    texts = [
        _log_text(raw, one, starts.get(one.end, "") if one.kind == "missing-colon" else paths.get(one[1:3], ""))
        for one in _in_raw(decoded, repairs)
    ]
    return (*texts, *_repeats(decoded, choice), *_log_values(decoded, choice))


def _outside(raw: str, decoded: DecodedReply, choice: Choice, echoes: Sequence[Choice]) -> Iterator[TextRepair]:
    start, end = choice.candidate.start, choice.candidate.end
    for left, right in ((0, start), (end, len(decoded.text))):
        first, last = decoded.raw_offset(left), decoded.raw_offset(right)
        is_hidden = any(here < last and there > first for here, there in decoded.hidden)
        if is_hidden or decoded.text[left:right].strip(" \t\r\n"):
            has_echo = any(left <= one.candidate.start < right for one in echoes)
            yield TextRepair("echo" if has_echo else _kind(raw[first:last]), left, right, "")


def _kind(around: str) -> str:
    piece = around if len(around) < 20_000 else around[:10_000] + around[-10_000:]
    return next((kind for kind, pattern in _KINDS if pattern.search(piece)), "white-space")


def _inside(choice: Choice) -> list[TextRepair]:
    """Sort the scanner's repairs; of two repairs of one span, the later one is better informed."""
    scan = choice.candidate.scan
    if scan is None:
        return []
    unique: dict[Any, TextRepair] = {}
    for index, repair in enumerate(scan.repairs):
        unique[(repair.start, repair.end) if repair.end > repair.start else index] = repair
    return sorted(unique.values(), key=_SPAN)


def _in_raw(decoded: DecodedReply, repairs: list[TextRepair]) -> list[TextRepair]:
    """Move repairs to the raw text; a repair replaces changes of the outer encoding inside its span."""
    if not decoded.is_encoded:
        return sorted(repairs, key=_SPAN)
    moved = sorted((_moved(decoded, repair) for repair in repairs), key=_SPAN)
    result, index = [], 0
    for outer in decoded.repairs():
        while index < len(moved) and moved[index].end <= outer.start and moved[index].start < outer.start:
            result.append(moved[index])
            index += 1
        if index >= len(moved) or not moved[index].start <= outer.start < moved[index].end:
            result.append(outer)
    return sorted([*result, *moved[index:]], key=_SPAN)


def _moved(decoded: DecodedReply, repair: TextRepair) -> TextRepair:
    return TextRepair(repair.kind, decoded.raw_offset(repair.start), decoded.raw_offset(repair.end), repair.after)


def _log_text(raw: str, repair: TextRepair, path: str) -> Repair:
    kind, start, end, after = repair
    return Repair(path, kind, (start, end), raw[start:end], after, risk_of(kind))


def _repeats(decoded: DecodedReply, choice: Choice) -> Iterator[Repair]:
    """Log keys that repeat with equal values: JSON parsers use the last one, which is the same."""
    for path in choice.candidate.repeats:
        value = value_at(choice.candidate.value, path)
        span = _span(decoded, choice, path)
        yield Repair(path, "duplicate-same", span, value, value, risk_of("duplicate-same"), "set")


def _log_values(decoded: DecodedReply, choice: Choice) -> Iterator[Repair]:
    paths = PathMap()
    for one in choice.value_repairs:
        span = _span(decoded, choice, paths.original(one.path))
        paths.add(one)
        yield Repair(one.path, one.kind, span, one.before, one.after, risk_of(one.kind), one.edit)


def _span(decoded: DecodedReply, choice: Choice, path: str) -> tuple[int, int]:
    start, end = choice.candidate.span(path)
    return decoded.raw_offset(start), decoded.raw_offset(end)
