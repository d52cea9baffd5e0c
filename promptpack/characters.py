"""Characters that nobody sees, or that a terminal or a model would obey: found, named, and shown instead of sent."""

from __future__ import annotations

import re
from typing import Final

CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
"""Control characters; tabs and line ends are none, a lone carriage return is looked at by `RETURN`."""

RETURN: Final = re.compile("\r(?!\n)")
"""A carriage return that does not end a line: a terminal writes over the line."""

BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that show the text after them in another order than it is read in."""

TAG: Final = re.compile("[\U000e0000-\U000e007f]")
"""Invisible copies of ASCII, which models read."""

HIDDEN: Final = re.compile(
    "[\u180e\u200b\u2060-\u2064\u3164\ufeff]"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
"""Characters without a shape that hardly any spelling needs; after Chinese characters, selectors choose a variant."""

JOINER: Final = re.compile("(?<=[!-~])[\u200c\u200d]|[\u200c\u200d](?=[!-~])|\u00ad")
"""Joiners beside Latin letters, where no spelling needs them as Persian and emoji do, and soft hyphens."""

SPECIAL_TOKEN: Final = re.compile(
    r"<[|｜][^<>|｜\n]{1,64}[|｜]>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]"
    r"|<</?SYS>>|<(?:start|end)_of_(?:turn|image|text)>|</?s>|<(?:bos|eos|pad|unk)>"
)
"""What chat templates put between messages; a server that reads them in a text would see another message begin."""

_LOOKALIKES: Final = "АВЕЗІЈКМНОРСТУХЅаеіјорсухѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαν"
CONFUSABLE: Final = re.compile(rf"[A-Za-z][{_LOOKALIKES}]|[{_LOOKALIKES}][A-Za-z]")
"""A Cyrillic or Greek letter that looks like a Latin one, beside a Latin one."""

# What a terminal would obey instead of show.
_OBEYED: Final = re.compile(f"{CONTROL.pattern}|\r|{BIDI.pattern}|[\ud800-\udfff]")


def is_whole(text: str) -> bool:
    """Say whether a text can be written out: it holds no half of a surrogate pair."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def whole(text: str) -> str:
    """Show halves of surrogate pairs by their numbers, so that the text can be written out."""
    return (
        text
        if is_whole(text)
        else "".join(_shown(letter) if "\ud800" <= letter <= "\udfff" else letter for letter in text)
    )


def visible(text: str) -> str:
    """Show characters that a terminal would obey instead of sending them."""
    return _OBEYED.sub(lambda found: _shown(found[0]), text)


def _shown(character: str) -> str:
    return f"\\u{ord(character):04x}"


def neutral(text: str) -> str:
    """Put a space into every special token, so that no server takes it for one and JSON around it stays JSON."""
    return SPECIAL_TOKEN.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)


def name_of(character: str) -> str:
    """Write a character by its number: `U+200B`."""
    return f"U+{ord(character):04X}"
