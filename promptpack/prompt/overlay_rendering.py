"""Apply the overlay of a model to rendered messages: lines around the system prompt, and other roles.

The system prompt is the first system or developer message of the pack, with those that directly follow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from promptpack.prompt.message import Message, Part
from promptpack.prompt.prompt import Origin
from promptpack.prompt.slots.slot_text import write_value

if TYPE_CHECKING:
    from promptpack.pack.model_overlay import ModelOverlay
    from promptpack.template.model import Scope

_PRIVILEGED: Final = ("system", "developer")


def apply_overlay(
    overlay: ModelOverlay, messages: Sequence[Message], origins: Sequence[Origin], scope: Scope
) -> tuple[list[Message], list[Origin]]:
    """Return messages and origins with the prefix, the suffix and the roles of an overlay.

    Without a system prompt, the prefix and the suffix are a system message of their own.
    """
    prefix, suffix = _render_around(overlay, scope)
    changed, kept = list(messages), list(origins)
    own = [index for index, one in enumerate(messages) if one.role in _PRIVILEGED and not origins[index].history]
    if own:
        first = last = own[0]
        while last + 1 in own:
            last += 1
        changed[first] = _add(changed[first], prefix, "")
        changed[last] = _add(changed[last], "", suffix)
    elif prefix or suffix:
        changed.insert(0, Message("system", _join(prefix, suffix)))
        kept.insert(0, Origin())
    return map_roles(overlay, changed), kept


def map_roles(overlay: ModelOverlay, messages: Iterable[Message]) -> list[Message]:
    """Return messages with the roles of an overlay."""
    return [replace(one, role=overlay.roles.get(one.role, one.role)) for one in messages]


def wrap_slots(overlay: ModelOverlay, slots: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
    """Return the slots that an overlay changes: the prefix and the suffix are around `system` and `developer`."""
    prefix, suffix = _render_around(overlay, scope)
    if not (prefix or suffix):
        return {}
    own = {name: write_value(slots[name]) for name in _PRIVILEGED if slots.get(name)} or {"system": ""}
    first, last = next(iter(own)), next(reversed(own))
    own[first] = _join(prefix, own[first])
    own[last] = _join(own[last], suffix)
    return own


def _render_around(overlay: ModelOverlay, scope: Scope) -> tuple[str, str]:
    prefix, suffix = (template.render(scope) if template else "" for template in (overlay.prefix, overlay.suffix))
    return prefix, suffix


def _add(message: Message, prefix: str, suffix: str) -> Message:
    if not (prefix or suffix):
        return message
    if isinstance(message.content, tuple):
        before, after = (tuple(Part.text(text) for text in (one,) if text) for one in (prefix, suffix))
        return replace(message, content=(*before, *message.content, *after))
    return replace(message, content=_join(prefix, message.content or "", suffix))


def _join(*texts: str) -> str:
    # With `+`, because it keeps the origins of traced texts.
    written = [text for text in texts if text]
    return reduce(lambda before, text: before + "\n" + text, written) if written else ""
