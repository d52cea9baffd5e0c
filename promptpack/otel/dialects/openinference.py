"""OpenInference, the names that Phoenix reads."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.observation import (
    CallEnded,
    CallStarted,
    CheckStarted,
    Ended,
    RenderStarted,
    RunStarted,
    Started,
    ToolStarted,
)
from promptpack.otel.dialects.dialect import Attributes, Content, without_empty, write_json, write_text

_INPUTS: Final = ("messages", "arguments", "reply")
_OUTPUTS: Final = ("messages", "message", "result", "violations")


class OpenInference:
    """Names as in OpenInference's `semantic_conventions.md`."""

    def started(self, event: Started, content: Content) -> Attributes:
        """Return the attributes at the start of an operation."""
        found: Attributes = {"openinference.span.kind": _kind(event)}
        if event.pack is not None and isinstance(event, RenderStarted | CallStarted):
            found |= {"prompt.id": event.pack.name, "llm.prompt_template.version": event.pack.version}
        if isinstance(event, CallStarted):
            found |= {"llm.provider": event.provider, "llm.model_name": event.model}
            found |= _messages("llm.input_messages", content.get("messages"))
        elif isinstance(event, ToolStarted):
            found |= {"tool.name": event.name}
        elif isinstance(event, RunStarted) and event.pack is not None:
            found |= {"agent.name": event.pack.agent or event.pack.name}
        return without_empty(found | _template(content) | _value("input", content, _INPUTS))

    def ended(self, event: Ended, content: Content) -> Attributes:
        """Return the attributes at its end."""
        found: Attributes = {}
        if isinstance(event, CallEnded) and event.failure is None:
            found = {"llm.model_name": event.model, **_tokens(event)}
            found |= _messages("llm.output_messages", [content["message"]] if "message" in content else None)
        return without_empty(found | _template(content) | _value("output", content, _OUTPUTS))


def _kind(event: Started) -> str:
    match event:
        case RunStarted():
            return "AGENT" if event.kind == "agent" else "CHAIN"
        case RenderStarted():
            return "PROMPT"
        case CallStarted():
            return "LLM"
        case ToolStarted():
            return "TOOL"
        case CheckStarted():
            return "GUARDRAIL"


def _tokens(event: CallEnded) -> Attributes:
    if not event.input_tokens and not event.output_tokens:
        return {}
    return {
        "llm.token_count.prompt": event.input_tokens,
        "llm.token_count.completion": event.output_tokens,
        "llm.token_count.total": event.input_tokens + event.output_tokens,
        "llm.token_count.prompt_details.cache_read": event.cached_tokens,
    }


def _template(content: Content) -> Attributes:
    if "template" not in content:
        return {}
    return {
        "llm.prompt_template.template": write_json(content["template"]),
        "llm.prompt_template.variables": write_json(content["variables"]),
    }


def _value(side: str, content: Content, names: tuple[str, ...]) -> Attributes:
    name = next((name for name in names if name in content), None)
    if name is None:
        return {}
    value = content[name]
    kind = "text/plain" if isinstance(value, str) else "application/json"
    return {f"{side}.value": write_text(value), f"{side}.mime_type": kind}


def _messages(prefix: str, messages: Any) -> Attributes:
    found: Attributes = {}
    for index, message in enumerate(messages or ()):
        place = f"{prefix}.{index}.message"
        found |= {f"{place}.role": message["role"], f"{place}.content": _text(message.get("content"))}
        for position, call in enumerate(message.get("tool_calls", ())):
            found |= _call(f"{place}.tool_calls.{position}.tool_call", call)
    return found


def _call(place: str, call: Mapping[str, Any]) -> Attributes:
    function = call["function"]
    return {f"{place}.function.name": function["name"], f"{place}.function.arguments": function["arguments"]}


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part["text"] for part in content if part["type"] == "text")
