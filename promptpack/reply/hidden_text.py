"""Text of a reply that is not its answer: thinking, turns of other roles, examples, inputs and results of tools.

One list of markers serves whole replies, streamed replies and the repair log.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

_N = r"[\w▁:.-]"
# A name means thinking if it contains one of these.
_THOUGHT = (
    r"(?:think|thought|reason|reflect|r[eé]flex|scratch[_-]?pad|monologue|deliberat|brainstorm|introspect|ponder"
    r"|contemplat|ruminat|rationale|work(?:ing)?[_-]?out|(?<![^\W_])cot(?![^\W_])|drafts?(?![^\W_])|思考|推理|草稿)"
)
_THINKING = rf"{_N}{{0,30}}?{_THOUGHT}{_N}{{0,30}}"
# A name means text of others, or text that only shows how an answer looks, if one of these is a word of it.
_OTHERS = (
    rf"(?:{_N}{{0,30}}?[_:.▁-])?(?:(?:few[_-]?shot|examples?|samples?|prompts?|instructions?|query|questions?|requests?"
    r"|prompter|history|context|(?:json)?schema|template|format|expected|previous|prior|earlier"
    r"|documents?|observations?|search|quote|user|human|system|developer|environment|reminder"
    r"|(?<!tool[_-])(?<!action[_-])inputs?)|(?:tool|function)s?[_▁-]?(?:(?:use|call)[_-])?(?:results?|responses?|outputs?))"
    rf"(?:[_:.▁-]{_N}{{0,30}})?(?!{_N})"
)
# The name of a tag around an answer contains one of these words; the others are tags of HTML and of chat templates.
_ANSWER = (
    rf"(?:{_N}{{0,30}}?(?:answer|out|json|respon|result|repl(?:y|ies)|final|call|func|invoke|param|arg|decision|verdict"
    r"|solution|action|agent|assistant|model|bot|complet|data|object|code|message|artifact|report|review|rout|planner"
    r"|execut|orchestrat|understand|return|payload|content|value|body|submi|task|intent|expla|答|输出|结果|回复|决策"
    rf"|(?<![^\W_])(?:start|begin|end|bos|eos)(?![^\W_])){_N}{{0,30}}"
    r"|\w|br|hr|h[1-6]|li|[duo]l|d[dt]|t[drh]|em|tt|pre|div|span|strong|details|summary|section|article|main|html|head"
    r"|font|img|small|table|tbody|thead|script|textarea|samp|kbd|xml|root|items?|tools?|tool[_-]?(?:use|input)"
    rf"|action[_-]input|role|pad|unk|(?:unused|ctrl)\d+|extra_id_\d+)(?!{_N})"
)
_TAG_END = r"(?:\s[^<>\n]{0,60})?\s?\\?>"
_CLOSED = rf"(?=[^\W\d]{_N}{{0,80}}+{_TAG_END})"
_OWN_ROLE = r"(?:assistant|model|ai|gpt|bot|chatbot|answer|final)\b"
_BAR = "[|｜]"
_NOT_END = rf"(?!/|end|{_N}{{1,40}}[_▁]end{_BAR})"
_WORD = r"[^\W\d]\w{0,20}+"

# The markers that start hidden text, by kind. The first character is separate, so that a search can jump to it.
_STARTS = {
    "tag": (
        ("<", rf"(?!(?:start|begin)[_-]){_CLOSED}{_THINKING}{_TAG_END}"),
        ("<", rf"\s{_THINKING}{_TAG_END}"),
        ("<", rf"details(?: [^<>\n]{{0,80}})?>\s{{0,4}}<summary>[^<\n]{{0,20}}?{_THOUGHT}[^<\n]{{0,60}}</summary>"),
    ),
    "token": (
        ("<", rf"{_BAR}{_NOT_END}{_THINKING}{_BAR}>"),
        ("<", r"(?:unused|ctrl)\d{1,3}>\s{0,4}thought\b"),
        ("<", rf"(?:start|begin)[_-]{_THINKING}>"),
        ("<", r"\|channel>\s{0,4}(?:thought|analysis)\b"),
    ),
    # Pairs of brackets: only their own end counts, if there is one.
    "pair": (
        ("&", rf"(?:lt|#0*60|#x0*3c);{_THINKING}&(?:gt|#0*62|#x0*3e);"),
        (r"\\", rf"u003c{_THINKING}\\u003e"),
        ("＜", rf"{_THINKING}＞"),
        ("【", rf"{_THINKING}】"),
        ("◁", "think▷"),
        (r"\[", rf"(?:(?:start|begin) )?(?:{_THINKING}|unused16)\]"),
    ),
    "turn": (
        ("<", rf"\|channel\|>\s{{0,8}}(?!final\b|commentary\s{{0,4}}(?:to=|json|<\|con)){_WORD}"),
        ("<", rf"{_BAR}(?:im_start|start|start_header_id|start_of_role){_BAR}> {{0,4}}(?!{_OWN_ROLE}){_WORD}"),
        ("<", rf"(?:start_of_turn|extra_id_\d+|role)> {{0,4}}(?!{_OWN_ROLE}){_WORD}"),
        ("<", rf"{_BAR}tool{_BAR}>"),
        (r"\[", rf"\|(?!{_OWN_ROLE}){_WORD}\|\]"),
        ("<", rf"{_BAR}{_NOT_END}{_OTHERS}{_BAR}>"),
        ("<", "<SYS>>"),
        (r"\[", r"(?:INST|TOOL_RESULTS|SYSTEM_PROMPT|AVAILABLE_TOOLS)\]"),
    ),
    "comment": (("<", "!--"),),
    "fence": ((r"[`~]", rf"(?:``|~~)(?:{_THINKING}[^\n`]{{0,40}}|{_OTHERS}(?<![:.])[ \t]{{0,20}})\n"),),
    "quoted": (("<", rf"{_CLOSED}(?:{_OTHERS}|(?!{_ANSWER}){_N}{{1,80}}+){_TAG_END}"),),
}
# An end without its start hides all text before it.
_ENDS = (
    ("<", rf"/{_CLOSED}{_THINKING}{_TAG_END}"),
    ("<", rf"/\s{_THINKING}{_TAG_END}"),
    ("<", rf"{_BAR}(?:(?:/|end){_THINKING}|{_THINKING}(?<=[_▁]end)){_BAR}>"),
    ("<", r"(?:unused|ctrl)95>(?!\s{0,4}thought)"),
    ("<", rf"end[_-]{_THINKING}>"),
    ("<", r"channel\|>"),
    ("&", rf"(?:lt|#0*60|#x0*3c);/{_THINKING}&(?:gt|#0*62|#x0*3e);"),
    (r"\\", rf"u003c/{_THINKING}\\u003e"),
    ("＜", rf"/{_THINKING}＞"),
    ("【", rf"/{_THINKING}】"),
    ("◁", "/think▷"),
    (r"\[", rf"(?:(?:/|end ){_THINKING}|unused17)\]"),
    ("<", rf"/{_CLOSED}(?:{_OTHERS}|(?!{_ANSWER}){_N}{{1,80}}+){_TAG_END}"),
)
# A turn ends before the next marker of the chat template.
_TURN_END = (
    rf"(?=<{_BAR}(?:im_end|im_start|eo[tm]_id|start_header_id|channel|return|call|(?:start|end)(?!_header|_of_role)(?:[_▁]{_N}{{1,40}})?|start_of_role|endoftext|{_N}{{1,40}}[_▁]end"
    rf"|assistant|chatbot_token){_BAR}>|<(?:end_of_turn|start_of_turn|extra_id_\d+|role)>|\[\||\[/(?:INST|TOOL_RESULTS|SYSTEM_PROMPT)\]|<</SYS>>)"
)
_FENCE_END = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*$", re.MULTILINE)
# Streamed text has no certain start or end of a line, only line breaks.
_STREAMED_FENCE_END = re.compile(r"\n[ \t]*(?:`{3,}|~{3,})[ \t]*(?=\n)")
_DATA_AHEAD = re.compile(r"\s*(?:[\[{｛`\"]|\Z)|[ \t]*\n")


def _whole(markers: Iterable[tuple[str, str]]) -> str:
    return "|".join(first + rest for first, rest in markers)


def _rest(markers: Iterable[tuple[str, str]]) -> str:
    return "|".join(f"(?<={first}){rest}" for first, rest in markers)


_GROUPS = "|".join(f"(?P<{kind}>{_rest(markers)})" for kind, markers in {"end": _ENDS, **_STARTS}.items())
# Follows the first character of a marker, which a search has jumped to; the group that matches is its kind.
MARKER_AHEAD = r"(?<!\\)[/|｜\w!#]|(?<=\\)u003[cC]|\s\w|<SYS|``\w|~~\w"
MARKER_REST = rf"(?={MARKER_AHEAD})(?i:{_GROUPS})"
# The characters that a marker may start with, for a character class.
FIRST = r"<＜&◁【\[`~\\"
MARKER = re.compile(rf"[{FIRST}]{MARKER_REST}")
KINDS = frozenset(_STARTS)
ANY_MARKER = re.compile(_whole((*_ENDS, *(one for markers in _STARTS.values() for one in markers))), re.IGNORECASE)
# The start of a marker that is not complete yet.
PARTIAL_MARKER = (
    rf"(?:<details(?: [^<>\n]{{0,80}})?>\s{{0,4}}(?:<[^\n]{{0,110}})?"
    rf"|[{FIRST}][<`~!&#/|｜▁\w:;.\\-]*+(?:(?<=[|｜\denl])>\s{{0,8}}\w{{0,14}}|\s[^<>\n]{{0,60}})?)"
)
# Thinking without tokens, which a server has removed, or as a command line shows it.
_BARE_CHANNEL = re.compile(r"\s{0,4}+(?:(?P<channel>analysis(?=[A-Z\n]))|Thinking\.\.\.\n)")
_CHANNEL_ENDS = (re.compile(r"\.\.\.done thinking\.?"), re.compile("assistantfinal"))
_MAX_CHANNEL_START = 20
# No marker is longer; a shorter text may be the start of one.
MAX_MARKER_LENGTH = 200
_MAX_NAME = 80
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_HIDDEN_NAME = re.compile(rf"{_THINKING}|{_OTHERS}", re.IGNORECASE)
_THINKING_END = re.compile(_whole(_ENDS[:-1]), re.IGNORECASE)
_END_TAG = re.compile(rf"</\s?(?=[^\W\d]){_N}{{1,80}}+{_TAG_END}")
_COMMON_ENDS = {
    "token": re.compile(f"{_THINKING_END.pattern}|{_TURN_END}", re.IGNORECASE),
    "pair": _THINKING_END,
    "turn": re.compile(_TURN_END, re.IGNORECASE),
    "fence": _FENCE_END,
    "comment": re.compile("-->"),
}


def may_become_channel(text: str) -> bool:
    """Return whether a text may be the start of a channel without tokens."""
    stripped = text.lstrip() if len(text) < _MAX_CHANNEL_START else text
    return any(start.startswith(stripped) for start in ("analysis", "Thinking...\n"))


def find_channel(text: str) -> tuple[int, re.Pattern[str]] | None:
    """Return where the text of a channel without tokens starts, and the pattern of its end."""
    found = _BARE_CHANNEL.match(text)
    return (found.end(), _CHANNEL_ENDS[found["channel"] is not None]) if found else None


@lru_cache(1_000)
def is_hidden_name(name: str) -> bool:
    """Return whether a name means thinking or text of others."""
    return _HIDDEN_NAME.fullmatch(_HUMP.sub("_", name[:_MAX_NAME])) is not None


def end_pattern(marker: re.Match[str]) -> re.Pattern[str]:
    """Return the pattern of the end that belongs to a start marker; its search starts at the last character of that."""
    return _STREAMED_FENCE_END if marker.lastgroup == "fence" else _end_pattern(marker.lastgroup or "", _name(marker))


@lru_cache(200)
def _end_pattern(kind: str, name: str) -> re.Pattern[str]:
    if kind in _COMMON_ENDS:
        return _COMMON_ENDS[kind]
    return re.compile(rf"</\s?{re.escape(name)}\s{{0,4}}\\?>", re.IGNORECASE)


def _name(marker: re.Match[str]) -> str:
    name = re.search(rf"{_N}+", marker[0])
    return name[0].lower() if name else ""


class HiddenEnds:
    """Finds the ends of hidden text: end tags are indexed once, and other ends kept, so that all lookups are linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tags: dict[str, list[int]] | None = None
        self._ends: dict[str, re.Match[str] | None] = {}

    def find(self, marker: re.Match[str]) -> int:
        """Return the end of the text that a marker hides, or -1 if it hides nothing."""
        if marker.lastgroup in _COMMON_ENDS:
            end = self._next_end(marker.lastgroup, marker.end())
            if end is None and marker.lastgroup == "pair":
                end = self._next_end("turn", marker.end())
            return end.end() if end else len(self._text)
        if self._tags is None:
            self._tags = self._index()
        own = _next(self._tags.get(_name(marker), []), marker.end())
        if own < 0 and marker.lastgroup == "tag":
            own = _next(self._tags[""], marker.end())
        return own if own >= 0 or not _hides_rest(marker) else len(self._text)

    def _next_end(self, kind: str, position: int) -> re.Match[str] | None:
        """Return the next end of a kind; the last one found still is the next until a position after it."""
        if kind not in self._ends or ((found := self._ends[kind]) and found.start() < position):
            self._ends[kind] = _COMMON_ENDS[kind].search(self._text, position)
        return self._ends[kind]

    def _index(self) -> dict[str, list[int]]:
        """Return the positions after the end tags by name; those that end any thinking have the name ""."""
        found: dict[str, list[int]] = {"": [end.end() for end in _THINKING_END.finditer(self._text)]}
        for tag in _END_TAG.finditer(self._text):
            found.setdefault(_name(tag), []).append(tag.end())
        return found


def _next(positions: list[int], after: int) -> int:
    index = bisect_right(positions, after)
    return positions[index] if index < len(positions) else -1


def _hides_rest(marker: re.Match[str]) -> bool:
    """Return whether a tag without an end hides the rest: the name of a quoted tag may occur in prose."""
    return marker.lastgroup != "quoted" or _DATA_AHEAD.match(marker.string, marker.end()) is not None


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace the characters in ordered spans by spaces."""
    pieces, done = [], 0
    for start, end in spans:
        pieces += [text[done:start], " " * (end - start)]
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text
