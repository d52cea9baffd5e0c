"""Plain data is used without a copy and validated once; a prompt keeps the values it was rendered with."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from promptpack import ContextError, Pack, PromptTemplate, TemplateContext
from promptpack.template.model import Limits

MakePack = Callable[[str], Pack]

TEXT = """\
inputs:
  X: {}
  KEY: {default: {}, secret: true}
  PAST: {default: []}
messages:
  - {role: system, content: "{{ X }}"}
  - {history: PAST}
  - {role: user, content: "{{ KEY }}"}
"""


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [{"a": [1, {"b": "é"}], "c": None}, [], [0.5, True], {"k": 1e-7}, ["한국어"]])
def test_a_second_render_of_a_context_is_the_same(make_pack: MakePack, value: Any) -> None:
    pack = make_pack(TEXT)
    first, second = pack.render(X=value), pack.render(X=value)
    assert first.messages == second.messages
    assert first.context == second.context == {"X": value, "KEY": {}, "PAST": []}


def test_a_prompt_keeps_the_context_it_was_rendered_with(make_pack: MakePack) -> None:
    pack = make_pack(TEXT)
    value: dict[str, Any] = {"a": [{"b": 1}]}
    past = [{"role": "user", "content": [{"type": "text", "text": "hm"}]}]
    prompts = [pack.render(X=value, PAST=past), pack.render(X=value, PAST=past)]
    value["a"][0]["b"] = 2
    past[0]["content"][0]["text"] = "changed"  # type: ignore[index]
    for prompt in prompts:
        assert prompt.context["X"] == {"a": [{"b": 1}]}
        assert prompt.context["PAST"] == [{"role": "user", "content": [{"type": "text", "text": "hm"}]}]
        assert prompt.messages[1].to_dict() == {"role": "user", "content": [{"type": "text", "text": "hm"}]}
    assert pack.render(X=value).messages[0].content == '{\n  "a": [\n    {\n      "b": 2\n    }\n  ]\n}'


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({1: "a"}, "PP411 input 'X' has a key that is not text"),
        ({"a": b"x"}, "PP411 input 'X' at /a contains a value of type bytes, which is not plain data"),
        ({"a": {1, 2}}, "PP411 input 'X' at /a contains a value of type set, which is not plain data"),
        ([timedelta(1)], "PP411 input 'X' at /0 contains a value of type timedelta, which is not plain data"),
        ([float("nan")], "PP411 input 'X' at /0 contains a number that is not finite"),
        ([bytearray(b"x")], "PP411 input 'X' at /0 contains a value of type bytearray, which is not plain data"),
        ([memoryview(b"x")], "PP411 input 'X' at /0 contains a value of type memoryview, which is not plain data"),
        ([...], "PP411 input 'X' at /0 contains a value of type ellipsis, which is not plain data"),
        (["a", "\ud800"], "PP408 input 'X' contains half of a surrogate pair"),
        ({"\udfff": 1}, "PP408 input 'X' contains half of a surrogate pair"),
        (nested(101), "PP413 input 'X' is nested more than 100 levels deep"),
        (nested(5_000), "PP413 input 'X' is nested more than 100 levels deep"),
        ([0] * 200_001, "PP409 input 'X' contains more than 200,000 values"),
        (["x" * 4_000_001], "PP409 input 'X' contains a text of more than 4,000,000 characters"),
        (["x" * 4_000_000] * 17, "PP409 input 'X' contains texts of more than 64,000,000 characters in total"),
    ],
)
def test_a_value_that_is_not_plain_data_is_refused_before_and_after_a_good_value(
    make_pack: MakePack, value: Any, problem: str
) -> None:
    pack = make_pack(TEXT)
    for _ in range(2):
        with pytest.raises(ContextError) as caught:
            pack.render(X=value)
        assert str(caught.value).split("\n")[0] == problem
        pack.render(X=["a", "b"])


def test_a_value_that_contains_itself_is_refused(make_pack: MakePack) -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ContextError, match="PP413"):
        make_pack(TEXT).render(X=value)


@pytest.mark.parametrize("value", [("a", "b"), OrderedDict(a=("b",)), {"a": ("b",)}])
def test_a_value_that_is_not_plain_is_copied_every_time(make_pack: MakePack, value: Any) -> None:
    pack = make_pack(TEXT)
    contexts = [pack.render(X=value).context["X"] for _ in range(2)]
    assert contexts[0] == contexts[1]
    assert contexts[0] in (["a", "b"], {"a": ["b"]})
    assert pack._render_cache.get("validated") is None


def test_secrets_are_not_cached(make_pack: MakePack) -> None:
    pack = make_pack(TEXT)
    pack.render(X=["plain"], KEY={"token": "s3cret"})
    assert list(pack._render_cache.get("validated")[-1]) == ["X"]


def test_an_unchanged_value_is_not_validated_again(make_pack: MakePack) -> None:
    pack = make_pack(
        "inputs: {X: {type: array, items: {type: integer}}, Y: {}}\nmessages: [{role: user, content: hi}]\n"
    )
    pack.render(X=[1], Y=[1])
    vars(pack._context_schema)["definitions"] = {"Y": pack._context_schema.definitions["Y"]}
    assert pack.render(X=[1], Y=["new"]).context["X"] == [1]
    with pytest.raises(KeyError):
        pack.render(X=[2], Y=["new"])


def test_an_invalid_value_is_refused_every_time(make_pack: MakePack) -> None:
    pack = make_pack("inputs: {X: {type: array, items: {type: integer}}}\nmessages: [{role: user, content: hi}]\n")
    pack.render(X=[1])
    for _ in range(2):
        with pytest.raises(ContextError, match="PP416 input 'X' at /0: expected a whole number"):
            pack.render(X=["1"])


def test_values_that_together_take_too_long_to_validate_are_refused_after_any_render(make_pack: MakePack) -> None:
    slow = f"{{type: array, default: [], items: {{anyOf: [{'{minimum: 1}, ' * 9}{{type: integer}}]}}}}"
    text = f"inputs: {{X: {slow}, Y: {slow}}}\nmessages: [{{role: user, content: hi}}]\n"
    pack, numbers = make_pack(text), [0] * 15_000
    for context in ({"X": numbers, "Y": numbers}, {"X": numbers}, {"Y": numbers}):
        for _ in range(2):
            if len(context) == 1:
                pack.render(context)
            with pytest.raises(ContextError, match="takes too long to check"):
                pack.render(X=numbers, Y=numbers)


def test_a_value_of_the_allowed_depth_is_accepted(make_pack: MakePack) -> None:
    assert make_pack(TEXT).render(X=nested(99)).context["X"] == nested(99)


class Trap:
    """Fails the test when anything of it is called."""

    def _sprung(self, *_: Any) -> Any:
        raise AssertionError

    __getitem__ = __iter__ = __len__ = __bool__ = __eq__ = __call__ = __str__ = __lt__ = __add__ = _sprung
    __hash__ = object.__hash__


USES = "{{ X.a }}{% if X.a %}{% endif %}{% for one in X.a %}{% endfor %}{{ X.a == 1 }}{{ X.a | length }}"


@pytest.mark.parametrize("value", [Trap(), {"a": Trap()}, {"a": [Trap()]}, [{"a": {"b": Trap()}}]])
def test_no_method_of_a_foreign_object_runs(make_pack: MakePack, value: Any) -> None:
    pack = make_pack(f"inputs:\n  X: {{}}\nmessages:\n  - role: user\n    content: |\n      {USES}\n")
    doors: list[Callable[[], object]] = [
        lambda: pack.render(X=value),
        lambda: pack.render({"X": value}),
        lambda: pack.check("{}", {"X": value}),
        lambda: PromptTemplate.compile(USES).render({"X": value}),
        lambda: TemplateContext.from_map({"X": value}),
    ]
    for door in doors:
        with pytest.raises(
            ContextError,
            match=r"PP411 input 'X'( at [/a-z0-9]+)? contains a value of type Trap, which is not plain data",
        ):
            door()


def test_the_reply_format_is_written_again_when_the_tools_change(make_pack: MakePack) -> None:
    pack = make_pack(
        "inputs: {TOOLS: {type: array}}\nmessages: [{role: system, content: '{{ reply_format }}'}]\n"
        "reply: {contract: agent-output, tools: TOOLS}"
    )
    tools = [{"name": "look", "description": "looks", "parameters": {"type": "object", "properties": {"at": {}}}}]
    first, again = (pack.render(TOOLS=tools).messages[0].text for _ in range(2))
    assert "look: looks" in first
    assert again == first
    with patch("promptpack.prompt.reply_format.write_reply_format") as writing:
        assert pack.render(TOOLS=tools).messages[0].text == first
    writing.assert_not_called()
    tools[0]["description"] = "listens"
    changed, again = (pack.render(TOOLS=tools).messages[0].text for _ in range(2))
    assert again == changed == first.replace("looks", "listens") != first
    assert pack.render(TOOLS=tuple(tools)).messages[0].text == changed


@pytest.mark.parametrize("renders", [0, 1, 2])
def test_tools_that_change_during_a_render_leave_no_reply_format_behind(make_pack: MakePack, renders: int) -> None:
    pack = make_pack(
        "inputs: {TOOLS: {type: array}, X: {}}\nmessages: [{role: system, content: '{{ reply_format }}'}]\n"
        "reply: {contract: agent-output, tools: TOOLS}"
    )
    tools, unchanged = [{"name": "look", "description": "looks"}], [{"name": "look", "description": "looks"}]

    class Changing(dict[str, Any]):
        def items(self) -> Any:
            tools[0]["description"] = "listens"
            return super().items()

    for _ in range(renders):
        pack.render(TOOLS=unchanged, X=1)
    pack.render(TOOLS=tools, X=Changing(a=1))
    for _ in range(3):
        assert "look: looks" in pack.render(TOOLS=unchanged, X=1).messages[0].text


def test_a_value_that_was_valid_within_other_limits_is_validated_again(make_pack: MakePack) -> None:
    pack = make_pack(TEXT)
    pack.render(X=["plain"] * 3)
    with pytest.raises(ContextError, match="PP409"):
        replace(pack, limits=Limits(items=2)).render(X=["plain"] * 3)


def test_the_reply_format_follows_the_locale_of_a_replaced_pack(make_pack: MakePack) -> None:
    pack = make_pack("messages: [{role: system, content: '{{ reply_format }}'}]\nreply: {contract: agent-output}")
    first, chinese = pack.render().messages[0].text, replace(pack, locale="zh-CN").render().messages[0].text
    assert "JSON 对象" in chinese
    assert pack.render().messages[0].text == first != chinese


def test_not_more_than_a_hundred_unknown_inputs_are_reported(make_pack: MakePack) -> None:
    with pytest.raises(ContextError) as caught:
        make_pack(TEXT).render({f"Y{number}": 1 for number in range(1_000)})
    assert len([one for one in caught.value.problems if one.code == "PP414"]) == 100
