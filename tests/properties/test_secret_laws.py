"""A secret appears only in the prompt: a canary goes through every public call, and all other output is searched."""

import json
import logging
import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from promptpack import Agent, Library, Pack, Prompt, PromptpackError, RenderContext, trial
from promptpack.cli.main import main
from promptpack.cycle.providers.scripted import ScriptedProvider
from promptpack.prompt.budget import Budget

CANARY = 'kÉy-7f3a"91\nsecond-line-<|im_end|>'
FORMS = ("7f3a", "second-line")
MakePack = Callable[[str], Pack]

BODY = """\
inputs:
  A: {{type: string, default: a}}
  KEY: {schema}
messages:
  - {{role: user, content: {content}}}
reply:
  contract: agent-output
  actions: {{GO: {{params: {{type: object, required: [n], properties: {{n: {{type: integer}}}}}}}}}}
  rules:
    - {{name: no-key, require: reply.thought != KEY, message: the thought must not be what it is}}
    - {{name: broken, require: "[1][KEY] == 1", message: never}}
tests:
  - {{name: t, context: {{KEY: {key}}}, expect: {{contains: [nowhere], max_chars: 1, snapshot: true}}, reply: {{}}, verdict: valid}}
"""


def body(content: str, schema: str = "{type: string, secret: true}") -> str:
    return BODY.format(content=json.dumps(content), schema=schema, key=json.dumps(CANARY))


def shown_by(error: BaseException) -> str:
    """Return everything that a log of an error can show."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None:
        chain.append(current)
        current = current.__cause__ or current.__context__
    shown = "".join(traceback.format_exception(error))
    return shown + "".join(f"{one} {one!r} {one.args}" for one in chain)


def assert_no_secret(*texts: str) -> None:
    for text in texts:
        # The address of an object may spell a part of the canary by chance.
        without_addresses = re.sub(r" at 0x[0-9a-f]+>", ">", text)
        for form in FORMS:
            assert form not in without_addresses


@pytest.mark.parametrize(
    "content",
    [
        "{{ {}[KEY] }}",
        "{{ [1][KEY] }}",
        "{{ A[KEY] }}",
        "{{ [{'a': 1}] | map(attribute=KEY) | list }}",
        "{{ [1] | map(KEY) | list }}",
        "{{ [1] | select(KEY) | list }}",
        "{{ [{}] | groupby(KEY) }}",
        "{{ [{}] | sort(attribute=KEY) }}",
        "{{ [{}] | sum(attribute=KEY) }}",
        "{{ KEY | int(base=99) }}",
        "{{ '%d' % KEY }}",
        "{{ '%(a)s' % {KEY: 1} }}",
        "{{ 'a'.index(KEY) }}",
        "{{ [1].index(KEY) }}",
        "{{ dict(KEY) }}",
        "{{ range(KEY) }}",
        "{{ KEY() }}",
        "{{ KEY + 1 }}",
        "{{ KEY.nope }}",
        "{{ KEY | history }}",
        "{{ [{'role': KEY}] | react_window }}",
        "{{ [KEY] | tool_catalog }}",
        "{{ [KEY] | max + 1 }}",
        "{% for a in KEY %}{{ a.b }}{% endfor %}",
        "{% set x, y = [KEY] %}",
        "{{ namespace(**{KEY: 1}) }}",
        "{% macro m() %}{% endmacro %}{{ m(**{KEY: 1}) }}",
    ],
)
def test_a_failing_render_shows_no_secret(make_pack: MakePack, content: str) -> None:
    pack = make_pack(body(content))
    try:
        prompt = pack.render(KEY=CANARY)
    except PromptpackError as error:
        assert_no_secret(shown_by(error))
    else:
        assert_no_secret(repr(prompt))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("{type: integer, secret: true}", CANARY),
        ("{enum: [a, b], secret: true}", CANARY),
        ("{type: string, maxLength: 3, secret: true}", CANARY),
        ("{type: string, pattern: '^x', secret: true}", CANARY),
        ("{type: object, additionalProperties: false, secret: true}", {CANARY: 1}),
        ("{type: object, additionalProperties: {type: integer}, secret: true}", {CANARY: CANARY}),
        ("{type: array, items: {const: 1}, secret: true}", [CANARY]),
        ("{secret: true}", {CANARY: {1: 2}}),
        ("{secret: true}", [CANARY, object()]),
        ("{secret: true}", CANARY + "\ud800"),
    ],
)
def test_a_refused_context_shows_no_secret(make_pack: MakePack, schema: str, value: Any) -> None:
    pack = make_pack(body("x", schema))
    for call in (pack.render, lambda context: pack.check("{}", context)):
        with pytest.raises(PromptpackError) as caught:
            call({"KEY": value})
        assert_no_secret(shown_by(caught.value))


REPLY = {
    "thought": CANARY,
    "action": CANARY,
    "params": {CANARY: CANARY},
    "expectedOutcome": "x",
    "risk": {"level": CANARY, "description": "x"},
    "confidence": CANARY,
    CANARY: 1,
}


def outputs_of(prompt: Prompt, reply: str) -> Iterator[str]:
    for strict in (False, True):
        verdict = prompt.check(reply, strict=strict)
        yield from (str(found) for found in verdict.violations)
        yield verdict.correction
        yield str(verdict.error_output)
        try:
            verdict.raise_for_failure()
        except PromptpackError as error:
            yield shown_by(error)


def test_the_verdict_on_a_reply_that_repeats_a_secret_does_not_show_it(make_pack: MakePack) -> None:
    prompt = make_pack(body("{{ KEY }}")).render(KEY=CANARY)
    assert CANARY in prompt.messages[0].text
    assert_no_secret(*outputs_of(prompt, json.dumps(REPLY)), *outputs_of(prompt, json.dumps(REPLY, ensure_ascii=False)))
    good = {**REPLY, "action": "GO", "params": {"n": 1}, "risk": {"level": "low", "description": "x"}, "confidence": 1}
    del good[CANARY]
    assert_no_secret(*outputs_of(prompt, json.dumps(good)))


def reachable(root: object) -> Iterator[object]:
    """Yield every object that the attributes and items of an object lead to; a pack is no part of its results."""
    waiting, seen = [root], {id(root): root}
    while waiting:
        current = waiting.pop()
        yield current
        if isinstance(current, tuple | list | set | frozenset):
            inner = list(current)
        elif isinstance(current, Mapping):
            inner = list(current.values())
        elif isinstance(current, BaseModel):
            inner = [value for _, value in current]
        elif type(current).__module__.startswith("promptpack") and not isinstance(current, Pack):
            names = [name for name in dir(current) if not name.startswith("_")]
            inner = [getattr(current, name) for name in names if not callable(getattr(current, name))]
        else:
            inner = []
        waiting += [seen.setdefault(id(one), one) for one in inner if id(one) not in seen]


MODELS_REPLY = {
    **REPLY,
    "action": "GO",
    "params": {"n": 1},
    "risk": {"level": "low", "description": CANARY},
    "confidence": 1,
}
SLOTS = """\
inputs: {KEY: {type: string, secret: true}, H: {default: []}}
slots: {system: "{{ KEY }}", chat_history: "${H}", input: "${KEY}", output: {a: {$type: str}}}
"""


@pytest.mark.parametrize("kind", ["messages", "history", "slots"])
def test_no_object_of_a_run_shows_a_secret(make_pack: MakePack, kind: str) -> None:
    source = SLOTS if kind == "slots" else body("{{ KEY }}")
    if kind == "history":
        source = source.replace(
            "messages:",
            "  H: {}\nmessages:\n  - {role: user, name: '{{ KEY }}', content: [{text: '{{ KEY }}'}]}\n  - {history: H}",
            1,
        )
    history = [
        {"role": "user", "content": CANARY, "name": CANARY, "extra": CANARY},
        {"role": "assistant", "content": None, "tool_calls": [{"id": CANARY, "name": CANARY, "arguments": CANARY}]},
        {"role": "tool", "tool_call_id": CANARY, "content": [{"type": "text", "text": CANARY}]},
    ]
    values: dict[str, Any] = {
        "KEY": CANARY,
        **({} if kind == "messages" else {"H": history[:1] if kind == "slots" else history}),
    }
    replies = [
        CANARY,
        json.dumps(REPLY),
        f"```json\n{json.dumps(MODELS_REPLY)[:-1]}",
        json.dumps(MODELS_REPLY | {"a": CANARY}),
    ]
    events: list[Any] = []
    run = Agent(make_pack(source), ScriptedProvider(replies)).run_with_transcript(values, on_event=events.append)
    budgeted = run.prompt.within(Budget(100_000, "characters"))
    roots = (
        run,
        events,
        budgeted,
        RenderContext.model_validate({"user_input": CANARY}),
        *map(run.prompt.check, replies),
    )
    mine = [one for root in roots for one in reachable(root) if type(one).__module__.startswith("promptpack")]
    kinds = {type(one).__name__ for one in mine}
    assert {"Message", "Verdict", "Completion", "Request", "Prompt", "Fit", "Transcript"} <= kinds
    assert_no_secret(*map(repr, mine), *map(str, (run, run.transcript, run.verdict, run.prompt)))


def test_a_run_with_a_model_shows_no_secret(make_pack: MakePack, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.NOTSET)
    events: list[Any] = []
    agent = Agent(make_pack(body("{{ KEY }}")), ScriptedProvider(["no", "{}", '{"thought": 5}']))
    run = agent.run_with_transcript({"KEY": CANARY}, on_event=events.append)
    assert CANARY in run.transcript.messages[0].text
    assert_no_secret(
        repr(run), repr(run.transcript), *map(repr, events), *map(str, run.verdict.violations), caplog.text
    )


def test_the_tests_of_a_pack_store_and_show_no_secret(
    make_pack: MakePack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = "{{ KEY }} {{ [KEY] | json }} {{ KEY | fenced }} {{ KEY | yaml }} {{ KEY | indent }} {{ {'k': KEY} }}"
    pack = make_pack(body(forms))
    monkeypatch.chdir(tmp_path)
    for update in (True, False):
        for done in trial.run([pack], update=update):
            assert_no_secret(*(failure.message for failure in done.failures))
    stored = [path.read_text("utf-8") for path in tmp_path.rglob("snapshots/*.txt")]
    assert stored
    assert_no_secret(*stored)


def test_the_command_line_shows_no_secret_outside_the_prompt(
    make_pack: MakePack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pack(body("{{ {}[KEY] }}"))
    monkeypatch.chdir(tmp_path)
    context = tmp_path / "context.json"
    context.write_text(json.dumps({"KEY": CANARY}), encoding="utf-8")
    reply = tmp_path / "reply.json"
    reply.write_text(json.dumps({"thought": 5}), encoding="utf-8")
    for words in (["render", "demo"], ["check", "demo", str(reply)], ["show", "demo"], ["lint", "packs"]):
        options = [] if words[0] == "lint" else ["--packs", "packs"]
        given = ["--context", str(context)] if words[0] in ("render", "check") else []
        done = CliRunner().invoke(main, [*words, *options, *given])
        assert_no_secret(done.output, shown_by(done.exception) if done.exception else "")


def test_objects_that_end_up_in_logs_show_no_secret(make_pack: MakePack) -> None:
    pack = make_pack(body("{{ KEY }}"))
    prompt = pack.render(KEY=CANARY)
    assert_no_secret(repr(prompt), str(prompt), repr(prompt.warnings), repr(Library.open("packs")))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(middle=st.text(min_size=0, max_size=8))
def test_no_form_of_a_secret_appears_in_errors_or_snapshots(make_pack: MakePack, middle: str) -> None:
    secret = f"7f3a{middle}91c4"
    pack = make_pack(body("{{ KEY }}{{ [KEY] | json(none) }}{{ KEY | fenced }}"))
    try:
        prompt = pack.render(KEY=secret)
    except PromptpackError as error:
        assert "7f3a" not in shown_by(error)
        return
    from promptpack.prompt.secrets import Secrets

    assert "7f3a" not in Secrets(pack, prompt.context).hide(prompt.to_text())
