"""Versioned YAML prompt packs with Jinja templates, typed inputs and checked model replies."""

# Not from `typing`: importing it takes half as long as starting the interpreter.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptpack import adapters as adapters
    from promptpack import batch as batch
    from promptpack import flow as flow
    from promptpack import providers as providers
    from promptpack._version import __version__
    from promptpack.adapters.streams import StreamPart
    from promptpack.cycle import Agent, LlmCycle
    from promptpack.library import Library
    from promptpack.library.reload_report import PackName, ReloadReport
    from promptpack.linter import LintReport, LintSettings, lint, lint_text
    from promptpack.logs import log_events
    from promptpack.pack.contract import Contract
    from promptpack.pack.model import Pack
    from promptpack.pack.model_overlay import ModelOverlay
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
    from promptpack.prompt.budget import Budget, BudgetItem, Fit, MessageChange, exact_counter, fit, fit_items
    from promptpack.prompt.composer import PromptComposer
    from promptpack.prompt.message import Message, Part
    from promptpack.prompt.order import InvalidSequenceError, validate_messages
    from promptpack.prompt.prompt import Prompt
    from promptpack.prompt.prompt_template import PromptTemplate
    from promptpack.prompt.provenance import Explanation, Span
    from promptpack.prompt.registry import PromptTemplateRegistry
    from promptpack.prompt.render_context import RenderContext
    from promptpack.prompt.slots import SlotPrompt, SlotWarning, read_output_schema
    from promptpack.prompt.template_context import TemplateContext
    from promptpack.template.failure import (
        MaxDepthReachedError,
        NotAnArrayError,
        PartialNotFoundError,
        VariableNotFoundError,
    )
    from promptpack.template.history import (
        early_summary,
        fold_repeated,
        react_records,
        react_window,
        tool_catalog,
        user_inputs,
    )
    from promptpack.verdict import AgentOutput, Verdict, VerdictStream, Violation
    from promptpack.watching import Watch

__all__ = [
    "Agent", "AgentOutput", "Budget", "BudgetItem", "ContextError", "Contract", "Explanation", "Fit",
    "InvalidSequenceError", "Library", "LintReport", "LintSettings", "LlmCycle", "Location", "MaxDepthReachedError",
    "Message", "MessageChange", "MissingExtraError", "ModelOverlay", "NotAnArrayError", "Pack", "PackError",
    "PackName", "Part", "PartialNotFoundError", "Problem", "Prompt", "PromptComposer", "PromptTemplate",
    "PromptTemplateRegistry", "PromptpackError", "ReloadReport", "RenderContext", "ReplyError", "SlotPrompt",
    "SlotWarning", "Span", "StreamPart", "TemplateContext", "UsageError", "VariableNotFoundError", "Verdict",
    "VerdictStream", "Violation", "Watch", "__version__", "early_summary", "exact_counter", "fit", "fit_items",
    "fold_repeated", "lint", "lint_text", "log_events", "react_records", "react_window", "read_output_schema",
    "tool_catalog", "user_inputs", "validate_messages",
]  # fmt: skip

# The module of each public name, imported on first use.
_MODULES = {
    "Agent": "cycle",
    "AgentOutput": "verdict",
    "Budget": "prompt.budget",
    "BudgetItem": "prompt.budget",
    "ContextError": "problem",
    "Contract": "pack.contract",
    "Explanation": "prompt.provenance",
    "Fit": "prompt.budget",
    "InvalidSequenceError": "prompt.order",
    "Library": "library",
    "LintReport": "linter",
    "LintSettings": "linter",
    "LlmCycle": "cycle",
    "Location": "problem",
    "MaxDepthReachedError": "template.failure",
    "Message": "prompt.message",
    "MessageChange": "prompt.budget",
    "MissingExtraError": "problem",
    "ModelOverlay": "pack.model_overlay",
    "NotAnArrayError": "template.failure",
    "Pack": "pack.model",
    "PackError": "problem",
    "PackName": "library.reload_report",
    "Part": "prompt.message",
    "PartialNotFoundError": "template.failure",
    "Problem": "problem",
    "Prompt": "prompt.prompt",
    "PromptComposer": "prompt.composer",
    "PromptTemplate": "prompt.prompt_template",
    "PromptTemplateRegistry": "prompt.registry",
    "PromptpackError": "problem",
    "ReloadReport": "library.reload_report",
    "RenderContext": "prompt.render_context",
    "ReplyError": "problem",
    "SlotPrompt": "prompt.slots",
    "SlotWarning": "prompt.slots",
    "Span": "prompt.provenance",
    "StreamPart": "adapters.streams",
    "TemplateContext": "prompt.template_context",
    "UsageError": "problem",
    "VariableNotFoundError": "template.failure",
    "Verdict": "verdict",
    "VerdictStream": "verdict",
    "Violation": "verdict",
    "Watch": "watching",
    "__version__": "_version",
    "early_summary": "template.history",
    "exact_counter": "prompt.budget",
    "fit": "prompt.budget",
    "fit_items": "prompt.budget",
    "fold_repeated": "template.history",
    "lint": "linter",
    "lint_text": "linter",
    "log_events": "logs",
    "react_records": "template.history",
    "react_window": "template.history",
    "read_output_schema": "prompt.slots",
    "tool_catalog": "template.history",
    "user_inputs": "template.history",
    "validate_messages": "prompt.order",
}

_PUBLIC_MODULES = ("adapters", "batch", "flow", "otel", "providers", "stubs", "testing")

if not TYPE_CHECKING:
    # Hidden from type checkers, which would accept every misspelled name.
    def __getattr__(name: str) -> object:
        from promptpack.lazy import import_module, import_name

        if name in _PUBLIC_MODULES:
            return import_module(f"promptpack.{name}")
        return import_name(name, _MODULES, globals())


def __dir__() -> list[str]:
    return sorted(__all__)
