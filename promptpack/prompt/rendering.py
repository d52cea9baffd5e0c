"""`Pack` + context -> `Prompt`: check the context, then render each message from its own template."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from promptpack.frozen import create
from promptpack.pack.model import CallTemplate, MessageTemplate, Pack, PartTemplate
from promptpack.problem import ContextError, Problem, UsageError
from promptpack.prompt.context import Context, check_context
from promptpack.prompt.message import Message, Part, ToolCall, read_message
from promptpack.prompt.prompt import Origin, Prompt
from promptpack.prompt.reply_format import ToolSet, find_tool_set
from promptpack.prompt.value_encoders import Encode
from promptpack.template.meter import metered
from promptpack.template.model import Scope, Template
from promptpack.template.values import to_json


def render(
    pack: Pack, context: Any = None, inputs: Mapping[str, Any] | None = None, encode: Encode | None = None
) -> Prompt:
    """Render every message of a pack; equal contexts produce equal bytes."""
    if pack.abstract:
        hint = "render a pack that extends it"
        raise UsageError(Problem("PP418", f"{pack.label} is abstract and cannot be rendered", None, hint))
    checked = check_context(pack, context, inputs or {}, encode)
    try:
        tools = None if pack.contract is None else find_tool_set(pack, pack.contract, checked.snapshot)
        scope = build_scope(pack, checked, tools)
        prompt = (_render_slots if pack.slots else render_messages)(pack, checked, scope, tools)
        return _fit_budget(prompt) if pack.budget else prompt
    except ContextError as error:
        from promptpack.prompt.secrets import Secrets

        hidden = Secrets(pack, checked.values).hide_error(error)
    # Raised outside the `except`, so that its chain does not contain the error, which may quote a secret.
    raise hidden


def _fit_budget(prompt: Prompt) -> Prompt:
    from promptpack.prompt.budget import read_budget

    return prompt.within(read_budget(prompt.pack.budget))


def _render_slots(pack: Pack, checked: Context, scope: Scope, tools: ToolSet | None) -> Prompt:
    from promptpack.prompt.slot_rendering import render_slots, write_messages

    with metered(pack.limits, checked.validated, pack.json_indent):
        slots = render_slots(pack, scope)
    return Prompt(pack, write_messages(slots, pack.overlay), checked.snapshot, slots=slots, tools=tools)


def render_messages(pack: Pack, checked: Context, scope: Scope, tools: ToolSet | None) -> Prompt:
    """Render the messages of a pack with a checked context."""
    messages: list[Message] = []
    origins: list[Origin] = []
    with metered(pack.limits, checked.validated, pack.json_indent):
        for template in pack.messages:
            rendered = _render_message(template, scope)
            messages += rendered
            origins += [Origin(bool(template.history), template.priority, template.id)] * len(rendered)
        if pack.overlay is not None:
            from promptpack.prompt.overlay_rendering import apply_overlay

            messages, origins = apply_overlay(pack.overlay, messages, origins, scope)
    return create(
        Prompt, pack=pack, messages=tuple(messages), context=checked.snapshot, origins=tuple(origins), tools=tools
    )


def build_scope(pack: Pack, checked: Context, tools: ToolSet | None) -> Scope:
    """Return the values that templates can use."""
    fingerprints = {"pack": tuple(pack._about.values()), **checked.fingerprints}
    scope = Scope({"pack": pack._about}, checked.snapshot, fingerprints, pack._render_cache)
    scope.update(checked.values)
    if tools is not None:
        scope["reply_format"] = fingerprints["reply_format"] = tools.reply_format
    return scope


def _render_message(template: MessageTemplate, scope: Scope) -> list[Message]:
    if template.when is not None and not template.when.evaluate(scope):
        return []
    if template.history:
        return _read_history(template, scope[template.history])
    message = create(Message, role=template.role, content=_render_content(template.content, scope))
    if template.name or template.tool_calls or template.tool_call_id:
        message = replace(
            message,
            name=template.name.render(scope) if template.name else None,
            tool_calls=tuple(_render_call(call, scope) for call in template.tool_calls),
            tool_call_id=template.tool_call_id.render(scope) if template.tool_call_id else None,
        )
    return [message]


def _read_history(template: MessageTemplate, history: Any) -> list[Message]:
    name = template.history
    if not isinstance(history, list):
        raise ContextError(Problem("PP412", f"input {name!r} is not a list of messages"))
    return [_read_past(template, item, f"message {index + 1} of {name!r}") for index, item in enumerate(history)]


def _read_past(template: MessageTemplate, item: Any, where: str) -> Message:
    message = read_message(item, where)
    if message.role not in template.history_roles:
        text = f"{where} has the role {message.role!r}, which the pack does not allow"
        hint = f"remove the message, or add {message.role!r} to 'roles' next to 'history' in the pack"
        raise ContextError(Problem("PP439", text, None, hint))
    return message


def _render_content(content: Template | tuple[PartTemplate, ...] | None, scope: Scope) -> str | tuple[Part, ...] | None:
    if content is None:
        return None
    if isinstance(content, Template):
        return content.render(scope)
    return tuple(_render_part(part, scope) for part in content if part.when is None or part.when.evaluate(scope))


def _render_part(part: PartTemplate, scope: Scope) -> Part:
    value = part.value.render(scope)
    extra = {name: template.render(scope) for name, template in part.extra.items()}
    match part.kind:
        case "text":
            return Part.text(value)
        case "image":
            return Part.image(value, extra.get("detail"))
        case "audio":
            return Part.audio(value, extra.get("format", "wav"))
        case "file":
            return Part.file(value, extra.get("filename"))


def _render_call(call: CallTemplate, scope: Scope) -> ToolCall:
    arguments = call.arguments
    text = arguments.render(scope) if isinstance(arguments, Template) else to_json(render_data(arguments, scope), None)
    return ToolCall(call.id.render(scope), call.name.render(scope), text)


def render_data(value: Any, scope: Scope) -> Any:
    """Render every template in nested data."""
    if isinstance(value, Template):
        return value.render(scope)
    if isinstance(value, Mapping):
        return {key: render_data(item, scope) for key, item in value.items()}
    if isinstance(value, tuple):
        return [render_data(item, scope) for item in value]
    return value
