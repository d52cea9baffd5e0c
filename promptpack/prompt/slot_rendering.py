"""A pack's slots + a scope -> rendered slots, and their text and messages in the format of slot prompts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from promptpack.pack.model import HISTORY_ROLES, ROLES, InputValue, Pack
from promptpack.pack.output.type_entry import TypeEntry
from promptpack.pack.output.type_names import TypeNameError, parse_type
from promptpack.problem import ContextError, Problem
from promptpack.prompt.budget import Budget, BudgetItem, Counter, Fit, fit_items
from promptpack.prompt.message import Message, read_message
from promptpack.prompt.slots import SlotPrompt
from promptpack.prompt.slots.contract_output import derive_output
from promptpack.prompt.slots.slot_text import write_value
from promptpack.prompt.tool_actions import read_tool_actions
from promptpack.template.model import Scope, Template

if TYPE_CHECKING:
    from promptpack.pack.model_overlay import ModelOverlay

TemplateValues = Mapping[str, Any]
Slots = Mapping[str, Any]
T = TypeVar("T")


class RenderedSlots(dict[str, Any]):
    """Slots by name; the repr shows no values: some may be secret, and a repr may be logged."""

    def __repr__(self) -> str:
        return f"RenderedSlots({', '.join(self)})"


def render_slots(pack: Pack, scope: Scope) -> Slots:
    """Render the slots; without an `output` slot, the output is derived from the pack's contract."""
    slots = RenderedSlots((name, render_slot(value, scope)) for name, value in pack.slots.items())
    _check_history(pack.slots.get("chat_history"), slots.get("chat_history"))
    if "output" not in slots and pack.contract is not None:
        slots["output"] = _contract_output(pack, scope)
    if pack.overlay is not None:
        from promptpack.prompt.overlay_rendering import wrap_slots

        slots.update(wrap_slots(pack.overlay, slots, scope))
    return slots


def _check_history(declared: Any, history: Any) -> None:
    """Refuse instructions in the caller's part of the history."""
    if isinstance(declared, InputValue):
        for index, message in enumerate(history if isinstance(history, list) else [history]):
            _check_role(declared.name, index, message)
    elif isinstance(declared, tuple):
        for item, message in zip(declared, history, strict=True):
            _check_history(item, message)


def _check_role(name: str, index: int, message: Any) -> None:
    role = message.get("role", "user") if isinstance(message, Mapping) else "user"
    if role in ROLES and role not in HISTORY_ROLES:
        text = f"message {index + 1} of {name!r} has the role {role!r}, which slots do not allow"
        raise ContextError(Problem("PP439", text, None, f"remove the message, and use the slot {role!r}"))


def render_slot(value: Any, scope: TemplateValues) -> Any:
    """Render the templates in a slot and insert the values of its inputs."""
    if isinstance(value, Template):
        return value.render(scope)
    if isinstance(value, InputValue):
        return scope[value.name]
    if isinstance(value, Mapping):
        return {key: render_slot(item, scope) for key, item in value.items()}
    if isinstance(value, TypeEntry):
        return _entry(value, scope)
    return [render_slot(item, scope) for item in value] if isinstance(value, tuple) else value


def resolve_types(output: Any, scope: TemplateValues | None) -> Any:
    """Return an output with its types only; a type that is a template is rendered, or Any without a scope."""
    if isinstance(output, Mapping):
        return {key: resolve_types(item, scope) for key, item in output.items()}
    if isinstance(output, TypeEntry):
        kind, *rest = output
        if isinstance(kind, Template):
            kind = Any if scope is None else _type(kind, scope)[0]
        return (resolve_types(kind, scope), *(item for item in rest if isinstance(item, str)))
    if isinstance(output, Template):
        return str(output)
    return [resolve_types(item, scope) for item in output] if isinstance(output, tuple) else output


def write_text(slots: Slots) -> str:
    """Write the slots as one text, in which no value can imitate a role line."""
    return _translate_errors(lambda: _prompt(slots).to_text(safe=True))


def write_messages(slots: Slots, overlay: ModelOverlay | None = None) -> tuple[Message, ...]:
    """Write the slots as messages, with the roles of an overlay.

    They have rich content if there is more than text, so that nothing is left out.
    """
    prompt = _prompt(slots)
    model = _translate_errors(prompt.to_prompt_object)
    contents = (message.content for message in model.chat_history if isinstance(message.content, list))
    parts = [*model.attachment, *(part for content in contents for part in content)]
    is_rich = any((part.get("type") if isinstance(part, dict) else part.type) != "text" for part in parts)
    written = _translate_errors(lambda: prompt.to_messages(rich_content=is_rich))
    messages = tuple(_message(message, index) for index, message in enumerate(written))
    if overlay is None:
        return messages
    from promptpack.prompt.overlay_rendering import map_roles

    return tuple(map_roles(overlay, messages))


def fit_slots(
    slots: Slots, budget: Budget, counter: Counter | None, overlay: ModelOverlay | None = None
) -> tuple[Slots, Fit[Message]]:
    """Shorten the chat history until the messages fit; keep all other slots."""
    history = _history(slots)
    rest = write_messages({**slots, "chat_history": []})
    items: list[BudgetItem[Any]] = [*(BudgetItem(item, history=True) for item in history), *map(BudgetItem, rest)]
    before = _total_size(write_messages(slots), budget, counter)
    limit = budget.limit
    while True:
        fitted = fit_items(items, replace(budget, limit=limit, step=budget.block), counter)
        kept = RenderedSlots(slots, chat_history=list(fitted.messages[: len(fitted.messages) - len(rest)]))
        messages = write_messages(kept, overlay)
        after = _total_size(messages, budget, counter)
        if after <= budget.limit:
            return kept, Fit(messages, fitted.changes, budget.limit, before, after, fitted.measure)
        # Joining neighbours and filling gaps adds a little to the sum of the single messages.
        limit = max(limit - (after - budget.limit), 1)


def _prompt(slots: Slots) -> SlotPrompt:
    prompt = SlotPrompt()
    prompt.update(slots)
    return prompt


def _translate_errors(write: Callable[[], T]) -> T:
    from pydantic import ValidationError

    try:
        return write()
    except ValidationError as error:
        raise ContextError([_problem(detail) for detail in error.errors()]) from error
    except KeyError as error:
        hint = "fill 'input', 'info', 'instruct', 'output', 'attachment' or a custom slot"
        raise ContextError(Problem("PP467", "the slots contain no request to the model", None, hint)) from error
    except TypeError as error:
        raise ContextError(Problem("PP467", f"the slots cannot be written: {error}")) from error


def _total_size(messages: Sequence[Message], budget: Budget, counter: Counter | None) -> int:
    return fit_items([*map(BudgetItem, messages)], replace(budget, limit=sys.maxsize), counter).before


def _entry(entry: TypeEntry, scope: TemplateValues) -> TypeEntry:
    kind, *rest = entry
    resolved, written = _type(kind, scope) if isinstance(kind, Template) else (render_slot(kind, scope), entry.written)
    return TypeEntry([resolved, *(render_slot(item, scope) for item in rest)], written)


def _type(template: Template, scope: TemplateValues) -> tuple[Any, str]:
    name = template.render(scope)
    try:
        return parse_type(name), name
    except TypeNameError as error:
        raise ContextError(Problem("PP464", f"invalid type {name!r}: {error}", template.source.locate(1, 1))) from error


def _contract_output(pack: Pack, scope: TemplateValues) -> Any:
    contract = pack.contract
    assert contract is not None  # noqa: S101 -- the caller checks
    tools = read_tool_actions(scope[contract.tools_input], contract.tools_input) if contract.tools_input else None
    shape = contract.json_schema(tools)
    actions = [*contract.actions.values(), *(tools or ())]
    if len(actions) == 1 and f"params.{actions[0].name}" in shape.get("$defs", {}):
        params = {**shape["properties"]["params"], **shape["$defs"][f"params.{actions[0].name}"]}
        shape = {**shape, "properties": {**shape["properties"], "params": params}}
    return derive_output(shape, pack.locale.split("-", maxsplit=1)[0])


def _message(message: dict[str, Any], index: int) -> Message:
    content = message["content"]
    # [onlyinput] a lone input that is not text stays data, which chat APIs do not accept
    text = content if isinstance(content, str) else write_value(content)
    is_parts = isinstance(content, list) and all(isinstance(part, dict) and "type" in part for part in content)
    return read_message({**message, "content": content if is_parts else text}, f"message {index + 1}")


def _problem(detail: Any) -> Problem:
    slot, *path = detail["loc"] or ("?",)
    where = "".join(f"/{step}" for step in path if isinstance(step, int) or step.islower())
    return Problem("PP467", f"slot {slot!r}{f' at {where}' if where else ''}: {detail['msg']}")


def _history(slots: Slots) -> list[dict[str, Any]]:
    given = slots.get("chat_history")
    items = given if isinstance(given, list) else [] if given is None else [given]
    return [item if isinstance(item, dict) else {"role": "user", "content": str(item)} for item in items]
