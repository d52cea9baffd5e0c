"""Versioned YAML prompt packs with Jinja templates, typed inputs and checked model replies."""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from promptpack.library import Library
    from promptpack.pack import Pack
    from promptpack.prompt.message import Message
    from promptpack.prompt.prompt import Prompt
    from promptpack.prompt.render_context import RenderContext
    from promptpack.verdict import AgentOutput, Verdict, Violation

__version__ = "0.1.0"

__all__ = [
    "AgentOutput",
    "ContextError",
    "Library",
    "Location",
    "Message",
    "MissingExtraError",
    "Pack",
    "PackError",
    "Problem",
    "Prompt",
    "PromptpackError",
    "RenderContext",
    "ReplyError",
    "UsageError",
    "Verdict",
    "Violation",
    "__version__",
]

# Where each public name lives; a name is imported when it is first used, so that `import promptpack` is quick.
_HOMES = {
    "AgentOutput": "verdict",
    "Library": "library",
    "Message": "prompt.message",
    "Pack": "pack",
    "Prompt": "prompt.prompt",
    "RenderContext": "prompt.render_context",
    "Verdict": "verdict",
    "Violation": "verdict",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
