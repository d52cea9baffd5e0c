r"""Messages -> one text with a role line before each message, which no content can forge.

A role line is `[role]` or `[role name]` alone on its line, with any line ending. A line of content that looks like one
gets a backslash in front (one more if it already has some), so that readers can distinguish the two.
"""

import re
from collections.abc import Iterable, Iterator

from promptpack.pack.model import ROLES
from promptpack.prompt.message import Message

_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_ROLE_LINE = rf"(?<![^{_ENDS}])(\\*\[(?:{'|'.join(ROLES)})(?: [^\]{_ENDS}]*)?\][^\S{_ENDS}]*)(?![^{_ENDS}])"
# A text without any of these has no line that looks like a role line.
_ROLE_STARTS = tuple(f"[{role}" for role in ROLES)
SEPARATOR = "\n\n"
"""The text between two messages."""

BodyPiece = tuple[str, object]
"""A piece of the text of a message, and the value that it is written from; None for our own text."""


def to_text(messages: Iterable[Message]) -> str:
    """Write messages as one text."""
    return SEPARATOR.join(f"{role_line(message)}\n{_body(message)}" for message in messages)


def role_line(message: Message) -> str:
    """Write the line before a message."""
    name = " ".join((message.name or "").replace("]", " ").split())
    return f"[{message.role} {name}]" if name else f"[{message.role}]"


def find_forged_lines(body: str) -> list[int]:
    """Return the offsets at which a backslash is put in front of a line that looks like a role line."""
    if not any(start in body for start in _ROLE_STARTS):
        return []
    return [found.start() for found in re.finditer(_ROLE_LINE, body)]


def body_pieces(message: Message) -> Iterator[BodyPiece]:
    """Yield the pieces of the text of a message, before lines that look like role lines are marked."""
    for index, line in enumerate(_lines(message)):
        yield from (("\n", None), *line) if index else line


def _body(message: Message) -> str:
    body = "".join(text for text, _ in body_pieces(message))
    start, pieces = 0, list[str]()
    for offset in find_forged_lines(body):
        pieces += (body[start:offset], "\\")
        start = offset
    return "".join((*pieces, body[start:]))


def _lines(message: Message) -> Iterator[tuple[BodyPiece, ...]]:
    if message.tool_call_id is not None:
        yield ("#", None), (message.tool_call_id, message.tool_call_id)
    if isinstance(message.content, tuple):
        if not message.content:
            yield ()
        for part in message.content:
            yield ((part.payload if part.type == "text" else f"({part.type}: {_abbreviate(part.payload)})", part),)
    elif message.content is not None:
        yield ((message.content, message.content),)
    for call in message.tool_calls:
        texts: tuple[BodyPiece, ...] = (("-> ", None), (call.name, call.name), ("(", None), (call.arguments, call))
        yield (*texts, (") #", None), (call.id, call.id))


def _abbreviate(payload: object) -> str:
    text = str(payload)
    return text if len(text) <= 120 else text[:117] + "..."
