"""Messages in the form of MCP: only users and assistants speak, and each message has one content."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from mcp import types

from promptpack.prompt.message import Message, Part

_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_DATA_URI: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[\w=.+-]+)*;base64,([A-Za-z0-9+/=\s]*)")


def fold(messages: Iterable[Message]) -> list[types.PromptMessage]:
    """Return messages for MCP; system and developer texts are put in front of the user message that follows them.

    Where another message follows, or none, they become a user message of their own. Tool calls and their results
    become text.
    """
    folded: list[types.PromptMessage] = []
    system: list[str] = []
    for message in messages:
        if message.role in ("system", "developer"):
            system.append(message.text)
            continue
        contents = list(_contents(message))
        if message.role == "user" and contents and isinstance(contents[0], types.TextContent):
            contents[0] = _text("\n\n".join([*system, contents[0].text]))
            system = []
        folded += _flush(system)
        system = []
        role: types.Role = "assistant" if message.role == "assistant" else "user"
        folded += (types.PromptMessage(role=role, content=content) for content in contents)
    return folded + _flush(system)


def _flush(system: list[str]) -> list[types.PromptMessage]:
    return [types.PromptMessage(role="user", content=_text("\n\n".join(system)))] if system else []


def _contents(message: Message) -> Iterator[types.ContentBlock]:
    if message.tool_call_id is not None:
        yield _text(f"Result of the tool call {message.tool_call_id}:\n{message.text}")
        return
    if isinstance(message.content, tuple):
        yield from map(_part, message.content)
    elif message.content is not None:
        yield _text(message.content)
    for call in message.tool_calls:
        yield _text(f"Tool call {call.id}: {call.name}({call.arguments})")


def _part(part: Part) -> types.ContentBlock:
    if part.type == "text":
        return _text(str(part.payload))
    payload = part.payload if isinstance(part.payload, dict) else {}
    if part.type == "input_audio":
        return types.AudioContent(type="audio", data=str(payload["data"]), mime_type=f"audio/{payload['format']}")
    source = str(payload.get("url") or payload.get("file_data") or payload.get("file_id") or "")
    embedded = _DATA_URI.fullmatch(source)
    if embedded and part.type == "image_url":
        return types.ImageContent(type="image", mime_type=embedded[1], data=embedded[2])
    name = str(payload.get("filename") or part.type)
    if embedded:
        resource = types.BlobResourceContents(uri=f"file:///{quote(name)}", mime_type=embedded[1], blob=embedded[2])
        return types.EmbeddedResource(type="resource", resource=resource)
    if _URI.fullmatch(source):
        return types.ResourceLink(type="resource_link", name=name, uri=source)
    return _text(f"({name}: {source})")


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
