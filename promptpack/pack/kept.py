"""The outline of a pack: enough for a first prompt, written without compiling; a kept one stands in for its pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from promptpack.lazy import cached_property
from promptpack.pack.model import Pack
from promptpack.pack.version import parse_version
from promptpack.template.bounds import Limits

if TYPE_CHECKING:
    from promptpack.pack.model import MessageTemplate
    from promptpack.prompt import Prompt

_PLAIN = ("name", "digest", "agent", "description", "locale", "syntax", "abstract")
# What is kept was worked out within the limits that there are by default.
_LIMITS = Limits()
# A message with any of these is more than a role and a text.
_MORE = ("history", "name", "tool_call_id", "tool_calls")


def about(pack: Pack) -> dict[str, Any]:
    """Give what a pack is called, as plain data."""
    return {**{name: getattr(pack, name) for name in _PLAIN}, "version": str(pack.version)}


def outline(pack: Pack) -> dict[str, Any] | None:
    """Give what a first prompt takes as plain data; nothing of a pack whose prompts take more."""
    if pack.abstract or pack.slots or pack.budget:
        return None
    messages = [_message(message) for message in pack.messages]
    if None in messages:
        return None
    inputs = {name: dict(declared.schema) for name, declared in pack.inputs.items()}
    return {"inputs": inputs, "reply_format": _reply_format(pack), "messages": messages}


def _message(message: MessageTemplate) -> list[Any] | None:
    from promptpack.template.model import Template

    if not isinstance(message.content, Template) or any(getattr(message, name) for name in _MORE):
        return None
    script = message.content.script
    when = None if message.when is None else message.when.script
    if script is None or (when is None and message.when is not None):
        return None
    return [message.role, when, script, message.priority]


def _reply_format(pack: Pack) -> str | None:
    from promptpack.prompt.reply_format import write_reply_format

    # With tools, what it says depends on the context.
    return (
        None if pack.contract is None or pack.contract.tools_input else write_reply_format(pack.contract, pack.locale)
    )


def expect_first(pack: Pack) -> None:
    """Let the first prompt of a pack that was just built be written without compiling anything."""

    def first(context: Any, inputs: Mapping[str, Any]) -> Prompt | None:
        return _render_first(pack, outline(pack), context, inputs)

    pack.__dict__["_first"] = first


def _render_first(
    pack: Pack, outline: Mapping[str, Any] | None, context: Any, inputs: Mapping[str, Any]
) -> Prompt | None:
    from promptpack.prompt.first import render_first

    return None if outline is None else render_first(pack, outline, context, inputs)


class KeptPack(Pack):
    """Knows what it is called, and its outline; all else is taken from the pack itself, built on first use."""

    @classmethod
    def of(
        cls,
        about: Mapping[str, Any],
        path: str,
        outline: Callable[[], dict[str, Any] | None],
        build: Callable[[], Pack],
    ) -> KeptPack:
        """Take what a pack is called, the path of its file, and the ways to get its outline and to build it."""
        kept = object.__new__(cls)
        kept.__dict__.update(about, version=parse_version(about["version"]), path=path, limits=_LIMITS, _build=build)
        kept.__dict__["_first"] = lambda context, inputs: _render_first(kept, outline(), context, inputs)
        return kept

    @cached_property
    def _built(self) -> Pack:
        return self._build()  # type: ignore[attr-defined, no-any-return]

    inputs = cached_property(lambda self: self._built.inputs)
    messages = cached_property(lambda self: self._built.messages)
    slots = cached_property(lambda self: self._built.slots)
    budget = cached_property(lambda self: self._built.budget)
    contract = cached_property(lambda self: self._built.contract)
    tests = cached_property(lambda self: self._built.tests)
    data = cached_property(lambda self: self._built.data)
