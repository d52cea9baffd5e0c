"""Laws of slot prompts that hold for any data."""

import contextlib
import re
from copy import deepcopy
from datetime import date
from typing import Any, Literal, Optional

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack.pack.output.sanitize import sanitize
from promptpack.pack.output.type_names import TypeNameError, parse_type
from promptpack.problem import PromptpackError
from promptpack.prompt.slots import SlotPrompt, read_output_schema
from promptpack.prompt.slots.placeholders import fill_placeholders

WORDS = (
    "yes",
    "10",
    "2024-01-01",
    "a: b",
    "# x",
    "- x",
    "it's",
    "long " * 20,
    "line\nline",
    "${a}",
    "str",
    "[x]",
    "$type",
)
# YAML loses U+0085, which PyYAML writes as a line break, and cannot hold lone surrogates
readable = st.characters(exclude_categories=["Cs"], exclude_characters="\x85")
texts = st.one_of(st.sampled_from(WORDS), st.text(readable, max_size=12))
names = st.one_of(st.sampled_from(["a", "b", "name", "标题", "x y"]), texts)
atoms = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts)
plain = st.recursive(
    atoms,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=8,
)
types = st.one_of(
    st.sampled_from([str, int, float, bool, list, dict, Any, list[str], dict[str, int], date, int | None]),
    st.sampled_from([Optional[int], Literal["a", "b"], tuple[int, ...], set[int], list[int | str]]),  # noqa: UP045
)
described = st.one_of(st.tuples(types), st.tuples(types, texts), st.tuples(texts, texts))
schemas = st.recursive(
    st.one_of(types, described, texts, st.just(())),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(names.filter(lambda name: not name.startswith("$")), inner, max_size=3),
        st.tuples(inner, texts),
    ),
    max_leaves=8,
)
prompts = st.fixed_dictionaries(
    {}, optional={"system": plain, "info": plain, "input": plain, "note": plain, "output": schemas}
)
no_deadline = settings(deadline=None)


def same(first: Any, second: Any) -> bool:
    """Compare exports by their text, in which NaN equals itself."""
    return repr(first) == repr(second)


@no_deadline
@given(prompts)
def test_an_export_reads_back_and_exports_unchanged(slots: dict[str, Any]) -> None:
    prompt = SlotPrompt(slots)
    data, as_json, as_yaml = prompt.to_serializable_prompt_data(), prompt.to_json_prompt(), prompt.to_yaml_prompt()
    assert same(SlotPrompt.from_prompt_data(data).to_serializable_prompt_data(), data)
    assert SlotPrompt.from_json(as_json).to_json_prompt() == as_json
    assert SlotPrompt.from_yaml(as_yaml).to_yaml_prompt() == as_yaml


@no_deadline
@given(
    st.recursive(
        st.one_of(texts, types.map(sanitize)),
        lambda inner: st.one_of(
            st.builds(lambda kind: {"$type": kind}, inner),
            st.builds(lambda kind, words: {"$type": kind, "$desc": words}, inner, texts),
        ),
    )
)
def test_handwritten_type_entries_export_unchanged(entry: Any) -> None:
    data = {"output": {"in a list": [entry], "in a mapping": deepcopy(entry)}}
    text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
    assert SlotPrompt.from_yaml(text).to_yaml_prompt() == text


@no_deadline
@given(prompts, prompts)
def test_the_callers_data_is_never_changed(first: dict[str, Any], second: dict[str, Any]) -> None:
    before = repr((first, second))
    prompt = SlotPrompt(first, parent=SlotPrompt(second))
    prompt.update(second)
    prompt.append("info", first)
    prompt.extend("info", second)
    prompt.delete("note")
    assert repr((first, second)) == before


@no_deadline
@given(texts, texts)
def test_data_cannot_open_a_message(question: str, answer: str) -> None:
    history = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    prompt = SlotPrompt({"system": question or "s", "chat_history": history, "info": [answer], "input": question})
    assert [message["role"] for message in prompt.to_messages()] == ["system", "user", "assistant", "user"]


FORGED = (
    "assistant:",
    "[SYSTEM]:",
    "user:",
    "[user]:",
    "Developer :",
    "[OUTPUT] :",
    "tool:",
    "[x]:",
    "\\\\assistant:",
    "bot:",
)
LINE_ENDS = ("\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", " ", "\t", "]:", "")
forged = st.lists(st.sampled_from((*FORGED, *LINE_ENDS, "a")), min_size=1, max_size=5).map("".join)
forged_data = st.recursive(
    forged,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(forged, inner, max_size=2)),
    max_leaves=4,
)
forged_prompts = st.fixed_dictionaries(
    {"input": forged_data, "instruct": forged.filter(bool)},
    optional={
        "system": forged_data,
        "developer": forged_data,
        "info": forged_data,
        "action_results": forged_data,
        "tools": st.lists(
            st.fixed_dictionaries({"name": forged, "desc": forged, "kwargs": st.dictionaries(forged, forged)})
        ),
        "chat_history": st.lists(st.fixed_dictionaries({"role": forged, "content": forged}), max_size=2),
        "output": st.dictionaries(forged, st.tuples(st.just(str), forged), min_size=1, max_size=2),
    },
)


def innocent(value: Any) -> Any:
    """Return data of the same shape with harmless texts."""
    if isinstance(value, str):
        return "x" if value else ""
    if isinstance(value, dict):
        return {f"k{index}": innocent(item) for index, item in enumerate(value.values())}
    return type(value)(innocent(item) for item in value) if isinstance(value, list | tuple) else value


def role_lines(text: str) -> int:
    """Count the lines that a reader takes for a role line or a title."""
    roles = ("system", "developer", "user", "assistant", "tool", "bot")
    lines = (line.strip().casefold() for line in text.splitlines())
    heads = (re.sub(r"\s*:", ":", line) for line in lines)
    return sum(
        line.startswith(tuple(f"{role}:" for role in roles)) or bool(re.match(r"\[.*?\]:", line)) for line in heads
    )


@no_deadline
@given(forged_prompts, st.dictionaries(forged.map("note {}".format), forged_data, max_size=2))
def test_no_value_creates_a_role_line_in_a_safe_text(slots: dict[str, Any], custom: dict[str, Any]) -> None:
    harmless = {name: innocent(value) for name, value in slots.items()}
    if "tools" in slots:
        harmless["tools"] = [{"name": "x", "desc": "x", "kwargs": innocent(tool["kwargs"])} for tool in slots["tools"]]
    if "chat_history" in slots:
        harmless["chat_history"] = [{"role": "bot", "content": "x"} for _ in slots["chat_history"]]
    expected = SlotPrompt({**harmless, **{f"note {n}": innocent(one) for n, one in enumerate(custom.values())}})
    found = SlotPrompt({**slots, **custom})
    roles = {"_": "bot"}
    assert role_lines(found.to_text(safe=True, role_mapping=roles)) == role_lines(expected.to_text(role_mapping=roles))


@no_deadline
@given(texts, texts)
def test_filled_text_is_not_searched_for_placeholders(first: str, second: str) -> None:
    assert fill_placeholders(["${a}-${b}"], {"a": first, "b": second}) == [f"{first}-{second}"]


@no_deadline
@given(types)
def test_the_name_of_a_type_parses_to_a_type_with_that_name(kind: Any) -> None:
    name = sanitize(kind)
    assert sanitize(parse_type(name)) == name


@no_deadline
@given(st.one_of(st.text(max_size=40), st.text("int|stroplw[]., 'L\"NoneU", max_size=40)))
def test_any_text_is_a_type_name_or_refused(text: str) -> None:
    try:
        kind = parse_type(text)
    except TypeNameError:
        return
    assert sanitize(kind)


@no_deadline
@given(st.one_of(st.text(max_size=60), plain.map(lambda data: yaml.safe_dump(data, allow_unicode=True))))
def test_any_text_is_read_or_refused_with_a_problem(text: str) -> None:
    for read in (SlotPrompt.from_yaml, SlotPrompt.from_json):
        with contextlib.suppress(PromptpackError):
            assert read(text).to_serializable_prompt_data() is not None


@no_deadline
@given(st.dictionaries(st.sampled_from(["a", "$type", "$desc"]), plain, max_size=3))
def test_any_schema_data_is_read_or_refused_with_a_problem(data: dict[str, Any]) -> None:
    with contextlib.suppress(PromptpackError):
        assert sanitize(read_output_schema(data)) is not None
