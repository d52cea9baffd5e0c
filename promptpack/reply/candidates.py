"""Where answers may stand in a reply: every object, list or call outside of thinking, in order."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from promptpack.reply.ahead import BLANK, COLONLESS, KEY, is_paired_key
from promptpack.reply.cursor import Forced, Scan
from promptpack.reply.places import Places, Span, StrictPlaces
from promptpack.reply.scan import scan
from promptpack.reply.size import is_too_large
from promptpack.reply.strings import Lexer
from promptpack.reply.thinking import ANY_END, CHANNEL_END, MARK_REST, end_of
from promptpack.reply.tree import Harvest, Mark, harvest

NOT_STRICT = object()
# Thinking without a beginning holds objects too: so many times more than the answer may stand among.
_THOUGHTS = 10
# Prose and code have brackets with a comment or a call behind them; a text with more than this is something else.
_MAX_BRACES = 20_000
_OBJECT = rf"(?=[{{｛]?{BLANK}(?:[}}｝/#]|{KEY}))"
# All begins with one of few characters, which the search jumps to; what matters is behind it.
_TOP = re.compile(
    rf"[{{｛\[［<◁(](?:(?P<open>(?<=[{{｛]){_OBJECT}|(?<=[\[［])(?={BLANK}[{{｛]{_OBJECT}))"
    rf"|{MARK_REST}"
    r"|(?P<call>(?<=\w\()\s*+[A-Za-z_]\w{0,40}+\s*+=(?!=)))"
)
_CALLED = re.compile(r"(?<![\w.])[A-Za-z_]\w{0,40}\Z")
# A brace that begins a line and has nothing but the beginning of a key behind it.
_CUT_ROOT = re.compile(r"^[^\S\n]*+(?P<brace>[{｛])\s*+(?:[\"“'][^\"“”'\n]{0,300}+|\w{0,60}+)?+\s*+\Z", re.MULTILINE)
_LONGEST_CUT = 400
# A quoted key and its colon before a bracket: the bracket belongs to an object whose own opening was lost.
_MEMBER_BEFORE = re.compile(r"[\"'”’]\s*[:：]\s*\Z")
_COLONLESS_ROOT = re.compile(rf"[{{｛](?={BLANK}{COLONLESS})")
_COLONLESS_MEMBER = re.compile(rf"(?:[{{｛,，]{BLANK}|\n[ \t]*+)(?={COLONLESS})")
_FIRST_MEMBER = re.compile(r"(?:^|\n|```(?:json)?)[ \t]*(?=[\"“'](?P<key>[^\"”'\n]{1,60})[\"”']\s*[:：])")


@dataclass(slots=True)
class Candidate:
    """One place in the text that may hold the answer, read as plain data."""

    start: int
    end: int
    value: Any
    scan: Scan | None = None
    marks: list[tuple[str, Mark]] = field(default_factory=list)
    places: Places = field(default_factory=dict)
    repeats: list[str] = field(default_factory=list)
    lost_open: bool = False
    limit: str = ""

    def span(self, path: str) -> Span:
        """Say where a value stands; the whole object where the path is not in it."""
        return self.places.get(path) or (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Limits:
    """How deep, how many values, how many candidates."""

    depth: int
    nodes: int
    values: int
    candidates: int

    @property
    def second_look(self) -> int:
        """How many values a text may hold that is read again in another way."""
        return self.nodes // 4


@dataclass(slots=True)
class Field:
    """All candidates of a reply, and what stopped the search, if anything did."""

    candidates: list[Candidate] = field(default_factory=list)
    limit: str = ""


def find(text: str, limits: Limits) -> Field:
    """Find the candidates; what stands before a lone end of thinking was thinking, and is dropped."""
    found, lexer, position, absent, seen, braces = Field(), Lexer(text), 0, set[re.Pattern[str]](), 0, 0
    while match := _TOP.search(text, position):
        if match["think"]:
            position = _think_end(text, match, absent)
        elif match["channel"]:
            end = CHANNEL_END.search(text, match.end() + 11)
            position = end.start() if end else len(text)
        elif match["unthink"]:
            found.candidates.clear()
            position = match.end()
        elif (start := _start(lexer, match, position)) < 0:
            position = match.start() + 1
            braces += 1
            if braces > _MAX_BRACES:
                found.limit = "candidates"
                return found
        else:
            candidate = _read(text, start, limits)
            position = max(candidate.end, match.end())
            found.candidates.append(candidate)
            found.limit = candidate.limit
            seen += 1
            if len(found.candidates) > limits.candidates or seen > _THOUGHTS * limits.candidates:
                found.limit = "candidates"
            if found.limit:
                return found
    if cut := _CUT_ROOT.search(text, max(position, len(text.rstrip()) - _LONGEST_CUT)):
        found.candidates.append(_read(text, cut.start("brace"), limits))
    return found


def find_members(text: str, names: frozenset[str], limits: Limits) -> Candidate | None:
    """Find an object whose opening brace was lost, or both: members that begin with one of `names`."""
    for match in _FIRST_MEMBER.finditer(text):
        if match["key"] in names:
            candidate = _reread(text, Candidate(match.end(), match.end(), None, lost_open=True), limits)
            return candidate if candidate.scan and candidate.scan.tail in ("closed", "open", "cut") else None
    return None


def rescan(text: str, candidate: Candidate, forced: Forced, limits: Limits) -> Candidate:
    """Read a candidate again with closing brackets put in at a place."""
    return _reread(text, candidate, limits, forced=forced)


def find_colonless(text: str, limits: Limits) -> Candidate | None:
    """Find an object whose first key stands before its value without a colon."""
    if match := _COLONLESS_ROOT.search(text):
        return rescan_colonless(text, Candidate(match.start(), match.end(), None), limits)
    return None


def rescan_colonless(text: str, candidate: Candidate, limits: Limits) -> Candidate:
    """Read a candidate again, with keys that stand before their values without a colon."""
    return _reread(text, candidate, limits, colonless=True)


def _reread(text: str, candidate: Candidate, limits: Limits, **how: Any) -> Candidate:
    start, lost = candidate.start, candidate.lost_open
    again = scan(text, start, max_depth=limits.depth, max_nodes=limits.second_look, members=lost, **how)
    return replace(_harvested(start, again), lost_open=lost)


def lacks_colon(text: str, candidate: Candidate) -> bool:
    """Say whether something in a candidate looks like a key and its value without a colon between them."""
    # One that could not be read to its end may have ended there.
    end = candidate.end + _LONGEST_CUT
    return candidate.scan is not None and _COLONLESS_MEMBER.search(text, candidate.start, end) is not None


def _think_end(text: str, match: re.Match[str], absent: set[re.Pattern[str]]) -> int:
    """Find the end of thinking: the tag's own, or else any other; what is absent once is never looked for again."""
    for pattern in (end_of(match[0]), ANY_END):
        if pattern in absent:
            continue
        if end := pattern.search(text, match.end()):
            return end.end()
        absent.add(pattern)
    return len(text)


def _start(lexer: Lexer, match: re.Match[str], position: int) -> int:
    """Give the place where data begins: a bracket that opens some, or the name of a call; -1 if nothing does."""
    place = match.start()
    if match["call"] is None:
        return place if _opens(lexer, place) else -1
    name = _CALLED.search(lexer.text, max(position, place - 41), place)
    return name.start() if name else -1


def _opens(lexer: Lexer, start: int) -> bool:
    """Judge whether a bracket in the text opens data, by what follows it; prose has brackets too."""
    text = lexer.text
    if text[start] in "[［":
        after = lexer.blank_end(start + 1)
        return after < lexer.size and text[after] in "{｛" and _opens(lexer, after)
    after = _past_comment(lexer, lexer.blank_end(start + 1))
    if text.startswith(text[start], after) and after == start + 1:
        after = _past_comment(lexer, lexer.blank_end(start + 2))
    if after >= lexer.size:
        return False
    return text[after] in "}｝" or lexer.key_at(after, bare=True) or is_paired_key(text, after) is not None


def _past_comment(lexer: Lexer, position: int) -> int:
    if lexer.text.startswith(("//", "#"), position):
        return lexer.blank_end(min(lexer.line_end(position), position + 300))
    if lexer.text.startswith("/*", position):
        end = lexer.text.find("*/", position, position + 300)
        return lexer.blank_end(end + 2) if end > 0 else position
    return position


def _read(text: str, start: int, limits: Limits) -> Candidate:
    alone = _MEMBER_BEFORE.search(text, max(0, start - 100), start) is None
    if text[start] in "{[":
        strict = strict_at(text, start)
        going_on = alone and strict is not None and text[strict[1] : strict[1] + 100].lstrip()[:1] in (",", "，")
        if strict is not None and depth_of(strict[0]) <= limits.depth and not going_on:
            too_large = is_too_large(text, strict[0], limits.values)
            return strict_candidate(text, start, strict[1], strict[0], limit="nodes" if too_large else "")
    return _harvested(start, scan(text, start, max_depth=limits.depth, max_nodes=limits.nodes, alone=alone))


def strict_candidate(text: str, start: int, end: int, value: Any, limit: str = "") -> Candidate:
    """Make the candidate of a value that was read by the strict parser."""
    return Candidate(start, end, value, places=StrictPlaces(text, start, end), limit=limit)


def _harvested(start: int, result: Scan) -> Candidate:
    if result.limit:
        return Candidate(start, result.end, None, result, limit=result.limit)
    found: Harvest = harvest(result.root)
    return Candidate(start, result.end, found.value, result, found.marks, found.places, found.repeats)


class _NotStrictError(ValueError):
    """The strict parser met something that only the scanner can name."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _NotStrictError
    return result


def _constant(word: str) -> Any:
    raise _NotStrictError(word)


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _NotStrictError(digits)
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def strict_at(text: str, start: int) -> tuple[Any, int] | None:
    """Read strict JSON at `start`: no repeated keys, no NaN, no infinite number."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def strict_whole(text: str) -> Any:
    """Read a text that is one strict JSON value from end to end, or give `NOT_STRICT`."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return NOT_STRICT


def depth_of(value: Any) -> int:
    """Measure how deep a value nests, without recursion."""
    deepest, level = 0, [value]
    while level:
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        deepest += 1
        level = [item for item in inner if isinstance(item, dict | list)]
    return deepest
