"""Find the candidates for the answer in a reply: every object, list or call outside thinking, in order."""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import Any

from promptpack.reply.hidden_text import FIRST, MARKER, MARKER_AHEAD, HiddenEnds, blank, find_channel, is_hidden_name
from promptpack.reply.lookahead import BLANK, COLONLESS, KEY, is_paired_key
from promptpack.reply.scan import scan
from promptpack.reply.scan_state import ForcedClose, ScanResult
from promptpack.reply.size import is_too_large
from promptpack.reply.strings import Lexer
from promptpack.reply.syntax_tree import Defect, ExtractedData, extract_data
from promptpack.reply.value_spans import Offsets, StrictSpans, ValueSpans

NOT_STRICT = object()
# Thinking without a start marker contains objects too, so the search may see this many times the limit on candidates.
_THINKING_FACTOR = 10
# Prose and code contain brackets and tags that open no data; a text with more than this is neither.
MAX_PASSED = 20_000
_OBJECT = rf"(?=[{{｛]?{BLANK}(?:[}}｝/#]|{KEY}))"
# Every alternative starts with one of a few characters, so that the search can jump to them.
_TOP = re.compile(
    rf"[{{｛［({FIRST}](?:(?P<open>(?<=[{{｛]){_OBJECT}|(?<=[\[［])(?={BLANK}[{{｛]{_OBJECT}))"
    rf"|(?P<marker>(?<=[{FIRST}])(?={MARKER_AHEAD}))"
    r"|(?P<call>(?<=\w\()\s*+[A-Za-z_]\w{0,40}+\s*+=(?!=)))"
)
_MESSAGE_CALL = re.compile(r"(?P<kind>\w{1,60}?)(?:Message|Block|Part)(?=\()")
_CALLED = re.compile(r"(?<![\w.])[A-Za-z_]\w{0,40}\Z")
# A brace and at most one key at the end of the text.
_CUT_ROOT = re.compile(r"[{｛]\s*+(?:\"(?:[^\"\\]|\\.)*+(?:\"\s*+|\\)?+|[^{}\[\]｛｝\n]{0,300}+\s*+)\Z")
_MAX_CUT_LENGTH, _MAX_LABEL = 400, 100
# A label directly before an object that says that others wrote it, or that it is not final.
_LABEL = re.compile(
    r"(?:^|\n|\|>)[ \t>#*_-]*(?:gpt4 correct )?(?:user|human|system|developer|question|instructions?|prompt"
    r"|query|tool|observation|environment|(?:user )?inputs?"
    r"|(?:(?:tool|function) |call_)?(?:outputs?|results?|responses?) (?:of|from) (?:the )?(?:tool|function)s?"
    r"|(?:tool|function)[ _](?:call )?(?:outputs?|results?|responses?)|(?:few-shot )?(?:examples?|samples?)(?: \d+)?"
    r"(?: (?:output|answer|reply|response))?|(?:expected|previous|prior|earlier|last|old)(?: \w+){1,2}|(?:\w+ )?draft"
    r"|before|thoughts?|thinking|reasoning|thought process|scratchpad|用户|系统|观察|示例|例子|上一阶段|草稿|思考|之前)"
    r"[ \t]{0,4}(?:[*_]*[:：]?[*_]*[ \t]*\n|[*_]*[:：][*_]*)\s*(?:[`~]{3}\w{0,20}\s*)?\Z",
    re.IGNORECASE,
)
# A quoted key and its colon before a bracket: the bracket belongs to an object whose opening brace is lost.
_MEMBER_BEFORE = re.compile(r"[\"'”’]\s*[:：]\s*\Z")
_COLONLESS_ROOT = re.compile(rf"[{{｛](?={BLANK}{COLONLESS})")
_COLONLESS_MEMBER = re.compile(rf"(?:[{{｛,，]{BLANK}|\n[ \t]*+)(?={COLONLESS})")
_FIRST_MEMBER = re.compile(r"(?:^|\n|```(?:json)?)[ \t]*(?=[\"“'](?P<key>[^\"”'\n]{1,60})[\"”']\s*[:：])")


@dataclass(slots=True)
class ReplyCandidate:
    """A part of the text that may be the answer, read as plain data."""

    start: int
    end: int
    value: Any
    scan: ScanResult | None = None
    defects: list[tuple[str, Defect]] = field(default_factory=list)
    spans: ValueSpans = field(default_factory=dict)
    repeats: list[str] = field(default_factory=list)
    lost_open: bool = False
    limit: str = ""

    def span(self, path: str) -> Offsets:
        """Return the span of a value, or of the whole candidate where the path does not exist."""
        return self.spans.get(path) or (self.start, self.end)


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of a search: nesting depth, scanned nodes, values of strict JSON, and candidates."""

    depth: int
    nodes: int
    values: int
    candidates: int

    @property
    def max_rescan_nodes(self) -> int:
        """The limit on nodes for reading a candidate a second time."""
        return self.nodes // 4


@dataclass(slots=True)
class SearchResult:
    """All candidates of a reply, the spans of hidden text, and the limit that stopped the search, if any.

    `marked` are the hidden spans that have a start marker, even those before an end marker without one.
    """

    text: str
    candidates: list[ReplyCandidate] = field(default_factory=list)
    hidden: list[Offsets] = field(default_factory=list)
    marked: list[Offsets] = field(default_factory=list)
    limit: str = ""

    def hide(self, start: int, end: int) -> int:
        """Hide a span that starts after the others, and return its end."""
        self.hidden.append((start, end))
        self.marked.append((start, end))
        return end

    def add(self, candidate: ReplyCandidate) -> None:
        """Add a candidate, or hide it if a label before it says that it is not the answer."""
        start, is_whole = candidate.start, candidate.scan is None or candidate.scan.tail == "closed"
        if is_whole and (is_labelled(self.text, start) or self._is_message_of_others(start)):
            self.hide(start, candidate.end)
        else:
            self.candidates.append(candidate)
        self.limit = candidate.limit

    def _is_message_of_others(self, start: int) -> bool:
        """Return whether a call at a position builds a message that is not the model's: `HumanMessage(...)`."""
        call = _MESSAGE_CALL.match(self.text, start)
        return call is not None and (call["kind"] in ("Tool", "Function") or is_hidden_name(call[0]))

    def hide_before(self, end: int) -> int:
        """Hide all text and all candidates before a position, and return it."""
        self.candidates.clear()
        self.hidden[:] = [(0, end)]
        return end


def is_labelled(text: str, start: int) -> bool:
    """Return whether a label directly before a position says that an object there is not the answer."""
    return _LABEL.search(text, max(0, start - _MAX_LABEL), start) is not None


def find(text: str, limits: SearchLimits) -> SearchResult:
    """Find the candidates outside hidden text; the result's text has spaces in place of hidden text."""
    found, lexer, position, ends, seen, passed = SearchResult(text), Lexer(text), 0, HiddenEnds(text), 0, 0
    if channel := find_channel(text):
        end = channel[1].search(text, channel[0])
        position = found.hide(0, end.end() if end else len(text))
    while match := _TOP.search(text, position):
        if match["marker"] is not None:
            start, position = -1, _pass_marker(found, ends, match.start())
        elif (start := _start(lexer, match, position)) < 0:
            position = match.start() + 1
        if start < 0:
            passed += 1
        else:
            candidate = _read(text, start, limits)
            position = max(candidate.end, match.end())
            found.add(candidate)
            seen += 1
        is_exceeded = seen > _THINKING_FACTOR * limits.candidates or passed > MAX_PASSED
        if is_exceeded or len(found.candidates) > limits.candidates:
            found.limit = found.limit or "candidates"
        if found.limit:
            return found
    found.text = blank(text, found.hidden)
    if cut := _CUT_ROOT.search(found.text, position):
        candidate = _read(found.text, cut.start(), limits)
        if candidate.scan is not None:
            candidate.scan.tail = "cut"
        found.candidates.append(candidate)
    return found


def _pass_marker(found: SearchResult, ends: HiddenEnds, start: int) -> int:
    """Hide the text that belongs to the marker at a position, if one is there; return where the search continues."""
    marker = MARKER.match(found.text, start)
    if marker is None:
        return start + 1
    if marker["end"]:
        return found.hide_before(marker.end())
    end = ends.find(marker)
    return found.hide(start, end) if end > 0 else marker.end()


def find_members(found: SearchResult, names: frozenset[str], limits: SearchLimits) -> ReplyCandidate | None:
    """Find an object without its opening brace or without both braces, by a first member named in `names`."""
    text, whole = found.text, [one for one in found.candidates if one.scan is None or one.scan.tail == "closed"]
    starts = [one.start for one in whole]
    for match in _FIRST_MEMBER.finditer(text):
        index = bisect_right(starts, match.end()) - 1
        if match["key"] in names and (index < 0 or whole[index].end <= match.end()):
            candidate = _reread(text, ReplyCandidate(match.end(), match.end(), None, lost_open=True), limits)
            return candidate if candidate.scan and candidate.scan.tail in ("closed", "open", "cut") else None
    return None


def rescan(text: str, candidate: ReplyCandidate, forced: ForcedClose, limits: SearchLimits) -> ReplyCandidate:
    """Read a candidate again with closing brackets inserted at a position."""
    return _reread(text, candidate, limits, forced=forced)


def find_colonless(text: str, limits: SearchLimits) -> ReplyCandidate | None:
    """Find an object whose first key has no colon."""
    if match := _COLONLESS_ROOT.search(text):
        return rescan_colonless(text, ReplyCandidate(match.start(), match.end(), None), limits)
    return None


def rescan_colonless(text: str, candidate: ReplyCandidate, limits: SearchLimits) -> ReplyCandidate:
    """Read a candidate again, accepting keys without a colon."""
    return _reread(text, candidate, limits, is_colonless=True)


def _reread(text: str, candidate: ReplyCandidate, limits: SearchLimits, **options: Any) -> ReplyCandidate:
    start, lost = candidate.start, candidate.lost_open
    again = scan(text, start, max_depth=limits.depth, max_nodes=limits.max_rescan_nodes, lost_open=lost, **options)
    return replace(_from_scan(start, again), lost_open=lost)


def lacks_colon(text: str, candidate: ReplyCandidate) -> bool:
    """Return whether a candidate seems to contain a key and its value without a colon between them."""
    # The missing colon may be what stopped the scan, so the search goes a little further.
    end = candidate.end + _MAX_CUT_LENGTH
    return candidate.scan is not None and _COLONLESS_MEMBER.search(text, candidate.start, end) is not None


def _start(lexer: Lexer, match: re.Match[str], position: int) -> int:
    """Return where data starts: at a bracket, or at the name of a call; -1 if no data starts here."""
    start = match.start()
    if match["call"] is None:
        return start if _opens(lexer, start) else -1
    name = _CALLED.search(lexer.text, max(position, start - 41), start)
    return name.start() if name else -1


def _opens(lexer: Lexer, start: int) -> bool:
    """Return whether a bracket opens data, by the text after it; prose contains brackets too."""
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


def _read(text: str, start: int, limits: SearchLimits) -> ReplyCandidate:
    standalone = _MEMBER_BEFORE.search(text, max(0, start - 100), start) is None
    if text[start] in "{[":
        strict = strict_at(text, start)
        continues = standalone and strict is not None and text[strict[1] : strict[1] + 100].lstrip()[:1] in (",", "，")
        if strict is not None and depth_of(strict[0]) <= limits.depth and not continues:
            too_large = is_too_large(text, strict[0], limits.values)
            return strict_candidate(text, start, strict[1], strict[0], limit="nodes" if too_large else "")
    result = scan(text, start, max_depth=limits.depth, max_nodes=limits.nodes, is_standalone=standalone)
    return _from_scan(start, result)


def strict_candidate(text: str, start: int, end: int, value: Any, limit: str = "") -> ReplyCandidate:
    """Return the candidate of a value that the strict parser has read."""
    return ReplyCandidate(start, end, value, spans=StrictSpans(text, start, end), limit=limit)


def _from_scan(start: int, result: ScanResult) -> ReplyCandidate:
    if result.limit:
        return ReplyCandidate(start, result.end, None, result, limit=result.limit)
    found: ExtractedData = extract_data(result.root)
    return ReplyCandidate(start, result.end, found.value, result, found.defects, found.spans, found.repeats)


class _NotStrictError(ValueError):
    """The text is not strict JSON; only the scanner can say why."""


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
    """Parse strict JSON at `start`, without repeated keys, NaN or infinite numbers; return the value and its end."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def strict_whole(text: str) -> Any:
    """Parse a whole text as one strict JSON value; return `NOT_STRICT` for any other text."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return NOT_STRICT


def depth_of(value: Any) -> int:
    """Return the nesting depth of a value, computed without recursion."""
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
