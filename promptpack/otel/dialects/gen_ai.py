"""The attributes of every span: OpenTelemetry's conventions for generative AI, and promptpack's own."""

from collections.abc import Iterator, Mapping
from typing import Any

from promptpack.observation import (
    CallEnded,
    CallStarted,
    CheckEnded,
    Ended,
    PackIdentity,
    RenderEnded,
    RunEnded,
    RunStarted,
    Started,
    ToolEnded,
    ToolStarted,
)
from promptpack.otel.dialects.dialect import Attributes, Content, without_empty, write_json, write_text


class GenAi:
    """Names as in OpenTelemetry's `semantic-conventions-genai`; other facts are called `promptpack.*`."""

    def started(self, event: Started, content: Content) -> Attributes:
        """Return the attributes at the start of an operation."""
        identity = {} if event.pack is None else _identity(event.pack)
        own = _started(event)
        return without_empty({"promptpack.run.id": event.run, **identity, **own, **_content(content)})

    def ended(self, event: Ended, content: Content) -> Attributes:
        """Return the attributes at its end."""
        failure: Attributes = {}
        if event.failure is not None:
            failure = {"error.type": event.failure.codes[0] if event.failure.codes else event.failure.type}
        elif isinstance(event, RenderEnded | CallEnded | ToolEnded | CheckEnded | RunEnded):
            failure = _ended(event)
        finish = event.finish_reason if isinstance(event, CallEnded) else ""
        return without_empty({**failure, **_content(content, finish)})


def _identity(pack: PackIdentity) -> Attributes:
    return {
        "gen_ai.prompt.name": pack.name,
        "gen_ai.prompt.version": pack.version,
        "promptpack.digest": pack.digest,
        "promptpack.label": pack.label,
        "promptpack.overlay": pack.overlay,
    }


def _started(event: Started) -> Attributes:
    agent = "" if event.pack is None else event.pack.agent or event.pack.name
    match event:
        case RunStarted():
            operation = "invoke_workflow" if event.kind == "flow" else "invoke_agent"
            return {"gen_ai.operation.name": operation, "gen_ai.agent.name": agent}
        case CallStarted():
            return {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": event.provider,
                "gen_ai.request.model": event.model,
                # A pack that is sent by an agent has a contract, which is JSON.
                "gen_ai.output.type": "json" if event.pack is not None else "",
                "gen_ai.agent.name": agent,
                "promptpack.round": event.round,
                "promptpack.attempt": event.attempt,
            }
        case ToolStarted():
            return {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": event.name,
                "gen_ai.tool.type": "function",
                "gen_ai.agent.name": agent,
            }
        case _:
            return {}


def _ended(event: Ended) -> Attributes:
    match event:
        case RunEnded():
            return {"promptpack.outcome": event.outcome, "promptpack.rounds": event.rounds}
        case RenderEnded():
            return {"promptpack.messages": event.messages}
        case CallEnded():
            return {
                "gen_ai.response.model": event.model,
                "gen_ai.response.finish_reasons": (event.finish_reason,) if event.finish_reason else (),
                **_tokens(event),
            }
        case CheckEnded():
            return {
                "promptpack.outcome": event.outcome,
                "promptpack.repairs": len(event.repairs),
                "promptpack.repair.kinds": tuple(dict.fromkeys(event.repairs)),
                "promptpack.violations": len(event.violations),
                "promptpack.violation.codes": tuple(dict.fromkeys(event.violations)),
            }
        case ToolEnded():
            return {"promptpack.rejection": event.rejection}


def _tokens(event: CallEnded) -> Attributes:
    """Return the token counts; none if the server counts none, because 0 would be a claim."""
    if not event.input_tokens and not event.output_tokens:
        return {}
    counts: Attributes = {
        "gen_ai.usage.input_tokens": event.input_tokens,
        "gen_ai.usage.output_tokens": event.output_tokens,
    }
    return counts | ({"gen_ai.usage.cache_read.input_tokens": event.cached_tokens} if event.cached_tokens else {})


def _content(content: Content, finish_reason: str = "") -> Attributes:
    found: Attributes = {}
    for name, value in content.items():
        found |= _written(name, value, finish_reason)
    return found


def _written(name: str, value: Any, finish_reason: str) -> Attributes:
    match name:
        case "messages":
            system = [part for message in value if _is_system(message) for part in _parts(message)]
            others = [_message(message) for message in value if not _is_system(message)]
            return {
                "gen_ai.system_instructions": write_json(system) if system else "",
                "gen_ai.input.messages": write_json(others),
            }
        case "message":
            return {"gen_ai.output.messages": write_json([{**_message(value), "finish_reason": finish_reason}])}
        case "variables":
            return {f"gen_ai.prompt.variable.{key}": write_text(item) for key, item in value.items()}
        case "arguments":
            return {"gen_ai.tool.call.arguments": write_text(value)}
        case "result":
            return {"gen_ai.tool.call.result": write_text(value)}
        case "reply" | "correction":
            return {f"promptpack.{name}": write_text(value)}
        case "violations":
            return {"promptpack.violation.messages": tuple(value)}
        case _:
            return {}


def _is_system(message: Mapping[str, Any]) -> bool:
    return message["role"] in ("system", "developer")


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": message["role"], "parts": list(_parts(message))}


def _parts(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    content = message.get("content")
    if message["role"] == "tool":
        yield {"type": "tool_call_response", "id": message.get("tool_call_id", ""), "response": content}
    elif isinstance(content, str):
        yield {"type": "text", "content": content}
    elif content is not None:
        # Only text: images and files are large, and their addresses may be signed.
        for part in content:
            yield {"type": part["type"]} | ({"content": part["text"]} if part["type"] == "text" else {})
    for call in message.get("tool_calls", ()):
        function = call["function"]
        yield {
            "type": "tool_call",
            "id": call["id"],
            "name": function["name"],
            "arguments": function["arguments"],
        }
