"""The words of templates: the names of filters and tests, known without importing what they do."""

from __future__ import annotations

from typing import Final

JINJA_FILTER_NAMES: Final = (
    "abs", "batch", "capitalize", "center", "count", "d", "default", "dictsort", "first", "float", "groupby", "indent",
    "int", "items", "join", "last", "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "replace",
    "reverse", "round", "select", "selectattr", "slice", "sort", "string", "sum", "title", "trim", "truncate",
    "unique", "upper", "wordcount", "wordwrap",
)  # fmt: skip

JINJA_TEST_NAMES: Final = (
    "!=", "<", "<=", "==", ">", ">=", "boolean", "defined", "divisibleby", "eq", "equalto", "even", "false", "filter",
    "float", "ge", "greaterthan", "gt", "in", "integer", "iterable", "le", "lessthan", "lower", "lt", "mapping", "ne",
    "none", "number", "odd", "sameas", "sequence", "string", "test", "true", "undefined", "upper",
)  # fmt: skip

# Those with limits of their own, those of packs, and those that read a history.
_OTHER_FILTER_NAMES: Final = (
    "compact", "early_summary", "fenced", "first_and_last_input", "first_line", "flatten", "fold_repeated", "history",
    "json", "out_of_order", "outside_window", "parameter_text", "react_records", "react_window", "return_hint",
    "tojson", "tool_call_text", "tool_catalog", "tool_entries", "tool_parameters", "tools", "trim_space",
    "user_inputs", "yaml",
)  # fmt: skip
FILTER_NAMES: Final = frozenset((*JINJA_FILTER_NAMES, *_OTHER_FILTER_NAMES))
TEST_NAMES: Final = frozenset(JINJA_TEST_NAMES)

# Inputs that have a readable form of their own when a template prints them bare, by the filter that gives it.
PRINTED_BY: Final = {"HISTORY": "history", "AVAILABLE_TOOLS": "tools"}
