"""Constructs of Python, JavaScript, Liquid and Handlebars that templates do not have, and what to write instead."""

import re
from typing import Final, NamedTuple

_QUOTED: Final = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""")
# Longer tags are not explained.
_MAX_LENGTH: Final = 500


class ForeignConstruct(NamedTuple):
    """A construct of another language at an offset of a tag, with a message and a hint."""

    offset: int
    message: str
    hint: str


# A pattern, whose group `at` is the place; the message and the hint may show its groups. Texts in quotes are blank.
_CONSTRUCTS: Final = tuple(
    (re.compile(pattern), message, hint)
    for pattern, message, hint in (
        (
            r"\A[-+]?\s*set\s+(?P<name>\w+)\s*(?P<at>(?P<sign>[-+*/~]|\*\*|//|\|)=)\s*(?P<value>.*?)\s*[-+]?\Z",
            "'{sign}=' does not assign",
            "write '{{% set {name} = {name} {sign} {value} %}}'",
        ),
        (
            r"\A[-+]?\s*set\s+(?P<name>\w+)(?P<at>\[)",
            "templates cannot change a value",
            "write '{{% set {name} = dict({name}, KEY=VALUE) %}}'",
        ),
        (
            r"[\[({]\s*[\w.()|]+\s+(?P<at>for)\s+\w+\s+in\s",
            "templates have no comprehensions",
            "write '{{% for ... %}}', or the filters 'map' and 'select'",
        ),
        (r"\b(?P<at>[fFrRbBuU])(?=[\"'])", "a text has no prefix {at!r}", "join texts with '~': 'a' ~ x"),
        (r"(?P<at>:=)", "':=' is not an operator", "write '{{% set x = ... %}}' before it"),
        (r"\b(?P<at>lambda)\b", "templates have no 'lambda'", "write a macro, or a filter such as 'map'"),
        (r"(?P<at>=>|->)", "{at!r} is not an operator", "compare with '>=', or write a macro"),
        (
            r"[\w\])\"']\s+(?P<at>contains|includes|has)\s+[\w\"'(]",
            "{at!r} is not an operator",
            "write 'x in y', with the item first",
        ),
        (
            r"[\w\])\"']\s+(?P<at>matches|startswith|starts_with|endswith|ends_with)\s+[\w\"'(]",
            "{at!r} is not an operator",
            "call the method of a text: 'x.startswith(y)', 'x.endswith(y)'",
        ),
        (r"(?<![\w.])(?P<at>0\d+)", "a number starts with 0", "remove the zeros, or write it as text, in quotes"),
        (r"(?<!&)(?P<at>&)(?!&)", "'&' is not an operator", "write 'and', or join texts with '~'"),
        (r"(?P<at>\^)", "'^' is not an operator", "write '**' for a power"),
        (r"(?P<at><<|>>)", "{at!r} is not an operator", "multiply by a power of 2, or divide with '//'"),
        (r"(?P<at>\{)[^{}:]+\}", "templates have no sets", "write a list, with '[' and ']'"),
        (r"\A\s*(?P<at>~)", "'~' joins two values", "write a value before it"),
    )
)


def find_foreign(tag: str) -> ForeignConstruct | None:
    """Return the first construct of another language in the text of a tag that Jinja refuses."""
    if len(tag) > _MAX_LENGTH:
        return None
    blank = _QUOTED.sub(lambda found: found[0][0] + " " * (len(found[0]) - 2) + found[0][0], tag)
    for pattern, message, hint in _CONSTRUCTS:
        found = pattern.search(blank)
        if found is not None:
            # The groups as the author wrote them.
            words = {name: tag[slice(*found.span(name))] for name in found.groupdict()}
            return ForeignConstruct(found.start("at"), message.format(**words), hint.format(**words))
    return None
