"""The filters, tests, functions and methods that templates may use; all are pure functions on plain data."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.tests import TESTS as JINJA_TESTS
from jinja2.utils import Namespace

from promptpack.template.filters import FILTERS as OWN_FILTERS
from promptpack.template.guards import GUARDED_FILTERS, fail, limited_range, meter_calls

Function = Callable[..., Any]

JINJA_FILTER_NAMES: Final = (
    "abs", "batch", "capitalize", "center", "count", "d", "default", "dictsort", "first", "float", "format", "groupby",
    "indent", "int", "items", "join", "last", "length", "list", "lower", "map", "max", "min", "reject", "rejectattr",
    "replace", "reverse", "round", "safe", "select", "selectattr", "slice", "sort", "string", "sum", "title", "trim",
    "truncate", "unique", "upper", "wordcount", "wordwrap",
)  # fmt: skip
JINJA_TEST_NAMES: Final = (
    "!=", "<", "<=", "==", ">", ">=", "boolean", "defined", "divisibleby", "eq", "equalto", "even", "false", "filter",
    "float", "ge", "greaterthan", "gt", "in", "integer", "iterable", "le", "lessthan", "lower", "lt", "mapping", "ne",
    "none", "number", "odd", "sameas", "sequence", "string", "test", "true", "undefined", "upper",
)  # fmt: skip

HISTORY_FILTER_NAMES: Final = (
    "compact", "early_summary", "first_and_last_input", "first_line", "fold_repeated", "outside_window",
    "parameter_text", "react_records", "react_window", "return_hint", "tool_call_text", "tool_catalog",
    "tool_entries", "tool_parameters", "trim_space", "user_inputs",
)  # fmt: skip

# Inputs that print in a readable form, and the filter that does it.
READABLE_FILTERS: Final = {"HISTORY": "history", "AVAILABLE_TOOLS": "tools"}

TAGS: Final = (
    "block", "call", "elif", "else", "endblock", "endcall", "endfilter", "endfor", "endif", "endmacro", "endraw",
    "endset", "endwith", "extends", "filter", "for", "from", "if", "import", "include", "macro", "raw", "set", "with",
)  # fmt: skip


def _history_filter(name: str) -> Function:
    """Return a filter that calls a history function, imported on first use because few packs need one."""

    def filter_history(*values: Any, **options: Any) -> Any:
        from promptpack.template import history

        return getattr(history, name)(*values, **options)

    return filter_history


_ALL_FILTERS: Final[Mapping[str, Any]] = {
    **{name: JINJA_FILTERS[name] for name in JINJA_FILTER_NAMES},
    **GUARDED_FILTERS,
    **{name: _history_filter(name) for name in HISTORY_FILTER_NAMES},
    **OWN_FILTERS,
}
# Filters that count their own work.
_SELF_METERED: Final = frozenset((
    "fenced", "flatten", "join", "json", "list", "map", "out_of_order", "reject", "select", "sort", "tojson", "unique",
))  # fmt: skip
# Filters that read only the items of a value, so deeper values are not counted.
_SHALLOW_FILTERS: Final = frozenset((
    "abs", "batch", "count", "d", "default", "first", "float", "int", "items", "last", "length", "rejectattr",
    "reverse", "round", "safe", "selectattr", "slice",
))  # fmt: skip
# Tests that compare whole values; the others take the same time for every value.
_METERED_TESTS: Final = frozenset((
    "!=", "<", "<=", "==", ">", ">=", "eq", "equalto", "ge", "greaterthan", "gt", "in", "le", "lessthan", "lower",
    "lt", "ne", "upper",
))  # fmt: skip

_ALL_TESTS: Final[Mapping[str, Any]] = {name: JINJA_TESTS[name] for name in JINJA_TEST_NAMES}
FILTERS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        name: function if name in _SELF_METERED else meter_calls(function, name, deep=name not in _SHALLOW_FILTERS)
        for name, function in _ALL_FILTERS.items()
    }
)
TESTS: Final[Mapping[str, Function]] = MappingProxyType(
    {name: meter_calls(function) if name in _METERED_TESTS else function for name, function in _ALL_TESTS.items()}
)
FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        "dict": meter_calls(dict),
        "fail": fail,
        "namespace": meter_calls(Namespace),
        "raise_exception": fail,
        "range": limited_range,
    }
)

_TEXT_METHODS: Final = (
    "capitalize", "casefold", "center", "count", "endswith", "find", "format", "index", "isalnum", "isalpha", "isascii",
    "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
    "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex",
    "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title",
    "upper", "zfill",
)  # fmt: skip
METHODS: Final[Mapping[type, frozenset[str]]] = MappingProxyType(
    {
        str: frozenset(_TEXT_METHODS),
        dict: frozenset(("copy", "get", "items", "keys", "values")),
        list: frozenset(("count", "index")),
        tuple: frozenset(("count", "index")),
        range: frozenset(("count", "index")),
    }
)
RANGE_ATTRIBUTES: Final = frozenset(("start", "step", "stop"))
LOOP_ATTRIBUTES: Final = frozenset(
    ("depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem", "revindex", "revindex0")
)
GROUP_ATTRIBUTES: Final = frozenset(("grouper", "list"))
LOOP_METHODS: Final = frozenset(("changed", "cycle"))
METHOD_NAMES: Final = frozenset[str]().union(*METHODS.values()) | LOOP_METHODS
