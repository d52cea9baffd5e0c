"""Find `# promptpack: ignore=PL004` comments, which silence problems on a line or in a block, and track their use."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, astuple, dataclass, replace
from itertools import islice
from typing import Any

from promptpack.document import Document
from promptpack.document.edits import Edit
from promptpack.document.line_index import LineIndex
from promptpack.problem import Location

_COMMENT = re.compile(r"(\{)?#[-+]?[ \t]*promptpack:[ \t]*ignore[ \t]*=[ \t]*([\w-]+(?:[ \t]*,[ \t]*[\w-]+){0,99})")
# A comment that looks like an ignore, but is not valid: a misspelled word, or the syntax of another tool.
_MISTAKE = re.compile(
    r"(\{)?#[-+]?[ \t]*"
    r"(prompt[-_ ]?pack[ \t]*:[^\n#]*|(?:prompt[-_ ]?pack|ignore|disable|noqa)\b[^\n#]*?\bPL\d{3})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w-]+")
_INDENT = re.compile(r"[ \t]*")
# Ignores of a file, and the characters in which a Jinja comment must end.
_MAX_IGNORES = 1_000
_MAX_COMMENT = 10_000
_JINJA_END = "#}"
_UNUSED_IGNORE = "PL020"
_HINT_FOR_MISTAKE = "write 'promptpack: ignore="

IgnoreScope = tuple[str, str, range]
"""A code, the path of a file, and the lines where problems with the code are ignored."""
IgnoreSource = tuple[str, str, Document | None]
"""A text, its path, and its `Document` if it is YAML."""


@dataclass(frozen=True, slots=True)
class Ignore:
    """A code that is ignored on some lines, and the edit that removes it, if that is safe."""

    code: str
    location: Location
    lines: range
    removal: Edit | None = None
    hint: str = ""
    """How to correct it, when no such rule exists."""

    @property
    def is_mistake(self) -> bool:
        """Whether it is a comment that only looks like an ignore."""
        return self.hint.startswith(_HINT_FOR_MISTAKE)

    @property
    def scope(self) -> IgnoreScope:
        """The code, the file and the lines that it silences."""
        return self.code, self.location.path, self.lines


class _Text:
    """A text with its lines."""

    def __init__(self, text: str, path: str, document: Document | None) -> None:
        self.text, self.path, self.document = text, path, document
        self._lines = LineIndex(text)
        self._indents: dict[int, int] = {}

    def line(self, offset: int) -> int:
        return self._lines.locate(offset)[0]

    def line_end(self, offset: int) -> int:
        return self._lines.end(self.line(offset))

    def locate(self, offset: int) -> Location:
        return Location(self.path, *self._lines.locate(offset))._with_word(self.text, offset)

    def indent(self, offset: int) -> str | None:
        """Return the white space at the start of the line if nothing else is before an offset; otherwise None."""
        start = self._lines.find(self.line(offset), 1)
        if start not in self._indents:
            self._indents[start] = _INDENT.match(self.text, start).end()  # type: ignore[union-attr]  # always matches
        return self.text[start:offset] if self._indents[start] >= offset else None


@dataclass(frozen=True, slots=True)
class _Comment:
    """The lines that a comment applies to, and the edit that removes the whole comment."""

    lines: range
    removal: Edit | None


def find_ignores(text: str, path: str, document: Document | None = None) -> Iterator[Ignore]:
    """Iterate over the ignores in the Jinja comments of a text and, if it is a document, in its YAML comments."""
    return islice(_find_ignores(_Text(text, path, document)), _MAX_IGNORES) if "#" in text else iter(())


def _find_ignores(text: _Text) -> Iterator[Ignore]:
    for found in _COMMENT.finditer(text.text):
        comment = _read_comment(text, found)
        if comment is not None:
            yield from _split_codes(found, text, comment)
    for found in _MISTAKE.finditer(text.text):
        comment = None if _COMMENT.match(text.text, found.start()) else _read_comment(text, found)
        if comment is not None:
            yield from _read_mistake(found, text, comment)


def _read_mistake(found: re.Match[str], text: _Text, comment: _Comment) -> Iterator[Ignore]:
    """Yield the rules that a comment seems to name: they are ignored, so that only the comment is reported."""
    location = text.locate(found.start())
    codes = re.findall(r"PL\d{3}", found[2]) or _WORD.findall(found[2].partition("=")[2])
    hint = f"{_HINT_FOR_MISTAKE}{','.join(codes) or 'PL001'}'"
    return (Ignore(code, location, comment.lines, None, hint) for code in codes or [""])


def _read_comment(text: _Text, found: re.Match[str]) -> _Comment | None:
    """Return the comment that was found, or None if it is part of a text."""
    document = text.document
    has_tags = document is None or document.data.get("syntax") != "handlebars"
    comment = _jinja_comment(text, found) if found[1] and has_tags else None
    if comment is None and document is not None and document.is_comment(found.start()):
        return _yaml_comment(text, found.start(), document)
    return comment


def _split_codes(found: re.Match[str], text: _Text, comment: _Comment) -> Iterator[Ignore]:
    words = list(_WORD.finditer(text.text, found.start(2), found.end(2)))
    for index, word in enumerate(words):
        # Removing a code also removes the comma that separates it from the next or previous one.
        first, last = index == 0, index == len(words) - 1
        start = word.start() if first else words[index - 1].end()
        end = words[index + 1].start() if first and not last else word.end()
        start_of = text.locate(word.start())
        location = replace(start_of, end_line=start_of.line, end_column=start_of.column + len(word[0]))
        yield Ignore(word[0], location, comment.lines, comment.removal if first and last else Edit(start, end))


def _yaml_comment(text: _Text, start: int, document: Document) -> _Comment:
    """Parse a YAML comment, which applies to its line, or to the next if alone, and to the block that starts there."""
    before, line, end = text.indent(start), text.line(start), text.line_end(start)
    if before is not None:
        return _Comment(document.block_lines(line + 1), Edit(start - len(before), min(end + 1, len(text.text))))
    while text.text[start - 1] in " \t":
        start -= 1
    return _Comment(document.block_lines(line), Edit(start, end))


def _jinja_comment(place: _Text, found: re.Match[str]) -> _Comment | None:
    """Parse a Jinja comment, which applies to its line, or to the next if alone; its own line then renders nothing."""
    text, start, line = place.text, found.start(), place.line(found.start())
    before, line_end = place.indent(start), place.line_end(start)
    end = text.find(_JINJA_END, found.end(), min(line_end, found.end() + _MAX_COMMENT))
    if end < 0:
        return None
    end += len(_JINJA_END)
    lines = range(line + 1, line + 2) if before is not None and end == line_end else range(line, line + 1)
    if text[start + 2] in "+-" or text[end - 3] in "+-":
        return _Comment(lines, None)
    if before is not None and end == line_end:
        # Removing the line may change the indentation of the block, or the line ending of the text above.
        after = line_end + 1 + len(before)
        is_safe = text.startswith(before, line_end + 1) and not text[after : after + 1].isspace() and after < len(text)
        return _Comment(lines, Edit(start - len(before), line_end + 1) if is_safe else None)
    indent = place.document.block_indent(line) if place.document else 0
    # Rendering may strip white space or an escaped line ending next to the comment.
    if indent is None:
        is_safe = end < line_end and not text[start - 1].isspace() and text[end] != "\\"
    else:
        is_safe = end < line_end and (before is None or (len(before) == indent and not text[end].isspace()))
    return _Comment(lines, Edit(start, end) if is_safe else None)


class IgnoreIndex:
    """The ignores of some texts, by code and place."""

    def __init__(self, texts: Iterable[IgnoreSource]) -> None:
        self.all: tuple[Ignore, ...] = tuple(ignore for text in texts for ignore in find_ignores(*text))
        self._scopes: dict[str, dict[tuple[str, int], list[IgnoreScope]]] = {}

    def find(self, location: Location, names: Iterable[str]) -> list[IgnoreScope]:
        """Return the scopes of the ignores of some codes at a place."""
        place = location.path, location.line
        return [scope for name in names for scope in self._find(name).get(place, ())] if self.all else []

    def _find(self, name: str) -> dict[tuple[str, int], list[IgnoreScope]]:
        """Return the scopes of the ignores of a code, by file and line."""
        if name not in self._scopes:
            by_line = self._scopes[name] = {}
            for scope in dict.fromkeys(ignore.scope for ignore in self.all if ignore.code == name):
                for line in scope[2]:
                    by_line.setdefault((scope[1], line), []).append(scope)
        return self._scopes[name]


class IgnoreTracker:
    """The ignores of some texts, and those that have silenced a problem."""

    def __init__(self, texts: Iterable[IgnoreSource], shared: IgnoreIndex | None = None) -> None:
        """Take texts, and the ignores of others, whose use is tracked too."""
        self._own = IgnoreIndex(texts)
        self._indexes = (self._own, shared) if shared else (self._own,)
        self.used: set[IgnoreScope] = set()

    @property
    def own(self) -> tuple[Ignore, ...]:
        """The ignores of the texts."""
        return self._own.all

    def silence(self, location: Location | None, *names: str) -> bool:
        """Return whether a problem is ignored at its location; `names` are its code and the name of its rule."""
        if location is None:
            return False
        found = [scope for index in self._indexes for scope in index.find(location, names)]
        self.used.update(found)
        return bool(found)

    def unused(self, checked: Collection[str], others: Collection[str] = ()) -> Iterator[Ignore]:
        """Iterate over ignores without a matching rule, and ignores of a checked rule that silenced nothing.

        `others` are codes that are not rules: they can be ignored too, and are always checked.
        """
        return _find_unused(self.own, self.used, checked, others)


class SharedIgnores:
    """The ignores of files that packs share; an ignore is unused when it silences nothing in any pack."""

    def __init__(
        self, found: Iterable[Ignore] = (), used: Iterable[IgnoreScope] = (), *, has_gaps: bool = False
    ) -> None:
        self.all: tuple[Ignore, ...] = tuple(dict.fromkeys(found))
        self.used: frozenset[IgnoreScope] = frozenset(used)
        self.has_gaps = has_gaps
        """Whether a pack could not be checked, so that its use of the ignores is unknown."""

    def to_data(self) -> list[Any]:
        """Convert the ignores, and the scopes of those that were used, to plain data."""
        used = [[code, path, [lines.start, lines.stop]] for code, path, lines in self.used]
        return [[_dump_ignore(ignore) for ignore in self.all], sorted(used)]

    @classmethod
    def from_data(cls, data: list[Any]) -> "SharedIgnores":
        """Restore ignores from plain data."""
        found, used = data
        scopes = ((code, path, range(*lines)) for code, path, lines in used)
        return cls((_load_ignore(*fields) for fields in found), scopes)

    @classmethod
    def join(cls, several: Iterable["SharedIgnores"]) -> "SharedIgnores":
        """Merge the ignores of several packs."""
        listed = list(several)
        return cls(
            (ignore for one in listed for ignore in one.all),
            (scope for one in listed for scope in one.used),
            has_gaps=any(one.has_gaps for one in listed),
        )

    def unused(self, checked: Collection[str]) -> Iterator[Ignore]:
        """Iterate over the ignores that silenced nothing in any pack."""
        return iter(()) if self.has_gaps else _find_unused(self.all, self.used, checked, ())


def _dump_ignore(ignore: Ignore) -> list[Any]:
    removal = astuple(ignore.removal) if ignore.removal else None
    return [ignore.code, asdict(ignore.location), [ignore.lines.start, ignore.lines.stop], removal, ignore.hint]


def _load_ignore(code: str, location: dict[str, Any], lines: list[int], removal: list[Any] | None, hint: str) -> Ignore:
    return Ignore(code, Location(**location), range(*lines), Edit(*removal) if removal else None, hint)


def _find_unused(
    ignores: Iterable[Ignore], used: Collection[IgnoreScope], checked: Collection[str], others: Collection[str]
) -> Iterator[Ignore]:
    from promptpack.linter.catalogue import find_rules

    for ignore in ignores:
        if ignore.hint:
            yield ignore
            continue
        codes = [rule.CODE for rule in find_rules(ignore.code) if ignore.code in (rule.CODE, rule.NAME)]
        if not codes and ignore.code not in others:
            yield replace(ignore, hint=_hint(ignore.code))
        elif ignore.scope not in used and (not codes or codes[0] in checked) and codes != [_UNUSED_IGNORE]:
            yield ignore


def _hint(code: str) -> str:
    if code.startswith("PP"):
        return "errors of the pack itself cannot be ignored; fix the pack"
    from promptpack.linter.catalogue import suggest_rule

    return suggest_rule(code)
