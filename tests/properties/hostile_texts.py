"""Texts that make readers slow: one short piece of each kind, repeated behind a head that a reader takes for data."""

from itertools import cycle, islice

# A name, what stands once at the beginning, and what is repeated.
KINDS: dict[str, tuple[str, str]] = {
    "open lists": ("", "["),
    "open objects": ("", "{"),
    "lists of objects": ("", "[{"),
    "nested members": ("", '{"a":'),
    "nested bare members": ("", "{a:"),
    "closing brackets": ('{"a": 1', "]"),
    "braces in prose": ("", "see {this} and {that thing} "),
    "quotes": ('{"a": ', '"'),
    "quotes in a text": ('{"a": "', 'say "x" to '),
    "escaped quotes": ('{"a": "', '\\"'),
    "backslashes": ('{"a": "', "\\"),
    "unicode escapes": ('{"a": "', "\\u4e2d"),
    "half pairs": ('{"a": "', "\\ud83d"),
    "commas": ('{"a": 1', ","),
    "commas in a list": ("[{}", ","),
    "colons": ('{"a"', ":"),
    "line comments": ('{"a": 1, ', "// x\n"),
    "comment openers": ('{"a": 1, ', "//"),
    "block comments": ('{"a": 1, ', "/* x */ "),
    "block comment openers": ('{"a": 1, ', "/*"),
    "hash comments": ('{"a": 1, ', "# "),
    "digits": ('{"a": ', "7"),
    "digits behind a point": ('{"a": 0.', "7"),
    "minus signs": ('{"a": ', "-"),
    "numbers": ('{"a": [', "1,"),
    "small objects": ("", '{"a": 1} '),
    "small broken objects": ("", '{"a": 1, '),
    "empty objects": ("", "{}"),
    "answers": ("", '{"thought": "t", "action": "ROUTE_DECISION"} '),
    "fences": ("", '```json\n{"a": 1}\n```\n'),
    "open fences": ("", "```json\n"),
    "fences in a text": ('{"a": "', "```json\n"),
    "thoughts": ("", "<think>{}</think>"),
    "open thoughts": ("", "<think>"),
    "ends of thoughts": ("", '{"a": 1}</think>'),
    "open channels": ("", "<|channel|>analysis"),
    "mixed thoughts": ("", "<think><thinking><reasoning>◁think▷[THINK]"),
    "calls": ("", "f(a="),
    "calls inside": ('{"a": ', "f(a="),
    "names": ("", "a"),
    "spaces": ("{", " "),
    "lines": ('{"a": 1', "\n"),
    "odd spaces": ('{"a": 1', "\u00a0\u200b"),
    "spaces behind a quote": ('{"a": "x', '"   '),
    "full-width punctuation": ("｛", "“a”：“b”，"),
    "full-width brackets": ("", "｛［"),
    "prose like members": ("", "a: b: c: "),
    "prose like members inside": ("{", "a: b: c: "),
    "lost openings": ("", '"thought": "t"\n'),
    "single quotes": ("{'a': ", "'"),
    "texts in single quotes": ("{'a': 'b", "' 'c"),
    "backticks": ('{"a": ', "`"),
    "smart quotes": ('{"a": ', "“”‘"),
    "sums": ('{"a": "b"', ' + "c"'),
    "alternatives": ('{"a": "b"', ' or "c"'),
    "elisions": ('{"a": [', "..., "),
    "dots": ('{"a": [', "."),
    "repeated keys": ("{", '"a": 1, '),
    "keys without values": ("{", '"a": , '),
    "keys": ("{", '"a'),
    "entities": ("{&quot;", "&amp;"),
    "block quotes": ("> {", "\n> "),
    "escaped text": ('{\\"', '\\n\\"'),
    "texts within texts": ('{"a": "', '{\\"a\\": \\"'),
    "tags": ("", "<a>"),
    "NUL": ("", "\0"),
    "mixed": ("", '{"a": [\'b\' // c\n“d”, {e: f(g="h\\"'),
}


def hostile(kind: str, size: int) -> str:
    """Give `size` characters of a kind."""
    head, piece = KINDS[kind]
    return (head + piece * (size // len(piece) + 1))[:size]


def scrambled(size: int) -> str:
    """Give pieces of all kinds in turn."""
    return "".join(islice(cycle("".join(head + piece * 3 for head, piece in KINDS.values())), size))
