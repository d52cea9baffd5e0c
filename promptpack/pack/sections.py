"""The sections of a pack and how they merge along `extends`; each value keeps its location."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from promptpack import schema
from promptpack.cache import Cache
from promptpack.document import Document, parse_cached
from promptpack.pack.pack_schema import find_mismatches, find_misread, read_shipped
from promptpack.pack.placed import Placed, children_at, items_at
from promptpack.problem import PackError, Problem, did_you_mean
from promptpack.template.model import Syntax

_PLACES = ("before", "after", "remove")


class Sections(NamedTuple):
    """The sections of a pack after `extends` is resolved."""

    document: Document
    agent: str = ""
    syntax: Syntax = "jinja"
    json: str = ""
    abstract: bool = False
    declares_reply: bool = False
    inputs: Mapping[str, Placed] = {}
    partials: ChainMap[str, tuple[Placed, Syntax]] = ChainMap()  # noqa: RUF012 -- nothing writes to it
    """The partials of each file of the chain that has any, the nearest first."""
    messages: tuple[Placed, ...] = ()
    slots: Mapping[str, Placed] = {}
    budget: Placed | None = None
    models: Mapping[str, Placed] = {}
    reply: Mapping[str, Placed] = {}
    actions: Mapping[str, Placed] = {}
    rules: Mapping[str, Placed] = {}
    tests: tuple[Placed, ...] = ()
    contexts: Mapping[str, Placed] = {}
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
        partials=ChainMap({name: (placed, syntax) for name, placed in children_at(root, "partials").items()}),
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


def read_tests(sections: Sections, files: Sequence[tuple[bytes, str]], cache: Cache) -> Sections:
    """Return the sections with the tests of files `<version>.tests.yaml`, and with the problems of these files.

    A second file belongs to a variant with only texts, and changes the tests of the first one by their names.
    """
    try:
        first, *own = (parse_cached(content, path, cache) for content, path in files)
        document = _complete(first, own[0]) if own and isinstance(own[0].data, dict) else first
    except PackError as error:
        return sections._replace(problems=(*sections.problems, *error.problems))
    return _add_tests(sections, document)


def _complete(default: Document, own: Document) -> Document:
    from promptpack.pack.variant_document import complete_variant

    return complete_variant(default, own)


def _add_tests(sections: Sections, document: Document) -> Sections:
    problems = [
        Problem("PP759", one.message, (place.locate_key if one.at_key else place.locate)(one.path), one.hint)
        for place, one in find_mismatches(tests_schema(), document)
    ]
    if problems:
        return sections._replace(problems=(*sections.problems, *(find_misread(document) or problems)))
    root = Placed(document.data, document, ())
    tests = tuple(items_at(root, "tests"))
    names = {placed.value["name"] for placed in sections.tests}
    for placed in tests:
        if placed.value["name"] in names:
            message = f"name {placed.value['name']!r} is used twice in 'tests'"
            problems.append(Problem("PP206", message, placed.locate("name"), "use a different name"))
        names.add(placed.value["name"])
    contexts = children_at(root, "contexts")
    for name, context in contexts.items():
        if name in sections.contexts:
            message = f"context {name!r} is also declared in the pack"
            problems.append(context.problem("PP206", message, "use a different name"))
    return sections._replace(
        tests=(*sections.tests, *tests),
        contexts={**sections.contexts, **contexts},
        problems=(*sections.problems, *problems),
    )


@cache
def tests_schema() -> schema.Schema:
    """Return the schema of tests; the schema of packs describes one test."""
    file = "tests.schema.json"
    bundled = schema.bundle(read_shipped(file), file, lambda _, name: (name, read_shipped(name)), schema.SchemaMeter())
    return schema.compile(bundled)


def merge(parent: Sections, own: Sections) -> Sections:
    """Merge a pack with the pack it extends: mappings by key, messages by id, no tests."""
    inherited = () if own.slots else parent.messages
    return own._replace(
        agent=own.agent or parent.agent,
        json=own.json or parent.json,
        declares_reply=own.declares_reply or parent.declares_reply,
        inputs={**parent.inputs, **own.inputs},
        partials=ChainMap(*filter(None, (*own.partials.maps, *parent.partials.maps))),
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
                else f"{key!r} needs a message that is inherited with 'extends'"
            )
            found = f"no inherited message has the id {target!r}"
            yield message.child(key).problem("PP235", found, did_you_mean(target, ids) or hint)
