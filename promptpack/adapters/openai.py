"""OpenAI's chat completions: `client.chat.completions.create(model=..., **prompt.to("openai"))`."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.adapters.forms.chat import CHAT, with_values, write_chat, write_chat_tools, write_response_format
from promptpack.adapters.outgoing import Outgoing, TargetOption

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {"cache": "OpenAI caches long prefixes by itself; leave out 'cache'"}
CARRIES: Final = CHAT


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, `response_format` and `tools`."""
    return {"messages": write_chat(outgoing.messages)} | with_values(
        response_format=write_response_format(outgoing), tools=write_chat_tools(outgoing.tools)
    )
