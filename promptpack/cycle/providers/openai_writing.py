"""Messages -> arguments of OpenAI's chat completions API."""

from typing import Any

from promptpack.prompt.message import Message


def write_message(message: Message) -> dict[str, Any]:
    """Return a message; a single text part becomes plain text, which every compatible server accepts."""
    written = message.to_dict()
    if isinstance(message.content, tuple) and [part.type for part in message.content] == ["text"]:
        written["content"] = message.content[0].payload
    return written
