"""Versioned YAML prompt packs with Jinja templates, typed inputs and checked model replies."""

from __future__ import annotations

from promptpack.lazy import late_names
from promptpack.problem import (
    ContextError,
    Location,
    MissingExtraError,
    PackError,
    Problem,
    PromptpackError,
    ReplyError,
    UsageError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptpack.cycle import Agent, LlmCycle
    from promptpack.library import Library
    from promptpack.pack import Pack
    from promptpack.prompt.composer import PromptComposer
    from promptpack.prompt.message import Message
    from promptpack.prompt.order import validate_messages
    from promptpack.prompt.prompt import Prompt
    from promptpack.prompt.prompt_template import PromptTemplate
    from promptpack.prompt.registry import PromptTemplateRegistry
    from promptpack.prompt.render_context import RenderContext
    from promptpack.prompt.slots import SlotPrompt
    from promptpack.prompt.template_context import TemplateContext
    from promptpack.verdict import AgentOutput, Verdict, Violation

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AgentOutput",
    "ContextError",
    "Library",
    "LlmCycle",
    "Location",
    "Message",
    "MissingExtraError",
    "Pack",
    "PackError",
    "Problem",
    "Prompt",
    "PromptComposer",
    "PromptTemplate",
    "PromptTemplateRegistry",
    "PromptpackError",
    "RenderContext",
    "ReplyError",
    "SlotPrompt",
    "TemplateContext",
    "UsageError",
    "Verdict",
    "Violation",
    "__version__",
    "validate_messages",
]

# Where each public name lives; a name is imported when it is first used, so that `import promptpack` is quick.
_HOMES = {
    "Agent": "cycle",
    "AgentOutput": "verdict",
    "Library": "library",
    "LlmCycle": "cycle",
    "Message": "prompt.message",
    "Pack": "pack",
    "Prompt": "prompt.prompt",
    "PromptComposer": "prompt.composer",
    "PromptTemplate": "prompt.prompt_template",
    "PromptTemplateRegistry": "prompt.registry",
    "RenderContext": "prompt.render_context",
    "SlotPrompt": "prompt.slots",
    "TemplateContext": "prompt.template_context",
    "Verdict": "verdict",
    "Violation": "verdict",
    "validate_messages": "prompt.order",
}

__getattr__ = late_names(__name__, _HOMES, globals())
