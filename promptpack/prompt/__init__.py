"""`Pack` + context -> `Prompt`: messages, slots, composer, history, budgets."""

from __future__ import annotations

from promptpack.lazy import late_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptpack.prompt.message import Message, Part, ToolCall, read_message
    from promptpack.prompt.prompt import Prompt
    from promptpack.prompt.rendering import render

__all__ = ["Message", "Part", "Prompt", "ToolCall", "read_message", "render"]

# Templates use the filters of `prompt.history`, so importing this package must not import templates.
_HOMES = {
    "Message": "message",
    "Part": "message",
    "Prompt": "prompt",
    "ToolCall": "message",
    "read_message": "message",
    "render": "rendering",
}

__getattr__ = late_names(__name__, _HOMES, globals())
