"""Patterns of characters that are invisible, or that a terminal or a model would obey."""

import re
from typing import Final

CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
"""Control characters except tabs and line ends; `RETURN` finds lone carriage returns."""

RETURN: Final = re.compile("\r(?!\n)")
"""A carriage return that does not end a line: a terminal overwrites the line."""

BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Direction marks: the text after them is shown in another order than it is read."""

_FLAG, _END_OF_FLAG = "\U0001f3f4\U000e0067\U000e0062", "\U000e007f"
_ENG, _SCT, _WLS = "\U000e0065\U000e006e\U000e0067", "\U000e0073\U000e0063\U000e0074", "\U000e0077\U000e006c\U000e0073"
_REGION = f"(?:{_ENG}|{_SCT}|{_WLS})"
# The characters that may follow each tag of a flag.
_IN_FLAG: Final = (
    f"(?<={_FLAG[:2]}){_FLAG[2]}{_REGION}{_END_OF_FLAG}|(?<={_FLAG}){_REGION}{_END_OF_FLAG}"
    f"|(?:(?<={_FLAG}{_ENG[0]}){_ENG[1:]}|(?<={_FLAG}{_SCT[0]}){_SCT[1:]}|(?<={_FLAG}{_WLS[0]}){_WLS[1:]}"
    f"|(?<={_FLAG}{_ENG[:2]}){_ENG[2]}|(?<={_FLAG}{_SCT[:2]}){_SCT[2]}|(?<={_FLAG}{_WLS[:2]}){_WLS[2]}"
    f"|(?<={_FLAG}{_REGION})){_END_OF_FLAG}|(?<={_FLAG}{_REGION}{_END_OF_FLAG})"
)
TAG: Final = re.compile(f"[\U000e0000-\U000e007f](?!{_IN_FLAG})")
"""Invisible copies of ASCII, which models read; the flags of England, Scotland and Wales are made of them too."""

_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
SELECTOR: Final = re.compile(
    f"[\ufe00-\ufe0d\U000e0100-\U000e01ef]|[\ufe0e\ufe0f](?<![{_EMOJI}].)(?!(?<=[#*0-9].)\u20e3)"
)
"""Variation selectors, which can spell hidden text, except those that choose the form of an emoji."""

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

UNSEEN: Final = re.compile(
    f"{CONTROL.pattern}|{RETURN.pattern}|{BIDI.pattern}|{TAG.pattern}|{SELECTOR.pattern}|{HIDDEN.pattern}"
    f"|{JOINER.pattern}|[\ud800-\udfff]"
)
"""Every character that a page must show by its code point, because it is invisible or changes what is seen."""
