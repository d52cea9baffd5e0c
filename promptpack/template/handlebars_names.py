"""The names in Handlebars tags: which are valid, and what to write instead of constructs that are not supported."""

import re
from collections.abc import Mapping
from typing import Final

from promptpack.template.positions import UnnormalizedNameError, check_normalized

RAW_HINT: Final = "write literal braces between '{{#raw}}' and '{{/raw}}'"
LOOP_DATA: Final[Mapping[str, str]] = {"@index": "_index", "@first": "_first", "@last": "_last"}
"""The data variables of '{{#each}}', and the Jinja variables that hold their values."""

_NAME: Final = re.compile(r"[^\s{}]+")
_FLAT_HINT: Final = "use a path such as 'a.b', or pass the value as another input"
# Texts that start a construct of Handlebars that is not supported, its name, and what to do.
_CONSTRUCTS: Final = (
    (r"\{", "'{{{'", "write '{{x}}': nothing is escaped"),
    (r"\^", "'{{^'", "use '{{#unless}}' or '{{else}}'"),
    (r"\*", "a decorator", "use a partial: '{{> name}}'"),
    (r"\(|.*\s\(", "a subexpression", "compute the value before rendering, and pass it as an input"),
    (r".*\sas\s+\|", "a block parameter", "use 'item' or 'this' for the item"),
    (r"\.\./", "a parent path", _FLAT_HINT),
    (r"\./", "a path with './'", "write 'this.name' or 'item.name'"),
    (r"@(?:index|first|last)$", "'@index', '@first' or '@last' outside '{{#each}}'", "move it into the block"),
    (r"@", "a data variable", "use '@index', '@first' or '@last'"),
    (r"\[", "a segment literal", "rename the key, without spaces"),
    (r"role\s", "the helper 'role'", "write a separate message, with 'role: ...'"),
    (r"media\s", "the helper 'media'", "write a part of the message, with 'image: ...'"),
    (r"history\s", "the helper 'history'", "write a message with 'history: NAME'"),
)


class TagError(Exception):
    """A tag is invalid; the arguments are the code, the message and the hint of the problem."""


def validate_name(text: str, tag: str) -> str:
    """Return the name in a tag, or raise a problem that names what the tag contains instead."""
    name = text.strip()
    if not name:
        raise TagError("PP312", f"'{{{{{tag}}}}}' has no name", RAW_HINT)
    for pattern, construct, hint in _CONSTRUCTS:
        if re.match(pattern, name):
            raise TagError("PP312", f"{construct} is not supported", hint)
    if not _NAME.fullmatch(name):
        raise _invalid(name, tag)
    try:
        check_normalized(name)
    except UnnormalizedNameError as error:
        raise TagError("PP325", str(error), error.hint) from error
    return name


def _invalid(name: str, tag: str) -> TagError:
    word, *others = name.split()
    if tag.startswith(">") and others:
        return TagError("PP312", "an argument of a partial is not supported", "the partial sees the names around it")
    if word in ("elif", "elseif", "elsif"):
        return TagError("PP312", f"{word!r} is not a tag", f"write '{{{{{' '.join(('else if', *others))}}}}}'")
    if "|" in name:
        return TagError(
            "PP312", f"the filter in {name!r} is not supported", "Handlebars has no filters; use 'syntax: jinja'"
        )
    if others and word.isidentifier():
        hint = "a tag has one name; compute the value before rendering, and pass it as an input"
        return TagError("PP312", f"the helper {word!r} is not supported", hint)
    return TagError("PP312", f"{name!r} is not a valid name", f"a name has no spaces and no braces; {RAW_HINT}")
