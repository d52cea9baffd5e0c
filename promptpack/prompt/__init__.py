"""`Pack` + context -> `Prompt`: messages, slots, composer, history, budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.lazy import import_name

if TYPE_CHECKING:
    from promptpack.prompt.message import Message, Part, ToolCall, read_message
    from promptpack.prompt.prompt import Prompt
    from promptpack.prompt.rendering import render

__all__ = ["Message", "Part", "Prompt", "ToolCall", "read_message", "render"]

# The module of each name, imported on first use: importing this package does not import templates.
_MODULES = {
    "Message": "message",
    "Part": "message",
    "Prompt": "prompt",
    "ToolCall": "message",
    "read_message": "message",
    "render": "rendering",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_name(name, _MODULES, globals())
