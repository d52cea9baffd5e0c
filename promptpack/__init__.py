"""Versioned YAML prompt packs with Jinja templates, typed inputs and checked model replies."""

# Not from `typing`: importing it takes half as long as starting the interpreter.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptpack import adapters as adapters
    from promptpack import flow as flow
    from promptpack import providers as providers
    from promptpack._version import __version__
    from promptpack.adapters.streams import StreamPart
    from promptpack.cycle import Agent, LlmCycle
    from promptpack.library import Library, PackName, ReloadReport
    from promptpack.logs import log_events
    from promptpack.pack.contract import Contract
    from promptpack.pack.model import Pack
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
    from promptpack.prompt.composer import PromptComposer
    from promptpack.prompt.message import Message
    from promptpack.prompt.order import validate_messages
    from promptpack.prompt.prompt import Prompt
    from promptpack.prompt.prompt_template import PromptTemplate
    from promptpack.prompt.registry import PromptTemplateRegistry
    from promptpack.prompt.render_context import RenderContext
    from promptpack.prompt.slots import SlotPrompt
    from promptpack.prompt.template_context import TemplateContext
    from promptpack.verdict import AgentOutput, Verdict, VerdictStream, Violation
    from promptpack.watching import Watch

__all__ = [
    "Agent", "AgentOutput", "ContextError", "Contract", "Library", "LlmCycle", "Location", "Message",
    "MissingExtraError", "Pack", "PackError", "PackName", "Problem", "Prompt", "PromptComposer", "PromptTemplate",
    "PromptTemplateRegistry", "PromptpackError", "ReloadReport", "RenderContext", "ReplyError", "SlotPrompt",
    "StreamPart", "TemplateContext", "UsageError", "Verdict", "VerdictStream", "Violation", "Watch", "__version__",
    "log_events", "validate_messages",
]  # fmt: skip

# The module of each public name, imported on first use.
_MODULES = {
    "Agent": "cycle",
    "AgentOutput": "verdict",
    "ContextError": "problem",
    "Contract": "pack.contract",
    "Library": "library",
    "LlmCycle": "cycle",
    "Location": "problem",
    "Message": "prompt.message",
    "MissingExtraError": "problem",
    "Pack": "pack.model",
    "PackError": "problem",
    "PackName": "library",
    "Problem": "problem",
    "Prompt": "prompt.prompt",
    "PromptComposer": "prompt.composer",
    "PromptTemplate": "prompt.prompt_template",
    "PromptTemplateRegistry": "prompt.registry",
    "PromptpackError": "problem",
    "ReloadReport": "library",
    "RenderContext": "prompt.render_context",
    "ReplyError": "problem",
    "SlotPrompt": "prompt.slots",
    "StreamPart": "adapters.streams",
    "TemplateContext": "prompt.template_context",
    "UsageError": "problem",
    "Verdict": "verdict",
    "VerdictStream": "verdict",
    "Violation": "verdict",
    "Watch": "watching",
    "__version__": "_version",
    "log_events": "logs",
    "validate_messages": "prompt.order",
}

_PUBLIC_MODULES = ("adapters", "flow", "otel", "providers", "stubs")

if not TYPE_CHECKING:
    # Hidden from type checkers, which would accept every misspelled name.
    def __getattr__(name: str) -> object:
        from promptpack.lazy import import_module, import_name

        if name in _PUBLIC_MODULES:
            return import_module(f"promptpack.{name}")
        return import_name(name, _MODULES, globals())


def __dir__() -> list[str]:
    return sorted(__all__)
