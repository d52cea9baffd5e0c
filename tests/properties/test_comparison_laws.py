"""Laws of comparisons: nothing is left out, "compatible" is never wrong, and every proof holds for real packs."""

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, assume, event, given, seed, settings
from hypothesis import strategies as st

from promptpack import ContextError, Library, Pack, PackError, PromptpackError
from promptpack.versions import Change, compare
from tests.properties.inclusion_schemas import Schema, pairs, schemas
from tests.properties.inclusion_values import Values
from tests.unit.versions.change_cases import FULL, HEAD, RICH, SLOTS

_UNSEEN = {"PV123", "PV124", "PV322", "PV323"}
"""The changes of what the digest does not cover."""
_BREAKING = ("breaking", "narrowing")
_REPLY = {
    "thought": "t", "action": "ACT", "expectedOutcome": "e", "risk": {"level": "low", "description": "d"},
    "confidence": 50,
}  # fmt: skip
_WORDS: tuple[Any, ...] = (
    "a",
    "b",
    "NAME",
    "system",
    "user",
    "other text",
    0,
    1,
    2,
    True,
    None,
    [],
    {},
    "reply.confidence > 1",
)
_LONGER, _REMOVED = "other text", object()
_EDITS: tuple[Any, ...] = (_LONGER, 1, True, {}, _REMOVED)


class Packs:
    """Builds packs from data, without writing files."""

    def __init__(self, folder: Path) -> None:
        (folder / "demo").mkdir()
        self._library = Library.open(str(folder), cache=False)
        self._path = str(folder / "demo" / "1.0.0.yaml")

    def build(self, text: str) -> Pack | None:
        """Return the pack of a text, or None if it is broken."""
        try:
            return self._read(text)
        except PromptpackError:
            return None

    def require(self, data: dict[str, Any]) -> Pack:
        """Return the pack of valid data; skip the example if a closed object requires a property that it does not have."""
        try:
            return self._read(json.dumps({"promptpack": 1, "name": "demo", "version": "1.0.0", **data}))
        except PackError as error:
            assume({problem.code for problem in error.problems} != {"PP220"})
            raise

    def _read(self, text: str) -> Pack:
        return self._library._with_text(self._path, text).get("demo")


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Packs:
    return Packs(tmp_path_factory.mktemp("packs"))


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for step in steps:
        yield (*path, step)
        yield from _places(value[step], (*path, step))


def _mutate(draw: st.DrawFn, data: Any) -> Any:
    """Remove, replace, repeat or reorder a value somewhere."""
    changed = deepcopy(data)
    path = draw(st.sampled_from(list(_places(data))))
    owner = changed
    for step in path[:-1]:
        owner = owner[step]
    step = path[-1]
    match draw(st.integers(0, 4)):
        case 0:
            del owner[step]
        case 1:
            owner[step] = draw(st.sampled_from(_WORDS))
        case 2 if isinstance(owner, dict):
            owner[draw(st.sampled_from(["x-note", "description", "minLength", "default", "NEW", "when", "path"]))] = (
                owner[step]
            )
        case 3 if isinstance(owner, dict):
            reordered = dict(reversed(owner.items()))
            owner.clear()
            owner.update(reordered)
        case 3 if isinstance(owner, list):
            owner.reverse()
        case _ if isinstance(owner[step], str):
            owner[step] += " "
    return changed


@st.composite
def _mutated(draw: st.DrawFn) -> tuple[Any, Any]:
    data = yaml.safe_load(draw(st.sampled_from([HEAD + FULL, HEAD + RICH, HEAD + SLOTS])))
    changed = data
    for _ in range(draw(st.integers(1, 2))):
        changed = _mutate(draw, changed)
    return data, changed


def _write(data: Any) -> str:
    return str(yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False))


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(_mutated())
def test_a_comparison_is_empty_exactly_if_the_digests_are_equal(packs: Packs, pair: tuple[Any, Any]) -> None:
    old, new = (packs.build(_write(data)) for data in pair)
    event("broken" if new is None else "built")
    if old is None or new is None or new.version != old.version:
        return
    changes = compare(old, new).changes
    seen = [change for change in changes if change.code not in _UNSEEN]
    assert bool(seen) == (old.digest != new.digest), changes
    assert "PV399" not in {change.code for change in changes}, changes
    for change in changes:
        assert change.location is not None
    assert not compare(new, new)


@pytest.mark.parametrize("body", [FULL, RICH, SLOTS])
def test_every_value_that_differs_is_a_change_with_a_class(packs: Packs, body: str) -> None:
    data = yaml.safe_load(HEAD + body)
    old = packs.build(_write(data))
    assert old is not None
    built = 0
    for path in _places(data):
        for word in _EDITS:
            changed = deepcopy(data)
            owner = changed
            for step in path[:-1]:
                owner = owner[step]
            if word is _REMOVED:
                del owner[path[-1]]
            else:
                value = owner[path[-1]]
                owner[path[-1]] = f"{value}, too" if word is _LONGER and isinstance(value, str) else word
            new = packs.build(_write(changed))
            if new is None or new.version != old.version:
                continue
            built += 1
            changes = compare(old, new).changes
            assert "PV399" not in {change.code for change in changes}, (path, word, changes)
            seen = [change for change in changes if change.code not in _UNSEEN]
            assert bool(seen) == (old.digest != new.digest), (path, word, changes)
    assert built > len(list(_places(data)))


@given(st.sampled_from([FULL, RICH, SLOTS]), st.booleans(), st.integers(20, 200), st.booleans())
def test_layout_and_comments_are_not_changes(packs: Packs, body: str, flow: bool, width: int, comments: bool) -> None:
    text = yaml.safe_dump(yaml.safe_load(HEAD + body), sort_keys=False, default_flow_style=flow, width=width)
    old, new = packs.build(HEAD + body), packs.build(f"# a comment\n\n{text}\n# another" if comments else text)
    assert old is not None
    assert new is not None
    assert compare(old, new).changes == ()


def test_a_shipped_pack_does_not_differ_from_itself() -> None:
    libraries = Library.open(), Library.open()
    for old, new in zip(*(library.packs() for library in libraries), strict=True):
        assert old is not new
        assert compare(old, new, libraries).changes == ()


def _takes(pack: Pack, value: Any) -> bool:
    try:
        pack.render(X=value)
    except ContextError:
        return False
    return True


def _input_pack(packs: Packs, schema: Schema) -> Pack:
    return packs.require({"inputs": {"X": schema}, "messages": [{"role": "user", "content": "{{ X }}"}]})


def _reply_pack(packs: Packs, schema: Schema) -> Pack:
    inner = {key: value for key, value in schema.items() if key != "$defs"}
    params = {"type": "object", "required": ["v"], "properties": {"v": inner}, "$defs": schema["$defs"]}
    reply = {"actions": {"ACT": {"params": params}}}
    return packs.require({"messages": [{"role": "user", "content": "hi"}], "reply": reply})


def _gives(pack: Pack, params: Any) -> bool:
    return pack.check(json.dumps({**_REPLY, "params": params}), strict=True).ok


def _is_safe(changes: tuple[Change, ...]) -> bool:
    return not any(change.kind in _BREAKING for change in changes)


_drawn = settings(max_examples=120, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))


def test_callers_are_safe_from_a_compatible_input_and_every_proof_holds(packs: Packs) -> None:
    counts: Counter[str] = Counter()

    @seed(38)
    @_drawn
    @given(pairs(), st.integers(0, 2**32))
    def check(pair: tuple[Schema, Schema], number: int) -> None:
        old, new = _input_pack(packs, pair[0]), _input_pack(packs, pair[1])
        changes = compare(old, new).changes
        for value in Values(pair[0], number).draw(60) if _is_safe(changes) else ():
            if _takes(old, value):
                counts["values"] += 1
                assert _takes(new, value), value
        for change in changes:
            if change.has_counterexample:
                counts[change.code] += 1
                is_more = change.code == "PV109"
                assert _takes(new if is_more else old, change.counterexample), change
                assert not _takes(old if is_more else new, change.counterexample), change
            assert change.code != "PV108" or change.has_counterexample

    check()
    assert counts["values"] >= 1_000, counts
    assert min(counts[code] for code in ("PV108", "PV109")) >= 3, counts


def test_consumers_are_safe_from_a_compatible_reply_and_every_proof_holds(packs: Packs) -> None:
    counts: Counter[str] = Counter()

    @seed(38)
    @_drawn
    @given(pairs(), st.integers(0, 2**32))
    def check(pair: tuple[Schema, Schema], number: int) -> None:
        old, new = _reply_pack(packs, pair[0]), _reply_pack(packs, pair[1])
        changes = compare(old, new).changes
        is_safe = not any(change.kind == "breaking" for change in changes)
        for value in Values(pair[1], number).draw(60) if is_safe else ():
            if _gives(new, {"v": value}):
                counts["values"] += 1
                assert _gives(old, {"v": value}), value
        for change in changes:
            if change.has_counterexample:
                counts[change.code] += 1
                is_more = change.code == "PV203"
                assert _gives(new if is_more else old, change.counterexample), change
                assert not _gives(old if is_more else new, change.counterexample), change
            assert change.code != "PV203" or change.has_counterexample

    check()
    assert counts["values"] >= 1_000, counts
    assert min(counts[code] for code in ("PV203", "PV204")) >= 3, counts


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(schemas())
def test_a_new_property_of_an_open_object_only_narrows(packs: Packs, schema: Schema) -> None:
    definitions = {"whole": {key: value for key, value in schema.items() if key != "$defs"}, **schema["$defs"]}
    old = {"type": "object", "$defs": definitions}
    new = {**old, "properties": {"new": {"$ref": "#/$defs/whole"}}}
    for make, takes, code in ((_input_pack, _takes, "PV111"), (_reply_pack, _gives_inside, "PV206")):
        before, after = make(packs, old), make(packs, new)
        (change,) = compare(before, after).changes
        assert takes(after, {"other": 1})
        if change.code != "PV326":  # the property may have any value
            assert change.code == code
            value = change.counterexample if make is _input_pack else change.counterexample["v"]
            assert "new" in value
            assert takes(before, value)
            assert not takes(after, value)


def _gives_inside(pack: Pack, value: Any) -> bool:
    return _gives(pack, {"v": value})
