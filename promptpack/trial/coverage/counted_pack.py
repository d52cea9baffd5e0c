"""A pack whose templates and rules report which of their parts run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from promptpack.pack.contract import Contract
from promptpack.pack.model import CallTemplate, MessageTemplate, Pack, PartTemplate
from promptpack.template.model import Expression, Template
from promptpack.template.tracing.counting import CountingEngine

# Counts are steps too, and nothing is inlined; the tests run with the limits of the pack.
_MORE_STEPS = 16


def count_pack(pack: Pack, engine: CountingEngine) -> Pack:
    """Return a pack that renders and checks as before, and reports to the engine."""
    return replace(
        pack,
        messages=tuple(_count_message(message, engine) for message in pack.messages),
        slots={name: _count_value(value, engine) for name, value in pack.slots.items()},
        contract=pack.contract and _count_rules(pack.contract, engine),
        models=tuple(_count_overlay(overlay, engine) for overlay in pack.models),
        limits=replace(pack.limits, steps=pack.limits.steps * _MORE_STEPS),
    )


def _count_message(message: MessageTemplate, engine: CountingEngine) -> MessageTemplate:
    content = message.content
    return message._replace(
        content=tuple(_count_part(part, engine) for part in content)
        if isinstance(content, tuple)
        else content and engine.count(content),
        when=_count_when(message.when, engine),
        name=message.name and engine.count(message.name),
        tool_calls=tuple(_count_call(call, engine) for call in message.tool_calls),
    )


def _count_part(part: PartTemplate, engine: CountingEngine) -> PartTemplate:
    return replace(part, value=engine.count(part.value), when=_count_when(part.when, engine))


def _count_call(call: CallTemplate, engine: CountingEngine) -> CallTemplate:
    return replace(call, arguments=_count_value(call.arguments, engine))


def _count_when(when: Expression | None, engine: CountingEngine) -> Expression | None:
    return when and engine.count_condition(when, "condition")


def _count_value(value: Any, engine: CountingEngine) -> Any:
    if isinstance(value, Template):
        return engine.count(value)
    if isinstance(value, Mapping):
        return {name: _count_value(item, engine) for name, item in value.items()}
    if type(value) is tuple:
        return tuple(_count_value(item, engine) for item in value)
    return value


def _count_overlay(overlay: Any, engine: CountingEngine) -> Any:
    around = {key: getattr(overlay, key) for key in ("prefix", "suffix")}
    return replace(overlay, **{key: one and engine.count(one) for key, one in around.items()})


def _count_rules(contract: Contract, engine: CountingEngine) -> Contract:
    return replace(
        contract, rules=tuple(replace(rule, require=engine.add_rule(rule.require)) for rule in contract.rules)
    )
