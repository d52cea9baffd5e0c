"""The responses of SDKs that have no provider here -> `Completion`."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from promptpack.cycle.provider import Completion, FinishReason, Usage
from promptpack.prompt.message import ToolCall
from promptpack.template.values import to_json

_FINISH: Final[Mapping[str, FinishReason]] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "spii": "content_filter",
    "malformed_function_call": "length",
}


def read_openai_response(response: Any) -> Completion:
    """Read a response of OpenAI's Responses API."""
    items = response.output or ()
    contents = [part for item in items if item.type == "message" for part in item.content or ()]
    refusals = [part.refusal for part in contents if part.type == "refusal"]
    texts = [part.text for part in contents if part.type == "output_text"]
    calls = [
        ToolCall(item.call_id, item.name, item.arguments or "{}") for item in items if item.type == "function_call"
    ]
    reason = getattr(response.incomplete_details, "reason", None) or ("incomplete" if _is_cut(response) else None)
    finish = "content_filter" if refusals else to_finish_reason(reason)
    usage = getattr(response, "usage", None)
    tokens = Usage(usage.input_tokens or 0, usage.output_tokens or 0) if usage is not None else Usage()
    return Completion(
        require_text("".join(texts or refusals)), tuple(calls), finish, tokens, str(response.model or ""), response
    )


def _is_cut(response: Any) -> bool:
    return getattr(response, "status", None) in ("incomplete", "failed", "cancelled")


def read_gemini(response: Any) -> Completion:
    """Read a response of Gemini; thoughts are not part of the answer."""
    feedback = response.prompt_feedback
    if not response.candidates:
        blocked = getattr(feedback, "block_reason_message", None) or getattr(feedback, "block_reason", None)
        return Completion(str(blocked or ""), finish_reason="content_filter", raw=response)
    candidate = response.candidates[0]
    parts = (candidate.content.parts if candidate.content else None) or ()
    text = "".join(part.text for part in parts if part.text and not getattr(part, "thought", None))
    calls = [_call(part.function_call, number) for number, part in enumerate(parts, 1) if part.function_call]
    reason = candidate.finish_reason
    return Completion(
        require_text(text),
        tuple(calls),
        to_finish_reason(getattr(reason, "name", reason)),
        _gemini_usage(getattr(response, "usage_metadata", None)),
        str(getattr(response, "model_version", None) or ""),
        response,
    )


def _call(call: Any, number: int) -> ToolCall:
    return ToolCall(getattr(call, "id", None) or f"call_{number}", call.name, to_json(dict(call.args or {}), None))


def _gemini_usage(usage: Any) -> Usage:
    if usage is None:
        return Usage()
    return Usage(
        usage.prompt_token_count or 0,
        usage.candidates_token_count or 0,
        getattr(usage, "cached_content_token_count", None) or 0,
    )


def read_langchain(message: Any) -> Completion:
    """Read an AI message of LangChain; its finish reason is in the metadata of the provider."""
    metadata = message.response_metadata or {}
    reason = next((metadata[key] for key in ("finish_reason", "stop_reason", "done_reason") if metadata.get(key)), None)
    refusal = (getattr(message, "additional_kwargs", None) or {}).get("refusal")
    content = message.content
    text = content if isinstance(content, str) else "".join(_block_texts(content))
    calls = [
        ToolCall(call.get("id") or f"call_{number}", call["name"], to_json(call["args"], None))
        for number, call in enumerate(getattr(message, "tool_calls", None) or (), 1)
    ]
    # The arguments of these are not valid JSON; the check says so.
    calls += [
        ToolCall(call.get("id") or "", call.get("name") or "", call.get("args") or "")
        for call in getattr(message, "invalid_tool_calls", None) or ()
    ]
    finish = "content_filter" if refusal and not text else to_finish_reason(reason)
    usage = getattr(message, "usage_metadata", None) or {}
    return Completion(
        require_text(text or refusal or ""),
        tuple(calls),
        finish,
        Usage(usage.get("input_tokens", 0), usage.get("output_tokens", 0)),
        str(metadata.get("model_name", "")),
        message,
    )


def _block_texts(blocks: Iterable[Any]) -> Iterable[str]:
    for block in blocks:
        if isinstance(block, str):
            yield block
        elif block.get("type") == "text":
            yield block["text"]


def read_ollama(response: Any) -> Completion:
    """Read a chat response of Ollama."""
    message = response.message
    calls = [
        ToolCall(f"call_{number}", call.function.name, to_json(dict(call.function.arguments or {}), None))
        for number, call in enumerate(message.tool_calls or (), 1)
    ]
    usage = Usage(getattr(response, "prompt_eval_count", None) or 0, getattr(response, "eval_count", None) or 0)
    finish = to_finish_reason(response.done_reason)
    return Completion(
        require_text(message.content or ""), tuple(calls), finish, usage, str(response.model or ""), response
    )


def to_finish_reason(reason: Any) -> FinishReason:
    """Return a provider's reason in OpenAI's words; an unknown one that sounds like truncation counts as "length"."""
    from promptpack.reply.wrappers import is_cut_reason

    if reason is None:
        return "stop"
    known = _FINISH.get(str(reason).lower())
    return known or ("length" if is_cut_reason(str(reason)) else "stop")


def require_text(text: Any) -> str:
    """Return a text; raise a `TypeError` if it is something else."""
    if not isinstance(text, str):
        raise TypeError("its content is not text")
    return text
