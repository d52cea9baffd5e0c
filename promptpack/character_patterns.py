"""Patterns of characters that are invisible, or that a terminal or a model would obey."""

from __future__ import annotations

import re
from typing import Final

CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
"""Control characters except tabs and line ends; `RETURN` finds lone carriage returns."""

RETURN: Final = re.compile("\r(?!\n)")
"""A carriage return that does not end a line: a terminal overwrites the line."""

BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Direction marks: the text after them is shown in another order than it is read."""

TAG: Final = re.compile("[\U000e0000-\U000e007f]")
"""Invisible copies of ASCII, which models read."""

HIDDEN: Final = re.compile(
    "[\u180e\u200b\u2060-\u2064\u3164\ufeff]"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
"""Invisible characters that spelling rarely needs; after Chinese characters, selectors choose a variant."""

JOINER: Final = re.compile("(?<=[!-~])[\u200c\u200d]|[\u200c\u200d](?=[!-~])|\u00ad")
"""Joiners next to Latin letters, where spelling never needs them (Persian and emoji do), and soft hyphens."""

SPECIAL_TOKEN: Final = re.compile(
    r"<[|｜][^<>|｜\n]{1,64}[|｜]>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]"
    r"|<</?SYS>>|<(?:start|end)_of_(?:turn|image|text)>|</?s>|<(?:bos|eos|pad|unk)>"
)
"""Tokens that chat templates put between messages; a server that parses them in a text would start a new message."""

_LOOKALIKES: Final = "АВЕЗІЈКМНОРСТУХЅаеіјорсухѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαν"
CONFUSABLE: Final = re.compile(rf"[A-Za-z][{_LOOKALIKES}]|[{_LOOKALIKES}][A-Za-z]")
"""A Cyrillic or Greek letter that looks like a Latin letter, next to a Latin letter."""

OBEYED: Final = re.compile(f"{CONTROL.pattern}|\r|{BIDI.pattern}|[\ud800-\udfff]")
"""Characters that a terminal would obey instead of showing them."""
