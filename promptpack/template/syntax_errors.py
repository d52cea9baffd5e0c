"""Explain a syntax error of Jinja: what the author meant, at the tag where it began."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from promptpack.template.foreign_syntax import find_foreign
from promptpack.template.hints import hint_for_tag
from promptpack.template.language import FILTERS, TAGS

_CLOSING: Final = {"{{": "}}", "{%": "%}", "{#": "#}"}
_OPENING: Final = {")": "(", "]": "[", "}": "{"}
_BLOCKS: Final = ("block", "call", "filter", "for", "if", "macro", "raw", "set", "with")
_START: Final = re.compile(r"\{\{|\{%|\{#")
_END: Final = re.compile(r"""\}\}|%\}|\{\{|\{%|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|["']|\}""", re.DOTALL)
_ENDRAW: Final = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
_TRIPLE: Final = re.compile(r"\{\s*([\w.]+)\s*\}\}\}")
_HANDLEBARS: Final = re.compile(r"\{\{\s*([#/^>])\s*(\w*)|\{\{\s*(else)\s*\}\}")
_OPERATORS: Final = {
    "&&": ("and", "'&&' is not an operator"),
    "||": ("or", "'||' is not an operator"),
    "===": ("==", "'===' is not an operator"),
    "!==": ("!=", "'!==' is not an operator"),
    "=": ("==", "'=' does not compare"),
    "!": ("not", "'!' is not an operator"),
    "=<": ("<=", "'=<' is not an operator"),
    "<>": ("!=", "'<>' is not an operator"),
    "AND": ("and", "operators are in lower case"),
    "OR": ("or", "operators are in lower case"),
    "NOT": ("not", "operators are in lower case"),
    "++": ("+ 1", "'++' is not an operator"),
    "?": ("A if B else C", "'?' is not an operator"),
    "$": ("NAME", "'$' is not part of a name"),
}
_WRONG_OPERATOR: Final = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<word>=<|<>|\b(?:AND|OR|NOT)\b(?=\s+[\w(\"'])|&&|\|\||===|!==|\+\+|(?<![=!<>])=(?!=)|!(?!=)|\?|\$(?=\w))"""
)
_NESTED: Final = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_SET: Final = re.compile(r"[-+]?\s*set\s+[\w., ]+?\s*(==)")
# What Jinja writes for a block of Handlebars with another name.
_INSTEAD: Final = {"each": "for ITEM in", "unless": "if not"}
_STATEMENT: Final = re.compile(r"[-+]?\s*(include|import|if|for|set|macro|elif|endif|endfor|else|call)\b(?!\s*[(|.}])")
_NOT: Final = re.compile(r"[\w\])\"']\s+(not)\s+(?!in\b)[\w\[(\"']")
_ARGUMENT_COLON: Final = re.compile(r"[(,]\s*\w+\s*(:)")
_ASSIGNED: Final = re.compile(r"\s*(\w+)\s*=(?!=)")
_IMPORT_FROM: Final = re.compile(r"""[-+]?\s*import\s+([\w, ]+?)\s+from\s+(["'][^"']+["'])""")
_SET_WITHOUT_SIGN: Final = re.compile(r"[-+]?\s*set\s+(\w+)\s+([\w\"'\[(][^|]*?)\s*[-+]?\Z")
_QUOTED: Final = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|["']""")
_SPLIT_TAG: Final = re.compile(r"(?<!\{)\{ +(?:%|\{(?= *\w))")
# Words after which 'not' may follow.
_PRECEDING: Final = re.compile(r"\b(?:is|and|or|if|else|in|not)\s+\Z")
_QUOTES: Final = re.compile(r"[“”‘’]")
# Longer tags and words are not explained: some patterns take quadratic time.
_MAX_TAG: Final = 500


class TemplateMistake(NamedTuple):
    """A syntax error in the author's words; `offset` is its position in the text.

    `{line}` in the message stands for the line of the tag at the offset `opened`.
    """

    code: str
    message: str
    hint: str
    offset: int
    opened: int | None = None


class _Tag(NamedTuple):
    start: int
    kind: str  # "{{" or "{%"
    inner: str

    @property
    def word(self) -> str:
        found = re.match(r"[-+]?\s*(\w+)", self.inner)
        return found[1] if found and self.kind == "{%" else ""

    @property
    def inner_start(self) -> int:
        return self.start + 2


def explain(text: str, failed: int, *, is_expression: bool) -> TemplateMistake | None:
    """Return the mistake that caused a syntax error at or before an offset, or None if it is an unusual one."""
    if is_expression:
        return _explain_expression(text)
    found = list(_scan(text))
    tags = [one for one in found if isinstance(one, _Tag)]
    broken = next((one for one in found if isinstance(one, TemplateMistake)), None)
    quote = next((one for tag in tags if (one := _check_quotes(tag)) is not None), None)
    inner = next((one for tag in tags if (one := _check_tag(tag, failed)) is not None), None)
    return quote or inner or broken or _check_split(text) or _check_blocks(tags)


def _check_split(text: str) -> TemplateMistake | None:
    """Return the first tag whose two characters are separated."""
    found = _SPLIT_TAG.search(text)
    if found is None:
        return None
    wanted = found[0].replace(" ", "")
    return TemplateMistake("PP302", f"{found[0]!r} does not open a tag", f"write {wanted!r}", found.start())


def _check_quotes(tag: _Tag) -> TemplateMistake | None:
    """Return the first quote of a tag that is not closed in it."""
    found = next((one for one in _QUOTED.finditer(tag.inner) if len(one[0]) == 1), None)
    if found is None:
        return None
    hint = f"close it before {_CLOSING[tag.kind]!r}"
    return TemplateMistake("PP302", "a quote is not closed", hint, tag.inner_start + found.start())


def _scan(text: str) -> Iterator[_Tag | TemplateMistake]:
    """Yield the tags of a template, and at last the first one that is not closed."""
    at = 0
    while start := _START.search(text, at):
        kind = start[0]
        if kind == "{#":
            at = text.find("#}", start.end())
            if at < 0:
                yield _unclosed(kind, start.start())
                return
            continue
        end = _find_end(text, start.end(), kind)
        if isinstance(end, TemplateMistake):
            yield end._replace(offset=start.start() if end.offset < 0 else end.offset)
            return
        tag = _Tag(start.start(), kind, text[start.end() : end])
        yield tag
        at = end + 2
        if tag.word == "raw":
            closed = _ENDRAW.search(text, at)
            if closed is None:
                yield TemplateMistake("PP302", "'{% raw %}' is not closed", "close it with '{% endraw %}'", tag.start)
                return
            at = closed.end()


def _find_end(text: str, at: int, kind: str) -> int | TemplateMistake:
    """Return the offset of the end of a tag; a problem with a negative offset belongs to its start."""
    if kind == "{{" and (triple := _TRIPLE.match(text, at)):
        hint = f"write '{{{{ {triple[1]} }}}}', or add 'syntax: handlebars' to the pack"
        return TemplateMistake("PP302", "'{{{' is Handlebars, not Jinja", hint, at - 2)
    depth = 0
    quote = -1
    wanted = _CLOSING[kind]
    for found in _END.finditer(text, at):
        word = found[0]
        depth += text.count("{", at, found.start()) - text.count("}", at, found.start())
        at = found.end()
        if word == wanted and depth <= 0:
            return found.start()
        if word in ("{{", "{%") and not (word == "{{" and kind == "{%"):
            break
        if word == "{{" and (inner := _NESTED.match(text, found.start())):
            message = f"{word!r} is not needed inside {kind!r}"
            return TemplateMistake("PP302", message, f"write it without braces: {inner[1]}", found.start())
        # A text that continues after the end of its tag, to a quote of another line, is not closed.
        if word[0] in "\"'" and wanted in word.partition("\n")[0] and "\n" in word:
            hint = f"close it before {wanted!r}"
            return TemplateMistake("PP302", "a quote is not closed", hint, found.start())
        if word in ('"', "'") and quote < 0:
            quote = found.start()
        elif word == "}" and depth <= 0:
            message = f"'}}' instead of {wanted!r}"
            return TemplateMistake("PP302", message, f"close {kind!r} with {wanted!r}", found.start())
        elif word in ("}}", "%}") and word != wanted:
            message = f"{word!r} does not close {kind!r}"
            return TemplateMistake("PP302", message, f"write {wanted!r}", found.start())
        depth += word.count("{") - word.count("}") if word[0] in "{}" else 0
    if quote >= 0:
        return TemplateMistake("PP302", "a quote is not closed", f"close it before {wanted!r}", quote)
    return _unclosed(kind, -1)


def _unclosed(kind: str, offset: int) -> TemplateMistake:
    return TemplateMistake("PP302", f"{kind!r} is not closed", f"close it with {_CLOSING[kind]!r}", offset)


def _check_tag(tag: _Tag, failed: int) -> TemplateMistake | None:
    handlebars = _HANDLEBARS.match(tag.kind + tag.inner) if tag.kind == "{{" else None
    if handlebars:
        shown = handlebars[0].replace(" ", "")
        word = handlebars[2] or handlebars[3] or "..."
        instead = f'include "{word}"' if handlebars[1] == ">" else f"{_INSTEAD.get(word, word)} ..."
        hint = f"write '{{% {instead} %}}', or add 'syntax: handlebars' to the pack"
        return TemplateMistake("PP302", f"{shown!r} is Handlebars, not Jinja", hint, tag.start)
    statement = _STATEMENT.match(tag.inner) if tag.kind == "{{" else None
    if statement and tag.inner_start <= failed <= tag.inner_start + len(tag.inner) + 2:
        message = f"{statement[1]!r} is a tag, not a value"
        return TemplateMistake("PP302", message, f"write '{{% {tag.inner.strip()} %}}'", tag.start)
    if tag.inner_start <= failed <= tag.inner_start + len(tag.inner) + 2:
        foreign = find_foreign(tag.inner)
        if foreign is not None:
            return TemplateMistake("PP302", foreign.message, foreign.hint, tag.inner_start + foreign.offset)
        return _check_inner(tag)
    return None


def _check_inner(tag: _Tag) -> TemplateMistake | None:
    """Check the expression of the tag in which Jinja stopped."""
    skipped = len(tag.word) + tag.inner.find(tag.word) if tag.word else 0
    if tag.word == "else" and tag.inner[skipped:].strip(" -+\n").startswith("if"):
        return TemplateMistake(
            "PP307", "'else if' is not a tag", "write 'elif'", tag.start + 2 + tag.inner.find("else")
        )
    if assigned := _SET.match(tag.inner):
        return TemplateMistake("PP302", "'==' does not assign", "write '='", tag.inner_start + assigned.start(1))
    if tag.word and tag.word not in TAGS and (assigned := _ASSIGNED.match(tag.inner)):
        hint = f"write '{{% set {tag.inner.strip()} %}}'"
        return TemplateMistake("PP307", f"unknown tag {tag.word!r}", hint, tag.inner_start + assigned.start(1))
    if tag.word in ("assign", "const", "let", "var") and "=" in tag.inner:
        place = tag.inner_start + tag.inner.index(tag.word)
        return TemplateMistake(
            "PP307",
            f"unknown tag {tag.word!r}",
            f"write '{{% set {tag.inner.split(tag.word, 1)[1].strip()} %}}'",
            place,
        )
    if len(tag.inner) <= _MAX_TAG and (swapped := _IMPORT_FROM.match(tag.inner)):
        hint = f"write '{{% from {swapped[2]} import {swapped[1]} %}}'"
        return TemplateMistake("PP302", "'from' comes before 'import'", hint, tag.start)
    if tag.word in ("macro", "call") and (colon := _ARGUMENT_COLON.search(tag.inner)):
        message = "':' does not give a default"
        return TemplateMistake("PP302", message, "write '='", tag.inner_start + colon.start(1))
    if tag.word == "set" and "=" in tag.inner:
        skipped = tag.inner.index("=") + 1
    elif tag.word in ("macro", "call", "include", "import", "from"):
        return _check_brackets(tag.inner[skipped:], tag.inner_start + skipped)
    return _explain_expression(tag.inner[skipped:], tag.inner_start + skipped)


def _explain_expression(text: str, start: int = 0) -> TemplateMistake | None:
    bare = text.strip()
    if bare.startswith(("{{", "{%")):
        hint = f"write it without braces: {bare.strip('{}% ')}"
        return TemplateMistake("PP302", "this is already an expression", hint, start + text.index(bare))
    if condition := re.match(r"\s*(if)\s+\w", text):
        hint = f"write it without 'if': {bare[2:].strip()}"
        return TemplateMistake("PP302", "'if' is not needed here", hint, start + condition.start(1))
    curly = _QUOTES.search(text)
    if curly:
        hint = "write \" or '"
        return TemplateMistake("PP302", f"{curly[0]!r} is not a quote of templates", hint, start + curly.start())
    brackets = _check_brackets(text, start)
    if brackets is not None:
        return brackets
    negated = _NOT.search(text)
    if negated and not _PRECEDING.search(text[: negated.start(1)]):
        return TemplateMistake(
            "PP302", "'not' cannot follow a value", "write 'not in' or '!='", start + negated.start(1)
        )
    return _check_operators(text, start)


def _check_operators(text: str, start: int) -> TemplateMistake | None:
    depth = 0
    last = 0
    for found in _WRONG_OPERATOR.finditer(text):
        depth += text.count("(", last, found.start()) - text.count(")", last, found.start())
        last = found.end()
        word = found["word"]
        # Inside parentheses, '=' passes an argument by name.
        if word and not (word == "=" and depth > 0):
            instead, message = _OPERATORS[word]
            if word == "||" and (name := re.match(r"\s*(\w+)", text[found.end() :])) and name[1] in FILTERS:
                instead = f"| {name[1]}"
            return TemplateMistake("PP302", message, f"write '{instead}'", start + found.start())
    return None


def _check_brackets(text: str, start: int) -> TemplateMistake | None:
    """Return the first bracket or quote of an expression that is not closed, or closes nothing."""
    opened: list[int] = []
    for found in re.finditer(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[()\[\]{}"']""", text):
        word = found[0]
        if word in ('"', "'"):
            return TemplateMistake("PP302", "a quote is not closed", f"close it with {word}", start + found.start())
        if word in "([{":
            opened.append(found.start())
        elif word in _OPENING:
            if not opened or text[opened[-1]] != _OPENING[word]:
                message = f"{word!r} closes nothing"
                return TemplateMistake(
                    "PP302", message, f"remove it, or open it with {_OPENING[word]!r}", start + found.start()
                )
            opened.pop()
    if not opened:
        return None
    word = text[opened[-1]]
    closing = next(end for end, begin in _OPENING.items() if begin == word)
    return TemplateMistake("PP302", f"{word!r} is not closed", f"close it with {closing!r}", start + opened[-1])


def _check_blocks(tags: list[_Tag]) -> TemplateMistake | None:
    """Return the first tag that does not fit the blocks around it."""
    opened: list[_Tag] = []
    with_else: set[int] = set()
    for tag in tags:
        word = tag.word
        place = tag.start + 2 + tag.inner.find(word)
        if word == "end" or (word.startswith("end") and word not in TAGS):
            return _unknown_end(tag, opened, place)
        if word and word not in TAGS:
            return TemplateMistake("PP307", f"unknown tag {word!r}", hint_for_tag(word), place)
        if word.startswith("end"):
            if not opened or opened[-1].word != word[3:]:
                return _unclosed_inside(tag, tags, opened) or _wrong_end(word, opened, place)
            opened.pop()
        elif word in ("else", "elif"):
            if not opened or opened[-1].word not in ("if", "for"):
                return _misplaced_else(word, opened, place)
            if opened[-1].start in with_else:
                return TemplateMistake(
                    "PP307", f"{word!r} follows an 'else' of the same block", "remove one of them", place
                )
            with_else.update([opened[-1].start] if word == "else" else [])
        elif _opens(tag):
            opened.append(tag)
    if not opened:
        return None
    last = opened[-1]
    if len(last.inner) <= _MAX_TAG and (assigned := _SET_WITHOUT_SIGN.match(last.inner)):
        hint = f"write '{{% set {assigned[1]} = {assigned[2]} %}}'"
        return TemplateMistake(
            "PP302", f"'=' is missing after {assigned[1]!r}", hint, last.inner_start + assigned.end(1)
        )
    message = f"'{{% {last.word} %}}' is not closed"
    return TemplateMistake("PP302", message, f"close it with '{{% end{last.word} %}}'", last.start)


def _opens(tag: _Tag) -> bool:
    if tag.word == "set":
        return "=" not in tag.inner
    return tag.word in _BLOCKS and tag.word != "raw"


def _unknown_end(tag: _Tag, opened: list[_Tag], place: int) -> TemplateMistake:
    shown = tag.inner.strip(" -+\n")
    hint = f"close {opened[-1].word!r} with 'end{opened[-1].word}'" if opened else "no block is open here"
    return TemplateMistake("PP307", f"unknown tag {shown!r}", hint, place)


def _unclosed_inside(end: _Tag, tags: list[_Tag], opened: list[_Tag]) -> TemplateMistake | None:
    """Return the innermost block if an end tag closes a block around it; None if two end tags are only swapped."""
    if not any(one.word == end.word[3:] for one in opened):
        return None
    last = opened[-1]
    following = next((one.word for one in tags if one.start > end.start and one.word.startswith("end")), "")
    if following == f"end{last.word}":
        return None
    hint = f"close it with '{{% end{last.word} %}}' before '{end.word}'"
    return TemplateMistake("PP302", f"'{{% {last.word} %}}' is not closed", hint, last.start)


def _wrong_end(word: str, opened: list[_Tag], place: int) -> TemplateMistake:
    if not opened:
        message, hint = (
            f"{word!r} closes {word[3:]!r}, but no block is open",
            f"remove it, or open {word[3:]!r} before it",
        )
        return TemplateMistake("PP307", message, hint, place)
    last = opened[-1]
    message = f"{word!r} closes {word[3:]!r}, but the open tag is {last.word!r} in line {{line}}"
    return TemplateMistake("PP307", message, f"write 'end{last.word}'", place, last.start)


def _misplaced_else(word: str, opened: list[_Tag], place: int) -> TemplateMistake:
    where = f"inside {opened[-1].word!r}" if opened else "outside a block"
    hint = f"close {opened[-1].word!r} first with 'end{opened[-1].word}'" if opened else "open an 'if' before it"
    return TemplateMistake("PP307", f"{word!r} {where}", hint, place)
