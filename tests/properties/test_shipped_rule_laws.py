"""The rules of the shipped packs, compiled to one function, decide like each rule by itself."""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack import ContextError, Library, Pack
from promptpack.template.meter import metered
from promptpack.template.rule_set import RuleSet

LIBRARY = Library.open(str(Path(__file__).parents[2] / "packs"))
AGENTS = ("executor", "orchestrator", "planner", "reviewer", "router", "understanding")
WORDS: list[Any] = ["task-1", "task-2", "A", "", None, True, 1, 2.5, "web_search", [], {}, ["task-1"], {"id": "task-1"}]
EDITS = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from(["put", "copy", "drop", "double"]), st.integers(0, 200))
)


def examples(pack: Pack) -> list[tuple[Any, dict[str, Any]]]:
    """Return the valid contexts of a pack's own tests, with their replies."""
    found = [(test.context, _object(test.reply)) for test in pack.tests if "error" not in test.expect]
    return [(context, reply) for context, reply in found if reply is not None]


def _object(reply: Any) -> dict[str, Any] | None:
    try:
        value = json.loads(reply) if isinstance(reply, str) else reply
    except ValueError:
        return None
    return json.loads(json.dumps(value)) if isinstance(value, dict) else None


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every member of a value: its container, and its key or index."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def edited(reply: dict[str, Any], edits: list[tuple[int, str, int]]) -> dict[str, Any]:
    """Return a reply with members changed, copied to other places, removed or doubled."""
    for where, edit, other in edits:
        found = list(places(reply))
        if not found:
            break
        holder, key = found[where % len(found)]
        if edit == "put":
            holder[key] = deepcopy(WORDS[other % len(WORDS)])
        elif edit == "copy":
            source, name = found[other % len(found)]
            holder[key] = deepcopy(source[name])
        elif edit == "drop":
            del holder[key]
        elif isinstance(holder, list):
            holder.insert(other % (len(holder) + 1), deepcopy(holder[key]))
    return reply


@cache
def rule_set(name: str) -> RuleSet:
    """Return the rules of a pack as one function, compiled once, as a pack does."""
    contract = LIBRARY.get(name).contract
    assert contract is not None
    return RuleSet([(rule.when, rule.require, rule.names - {"reply", "pack"}) for rule in contract.rules])


def one_by_one(pack: Pack, scope: dict[str, Any]) -> tuple[list[tuple[int, bool]], list[int]]:
    """Evaluate each rule by itself; return the failed ones, with whether they raised, and the skipped ones."""
    failed, skipped = [], []
    assert pack.contract is not None
    with metered(pack.limits):
        for number, rule in enumerate(pack.contract.rules):
            if not rule.names <= scope.keys():
                skipped.append(number)
                continue
            try:
                if (rule.when is None or rule.when.evaluate(scope)) and not rule.require.evaluate(scope):
                    failed.append((number, False))
            except ContextError:
                failed.append((number, True))
    return failed, skipped


@pytest.mark.parametrize("name", AGENTS)
@settings(max_examples=100)
@given(st.data())
def test_one_function_for_all_rules_decides_like_each_rule_by_itself(name: str, data: st.DataObject) -> None:
    pack = LIBRARY.get(name)
    context, reply = data.draw(st.sampled_from(examples(pack)))
    values = data.draw(st.sampled_from([dict(context), {}]))
    scope = {**values, "reply": edited(deepcopy(reply), data.draw(EDITS)), "pack": pack._about}
    with metered(pack.limits):
        failed, skipped = rule_set(name).evaluate(scope)
    assert ([(number, error is not None) for number, error in failed], skipped) == one_by_one(pack, scope)


@pytest.mark.parametrize("name", AGENTS)
@settings(max_examples=50)
@given(st.data())
def test_text_and_bytes_get_the_same_verdict(name: str, data: st.DataObject) -> None:
    pack = LIBRARY.get(name)
    context, reply = data.draw(st.sampled_from(examples(pack)))
    text = json.dumps(edited(deepcopy(reply), data.draw(EDITS)), ensure_ascii=False)
    given_context = data.draw(st.sampled_from([dict(context), None]))
    one, other = pack.check(text, given_context), pack.check(text.encode(), given_context)
    assert (one.outcome, one.violations, one.unchecked) == (other.outcome, other.violations, other.unchecked)
    assert one.data == other.data
