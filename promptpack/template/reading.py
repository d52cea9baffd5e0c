"""Everyday templates read without Jinja: the names they take from outside, what they include, and their script.

Reading never decides what is wrong. Whatever is not certain to be fine, and to mean to Jinja what it means here, is
left to Jinja: then there is no reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Final

from promptpack.template.expressions import ExpressionReader
from promptpack.template.script import UnusualError
from promptpack.template.vocabulary import PRINTED_BY

if TYPE_CHECKING:
    from promptpack.template.script import Script

_BEGIN: Final = re.compile(r"\{([{%#])([-+]?)")
_COMMENT_END: Final = re.compile(r"([-+]?)#\}")
_SPACE: Final = re.compile(r"\s*")
# What a template may be made of, at most, for code to be certain to come of it.
_DEEPEST: Final = 16
_LONGEST_KEPT: Final = 20_000
_VALUE_ENDS: Final = ("}}", "-}}")
_TAG_ENDS: Final = ("%}", "-%}", "+%}")


@dataclass(frozen=True)
class Reading:
    """What a template says: its script, the names it uses, and each partial it includes, with the names set by then."""

    script: Script
    names: frozenset[str]
    includes: tuple[tuple[str, frozenset[str]], ...]
    size: int
    """In Jinja's tokens."""


def _kept(read: Callable[[str], Reading | None]) -> Callable[[str], Reading | None]:
    """Keep what is read of texts that packs may share; of long ones, too many would fill the memory."""
    kept = lru_cache(maxsize=1024)(read)

    @wraps(read)
    def read_or_recall(text: str) -> Reading | None:
        return kept(text) if len(text) <= _LONGEST_KEPT else read(text)

    return read_or_recall


@_kept
def read_template(text: str) -> Reading | None:
    """Read a template; None where it says anything unusual."""
    try:
        reader = _TemplateReader(text)
        script, _ = reader.body(set(), ())
        return _certain(script, reader)
    except (UnusualError, RecursionError):
        return None


@_kept
def read_expression(text: str) -> Reading | None:
    """Read an expression; its script is a value. None where it says anything unusual."""
    try:
        reader = _TemplateReader(text)
        return _certain(reader.whole(set()), reader)
    except (UnusualError, RecursionError):
        return None


def _certain(script: Script, reader: _TemplateReader) -> Reading:
    level: list[Any] = [script]
    for _ in range(_DEEPEST):
        level = [item for items in level for item in items if type(item) is list]
    # Jinja makes one line end of each kind there is.
    if level or "\r" in reader.text or not _is_whole(reader.text):
        raise UnusualError
    return Reading(script, frozenset(reader.names), tuple(reader.includes), reader.size)


def _is_whole(text: str) -> bool:
    """Say whether a text has no halves of surrogate pairs."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in set(text))


class _TemplateReader(ExpressionReader):
    """Reads text, values and the tags `if`, `for`, `set` and `include`, with Jinja's rules for white space."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.includes: list[tuple[str, frozenset[str]]] = []
        self._at_line_start = True

    def body(self, scope: set[str], ends: tuple[str, ...]) -> tuple[Script, str]:
        """Read up to one of the tags that may end here, and give its name; without any, up to the end of the text."""
        steps: Script = []
        while (begin := _BEGIN.search(self.text, self.at)) is not None:
            kind, sign = begin.groups()
            written = self._stripped(self.text[self.at : begin.start()], sign, lines=kind != "{")
            steps += [written] if written else []
            self.at = begin.end()
            if kind == "#":
                self._skip_comment()
                continue
            self.take_tokens(*(_VALUE_ENDS if kind == "{" else _TAG_ENDS))
            if kind == "{":
                steps.append(["put", self._printed(scope)])
                self._end(trims=False)
                continue
            tag = self.word()
            if tag in ends:
                return steps, tag
            steps += self._tag(tag, scope)
        if ends:
            raise UnusualError
        rest, self.at = self.text[self.at :], len(self.text)
        return [*steps, rest] if rest else steps, ""

    def _stripped(self, text: str, sign: str, *, lines: bool) -> str:
        if sign == "-":
            return text.rstrip()
        start = text.rfind("\n") + 1
        if lines and not sign and (start or self._at_line_start) and text[start:].isspace():
            return text[:start]
        return text

    def _skip_comment(self) -> None:
        end = _COMMENT_END.search(self.text, self.at)
        if end is None:
            raise UnusualError
        self.at = end.end()
        self.size += 3
        self._trim(end[1])

    def _printed(self, scope: set[str]) -> Script:
        value = self.expression(scope)
        if value[0] == "name" and value[1] in PRINTED_BY:
            return ["filter", value, PRINTED_BY[value[1]], [], []]
        return value

    def _end(self, *, trims: bool = True) -> str:
        """Leave a tag, with the white space after it that goes; gives the sign before its end."""
        self.expect_end()
        if trims or self.end_sign == "-":
            self._trim(self.end_sign)
        else:
            self._at_line_start = False
        return self.end_sign

    def _trim(self, sign: str) -> None:
        start = self.at
        space = _SPACE.match(self.text, start) if sign == "-" else None
        if space:
            self.at = space.end()
        elif not sign and self.text.startswith("\n", start):
            self.at += 1
        self._at_line_start = self.at > start and self.text[self.at - 1] == "\n"

    def _tag(self, tag: str, scope: set[str]) -> Script:
        if tag == "if":
            return self._if(scope)
        if tag == "for":
            return [self._for(scope)]
        if tag == "set":
            name = self.target()
            self.expect("=")
            value = self.expression(scope)
            self._end()
            scope.add(name)
            return [["set", name, value]]
        if tag == "include":
            name = self.literal()
            before = self.at
            sign = self._end()
            self.includes.append((name, frozenset(scope)))
            # The line break that Jinja takes away after a tag ends the line that was included.
            return [["include", name], "\n"] if not sign and self.at > before else [["include", name]]
        raise UnusualError

    def _if(self, scope: set[str]) -> Script:
        # A name set in any branch counts as set afterwards, as it does where names are looked for.
        inside, others, last = set(scope), set(scope), set(scope)
        branches = [self._branch(scope, inside)]
        while branches[-1][2] == "elif":
            within = set(others)
            branches.append(self._branch(others, within))
            others |= within
        otherwise: Script = []
        if branches[-1][2] == "else":
            self._end()
            otherwise, _ = self.body(last, ("endif",))
        self._end()
        scope |= inside | others | last
        for test, steps, _ in reversed(branches):
            otherwise = [["if", test, steps, otherwise]]
        return otherwise

    def _branch(self, scope: set[str], inside: set[str]) -> tuple[Script, Script, str]:
        test = self.disjunction(scope)
        self._end()
        return test, *self.body(inside, ("elif", "else", "endif"))

    def _for(self, scope: set[str]) -> Script:
        targets = [self.target()]
        while self.skip(","):
            targets.append(self.target())
        self.expect("in")
        values = self.disjunction(scope)
        inside = {*scope, *targets}
        test = self.disjunction(set(inside)) if self.skip("if") else None
        self._end()
        body, end = self.body(inside | {"loop"}, ("else", "endfor"))
        otherwise: Script = []
        if end == "else":
            self._end()
            otherwise, _ = self.body(set(scope), ("endfor",))
        self._end()
        return ["for", targets, values, test, body, otherwise]
