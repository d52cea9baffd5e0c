"""The stock-Jinja twin of a shipped pack: the same templates and partials, the same text, and nothing else.

It reads the YAML files itself. Its `fenced` writes JSON and a fence that is long enough; it does not look for special
tokens, and nothing has a limit.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml

from benchmarks.environments import ROOT

_FENCE = re.compile("`{3,}|~{3,}")
_TOOLS = """\
{%- macro fields(schema, depth) %}
{% for name, field in schema.properties.items() %}
{{ "  " * depth }}- {{ name }} ({{ field.type }}, {{ "required" if name in schema.required else "optional" }}): \
{{ field.description }}
{% if field.properties is defined %}
{{ fields(field, depth + 1) -}}
{% endif %}
{% endfor %}
{% endmacro %}
{% for tool in AVAILABLE_TOOLS %}
  - {{ tool.name }}: {{ tool.description }}
{{ fields(tool.parameters, 2) -}}
{% endfor %}
"""


class Twin:
    """Renders the messages of one agent from a context."""

    def __init__(self, agent: str, reply_format: str) -> None:
        pack, base = _read(agent), _read("agent-base")
        self._roles = [message.get("role") for message in pack["messages"]]
        self._about = {"agent": pack["agent"]}
        self._defaults = {name: one["default"] for name, one in pack["inputs"].items() if "default" in one}
        partials = {name: text.removesuffix("\n") for name, text in base["partials"].items()}
        environment = _environment(
            partials | {"tools": _TOOLS, "output": _with_tools(partials["output"], reply_format)}
        )
        self._templates = [environment.from_string(_source(message)) for message in pack["messages"]]
        self._schema = {"type": "object", "properties": pack["inputs"], "required": _required(pack["inputs"])}

    def validator(self) -> Callable[[Any], object]:
        """Return a function that validates a context with jsonschema."""
        from jsonschema import Draft202012Validator

        return Draft202012Validator(self._schema).validate

    def render(self, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the messages."""
        values = {"pack": self._about, **self._defaults, **context}
        messages: list[dict[str, Any]] = []
        for role, template in zip(self._roles, self._templates, strict=True):
            if role is None:
                messages += values["HISTORY"]
            else:
                messages.append({"role": role, "content": template.render(values)})
        return messages


def _environment(partials: Mapping[str, str]) -> Any:
    from jinja2 import DictLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        loader=DictLoader(dict(partials)),
    )
    environment.filters["fenced"] = _fenced
    return environment


def _fenced(value: Any, tag: str = "") -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    fence = "`" * max(3, *(1 + len(run) for run in _FENCE.findall(text)), 0)
    return f"{fence}{tag}\n{text}\n{fence}"


def _source(message: Mapping[str, Any]) -> str:
    """Return the template of a message; a newline after an include is part of the text in a pack."""
    return str(message.get("content", "")).removesuffix("\n").replace('" %}', '" +%}')


def _with_tools(output: str, reply_format: str) -> str:
    """Return the partial with the reply format: written out, except the names and lines of the tools."""
    written = reply_format.replace("TOOL_NAMES", '{{ AVAILABLE_TOOLS | map(attribute="name") | join(" | ") }}')
    return output.replace("{{ reply_format }}", written.replace("  - TOOL_LINES\n", '{% include "tools" %}\n'))


def _required(inputs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [name for name, one in inputs.items() if "default" not in one]


def _read(name: str) -> Any:
    return yaml.load((ROOT / "packs" / name / "1.0.0.en.yaml").read_text("utf-8"), yaml.CSafeLoader)
