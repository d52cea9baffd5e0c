"""Propose corrections for one line of a broken YAML text, by the kinds of mistakes that authors make."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

_KEY: Final = re.compile(
    r"""(?P<start>\s*(?:- +)*)(?P<key>"[^"]*"|'[^']*'|[^\s"'#:\[\]{},&*!|>%@`-][^\s:#]*)"""
    r"(?P<colon>:)(?P<space> *)(?P<value>.*)"
)
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
_NEEDS_PIPE: Final = ("{%", "{{", "{#", "@", "`", "%", "&", "!")
# The sections of packs and flows, which are not indented.
_SECTIONS: Final = ("inputs", "messages", "reply", "tests", "contexts", "partials", "slots", "budget", "steps")
_CLOSING: Final = {"[": "]", "{": "}"}
# A member of a mapping in brackets, with a plain value or one with an escape in double quotes.
_MEMBER = re.compile(r"[\w$.-]+: +(?P<value>\"[^\"\n]*\\[^\"\n]*\"|[^\s,{}\[\]\"'][^,{}\[\]\"'\n]*)")
_OPEN_QUOTE = re.compile(r"(?P<before>.*: +)(?P<text>\"[^\"]*?)(?P<closers>[}\]]+)\s*")
_BEFORE_MEMBER = re.compile(r"(?P<quote>\")[^\",]+(?=, *[\w$.-]+:)")
# A member in quotes that contain such a quote, and one that looks like a call or a generic type.
_QUOTED_MEMBER = re.compile(r"""(?<=: )(?P<quote>["'])(?P<inner>.*?)(?P=quote)(?=\s*(?:[}\]]|, *[\w$.-]+:))""")
_CALL_MEMBER = re.compile(r"""(?<=: )(?P<value>\w+\[[^\]]*\])(?=\s*[,}])""")
_NO_COMMA = re.compile(r"""(?:"[^"]*"|'[^']*')(?= +[\w"'\[{])""")
_MISSING_COMMA = re.compile(r" (?=[\w$.-]+: )")


class LineFix(NamedTuple):
    """A corrected line; `hint` replaces it in the message, and `place` its position."""

    message: str
    line: int
    column: int
    corrected: str
    hint: str = ""
    place: tuple[int, int] | None = None


def _tab(lines: list[str], at: int) -> Iterator[LineFix]:
    line = lines[at]
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        for width in (2, 4, 8):
            yield LineFix(
                "a tab indents this line", at, indent.index("\t"), line.replace("\t", " " * width, indent.count("\t"))
            )
    elif "\t" in line:
        yield LineFix("a tab separates these words", at, line.index("\t"), line.replace("\t", " "))


def _foreign_characters(lines: list[str], at: int) -> Iterator[LineFix]:
    line = lines[at]
    space = _SPACES.search(line)
    if space:
        name = "a non-breaking space" if space[0] == "\u00a0" else f"a special space (U+{ord(space[0]):04X})"
        yield LineFix(f"{name} instead of a plain one", at, space.start(), _SPACES.sub(" ", line))
    for column, character in enumerate(line):
        if character in _WIDE:
            plain = "".join(_WIDE.get(one, one) for one in line).replace(":", ": ").replace(":  ", ": ")
            yield LineFix(f"{character!r} instead of {_WIDE[character]!r}", at, column, plain)
            return


def _colon_without_space(lines: list[str], at: int) -> Iterator[LineFix]:
    found = _KEY.match(lines[at])
    if found and not found["space"] and found["value"]:
        fixed = f"{found['start']}{found['key']}: {found['value']}"
        yield LineFix(f"a space is missing after {found['key'] + ':'!r}", at, found.start("colon"), fixed)


def _missing_pipe(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose a '|' for text below a key without a value, if it cannot be read without one."""
    above = (one for one in range(at - 1, -1, -1) if lines[one].strip() and _width(lines[one]) < _width(lines[at]))
    parent = next(above, None)
    key = _KEY.fullmatch(lines[parent].rstrip()) if parent is not None else None
    if parent is not None and key and not key["value"] and lines[at].lstrip().startswith(_NEEDS_PIPE):
        message = f"the text below {key['key']!r} needs '|'"
        yield LineFix(message, parent, key.start("key"), f"{lines[parent].rstrip()} |")


def _colon_of_neighbours(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose a ':' for a line directly before a key with the same indentation, or for a word above indented keys."""
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if re.fullmatch(r" *[A-Za-z_]+", lines[at]) and _KEY.match(below) and _width(below) > _width(lines[at]):
        yield from _missing_colon(lines, at)
    above = next((one for one in reversed(lines[:at]) if one.strip()), "")
    is_deeper = _width(above) > _width(lines[at])
    if _KEY.match(below) and _width(below) == _width(lines[at]) and (_KEY.match(above) or is_deeper or not above):
        yield from _missing_colon(lines, at)


def _equals_sign(lines: list[str], at: int) -> Iterator[LineFix]:
    found = re.fullmatch(r"(\s*(?:- +)*)([A-Za-z_$][\w$-]*) *= *(.*)", lines[at])
    if found:
        message = f"'=' instead of ':' after {found[2]!r}"
        yield LineFix(message, at, lines[at].index("="), f"{found[1]}{found[2]}: {found[3]}")


def _missing_colon(lines: list[str], at: int) -> Iterator[LineFix]:
    found = re.fullmatch(r"(\s*(?:- +)*)([A-Za-z_$][\w$-]*)( +(.*))?", lines[at])
    if found:
        rest = f" {found[4]}" if found[4] else ""
        yield LineFix(f"':' is missing after {found[2]!r}", at, found.end(2), f"{found[1]}{found[2]}:{rest}")


def _dash_without_space(lines: list[str], at: int) -> Iterator[LineFix]:
    found = re.fullmatch(r"( *)-([^\s-].*)", lines[at])
    if found:
        yield LineFix("a space is missing after '-'", at, found.end(1), f"{found[1]}- {found[2]}")


def _missing_dash(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose a '-' for a key in a list whose other items have one."""
    found = re.fullmatch(r"( *)([^\s#-][^:]*):(\s.*)?", lines[at])
    parent = next((one for one in range(at - 1, -1, -1) if lines[one].strip()), None)
    if found is None or parent is None:
        return
    before = next((one for one in reversed(lines[:at]) if one.strip() and _width(one) <= _width(lines[at])), "")
    items = [one for one in lines if one.startswith(f"{found[1]}- ")]
    if before in items and len(items) > 1 and _width(lines[parent]) > len(found[1]):
        yield LineFix(f"the list item {found[2]!r} needs '- '", at, len(found[1]), f"{found[1]}- {lines[at].strip()}")
    if _width(lines[parent]) >= _width(lines[at]):
        return
    # A block of text is indented too little rather than an item without its dash.
    is_block = lines[at].rstrip().endswith(("|", ">", "|-", ">-"))
    if (key := _KEY.match(lines[parent])) and not key["value"] and not is_block:
        message = f"{key['key']!r} is a list: its item {found[2]!r} needs '- '"
        place = None if found[2].startswith("{") else (parent, key.start("key"))
        fixed = f"{found[1]}- {lines[at].strip()}"
        yield LineFix(message, at, len(found[1]), fixed, place=place)


def _extra_dash(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose to remove the '-' of a key whose neighbours with the same indentation have none."""
    found = re.match(r"( *)- +(?=[^\s#:]+:(?: |$))", lines[at])
    above = next((one for one in reversed(lines[:at]) if one.strip()), "")
    key = _KEY.fullmatch(above.rstrip())
    near = (above, *lines[at + 1 : at + 30])
    if found is None or key is None or above.lstrip().startswith("-") or _width(above) > len(found[1]):
        return
    if any(_width(line) == len(found[1]) and _KEY.match(line) for line in near if not line.lstrip().startswith("-")):
        yield LineFix(
            "'- ' starts a list item, but this is a key", at, len(found[1]), found[1] + lines[at][found.end() :]
        )


def _block_text(lines: list[str], at: int) -> Iterator[LineFix]:
    found = re.fullmatch(r"(.*: +[|>][+-]?) +([^\s#].*)", lines[at])
    if found:
        hint = f"write {found[1].split()[-1]!r} at the end of the line, and {found[2]!r} indented on the next one"
        yield LineFix("text on the line of '|' or '>'", at, found.start(2), found[1], hint)


def _quoted_value(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose quotes around a value that YAML would read as something else."""
    for start, value in _values(lines[at]):
        bare = value.rstrip()
        if not bare or bare[0] in "\"'" or bare in ("|", ">", "-"):
            continue
        if ": " in bare and bare[-1] in "}]" and bare.count("}") > bare.count("{") and bare[0] not in "{[":
            yield LineFix("'}' closes nothing: '{' is missing", at, start, f"{lines[at][:start]}{{{bare}")
        quoted = _quote(bare)
        fixed = lines[at][:start] + quoted + value[len(bare) :]
        if bare[0] in _RESERVED:
            yield LineFix(f"a value that starts with {_RESERVED[bare[0]]} needs quotes", at, start, fixed)
        elif bare.startswith(("{{", "{%")):
            yield LineFix(f"a value that starts with {bare[:2]!r} needs quotes", at, start, fixed)
        elif bare[0] not in "[{" and (": " in bare or bare.endswith(":")):
            yield LineFix("a value that contains ': ' needs quotes", at, start, fixed)
        elif bare[0] in "[{" and bare[-1] not in "]}":
            yield LineFix(
                f"a value that starts with {bare[0]!r} and continues after the bracket needs quotes", at, start, fixed
            )
        elif bare[0] not in "[{":
            yield LineFix("this value needs quotes", at, start, fixed)


def _in_brackets(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose quotes or a comma for a plain value of a mapping on one line."""
    line = lines[at]
    for found in _MEMBER.finditer(line):
        value, start = found["value"].rstrip(), found.start("value")
        before, after = line[:start], line[start + len(value) :]
        comma = _MISSING_COMMA.search(value)
        if value[0] == '"':
            yield LineFix("a '\\' in double quotes starts an escape", at, start, before + _quote(value[1:-1]) + after)
        elif comma is not None:
            fixed = f"{before}{value[: comma.start()]},{value[comma.start() :]}{after}"
            yield LineFix("a comma is missing", at, start + comma.start(), fixed)
        elif value[0] in _RESERVED or ": " in value:
            why = f"starts with {_RESERVED[value[0]]}" if value[0] in _RESERVED else "contains ': '"
            yield LineFix(f"a value that {why} needs quotes", at, start, before + _quote(value) + after)


def _quotes_in_brackets(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose other quotes, or the missing one, for a value of a mapping or list on one line."""
    line = lines[at]
    for found in _QUOTED_MEMBER.finditer(line):
        inner, quote, start = found["inner"], found["quote"], found.start("quote")
        if quote in inner:
            message = f"{quote} inside a value in {quote} quotes ends it"
            yield LineFix(message, at, start, line[:start] + _quote(inner) + line[found.end() :])
    for found in _CALL_MEMBER.finditer(line):
        fixed = line[: found.start()] + _quote(found["value"]) + line[found.end() :]
        yield LineFix("a value with brackets and quotes needs quotes", at, found.start(), fixed)
    if line.count('"') % 2:
        message = "a quote is not closed"
        for found in _BEFORE_MEMBER.finditer(line):
            yield LineFix(message, at, found.start("quote"), f'{line[: found.end()]}"{line[found.end() :]}')
        if opened := _OPEN_QUOTE.fullmatch(line):
            yield LineFix(message, at, opened.end("before"), f'{opened["before"]}{opened["text"]}"{opened["closers"]}')


def _commas_in_brackets(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose a comma before a member or after a quoted item, or one bracket fewer."""
    line = lines[at]
    places = [found.start() for found in _MISSING_COMMA.finditer(line)] + [
        one.end() for one in _NO_COMMA.finditer(line)
    ]
    for place in places:
        if _open_brackets(line[:place]) and line[:place].rstrip()[-1:] not in ("", ",", "{", "["):
            yield LineFix("a comma is missing", at, place, f"{line[:place]},{line[place:]}")
    if line.rstrip().endswith(("]", "}")):
        bracket = line.rstrip()[-1]
        yield LineFix(f"{bracket!r} closes nothing", at, len(line.rstrip()) - 1, line.rstrip()[:-1])


def _escape(lines: list[str], at: int) -> Iterator[LineFix]:
    for start, value in _values(lines[at]):
        bare = value.rstrip()
        if bare[0] == '"' and "\\" in bare and len(bare) > 1 and bare[-1] == '"':
            message = "a '\\' in double quotes starts an escape"
            yield LineFix(message, at, start, lines[at][:start] + _quote(bare[1:-1]))


def _closing_quote(lines: list[str], at: int) -> Iterator[LineFix]:
    for start, value in _values(lines[at]):
        quote = value[:1]
        if quote and quote in "\"'":
            bare = value.rstrip()
            inner = bare[1:]
            if not inner.endswith(quote) or inner.endswith("\\" + quote):
                yield LineFix(f"the quote {quote} is not closed", at, start, lines[at][:start] + bare + quote)
            whole = inner.removesuffix(quote) if inner.endswith(quote) else bare
            message = f"{quote} inside a value in {quote} quotes ends it"
            yield LineFix(message, at, start, lines[at][:start] + _quote(whole))


def _comment_in_brackets(lines: list[str], at: int) -> Iterator[LineFix]:
    line = lines[at]
    for found in re.finditer(r"""(?<=[:,[{] )(?:[^"',[\]{}:]|:(?! ))*? #[^,\]}]*""", line):
        start, end = found.span()
        if _open_brackets(line[:start]):
            fixed = line[:start] + _quote(found[0]) + line[end:]
            yield LineFix("after a space, '#' starts a comment", at, line.index(" #", start) + 1, fixed)


def _closing_bracket(lines: list[str], at: int) -> Iterator[LineFix]:
    line = lines[at].rstrip()
    opened = _open_brackets(line)
    if opened:
        closing = "".join(_CLOSING[line[column]] for column in reversed(opened))
        column = opened[-1]
        yield LineFix(
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


def _indent(lines: list[str], at: int) -> Iterator[LineFix]:
    """Propose the indentation of similar lines nearby, for this line or for one just above that is unusual."""
    counts: dict[int, int] = {}
    for line in lines:
        counts[_width(line)] = counts.get(_width(line), 0) + 1
    near = [row for row in range(max(0, at - 2), at + 1) if lines[row].strip()]
    for row in sorted(near, key=lambda row: (counts[_width(lines[row])], -row)):
        width = _width(lines[row])
        is_section = re.match(rf" *(?:{'|'.join(_SECTIONS)}):", lines[row])
        for other in (0, *_similar_widths(lines, row)) if is_section and width < 4 else _similar_widths(lines, row):
            way = "little" if width < other else "much"
            message = f"this line is indented too {way}: by {width} instead of {other} spaces"
            yield LineFix(message, row, width, " " * other + lines[row].lstrip(" "), f"indent it by {other} spaces")


def _similar_widths(lines: list[str], at: int) -> list[int]:
    """Return the other indentations of the lines above and below, those of lines of the same kind first."""
    around = [line for line in (*reversed(lines[max(0, at - 12) : at]), *lines[at + 1 : at + 4]) if line.strip()]
    same = [_width(line) for line in around if _kind(line) == _kind(lines[at])]
    widths = dict.fromkeys((*same, *map(_width, around)))
    own = _width(lines[at])
    # For a key, a small slip is more likely than another level.
    is_key = _kind(lines[at]) == "key"
    return sorted((width for width in widths if width != own), key=lambda width: is_key and abs(width - own) > 1)


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


PROPOSALS: Final[tuple[Callable[[list[str], int], Iterator[LineFix]], ...]] = (
    _foreign_characters,
    _tab,
    _equals_sign,
    _colon_without_space,
    _dash_without_space,
    _block_text,
    _escape,
    _closing_quote,
    _comment_in_brackets,
    _closing_bracket,
    _in_brackets,
    _quotes_in_brackets,
    _commas_in_brackets,
    _missing_pipe,
    _quoted_value,
    _missing_dash,
    _extra_dash,
    _colon_of_neighbours,
    _indent,
    _missing_colon,
)
