"""OpenAI Agents: `Runner.run(agent, **prompt.to("openai-agents"))` with an agent that has no `instructions`."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.adapters.forms.responses import RESPONSES, write_items
from promptpack.adapters.outgoing import Option, Outgoing

OPTIONS: Final[frozenset[Option]] = frozenset()
INSTEAD: Final[Mapping[Option, str]] = {
    "strict": "use output_type(prompt) of promptpack.adapters.openai_agents",
    "tools": "pass functions to Agent(tools=...)",
}
CARRIES: Final = RESPONSES


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `input`, with the system messages in it."""
    return {"input": write_items(outgoing.messages)}
