"""Chat histories in the forms of Anthropic, OpenAI's Responses API and LangChain -> messages of OpenAI-style APIs."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from promptpack.problem import ContextError, Problem, did_you_mean

_LANGCHAIN_ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "HumanMessageChunk": "user",
    "AIMessageChunk": "assistant",
    "SystemMessageChunk": "system",
    "ToolMessageChunk": "tool",
}
# Thoughts of a model are not part of the conversation.
_THOUGHTS: Final = frozenset(("thinking", "redacted_thinking", "reasoning"))
_TEXTS: Final = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_ITEMS: Final = frozenset(("message", "function_call", "function_call_output", "reasoning"))
_OWN_PARTS: Final = frozenset(("text", "image_url", "input_audio", "file"))


def is_foreign(history: Any) -> bool:
    """Return whether a history has an entry in one of these forms."""
    return isinstance(history, list) and any(map(_is_foreign_item, history))


def _is_foreign_item(item: Any) -> bool:
    if type(item) is not dict and not isinstance(item, Mapping):
        return False
    if "role" not in item:
        return _kind(item) in _LANGCHAIN_ROLES or _kind(item) in _ITEMS
    content = item.get("content")
    return item.get("type") == "message" or (
        isinstance(content, list)
        and any(isinstance(part, Mapping) and _kind(part) not in _OWN_PARTS for part in content)
    )


def to_chat_messages(history: Iterable[Any], where: str) -> list[Any]:
    """Return a history in the form of OpenAI-style APIs; thoughts of models are left out."""
    messages: list[Any] = []
    for number, item in enumerate(history, 1):
        place = f"message {number} of {where!r}"
        try:
            converted = list(_convert(item, place)) if _is_foreign_item(item) else [item]
        except (AttributeError, KeyError, TypeError) as error:
            hint = "pass it as the SDK returned it, or as a mapping with role and content"
            raise ContextError(Problem("PP412", f"{place} has an unexpected form", None, hint)) from error
        for message in converted:
            if not _join_calls(messages, message):
                messages.append(message)
    return messages


def _join_calls(messages: list[Any], message: Any) -> bool:
    """Add the call of a Responses item to the assistant message before it: chat APIs have all calls in one message."""
    is_call = isinstance(message, Mapping) and message.get("content", "") is None and "tool_calls" in message
    last = messages[-1] if messages else None
    if not is_call or not isinstance(last, dict) or last.get("role") != "assistant":
        return False
    earlier = last.get("tool_calls") or ()
    if not isinstance(earlier, list | tuple) or not isinstance(message["tool_calls"], list):
        return False  # refused later, like every invalid message
    messages[-1] = {**last, "tool_calls": [*earlier, *message["tool_calls"]]}
    return True


def _convert(item: Mapping[str, Any], place: str) -> Iterator[dict[str, Any]]:
    kind = item.get("type")
    if kind == "reasoning":
        return
    if kind == "function_call":
        yield _call_message([_call(item.get("call_id"), item.get("name"), item.get("arguments", "{}"), place)])
    elif kind == "function_call_output":
        yield {"role": "tool", "content": _to_text(item.get("output"), place), "tool_call_id": str(item["call_id"])}
    elif "role" not in item:
        yield _read_langchain(item, place)
    else:
        yield from _read_blocks(str(item["role"]), item.get("content"), place)


def _read_langchain(item: Mapping[str, Any], place: str) -> dict[str, Any]:
    role = _LANGCHAIN_ROLES.get(str(item.get("type")))
    if role is None:
        hint = did_you_mean(str(item.get("type")), _LANGCHAIN_ROLES) or "convert it to a message with role and content"
        raise ContextError(Problem("PP412", f"{place} has the unknown type {item.get('type')!r}", None, hint))
    calls = [_call(one.get("id"), one.get("name"), one.get("args", {}), place) for one in item.get("tool_calls") or ()]
    content = item.get("content")
    if isinstance(content, list):
        content = _read_parts([part for part in content if _kind(part) != "tool_use"], place)
    message = {"role": role, "content": content if content or not calls else None}
    if calls:
        message["tool_calls"] = calls
    if role == "tool":
        message |= {"content": _to_text(item.get("content"), place), "tool_call_id": str(item.get("tool_call_id", ""))}
    return message


def _read_blocks(role: str, content: Any, place: str) -> Iterator[dict[str, Any]]:
    """Yield the messages that a message with blocks contains: results of tools come first, as the API requires."""
    if not isinstance(content, list):
        yield {"role": role, "content": content}
        return
    rest = []
    calls = []
    for block in content:
        if _kind(block) == "tool_result":
            text = _to_text(block.get("content", ""), place)
            yield {"role": "tool", "content": text, "tool_call_id": str(block.get("tool_use_id", ""))}
        elif _kind(block) == "tool_use":
            calls.append(_call(block.get("id"), block.get("name"), block.get("input", {}), place))
        else:
            rest.append(block)
    parts = _read_parts(rest, place)
    if parts or calls or not content:
        yield {"role": role, "content": parts or None} | ({"tool_calls": calls} if calls else {})


def _read_parts(blocks: Iterable[Any], place: str) -> Any:
    """Return content: text if there is only text, else a list of parts."""
    parts = [_read_part(block, place) for block in blocks if _kind(block) not in _THOUGHTS]
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _read_part(block: Any, place: str) -> dict[str, Any]:
    kind = _kind(block)
    if isinstance(block, str):
        return {"type": "text", "text": block}
    if kind in _TEXTS:
        return {"type": "text", "text": str(block.get(_TEXTS[kind], ""))}
    if kind in _OWN_PARTS:
        return dict(block)
    if kind == "input_image" and isinstance(block.get("image_url"), str):
        return {"type": "image_url", "image_url": {"url": block["image_url"]}}
    source = block.get("source") if isinstance(block, Mapping) else None
    if kind == "image" and isinstance(source, Mapping):
        return {"type": "image_url", "image_url": {"url": _source_url(source)}}
    hint = "use text, images, tool calls and tool results"
    raise ContextError(Problem("PP412", f"{place} has a block of the unknown type {kind!r}", None, hint))


def _source_url(source: Mapping[str, Any]) -> str:
    return str(source.get("url") or f"data:{source.get('media_type')};base64,{source.get('data')}")


def _call_message(calls: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _call(identifier: Any, name: Any, arguments: Any, place: str) -> dict[str, Any]:
    if not isinstance(name, str):
        raise ContextError(Problem("PP412", f"{place} has a tool call without a name", None, "name the tool"))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": str(identifier or ""), "type": "function", "function": {"name": name, "arguments": text}}


def _to_text(content: Any, place: str) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        read = _read_parts(content, place)
        return read if isinstance(read, str) else json.dumps(read, ensure_ascii=False)
    return json.dumps(content, ensure_ascii=False)


def _kind(block: Any) -> str:
    return str(block.get("type")) if isinstance(block, Mapping) else "text"
