"""Hints for words that Jinja or Python knows and templates do not: what to write instead."""

import re
from collections.abc import Mapping
from typing import Final

from promptpack.problem import did_you_mean
from promptpack.template.language import FILTERS, METHOD_NAMES, TAGS, TESTS

_COMPUTE: Final = "compute it before rendering, and pass the result as an input"
_NOT_ESCAPED: Final = "remove it: prompts are not escaped"
_UNCHANGEABLE: Final = "templates cannot change a value; "
_NEW_LIST: Final = f"{_UNCHANGEABLE}write '{{% set l = l + [x] %}}', with a 'namespace' inside a loop"
_NEW_MAPPING: Final = f"{_UNCHANGEABLE}write '{{% set a = dict(a, **b) %}}', with a 'namespace' inside a loop"

_FILTERS: Final[Mapping[str, str]] = {
    "attr": "write 'x.name' or 'x[name]'",
    **dict.fromkeys(("e", "escape", "forceescape"), _NOT_ESCAPED),
    "pprint": "use 'json' or 'yaml'",
    **dict.fromkeys(("absolute",), "write 'abs'"),
    **dict.fromkeys(("len", "size"), "write 'length'"),
    **dict.fromkeys(("strip", "trimmed"), "write 'trim'"),
    **dict.fromkeys(("number", "integer"), "write 'int' or 'float'"),
    **dict.fromkeys(("stringify", "to_json"), "write 'json'"),
    **dict.fromkeys(("contains", "includes"), "write 'x in y'"),
    **dict.fromkeys(("slice_text", "substring", "substr"), "write 'x[:10]'"),
    "concat": "write 'x ~ y', or 'join'",
    "random": "templates always print the same text; choose before rendering, and pass the choice as an input",
}
_TESTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("null", "nil", "None"), "write 'none'"),
    **dict.fromkeys(("exists", "set", "present"), "write 'defined'"),
    **dict.fromkeys(("empty", "blank"), "write 'not x' for an empty text or list"),
    **dict.fromkeys(("str", "text"), "write 'string'"),
    **dict.fromkeys(("list", "array"), "write 'sequence'"),
    **dict.fromkeys(("dict", "object"), "write 'mapping'"),
    **dict.fromkeys(("int", "bool"), "write 'integer' or 'boolean'"),
}
_METHODS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("append", "insert"), _NEW_LIST),
    "extend": f"{_UNCHANGEABLE}write '{{% set l = l + m %}}', with a 'namespace' inside a loop",
    **dict.fromkeys(("update", "setdefault"), _NEW_MAPPING),
    **dict.fromkeys(("clear", "pop", "popitem", "remove"), f"{_UNCHANGEABLE}select what to keep: 'l | reject(...)'"),
    "sort": "use the filter: 'l | sort'",
    "reverse": "use the filter: 'l | reverse'",
    "encode": "templates have text only, no bytes",
    "has_key": "write 'key in x'",
    "iteritems": "write 'x.items()'",
}
_NAMES: Final[Mapping[str, str]] = {
    "cycler": "use 'loop.cycle(...)'",
    "joiner": "use the filter 'join', or test 'loop.first'",
    "lipsum": "write the text itself",
    **dict.fromkeys(("strftime_now", "now", "datetime"), "pass the date as an input, already formatted"),
    **dict.fromkeys(("len", "count"), "use the filter: 'x | length'"),
    **dict.fromkeys(("str", "repr"), "use the filter: 'x | string'"),
    **dict.fromkeys(("int", "float", "list", "max", "min", "round", "sum", "abs"), "use the filter of that name"),
    "sorted": "use the filter: 'x | sort'",
    "enumerate": "use 'loop.index'",
    "zip": "loop over the indices: '{% for i in range(a | length) %}'",
    "isinstance": "use a test: 'x is string', 'x is mapping'",
    "None": "write 'none'",
    "super": "use it only inside a block that replaces another",
}
_HANDLEBARS_NAMES: Final[Mapping[str, str]] = {
    "item": "'item' and 'this' have a value only inside '{{#each}}'",
    "history": "write a message with 'history: NAME'",
}
_TAGS: Final[Mapping[str, str]] = {
    "autoescape": _NOT_ESCAPED,
    **dict.fromkeys(("break", "continue"), "filter the loop: '{% for x in l if ... %}'"),
    "do": "write '{% set name = ... %}'",
    **dict.fromkeys(("elseif", "elsif", "elif_", "else_if"), "write 'elif'"),
    **dict.fromkeys(("otherwise", "default", "empty"), "write 'else'"),
    **dict.fromkeys(("case", "when"), "write 'elif'"),
    **dict.fromkeys(("foreach", "while"), "write '{% for ITEM in LIST %}'"),
    "switch": "write '{% if ... %}' and '{% elif ... %}'",
    "unless": "write '{% if not ... %}'",
    "generation": "remove it: it marks text for training",
    **dict.fromkeys(("trans", "pluralize"), "write one pack file for each language, with 'locale'"),
    "debug": "remove it",
    "assign": "write '{% set name = ... %}'",
}
# Parts of Python's type errors, and what to do.
_MESSAGES: Final = (
    (r"concatenate|unsupported operand", "join texts with '~', or convert with '| string', '| int' or '| float'"),
    (r"not subscriptable|has no key|indices must be", "test the type first, as with 'is mapping'"),
    (r"not iterable|object is not", "test the type first, as with 'is sequence', or use 'default([], true)'"),
    (r"not supported between", "compare values of one type: convert with '| int' or '| string'"),
    (r"has no len|no length", "add '| list' before 'length'"),
    (r"argument", "check the number and the names of the arguments"),
    (r"not enough arguments|not all arguments|format", "check the format and its values"),
)
_CHECK_VALUE: Final = "check the value before it is used here, as with 'if' or 'default'"


def hint_for_filter(name: str) -> str:
    """Return what to do about an unknown filter."""
    return _FILTERS.get(name) or did_you_mean(name, FILTERS) or _COMPUTE


def hint_for_test(name: str) -> str:
    """Return what to do about an unknown test."""
    return _TESTS.get(name) or did_you_mean(name, TESTS) or _COMPUTE


def hint_for_method(name: str) -> str:
    """Return what to do about an unknown method."""
    return _METHODS.get(name) or did_you_mean(name, METHOD_NAMES) or _COMPUTE


def hint_for_tag(name: str) -> str:
    """Return what to do about an unknown tag."""
    return _TAGS.get(name) or did_you_mean(name, TAGS) or f"the tags are {', '.join(filter(_is_opening, TAGS))}"


def _is_opening(tag: str) -> bool:
    return not tag.startswith("e") or tag == "extends"


def hint_for_name(name: str, syntax: str) -> str:
    """Return what to write for a name that has a meaning elsewhere; empty for any other name."""
    return _NAMES.get(name, "") if syntax == "jinja" else _HANDLEBARS_NAMES.get(name, "")


def hint_for_value(message: str) -> str:
    """Return what to do about a value that an operator, filter or method cannot use."""
    return _find(message) or _CHECK_VALUE


def _find(message: str) -> str:
    return next((hint for pattern, hint in _MESSAGES if re.search(pattern, message)), "")
