"""Tools -> a compact catalogue: names, descriptions, parameters and return values."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from promptpack.template.history import go_text
from promptpack.template.history.message_fields import read_mappings, read_text_field
from promptpack.template.history.parameters import Parameter, Style, tool_parameters
from promptpack.template.history.placeholders import fill
from promptpack.template.history.short_text import trim_space

NO_PARAMETERS: Final = "{}"


class ToolEntry(TypedDict):
    """One entry of a catalogue; `number` is the position in the original list, from 1."""

    number: int
    name: str
    description: str
    parameters: list[Parameter]
    returns: str


def tool_entries(
    tools: object, *, style: Style = "auto", returns: Mapping[str, str] | None = None, default_return: str = ""
) -> list[ToolEntry]:
    """Return an entry for each tool with a name; tools without one leave a gap in the numbers."""
    hints = _by_name(returns or {})
    read = [_function(tool) for tool in read_mappings(tools, "the list of tools", "PP431")]
    return [
        {
            "number": number,
            "name": name,
            "description": trim_space(read_text_field(tool, "description") or read_text_field(tool, "desc")),
            "parameters": tool_parameters(tool, style),
            "returns": hints.get(go_text.lower(name), default_return),
        }
        for number, tool in enumerate(read, 1)
        if (name := trim_space(read_text_field(tool, "name")))
    ]


def return_hint(name: object, returns: Mapping[str, str], default: str = "") -> str:
    """Look up the description of a tool's return value; ignore letter case and surrounding space in names."""
    return _by_name(returns).get(go_text.lower(trim_space(name)), default)


def parameter_text(
    parameters: Sequence[Parameter],
    *,
    required: str = "required",
    optional: str = "optional",
    separator: str = "; ",
    empty: str = NO_PARAMETERS,
) -> str:
    """Write parameters in one line: `name(required,type); name(optional)`."""
    return separator.join(_parameter(one, required if one["required"] else optional) for one in parameters) or empty


def tool_catalog(
    tools: object,
    *,
    style: Style = "auto",
    returns: Mapping[str, str] | None = None,
    default_return: str = "",
    header: str = "Available tools:",
    entry: str = "{number}. {name}: {description}\n   parameters: {parameters}",
    no_description: str = "no description",
    required: str = "required",
    optional: str = "optional",
    separator: str = "; ",
    no_parameters: str = NO_PARAMETERS,
) -> str:
    """Write the header, then `entry` for each tool (`{returns}` is a placeholder too); return "" without tools.

    `tools` are definitions in any SDK's form. `style` says how parameters are read: `auto`, `flat` or `json-schema`.
    `returns` has the description of the return value of each tool, and `default_return` that of the others. `header` is
    the first line. `required`, `optional` and `separator` are the words of the list of parameters; `no_description` and
    `no_parameters` are the texts for what is missing.
    """
    listed = read_mappings(tools, "the list of tools", "PP431")
    if not listed:
        return ""
    entries = tool_entries(listed, style=style, returns=returns, default_return=default_return)
    lines = [
        fill(
            entry,
            {
                "number": str(tool["number"]),
                "name": tool["name"],
                "description": tool["description"] or no_description,
                "parameters": parameter_text(
                    tool["parameters"], required=required, optional=optional, separator=separator, empty=no_parameters
                ),
                "returns": tool["returns"],
            },
        )
        for tool in entries
    ]
    return "\n".join([header, *lines] if header else lines)


def _function(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    nested = tool.get("function")
    return nested if isinstance(nested, Mapping) else tool


def _by_name(returns: Mapping[str, str]) -> dict[str, str]:
    return {go_text.lower(go_text.trim_space(name)): text for name, text in returns.items()}


def _parameter(parameter: Parameter, status: str) -> str:
    kind = f",{parameter['type']}" if parameter["type"] else ""
    return f"{parameter['name']}({status}{kind})"
