"""LiteLLM: `litellm.completion(model=..., **prompt.to("litellm"))`."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.adapters.forms.chat import CHAT, with_values, write_chat, write_chat_tools, write_response_format
from promptpack.adapters.outgoing import Outgoing, TargetOption

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {}
CARRIES: Final = CHAT


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, `response_format` (only if strict: some of its servers close open objects) and `tools`."""
    return {"messages": write_chat(outgoing.messages)} | with_values(
        response_format=write_response_format(outgoing, "litellm") if outgoing.strict else None,
        tools=write_chat_tools(outgoing.tools),
    )
