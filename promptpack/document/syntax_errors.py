"""Explain a YAML syntax error: find the line where it began, and the correction that removes it.

A correction is only suggested if it works: with it, the text parses at least some lines further than without it.
"""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import yaml

# How many lines before the error may have caused it, how many after it must parse, how long a line may be, and how
# much text all tries together may parse.
_MAX_LINES: Final = 60
_LOOKAHEAD: Final = 40
_MAX_LENGTH: Final = 2_000
_MAX_PARSED: Final = 400_000
_KEY: Final = re.compile(
    r"""(?P<start>\s*(?:- +)*)(?P<key>"[^"]*"|'[^']*'|[^\s"'#:\[\]{},&*!|>%@`-][^\s:#]*)"""
    r"(?P<colon>:)(?P<space> *)(?P<value>.*)"
)
_CONFLICT: Final = re.compile(r"<{7} |={7}$|>{7} ")
_WIDE: Final = {
    "：": ":",
    "，": ",",
    "［": "[",
    "］": "]",
    "｛": "{",
    "｝": "}",
    "“": '"',
    "”": '"',
    "＃": "#",
    "－": "-",
}
_SPACES: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_RESERVED: Final = {
    "@": "'@'",
    "`": "a backtick",
    "%": "'%'",
    "*": "'*'",
    "&": "'&'",
    "!": "'!'",
    "|": "'|'",
    ">": "'>'",
    "-": "'-'",
    "?": "'?'",
}
_CLOSING: Final = {"[": "]", "{": "}"}
# libyaml's words, and ours.
_WORDS: Final = {
    "could not find expected ':'": "a key has no ':', or a line is indented too little",
    "did not find expected key": "a line is not indented like its neighbours, or a quote or bracket is not closed",
    "did not find expected '-' indicator": "a list item has no '-', or is not indented like its neighbours",
    "mapping values are not allowed in this context": "a ':' is not allowed here",
    "mapping keys are not allowed in this context": "a '?' is not allowed here",
    "block sequence entries are not allowed in this context": "a '-' is not allowed here",
    "found character that cannot start any token": "a value cannot start with this character",
    "did not find expected ',' or ']'": "a '[' has no ']'",
    "did not find expected ',' or '}'": "a '{' has no '}'",
    "found unexpected end of stream": "a quote or bracket is not closed",
    "found unexpected document indicator": "a quote is not closed before '---' or '...'",
    "found unknown escape character": "an unknown escape follows '\\'",
    "did not find expected hexdecimal number": "an escape after '\\' has a wrong number",
    "did not find expected <document start>": "a line is indented too little, or text follows the last value",
    "did not find expected node content": "a value is missing",
    "did not find expected comment or line break": "text is not allowed here",
    "did not find expected whitespace or line break": "a space is missing",
    "found undefined tag handle": "a '!' starts a tag; quote the value",
}


# A member of a mapping in brackets, with a plain value or one with an escape in double quotes.
_MEMBER = re.compile(r"[\w$.-]+: +(?P<value>\"[^\"\n]*\\[^\"\n]*\"|[^\s,{}\[\]\"'][^,{}\[\]\"'\n]*)")
_OPEN_QUOTE = re.compile(r"(?P<before>.*: +)(?P<text>\"[^\"]*?)(?P<closers>[}\]]+)\s*")
_MISSING_COMMA = re.compile(r" (?=[\w$.-]+: )")


class YamlMistake(NamedTuple):
    """A syntax error in the author's words; lines and columns count from 0."""

    message: str
    hint: str
    line: int
    column: int


class _Fix(NamedTuple):
    """A corrected line; `hint` replaces it in the message, and `place` its position."""

    message: str
    line: int
    column: int
    corrected: str
    hint: str = ""
    place: tuple[int, int] | None = None


def explain(text: str, error: "yaml.MarkedYAMLError") -> YamlMistake:
    """Return what is wrong, where it began, and the corrected line."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = text.split("\n")
    conflict = next((at for at, one in enumerate(lines) if _CONFLICT.match(one)), None)
    if conflict is not None:
        return YamlMistake(
            "unresolved merge conflict", "keep one of the two versions, and remove the marks", conflict, 0
        )
    fix = _find_fix(lines, error, min(line, len(lines) - 1))
    if fix is not None:
        return YamlMistake(fix.message, fix.hint or f"write: {fix.corrected.strip()}", *(fix.place or fix[1:3]))
    opened = error.context_mark
    if opened is not None and error.context and ("flow" in error.context or "quoted" in error.context):
        line, column = opened.line, opened.column
    problem = str(error.problem or error.context)
    reason = _WORDS.get(problem, "this is not allowed here")
    return YamlMistake(f"cannot be read as YAML: {reason}", "", line, column)


def _find_fix(lines: list[str], error: "yaml.MarkedYAMLError", failed: int) -> _Fix | None:
    """Return the first correction that works, nearest to the error; it must not move the error to a nearby line."""
    opened = min(error.context_mark.line, failed) if error.context_mark else failed
    rows = dict.fromkeys((*range(failed, max(-1, failed - _MAX_LINES), -1), opened))
    lines = lines[: failed + _LOOKAHEAD]
    tries = max(1, _MAX_PARSED // (sum(map(len, lines)) + 1))
    for propose in _PROPOSALS:
        for at in rows:
            for fix in propose(lines, at) if len(lines[at]) <= _MAX_LENGTH else ():
                if not tries:
                    return None
                tries -= 1
                if _helps(lines, fix, failed):
                    return fix
    return None


def _helps(lines: list[str], fix: _Fix, failed: int) -> bool:
    found = _find_error([*lines[: fix.line], fix.corrected, *lines[fix.line + 1 :]])
    return found is None or failed + 1 < found < len(lines) - 1


def _find_error(lines: list[str]) -> int | None:
    """Return the line of the first syntax error, or None."""
    import yaml
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out

    parser = CParser("\n".join(lines).encode(errors="surrogatepass"))
    try:
        while parser.get_event() is not None:
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return mark.line if mark else 0
    except yaml.reader.ReaderError:
        return 0
    return None


def _tab(lines: list[str], at: int) -> Iterator[_Fix]:
    line = lines[at]
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        for width in (2, 4, 8):
            yield _Fix(
                "a tab indents this line", at, indent.index("\t"), line.replace("\t", " " * width, indent.count("\t"))
            )
    elif "\t" in line:
        yield _Fix("a tab separates these words", at, line.index("\t"), line.replace("\t", " "))


def _foreign_characters(lines: list[str], at: int) -> Iterator[_Fix]:
    line = lines[at]
    space = _SPACES.search(line)
    if space:
        name = "a non-breaking space" if space[0] == "\u00a0" else f"a special space (U+{ord(space[0]):04X})"
        yield _Fix(f"{name} instead of a plain one", at, space.start(), _SPACES.sub(" ", line))
    for column, character in enumerate(line):
        if character in _WIDE:
            plain = "".join(_WIDE.get(one, one) for one in line).replace(":", ": ").replace(":  ", ": ")
            yield _Fix(f"{character!r} instead of {_WIDE[character]!r}", at, column, plain)
            return


def _colon_without_space(lines: list[str], at: int) -> Iterator[_Fix]:
    found = _KEY.match(lines[at])
    if found and not found["space"] and found["value"]:
        fixed = f"{found['start']}{found['key']}: {found['value']}"
        yield _Fix(f"a space is missing after {found['key'] + ':'!r}", at, found.start("colon"), fixed)


def _missing_colon(lines: list[str], at: int) -> Iterator[_Fix]:
    found = re.fullmatch(r"(\s*(?:- +)*)([A-Za-z_$][\w$-]*)( +(.*))?", lines[at])
    if found:
        rest = f" {found[4]}" if found[4] else ""
        if rest.startswith(" = "):
            yield _Fix(
                f"'=' instead of ':' after {found[2]!r}", at, found.start(3) + 1, f"{found[1]}{found[2]}: {rest[3:]}"
            )
        yield _Fix(f"':' is missing after {found[2]!r}", at, found.end(2), f"{found[1]}{found[2]}:{rest}")


def _dash_without_space(lines: list[str], at: int) -> Iterator[_Fix]:
    found = re.fullmatch(r"( *)-([^\s-].*)", lines[at])
    if found:
        yield _Fix("a space is missing after '-'", at, found.end(1), f"{found[1]}- {found[2]}")


def _missing_dash(lines: list[str], at: int) -> Iterator[_Fix]:
    """Propose a '-' for a key in a list whose other items have one."""
    found = re.fullmatch(r"( *)([^\s#-][^:]*):(\s.*)?", lines[at])
    parent = next((one for one in range(at - 1, -1, -1) if lines[one].strip()), None)
    if found and parent is not None and (key := _KEY.match(lines[parent])) and not key["value"]:
        message = f"{key['key']!r} is a list: its item {found[2]!r} needs '- '"
        place = (parent, key.start("key"))
        fixed = f"{found[1]}- {lines[at].strip()}"
        yield _Fix(message, at, len(found[1]), fixed, place=place)


def _block_text(lines: list[str], at: int) -> Iterator[_Fix]:
    found = re.fullmatch(r"(.*: +[|>][+-]?) +([^\s#].*)", lines[at])
    if found:
        hint = f"write {found[1].split()[-1]!r} at the end of the line, and {found[2]!r} indented on the next one"
        yield _Fix("text on the line of '|' or '>'", at, found.start(2), found[1], hint)


def _quoted_value(lines: list[str], at: int) -> Iterator[_Fix]:
    """Propose quotes around a value that YAML would read as something else."""
    for start, value in _values(lines[at]):
        bare = value.rstrip()
        if not bare or bare[0] in "\"'" or bare in ("|", ">", "-"):
            continue
        quoted = _quote(bare)
        fixed = lines[at][:start] + quoted + value[len(bare) :]
        if bare[0] in _RESERVED:
            yield _Fix(f"a value that starts with {_RESERVED[bare[0]]} needs quotes", at, start, fixed)
        elif bare.startswith(("{{", "{%")):
            yield _Fix(f"a value that starts with {bare[:2]!r} needs quotes", at, start, fixed)
        elif bare[0] not in "[{" and (": " in bare or bare.endswith(":")):
            yield _Fix("a value that contains ': ' needs quotes", at, start, fixed)
        elif bare[0] in "[{" and bare[-1] not in "]}":
            yield _Fix(
                f"a value that starts with {bare[0]!r} and goes on after the bracket needs quotes", at, start, fixed
            )
        elif bare[0] not in "[{":
            yield _Fix("this value needs quotes", at, start, fixed)


def _in_brackets(lines: list[str], at: int) -> Iterator[_Fix]:
    """Propose quotes, a comma or one bracket less in a mapping or list on one line."""
    line = lines[at]
    for found in _MEMBER.finditer(line):
        value, start = found["value"].rstrip(), found.start("value")
        before, after = line[:start], line[start + len(value) :]
        comma = _MISSING_COMMA.search(value)
        if value[0] == '"':
            yield _Fix("a '\\' in double quotes starts an escape", at, start, before + _quote(value[1:-1]) + after)
        elif comma is not None:
            fixed = f"{before}{value[: comma.start()]},{value[comma.start() :]}{after}"
            yield _Fix("a comma is missing", at, start + comma.start(), fixed)
        elif value[0] in _RESERVED or ": " in value:
            why = f"starts with {_RESERVED[value[0]]}" if value[0] in _RESERVED else "contains ': '"
            yield _Fix(f"a value that {why} needs quotes", at, start, before + _quote(value) + after)
    if line.count('"') % 2 and (opened := _OPEN_QUOTE.fullmatch(line)):
        message = "a quote is not closed"
        yield _Fix(message, at, opened.end("before"), f'{opened["before"]}{opened["text"]}"{opened["closers"]}')
    if line.rstrip().endswith(("]", "}")):
        bracket = line.rstrip()[-1]
        yield _Fix(f"{bracket!r} closes nothing", at, len(line.rstrip()) - 1, line.rstrip()[:-1])


def _escape(lines: list[str], at: int) -> Iterator[_Fix]:
    for start, value in _values(lines[at]):
        bare = value.rstrip()
        if bare[0] == '"' and "\\" in bare and len(bare) > 1 and bare[-1] == '"':
            message = "a '\\' in double quotes starts an escape"
            yield _Fix(message, at, start, lines[at][:start] + _quote(bare[1:-1]))


def _closing_quote(lines: list[str], at: int) -> Iterator[_Fix]:
    for start, value in _values(lines[at]):
        quote = value[:1]
        if quote and quote in "\"'":
            bare = value.rstrip()
            inner = bare[1:]
            if not inner.endswith(quote) or inner.endswith("\\" + quote):
                yield _Fix(f"the quote {quote} is not closed", at, start, lines[at][:start] + bare + quote)
            whole = inner.removesuffix(quote) if inner.endswith(quote) else bare
            message = f"{quote} inside a value in {quote} quotes ends it"
            yield _Fix(message, at, start, lines[at][:start] + _quote(whole))


def _comment_in_brackets(lines: list[str], at: int) -> Iterator[_Fix]:
    line = lines[at]
    for found in re.finditer(r"""(?<=[:,[{] )(?:[^"',[\]{}:]|:(?! ))*? #[^,\]}]*""", line):
        start, end = found.span()
        if _open_brackets(line[:start]):
            fixed = line[:start] + _quote(found[0]) + line[end:]
            yield _Fix("after a space, '#' starts a comment", at, line.index(" #", start) + 1, fixed)


def _closing_bracket(lines: list[str], at: int) -> Iterator[_Fix]:
    line = lines[at].rstrip()
    opened = _open_brackets(line)
    if opened:
        closing = "".join(_CLOSING[line[column]] for column in reversed(opened))
        column = opened[-1]
        yield _Fix(
            f"{line[column]!r} is not closed with {_CLOSING[line[column]]!r}", at, column, line.rstrip(",") + closing
        )


def _open_brackets(line: str) -> list[int]:
    """Return the columns of the brackets that a line opens and does not close; text in quotes does not count."""
    opened: list[int] = []
    quote = ""
    for column, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and (column == 0 or line[column - 1] in " [{,:"):
            quote = character
        elif character == "#" and line[column - 1 : column] == " ":
            break
        elif character in _CLOSING:
            opened.append(column)
        elif character in "]}" and opened:
            opened.pop()
    return opened


def _indent(lines: list[str], at: int) -> Iterator[_Fix]:
    """Propose the indentation of similar lines nearby, for this line or for one just above that is unusual."""
    counts: dict[int, int] = {}
    for line in lines:
        counts[_width(line)] = counts.get(_width(line), 0) + 1
    near = [row for row in range(max(0, at - 2), at + 1) if lines[row].strip()]
    for row in sorted(near, key=lambda row: (counts[_width(lines[row])], -row)):
        width = _width(lines[row])
        for other in _similar_widths(lines, row):
            way = "little" if width < other else "much"
            message = f"this line is indented too {way}: by {width} instead of {other} spaces"
            yield _Fix(message, row, width, " " * other + lines[row].lstrip(" "), f"indent it by {other} spaces")


def _similar_widths(lines: list[str], at: int) -> list[int]:
    """Return the other indentations of the lines above and below, those of lines of the same kind first."""
    around = [line for line in (*reversed(lines[max(0, at - 12) : at]), *lines[at + 1 : at + 4]) if line.strip()]
    same = [_width(line) for line in around if _kind(line) == _kind(lines[at])]
    widths = dict.fromkeys((*same, *map(_width, around)))
    return [width for width in widths if width != _width(lines[at])]


def _kind(line: str) -> str:
    bare = line.lstrip(" ")
    return "item" if bare.startswith("- ") else "key" if _KEY.match(bare) else "text"


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _values(line: str) -> Iterator[tuple[int, str]]:
    """Yield the value of a key or list item on a line, with its column."""
    found = re.match(r"""\s*(?:- +)*(?:"[^"]*"|'[^']*'|[^\s"'#:]+):\s+(\S.*)""", line)
    if found:
        yield found.start(1), found[1]
    item = re.match(r"\s*(?:- +)+(\S.*)", line)
    if item:
        yield item.start(1), item[1]


def _quote(text: str) -> str:
    return f'"{text}"' if '"' not in text and "\\" not in text else "'" + text.replace("'", "''") + "'"


_PROPOSALS: Final[tuple[Callable[[list[str], int], Iterator[_Fix]], ...]] = (
    _foreign_characters,
    _tab,
    _colon_without_space,
    _dash_without_space,
    _block_text,
    _escape,
    _closing_quote,
    _comment_in_brackets,
    _closing_bracket,
    _in_brackets,
    _quoted_value,
    _missing_dash,
    _indent,
    _missing_colon,
)
