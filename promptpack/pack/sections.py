"""The sections of a pack and how they merge along `extends`; each value keeps its location."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from promptpack.pack.placed import Placed, children_at, items_at
from promptpack.template.model import Syntax

if TYPE_CHECKING:
    from promptpack.document import Document


@dataclass(frozen=True)
class Sections:
    """The sections of a pack after `extends` is resolved."""

    document: Document
    agent: str = ""
    syntax: Syntax = "jinja"
    json: str = ""
    abstract: bool = False
    declares_reply: bool = False
    inputs: dict[str, Placed] = field(default_factory=dict)
    partials: dict[str, tuple[Placed, Syntax]] = field(default_factory=dict)
    messages: tuple[Placed, ...] = ()
    slots: dict[str, Placed] = field(default_factory=dict)
    budget: Placed | None = None
    reply: dict[str, Placed] = field(default_factory=dict)
    actions: dict[str, Placed] = field(default_factory=dict)
    rules: dict[str, Placed] = field(default_factory=dict)
    tests: tuple[Placed, ...] = ()


def read_sections(document: Document) -> Sections:
    """Return the sections of a document that is valid against the pack schema."""
    root = Placed(document.data, document, ())
    data: dict[str, Any] = document.data
    syntax: Syntax = data.get("syntax", "jinja")
    reply = children_at(root, "reply")
    return Sections(
        document,
        agent=data.get("agent", ""),
        syntax=syntax,
        json=data.get("json", ""),
        abstract=data.get("abstract", False),
        declares_reply="reply" in data,
        inputs=children_at(root, "inputs"),
        partials={name: (placed, syntax) for name, placed in children_at(root, "partials").items()},
        messages=tuple(items_at(root, "messages")),
        slots=children_at(root, "slots"),
        budget=root.child("budget") if "budget" in data else None,
        reply={name: placed for name, placed in reply.items() if name not in ("actions", "rules")},
        actions=children_at(root, "reply", "actions"),
        rules={placed.value["name"]: placed for placed in items_at(root, "reply", "rules")},
        tests=tuple(items_at(root, "tests")),
    )


def merge(parent: Sections, own: Sections) -> Sections:
    """Merge a pack with the pack it extends: mappings by key, messages by id, no tests."""
    return replace(
        own,
        agent=own.agent or parent.agent,
        json=own.json or parent.json,
        declares_reply=own.declares_reply or parent.declares_reply,
        inputs={**parent.inputs, **own.inputs},
        partials={**parent.partials, **own.partials},
        messages=_merge_messages(parent.messages, own.messages) if not own.slots else (),
        slots={**parent.slots, **own.slots} if not own.messages else {},
        budget=own.budget or parent.budget,
        reply={**parent.reply, **own.reply},
        actions={**parent.actions, **own.actions},
        rules={**parent.rules, **own.rules},
    )


def _merge_messages(parents: tuple[Placed, ...], own: tuple[Placed, ...]) -> tuple[Placed, ...]:
    replacing = {message.value["id"]: message for message in own if "id" in message.value}
    inherited = {message.value.get("id") for message in parents}
    merged = (replacing.get(message.value.get("id"), message) for message in parents)
    added = (message for message in own if message.value.get("id") is None or message.value["id"] not in inherited)
    return (*merged, *added)
