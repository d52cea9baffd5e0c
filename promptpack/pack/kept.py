"""A pack that was built before from the same files: enough of it for a first prompt, the rest built when asked for."""

from __future__ import annotations

from promptpack.lazy import cached_property
from promptpack.pack.model import Pack
from promptpack.pack.version import parse_version
from promptpack.template.bounds import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from promptpack.pack.model import MessageTemplate
    from promptpack.prompt import Prompt
    from promptpack.template import Engine

_PLAIN = ("name", "digest", "agent", "description", "locale", "syntax", "abstract")
# A message with any of these is more than a role and a text.
_MORE = ("history", "name", "tool_call_id", "tool_calls")


def outline(pack: Pack, engine: Engine) -> dict[str, Any]:
    """Give what a first prompt takes as plain data; of a pack whose prompts take more, only what it is called."""
    about = {**{name: getattr(pack, name) for name in _PLAIN}, "version": str(pack.version), "messages": None}
    if pack.abstract or pack.slots or pack.budget:
        return about
    messages = [_message(message, engine) for message in pack.messages]
    if None in messages:
        return about
    inputs = {name: dict(declared.schema) for name, declared in pack.inputs.items()}
    return {**about, "inputs": inputs, "reply_format": _reply_format(pack), "messages": messages}


def _message(message: MessageTemplate, engine: Engine) -> list[Any] | None:
    from promptpack.template import Template
    from promptpack.template.script_writing import write_condition, write_script

    if not isinstance(message.content, Template) or any(getattr(message, name) for name in _MORE):
        return None
    script = write_script(message.content, engine)
    when = None if message.when is None else write_condition(message.when, engine)
    if script is None or (when is None and message.when is not None):
        return None
    return [message.role, when, script, message.priority]


def _reply_format(pack: Pack) -> str | None:
    from promptpack.prompt.reply_format import write_reply_format

    # With tools, what it says depends on the context.
    return (
        None if pack.contract is None or pack.contract.tools_input else write_reply_format(pack.contract, pack.locale)
    )


class KeptPack(Pack):
    """Made of an outline; whatever it does not hold is taken from the pack itself, built on first use."""

    @classmethod
    def of(cls, outline: Mapping[str, Any], path: str, build: Callable[[], Pack]) -> KeptPack:
        """Take an outline, the path of the pack's file, and the way to build it."""
        kept = object.__new__(cls)
        plain = {name: outline[name] for name in _PLAIN}
        version = parse_version(outline["version"])
        kept.__dict__.update(plain, version=version, path=path, limits=Limits(), _outline=outline, _build=build)
        return kept

    def render(self, context: Any = None, /, **inputs: Any) -> Prompt:
        """Render as every pack does; the first time without compiling anything, where the context is a usual one."""
        from promptpack.prompt.first import render_first

        # A process that renders again had better compile.
        outline = self.__dict__.pop("_outline", None)
        has_messages = outline is not None and outline["messages"] is not None
        first = render_first(self, outline, context, inputs) if has_messages else None
        return super().render(context, **inputs) if first is None else first

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
