"""Google ADK: `LlmRequest(**prompt.to("adk"))` for one call of a model, or `instruction(prompt)` for an agent."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.forms.gemini import GEMINI, write_config, write_contents
from promptpack.adapters.outgoing import HOISTED, Outgoing, TargetOption

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt

__all__ = ["instruction"]

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {}
CARRIES: Final = GEMINI


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `contents` and `config`."""
    return {"contents": write_contents(outgoing), "config": write_config(outgoing)}


def instruction(prompt: "Prompt") -> Callable[[Any], str]:
    """Return the system text of a prompt as an `instruction` of `LlmAgent`, which replaces `{names}` only in texts.

    `prompt` is the rendered prompt; the function ignores its argument, the context of the agent.
    """
    text = "\n\n".join(message.text for message in prompt.messages if message.role in HOISTED)
    return lambda _context: text
