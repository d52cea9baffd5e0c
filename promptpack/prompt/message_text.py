r"""Messages -> one text with a role line before each message, which no content can forge.

A role line is `[role]` or `[role name]` alone on its line, with any line ending. A line of content that looks like one
gets a backslash in front (one more if it already has some), so that readers can distinguish the two.
"""

import re
from collections.abc import Iterable

from promptpack.pack.model import ROLES
from promptpack.prompt.message import Message

_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_ROLE_LINE = rf"(?<![^{_ENDS}])(\\*\[(?:{'|'.join(ROLES)})(?: [^\]{_ENDS}]*)?\][^\S{_ENDS}]*)(?![^{_ENDS}])"
# A text without any of these has no line that looks like a role line.
_ROLE_STARTS = tuple(f"[{role}" for role in ROLES)


def to_text(messages: Iterable[Message]) -> str:
    """Write messages as one text."""
    return "\n\n".join(f"{_role_line(message)}\n{_body(message)}" for message in messages)


def _role_line(message: Message) -> str:
    name = " ".join((message.name or "").replace("]", " ").split())
    return f"[{message.role} {name}]" if name else f"[{message.role}]"


def _body(message: Message) -> str:
    lines = [_content(message)] if message.content is not None else []
    lines += [f"-> {call.name}({call.arguments}) #{call.id}" for call in message.tool_calls]
    if message.tool_call_id is not None:
        lines.insert(0, f"#{message.tool_call_id}")
    body = "\n".join(lines)
    return re.sub(_ROLE_LINE, r"\\\1", body) if any(start in body for start in _ROLE_STARTS) else body


def _content(message: Message) -> str:
    if isinstance(message.content, tuple):
        return "\n".join(
            part.payload if part.type == "text" else f"({part.type}: {_abbreviate(part.payload)})"
            for part in message.content
        )
    return message.content or ""


def _abbreviate(payload: object) -> str:
    text = str(payload)
    return text if len(text) <= 120 else text[:117] + "..."
