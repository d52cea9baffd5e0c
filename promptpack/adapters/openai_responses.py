"""OpenAI's Responses API: `client.responses.create(model=..., **prompt.to("openai-responses"))`."""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any, Final

from promptpack.adapters.forms.openai_responses import RESPONSES, write_items
from promptpack.adapters.outgoing import HOISTED, Outgoing, TargetOption

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {"cache": "OpenAI caches long prefixes by itself; leave out 'cache'"}
CARRIES: Final = RESPONSES


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `instructions` (the leading system messages), `input`, `text` and `tools`."""
    leading = [*takewhile(lambda message: message.role in HOISTED, outgoing.messages)]
    rest = outgoing.messages[len(leading) :]
    written: dict[str, Any] = {"input": write_items(rest or leading)}
    instructions = "\n\n".join(message.text for message in leading if message.text)
    if rest and instructions:
        written = {"instructions": instructions, **written}
    schema = outgoing.strict_schema("openai-responses") if outgoing.strict else outgoing.schema()
    if schema is not None:
        name = outgoing.schema_name
        written["text"] = {"format": {"type": "json_schema", "name": name, "schema": schema, "strict": outgoing.strict}}
    if outgoing.tools:
        written["tools"] = [_tool(tool.to_dict()["function"]) for tool in outgoing.tools]
    return written


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    # The API makes tools strict by default.
    defaults = {"parameters": {"type": "object", "properties": {}}, "strict": False}
    return {"type": "function", **defaults, **function}
