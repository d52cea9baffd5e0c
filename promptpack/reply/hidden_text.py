"""Text of a reply that is not its answer: thinking, turns of other roles, examples, inputs and results of tools.

One list of markers serves whole replies, streamed replies and the repair log.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

_PREFIX = r"(?:\w{1,12}:)?"
# A tag marks thinking if its name contains one of the first words, or is one of the others.
_THINKING = (
    r"(?:[\w:.-]{0,30}?(?:think|thought|reasoning|reflect|scratch_?pad|monologue|deliberat|brainstorm|introspect"
    rf"|思考|推理)[\w:.-]{{0,30}}|{_PREFIX}(?:reasons?|rationale|analysis|cot|plan|planning|drafts?))"
)
# Tags around text that others wrote, or that only shows how an answer looks.
_QUOTED = (
    rf"{_PREFIX}(?:(?:few[_-]?shot[_-]?)?(?:examples?|samples?)|(?:user[_-]?)?inputs?|(?:tool|function)[_-]?(?:results?"
    r"|responses?|outputs?)|documents?|observations?|search[_-]?results|user|human|system|user[_-]message|prompt"
    r"|instructions?|query|question|history|conversation|context|(?:json[_-]?)?schema)"
)
_ROLE = r"(?:user|human|system|tool|developer|function|observation|environment|think(?:ing)?|thought|analysis)\b"
_CHANNEL = r"\|channel\|>\s{0,8}(?:analysis|thought|thinking|reasoning)\b"
_TAG_END = r"(?:\s[^<>\n]{0,60})?>"

# The markers that start hidden text, by kind. The first character is separate, so that a search can jump to it.
_STARTS = {
    "tag": (("<", rf"{_THINKING}{_TAG_END}"),),
    "token": (
        ("<", rf"\|(?!end){_THINKING}\|>"),
        ("<", r"unused\d{1,3}>\s{0,4}thought\b"),
        ("&", rf"lt;{_THINKING}&gt;"),
        ("＜", rf"{_THINKING}＞"),
        ("◁", "think▷"),
        (r"\[", r"(?:THINK(?:ING)?|REASONING)\]"),
    ),
    "turn": (
        ("<", _CHANNEL),
        ("<", rf"[|｜](?:im_start|start|start_header_id)[|｜]>\s{{0,4}}{_ROLE}"),
        ("<", rf"start_of_turn>\s{{0,4}}{_ROLE}"),
        ("<", rf"[|｜]{_ROLE}[|｜]>"),
        ("<", "<SYS>>"),
        (r"\[", r"INST\]"),
    ),
    "comment": (("<", "!--"),),
    "fence": (("`", rf"``{_THINKING}[^\n`]{{0,40}}\n"),),
    "quoted": (("<", rf"{_QUOTED}{_TAG_END}"),),
}
# An end without its start hides all text before it.
_ENDS = (
    ("<", rf"/{_THINKING}\s{{0,4}}>"),
    ("<", rf"\|(?:/|end_?){_THINKING}\|>"),
    ("<", r"unused95>"),
    ("&", rf"lt;/{_THINKING}&gt;"),
    ("＜", rf"/{_THINKING}＞"),
    ("◁", "/think▷"),
    (r"\[", r"/(?:THINK(?:ING)?|REASONING)\]"),
    ("<", rf"/{_QUOTED}\s{{0,4}}>"),
)
# A turn ends before the next marker of the chat template.
_TURN_END = re.compile(
    r"(?=<[|｜](?:im_end|im_start|end|start|eot_id|eom_id|start_header_id|channel|return|call|assistant)[|｜]>"
    r"|<end_of_turn>|<start_of_turn>|\[/INST\]|<</SYS>>)",
    re.IGNORECASE,
)
_FENCE_END = re.compile(r"^[ \t]*`{3,}[ \t]*$", re.MULTILINE)
# Streamed text has no certain start or end of a line, only line breaks.
_STREAMED_FENCE_END = re.compile(r"\n[ \t]*`{3,}[ \t]*(?=\n)")
_COMMENT_END = re.compile("-->")
_DATA_AHEAD = re.compile(r"\s*(?:[\[{｛`\"]|\Z)")


def _whole(markers: Iterable[tuple[str, str]]) -> str:
    return "|".join(first + rest for first, rest in markers)


def _rest(markers: Iterable[tuple[str, str]]) -> str:
    return "|".join(f"(?<={first}){rest}" for first, rest in markers)


_GROUPS = "|".join(f"(?P<{kind}>{_rest(markers)})" for kind, markers in {"end": _ENDS, **_STARTS}.items())
# Follows the first character of a marker, which a search has jumped to; the group that matches is its kind.
MARKER_REST = rf"(?=[/|｜\w!]|<SYS|``\w)(?i:{_GROUPS})"
# The characters that a marker may start with, for a character class.
FIRST = r"<＜&◁\[`"
KINDS = frozenset(_STARTS)
ANY_MARKER = re.compile(_whole((*_ENDS, *(one for markers in _STARTS.values() for one in markers))), re.IGNORECASE)
# The start of a marker that is not complete yet.
PARTIAL_MARKER = rf"[{FIRST}][<`!&/|｜\w:;.-]*+(?:(?<=[|｜\dn])>\s{{0,8}}\w{{0,14}}|\s[^<>\n]{{0,60}})?"
# No marker is longer; a shorter text may be the start of one.
MAX_MARKER_LENGTH = 140
_THINKING_END = re.compile(_whole(_ENDS[:-1]), re.IGNORECASE)
_END_TAG = re.compile(_whole((_ENDS[0], _ENDS[-1])), re.IGNORECASE)
_COMMON_ENDS = {"token": _THINKING_END, "turn": _TURN_END, "fence": _FENCE_END, "comment": _COMMENT_END}


def end_pattern(marker: re.Match[str]) -> re.Pattern[str]:
    """Return the pattern of the end that belongs to a start marker; its search starts at the last character of that."""
    return _STREAMED_FENCE_END if marker.lastgroup == "fence" else _end_pattern(marker.lastgroup or "", _name(marker))


@lru_cache(200)
def _end_pattern(kind: str, name: str) -> re.Pattern[str]:
    if kind in _COMMON_ENDS:
        return _COMMON_ENDS[kind]
    return re.compile(rf"</{re.escape(name)}\s{{0,4}}>", re.IGNORECASE)


def _name(marker: re.Match[str]) -> str:
    return re.split(r"[\s>]", marker[0].lstrip("</"), maxsplit=1)[0].lower()


class HiddenEnds:
    """Finds the ends of hidden text; the end tags of a text are indexed once, so that all lookups are linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tags: dict[str, list[int]] | None = None

    def find(self, marker: re.Match[str]) -> int:
        """Return the end of the text that a marker hides, or -1 if it hides nothing."""
        if marker.lastgroup in _COMMON_ENDS:
            end = _COMMON_ENDS[marker.lastgroup].search(self._text, marker.end())
            return end.end() if end else len(self._text)
        if self._tags is None:
            self._tags = self._index()
        own = _next(self._tags.get(_name(marker), []), marker.end())
        if own < 0 and marker.lastgroup == "tag":
            own = _next(self._tags[""], marker.end())
        return own if own >= 0 or not _hides_rest(marker) else len(self._text)

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
