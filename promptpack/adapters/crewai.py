"""CrewAI: `LLM(...).call(**prompt.to("crewai"))` sends the text unchanged; agents and tasks fill in `{names}`."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.adapters.forms.chat import with_values, write_chat_tools, write_parsed_chat
from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("tools",))
INSTEAD: Final[Mapping[TargetOption, str]] = {
    "strict": "check the reply with prompt.check; CrewAI takes only its own models"
}
CARRIES: Final = Carries(parts=frozenset(("image_url",)), names=True)


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages` and `tools`."""
    return {"messages": write_parsed_chat(outgoing.messages)} | with_values(tools=write_chat_tools(outgoing.tools))
