"""Hints for words that Jinja or Python knows and templates do not: what to write instead."""

import re
from collections.abc import Mapping
from typing import Final

from promptpack.problem import did_you_mean
from promptpack.template.language import FILTERS, FUNCTIONS, METHOD_NAMES, TAGS, TESTS
from promptpack.template.runtime import KINDS_BY_NAME

# Python's names of types in plain words.
_KINDS: Final = {**KINDS_BY_NAME, "float": "a decimal number", "range": "a range"}
_COMPUTE: Final = "compute it before rendering, and pass the result as an input"
_NOT_ESCAPED: Final = "remove it: prompts are not escaped"
_UNCHANGEABLE: Final = "templates cannot change a value; "
_NEW_LIST: Final = f"{_UNCHANGEABLE}write '{{% set l = l + [x] %}}', with a 'namespace' inside a loop"
_NEW_MAPPING: Final = f"{_UNCHANGEABLE}write '{{% set a = dict(a, **b) %}}', with a 'namespace' inside a loop"

_CHOOSE: Final = "templates always print the same text; choose before rendering, and pass the choice as an input"
_DATE: Final = "pass the date as an input, already formatted"
_ENUMERATE: Final = "use 'loop.index'"
_ZIP: Final = "loop over the indices: '{% for i in range(a | length) %}'"
_TRANSLATE: Final = "write one pack file for each language, with 'locale'"

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
    **dict.fromkeys(("choice", "random", "sample", "shuffle"), _CHOOSE),
    **dict.fromkeys(("date", "datetimeformat", "strftime"), _DATE),
    **dict.fromkeys(("from_json", "fromjson", "from_yaml"), "pass the value itself: inputs may be lists and objects"),
    **dict.fromkeys(("filesizeformat", "md5", "markdown", "striptags", "xmlattr"), _COMPUTE),
    **dict.fromkeys(("regex_replace", "regex_search", "regex_findall"), f"'replace' changes plain text; {_COMPUTE}"),
    **dict.fromkeys(("combine", "merge"), "write 'dict(a, **b)'"),
    "bool": "compare it: 'x == \"true\"'",
    "split": "call the method: 'x.split(\",\")'",
    "enumerate": _ENUMERATE,
    "zip": _ZIP,
    "ternary": "write 'A if B else C'",
}
_TESTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("null", "nil", "None"), "write 'none'"),
    **dict.fromkeys(("exists", "set", "present"), "write 'defined'"),
    **dict.fromkeys(("empty", "blank"), "write 'not x' for an empty text or list"),
    **dict.fromkeys(("str", "text"), "write 'string'"),
    **dict.fromkeys(("list", "array"), "write 'sequence'"),
    **dict.fromkeys(("dict", "object"), "write 'mapping'"),
    **dict.fromkeys(("int", "bool"), "write 'integer' or 'boolean'"),
    **dict.fromkeys(("startswith", "endswith"), "call the method: 'x.startswith(y)', 'x.endswith(y)'"),
    **dict.fromkeys(("match", "matching", "search"), f"'x in y' finds plain text; {_COMPUTE}"),
    "containing": "write 'x in y'",
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
    **dict.fromkeys(("push", "add"), _NEW_LIST),
    **dict.fromkeys(("forEach", "map"), "write '{% for ITEM in LIST %}'"),
    **dict.fromkeys(("now", "today", "strftime", "isoformat"), _DATE),
    **dict.fromkeys(("getcwd", "getenv", "read"), "templates see only their inputs; pass the value as an input"),
    "format_map": "write '\"...\".format(**x)'",
    "iteritems": "write 'x.items()'",
}
_NAMES: Final[Mapping[str, str]] = {
    "cycler": "use 'loop.cycle(...)'",
    "joiner": "use the filter 'join', or test 'loop.first'",
    "lipsum": "write the text itself",
    **dict.fromkeys(("strftime_now", "now", "datetime"), _DATE),
    **dict.fromkeys(("len", "count"), "use the filter: 'x | length'"),
    **dict.fromkeys(("str", "repr"), "use the filter: 'x | string'"),
    **dict.fromkeys(("int", "float", "list", "max", "min", "round", "sum", "abs"), "use the filter of that name"),
    "sorted": "use the filter: 'x | sort'",
    "enumerate": _ENUMERATE,
    "zip": _ZIP,
    "isinstance": "use a test: 'x is string', 'x is mapping'",
    **dict.fromkeys(("None", "null", "nil", "NULL"), "write 'none'"),
    "undefined": "test a value with 'is defined'",
    "loop": "it has a value only inside a loop",
    **dict.fromkeys(("caller", "varargs", "kwargs"), "it has a value only inside a macro"),
    **dict.fromkeys(("_", "gettext", "ngettext"), _TRANSLATE),
    **dict.fromkeys(("env", "environ", "os", "open"), "templates see only their inputs; pass the value as an input"),
    **dict.fromkeys(("random", "choice", "shuffle", "uuid4"), _CHOOSE),
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
    **dict.fromkeys(("trans", "pluralize"), _TRANSLATE),
    "debug": "remove it",
    "assign": "write '{% set name = ... %}'",
}
# Parts of Python's type errors, and what to do.
_MESSAGES: Final = (
    (r"by zero|negative power", "test the number first, as with 'if n'"),
    (r"unpack", "loop over pairs, as with '.items()', or use one name"),
    (r"as an integer|slice indices|__round__|multiply sequence|bad operand", "convert it with '| int' or '| float'"),
    (r"must be str|expected str", "convert it with '| string'"),
    (r"not in list|not found", "test it first, as with 'x in y', or use 'find'"),
    (r"too large|out of range|Overflow", "use smaller numbers"),
    (r"concatenate|unsupported operand", "join texts with '~', or convert with '| string', '| int' or '| float'"),
    (r"not subscriptable|has no key|indices must be", "test the type first, as with 'is mapping'"),
    (r"not iterable|object is not", "test the type first, as with 'is sequence', or use 'default([], true)'"),
    (r"not supported between", "compare values of one type: convert with '| int' or '| string'"),
    (r"has no len|no length", "add '| list' before 'length'"),
    (r"IndexError|KeyError|not enough arguments|not all arguments|format", "check the format and its values"),
    (r"cannot use one of its arguments", "check the types of the arguments"),
    (r"argument", "check the number and the names of the arguments"),
    (r"non-namespace", "write '{% set x = namespace(KEY=VALUE) %}' before it, and then '{% set x.KEY = VALUE %}'"),
)
# Messages of Python and Jinja in plain words; the location says which call is meant. Names of types become words.
_REWORDED: Final = (
    (r"can only concatenate (\w+) \(not \"(\w+)\"\) to \w+", "{} and {} cannot be added"),
    (r"unsupported operand type\(s\) for (.+): '(\w+)' and '(\w+)'", "'{}' does not work with {} and {}"),
    (r"bad operand type for (?:unary )?(.+): '(\w+)'", "'{}' does not work with {}"),
    (r"'(.+)' not supported between instances of '(\w+)' and '(\w+)'", "{1} and {2} cannot be compared with '{0}'"),
    (r"can't multiply sequence by non-int of type '(\w+)'", "a text or list cannot be repeated by {}"),
    (r"object of type '(\w+)' has no len\(\)", "{} has no length"),
    (r"(?:argument of type )?'(\w+)' (?:object )?is not iterable", "{} is not a list"),
    (r"cannot unpack non-iterable (\w+)(?: object)?", "{} is not a list of values"),
    (
        r"not enough values to unpack \(expected (\d+), got (\d+)\)",
        "an item has {1} values for {0} names",
    ),
    (r"too many values to unpack \(expected (\d+)(?:, got \d+)?\)", "an item has more values than {} names"),
    (r"'(\w+)' object is not subscriptable", "{} has no items"),
    (r"'(\w+)' object cannot be interpreted as an integer", "{} is not a whole number"),
    (r"(\w+) indices must be integers or slices, not (\w+)", "an item of {} is found by a whole number, not by {}"),
    (r"slice indices must be integers or None.*", "the ends of a slice are whole numbers"),
    (r"unhashable type: '(\w+)'", "{} cannot be a key"),
    (r"%\w format: an? (?:real number|integer) is required, not (\w+)", "the format needs a number, not {}"),
    (r"must be real number, not (\w+)", "a number is needed, not {}"),
    (r"sequence item (\d+): expected str instance, (\w+) found", "item {} is {}, not text"),
    (r"not all arguments converted during string formatting", "the format has fewer places than values"),
    (r"not enough arguments for format string", "the format has more places than values"),
    (r"Replacement index \d+ out of range for positional args tuple", "the format has more places than values"),
    (r"(?:integer |float )?(?:floor )?(?:division or )?(?:division|modulo) by zero", "a number is divided by zero"),
    (r".*must be str(?: or None| or a tuple of str)?, not (\w+)", "text is needed, not {}"),
    (r"type (\w+) doesn't define __round__ method", "{} cannot be rounded"),
    (r"Can only get item pairs from a mapping\.", "only a mapping has items"),
    (r"substring not found", "the text is not in the other one"),
    (r"OverflowError", "a number is too large"),
    (r"IndexError", "the format has more places than values"),
    (r"KeyError", "the format has a name without a value"),
    (r"(?s).* is not in list", "the item is not in the list"),
    (r"[\d.]+ cannot be raised to a negative power", "a number is divided by zero"),
    (r"[\w.]+\(\) missing \d+ required [\w-]+ arguments?: (.*)", "an argument is missing: {}"),
    (r"[\w.]+\(\) got an unexpected keyword argument ('\w+')", "there is no argument {}"),
    (r"('\w+') is an invalid keyword argument for .*", "there is no argument {}"),
    (r"[\w.]+\(\) got multiple values for argument ('\w+')", "the argument {} is given twice"),
    (r"[\w.]+\(\) takes no keyword arguments", "the arguments have no names"),
    (r"[\w.]+\(\) takes .* given\)?|[\w.]+ expected .* arguments?, got \d+", "the number of arguments is wrong"),
    (r"(macro '\w+') takes not more than (\d+) argument\(s\)", "{} takes at most {} arguments"),
    (r"(macro '\w+') takes no keyword argument ('\w+')", "{} has no argument {}"),
    (r"cannot assign attribute on non-namespace object", "this is not a namespace, so its keys cannot be set"),
)
_CHECK: Final = "check the quotes, commas and brackets before this place"
# Jinja's messages, ours and a hint; and Jinja's names for the end of a tag.
_MISSING: Final = "an operator, a filter's '|' or a quote is missing before it"
_PLAIN: Final = (
    (r"expected token 'end of (?:print statement|statement block)', got '(.*)'", "unexpected {}", _MISSING),
    (r"expected token 'name', got '(.*)'", "a name is missing before {}", ""),
    (r"expected token '(.*)', got '(.*)'", "{} is missing before {}", ""),
    (r"(?i)expected an expression, got '(.*)'", "an expression is missing before {}", ""),
    (r"unexpected '(end of (?:print statement|statement block))'", "an expression is missing before {}", ""),
    (r"unexpected 'end of template'", "the expression is not complete", "write the value after the last operator"),
    (r"unexpected text after the expression", "unexpected text after the expression", _MISSING),
    (r"unexpected char '(.*)' at \d+", "unexpected {}", "put text in quotes"),
    (r"(?i)expected name or number", "a name is missing after '.'", ""),
    (r"(?i)tag name expected", "the tag has no name", "write for example '{% if X %}'"),
)
_LAST_TOKEN: Final = re.compile(r"(\w+|\{[{%][-+]?|[-+*/%~|=!<>,.:(\[{]+)\s*\Z")
_END_NAMES: Final = {"end of print statement": "'}}'", "end of statement block": "'%}'", "end of template": "the end"}
# Of a message, this many characters before its place are read.
_MAX_BEFORE: Final = 500
_MAX_TOKEN: Final = 50
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


def hint_for_call() -> str:
    """Return what to do about a call of something that templates do not have."""
    return f"templates can call macros, {', '.join(FUNCTIONS)}; {_COMPUTE}"


def reword(message: str) -> str:
    """Return a message of Python or Jinja in plain words; empty for one that is plain already."""
    found = ((re.fullmatch(pattern, message), words) for pattern, words in _REWORDED)
    return next(
        (words.format(*(_KINDS.get(word, word) for word in match.groups())) for match, words in found if match), ""
    )


def plain_words(message: str, before: str) -> tuple[str, str]:
    """Return another message of Jinja in plain words, and a hint; `before` is the text before its place."""
    last = _LAST_TOKEN.search(before[-_MAX_BEFORE:].rstrip()[-_MAX_TOKEN:])
    for pattern, words, hint in _PLAIN:
        found = re.match(pattern, message)
        if found:
            message = words.format(*(_END_NAMES.get(group, repr(group)) for group in found.groups()))
            if last is not None and " is missing before " in message and last[1] not in ("{{", "{%"):
                message = message.replace("a name", "the name of a filter") if last[1] == "|" else message
                message = message.replace(" is missing before ", f" is missing after {last[1]!r}, before ")
            return message, hint or _CHECK
    return message, _CHECK


def hint_for_value(message: str) -> str:
    """Return what to do about a value that an operator, filter or method cannot use."""
    return _find(message) or _CHECK_VALUE


def _find(message: str) -> str:
    return next((hint for pattern, hint in _MESSAGES if re.search(pattern, message)), "")
