"""The history functions by their filter names in templates."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from promptpack.template.history.parameters import tool_parameters
from promptpack.template.history.records import fold_repeated, react_records, react_window, tool_call_text
from promptpack.template.history.short_text import compact, first_line, trim_space
from promptpack.template.history.summary import early_summary, outside_window
from promptpack.template.history.tool_listing import parameter_text, return_hint, tool_catalog, tool_entries
from promptpack.template.history.user_input import first_and_last_input, user_inputs

FILTERS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        "compact": compact,
        "early_summary": early_summary,
        "first_and_last_input": first_and_last_input,
        "first_line": first_line,
        "fold_repeated": fold_repeated,
        "outside_window": outside_window,
        "parameter_text": parameter_text,
        "react_records": react_records,
        "react_window": react_window,
        "return_hint": return_hint,
        "tool_call_text": tool_call_text,
        "tool_catalog": tool_catalog,
        "tool_entries": tool_entries,
        "tool_parameters": tool_parameters,
        "trim_space": trim_space,
        "user_inputs": user_inputs,
    }
)
