"""`Pack` + context -> `Prompt`: messages, slots, composer, history, budgets."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptpack.prompt.message import Message, Part, ToolCall, read_message
    from promptpack.prompt.prompt import Prompt
    from promptpack.prompt.rendering import render

__all__ = ["Message", "Part", "Prompt", "ToolCall", "read_message", "render"]

_HOMES = {
    "Message": "message",
    "Part": "message",
    "ToolCall": "message",
    "read_message": "message",
    "render": "rendering",
}


def __getattr__(name: str) -> Any:
    # Templates use the filters of `prompt.history`, so importing this package must not import templates.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(f"{__name__}.{_HOMES.get(name, name.lower())}"), name)
    globals()[name] = found  # so that the next look-up does not come here
    return found
