"""The sections of a pack and how they merge along `extends`; each value keeps its location."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from promptpack.pack.placed import Placed, children_at, items_at
from promptpack.problem import Problem, did_you_mean
from promptpack.template.model import Syntax

if TYPE_CHECKING:
    from promptpack.document import Document


_PLACES = ("before", "after", "remove")


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
    models: dict[str, Placed] = field(default_factory=dict)
    reply: dict[str, Placed] = field(default_factory=dict)
    actions: dict[str, Placed] = field(default_factory=dict)
    rules: dict[str, Placed] = field(default_factory=dict)
    tests: tuple[Placed, ...] = ()
    contexts: dict[str, Placed] = field(default_factory=dict)
    """The contexts that tests share."""
    problems: tuple[Problem, ...] = ()
    """The messages that could not be placed."""


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
        models=children_at(root, "models"),
        reply={name: placed for name, placed in reply.items() if name not in ("actions", "rules")},
        actions=children_at(root, "reply", "actions"),
        rules={placed.value["name"]: placed for placed in items_at(root, "reply", "rules")},
        tests=tuple(items_at(root, "tests")),
        contexts=children_at(root, "contexts"),
    )


def merge(parent: Sections, own: Sections) -> Sections:
    """Merge a pack with the pack it extends: mappings by key, messages by id, no tests."""
    inherited = () if own.slots else parent.messages
    return replace(
        own,
        agent=own.agent or parent.agent,
        json=own.json or parent.json,
        declares_reply=own.declares_reply or parent.declares_reply,
        inputs={**parent.inputs, **own.inputs},
        partials={**parent.partials, **own.partials},
        messages=tuple(_merge_messages(inherited, own.messages)),
        slots={**parent.slots, **own.slots} if not own.messages else {},
        budget=own.budget or parent.budget,
        models={**own.models, **parent.models, **own.models},  # own globs come first, because the first match wins
        reply={**parent.reply, **own.reply},
        actions={**parent.actions, **own.actions},
        rules={**parent.rules, **own.rules},
        problems=(*parent.problems, *_find_misplaced(inherited, own.messages)),
    )


def _merge_messages(inherited: tuple[Placed, ...], own: tuple[Placed, ...]) -> Iterator[Placed]:
    """Yield the messages in order: each own message instead of, before or after an inherited one, or at the end."""
    ids = {message.value["id"] for message in inherited if "id" in message.value}
    placed: dict[tuple[str, Any], list[Placed]] = {}
    for message in own:
        key, target = _target_of(message)
        if not key:
            key, target = ("replace", name) if (name := message.value.get("id")) in ids else ("end", "")
        placed.setdefault((key, target), []).append(message)
    moved = {message.value.get("id") for message in own if _target_of(message)[0]}
    for message in inherited:
        name = message.value.get("id")
        yield from placed.get(("before", name), ())
        if name is None or (name not in moved and ("remove", name) not in placed):
            yield from placed.get(("replace", name), (message,))
        yield from placed.get(("after", name), ())
    yield from placed.get(("end", ""), ())


def _target_of(message: Placed) -> tuple[str, str]:
    """Return where a message belongs, `before` or `after` an id, or which id it removes; else empty texts."""
    return next(((key, message.value[key]) for key in _PLACES if key in message.value), ("", ""))


def _find_misplaced(inherited: tuple[Placed, ...], own: tuple[Placed, ...]) -> Iterator[Problem]:
    ids = [message.value["id"] for message in inherited if "id" in message.value]
    for message in own:
        key, target = _target_of(message)
        if key and target not in ids:
            hint = (
                f"the inherited ids are {', '.join(ids)}"
                if ids
                else "only messages that 'extends' inherits have a place"
            )
            found = f"no inherited message has the id {target!r}"
            yield message.child(key).problem("PP235", found, did_you_mean(target, ids) or hint)
