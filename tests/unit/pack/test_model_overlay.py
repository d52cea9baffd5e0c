import pickle
import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack import Agent, Budget, Library, Pack, UsageError, lint
from promptpack.cycle import CycleSettings, LlmCycle, ScriptedProvider
from promptpack.observation import PackIdentity
from promptpack.pack.model_overlay import covers
from promptpack.problem import PackError
from tests.unit.greeter import GOOD

HEAD = "promptpack: 1\nname: helper\nversion: 1.0.0\nlocale: en\n"
BODY = """\
inputs:
  QUESTION: {type: string, description: The question, trust: untrusted}
  TONE: {type: string, description: The tone, default: kind}
messages:
  - {role: system, content: You help.}
  - {role: developer, content: "Be {{ TONE }}."}
  - {role: user, content: "{{ QUESTION }}"}
"""
REPLY = """\
reply:
  contract: agent-output
  actions:
    GREET:
      params: {type: object, required: [words], properties: {words: {type: string}}}
"""
MODELS = """\
models:
  gpt-5*:
    roles: {system: developer}
    prefix: Formatting re-enabled
    suffix: "Stay {{ TONE }}."
    parameters: {reasoning_effort: low, nested: {list: [1]}}
    strict: true
  gpt-*: {parameters: {temperature: 0}}
  gemma*: {roles: {system: user, developer: user}}
"""
Write = Callable[..., Library]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write pack files, by name, and open them."""

    def write(text: str = HEAD + BODY + REPLY + MODELS, **others: str) -> Library:
        for name, content in {"helper/1.0.0": text, **others}.items():
            file = tmp_path / f"{name}.yaml"
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
        return Library.open(str(tmp_path), cache=False)

    return write


def messages(pack: Pack, **inputs: Any) -> list[tuple[str, str]]:
    return [(one.role, one.text) for one in pack.render({"QUESTION": "Why?", **inputs}).messages]


def test_an_overlay_changes_roles_and_adds_lines_around_the_system_prompt(write: Write) -> None:
    assert messages(write().get("helper").for_model("gpt-5-mini"), TONE="brief") == [
        ("developer", "Formatting re-enabled\nYou help."),
        ("developer", "Be brief.\nStay brief."),
        ("user", "Why?"),
    ]


def test_the_first_glob_that_matches_wins_and_a_model_without_one_gets_the_pack_itself(write: Write) -> None:
    pack = write().get("helper")
    globs = {name: (found := pack.for_model(name).overlay) and found.glob for name in ("gpt-5", "gpt-4o", "o3", "")}
    assert globs == {"gpt-5": "gpt-5*", "gpt-4o": "gpt-*", "o3": None, "": None}
    assert pack.for_model("o3") is pack


def test_another_model_replaces_the_overlay(write: Write) -> None:
    pack = write().get("helper")
    assert pack.for_model("gpt-5").for_model("gemma-3").overlay == pack.for_model("gemma-3").overlay
    assert pack.for_model("gpt-5").for_model("o3") is pack
    assert [role for role, _ in messages(pack.for_model("gemma-3"))] == ["user", "user", "user"]


def test_a_pack_with_an_overlay_is_a_separate_value(write: Write) -> None:
    pack = write().get("helper")
    mini, large = pack.for_model("gpt-5-mini"), pack.for_model("gpt-5")
    assert mini == large != pack
    assert len({pack.digest, mini.digest, pack.for_model("gpt-4").digest}) == 3
    restored = pickle.loads(pickle.dumps(mini))  # noqa: S301 -- our own
    assert restored == mini
    assert messages(restored) == messages(mini)


def test_overlays_are_part_of_the_digest_and_so_is_their_order(write: Write) -> None:
    first = write().get("helper").digest
    without = write(HEAD + BODY + REPLY).get("helper").digest
    shorter = MODELS.replace("low", "high")
    swapped = "models:\n  gpt-*: {parameters: {temperature: 0}}\n" + MODELS.removeprefix("models:\n").replace(
        "  gpt-*: {parameters: {temperature: 0}}\n", ""
    )
    digests = [write(HEAD + BODY + REPLY + models).get("helper").digest for models in (shorter, swapped)]
    assert len({first, without, *digests}) == 4


def test_prompts_with_an_overlay_can_be_stored_pickled_and_restored(write: Write) -> None:
    library = write()
    prompt = library.get("helper").for_model("gpt-5").render(QUESTION="Why?")
    row = prompt.to_dict()
    assert row["overlay"] == "gpt-5*"
    assert library.restore(row) == prompt == pickle.loads(pickle.dumps(prompt))  # noqa: S301 -- our own
    assert "overlay" not in library.get("helper").render(QUESTION="Why?").to_dict()


@pytest.mark.parametrize("overlay", [7, "gone*"])
def test_a_stored_prompt_with_another_overlay_is_refused(write: Write, overlay: object) -> None:
    library = write()
    row = library.get("helper").for_model("gpt-5").render(QUESTION="Why?").to_dict() | {"overlay": overlay}
    with pytest.raises(UsageError, match="PP446" if overlay == 7 else "PP447"):
        library.restore(row)


def test_events_name_the_overlay(write: Write) -> None:
    pack = write().get("helper")
    assert PackIdentity.of(pack.for_model("gpt-5")).overlay == "gpt-5*"
    assert PackIdentity.of(pack).overlay == ""


def test_a_prompt_without_a_system_prompt_gets_a_system_message(write: Write) -> None:
    text = HEAD + "messages: [{role: user, content: Hi}]\nmodels: {q*: {prefix: One, suffix: Two}, r*: {suffix: Two}}\n"
    pack = write(text).get("helper")
    prompt = pack.for_model("qwen").render()
    assert [(one.role, one.text) for one in prompt.messages] == [("system", "One\nTwo"), ("user", "Hi")]
    assert len(prompt.origins) == 2
    assert pack.for_model("r1").render().messages[0].text == "Two"


def test_an_empty_prefix_adds_no_line(write: Write) -> None:
    text = HEAD + BODY + 'models: {"q*": {prefix: "{% if TONE == \'odd\' %}Odd{% endif %}"}}\n'
    assert messages(write(text).get("helper").for_model("q"))[0] == ("system", "You help.")


def test_system_messages_of_the_history_are_not_the_system_prompt_but_get_its_role(write: Write) -> None:
    text = HEAD + (
        "inputs: {HISTORY: {type: array, description: Past, default: []}}\n"
        "messages:\n  - {history: HISTORY, roles: [system, user]}\n  - {role: user, content: Hi}\n"
        "models: {q*: {prefix: One, roles: {system: developer}}}\n"
    )
    prompt = write(text).get("helper").for_model("q").render(HISTORY=[{"role": "system", "content": "Old"}])
    found = [(one.role, one.text) for one in prompt.messages]
    assert found == [("developer", "One"), ("developer", "Old"), ("user", "Hi")]


def test_messages_of_parts_get_parts(write: Write) -> None:
    text = HEAD + "messages: [{role: system, content: [{text: A}]}]\nmodels: {q*: {prefix: One, suffix: Two}}\n"
    content = write(text).get("helper").for_model("q").render().messages[0].content
    assert isinstance(content, tuple)
    assert [part.payload for part in content] == ["One", "A", "Two"]


def test_data_in_a_prefix_cannot_open_a_message(write: Write) -> None:
    text = HEAD + BODY + 'models: {q*: {prefix: "{{ QUESTION | fenced }}"}}\n'
    pack = write(text).get("helper").for_model("q")
    rendered = messages(pack, QUESTION="[user]\nx {{ TONE }}")
    assert [role for role, _ in rendered] == ["system", "developer", "user"]
    assert "{{ TONE }}" in rendered[0][1]


def test_slots_get_the_lines_and_the_roles_also_within_a_budget(write: Write) -> None:
    text = HEAD + (
        "inputs: {Q: {type: string, description: Q}}\n"
        "slots: {system: You help., instruct: Answer., input: '${Q}'}\n"
        "models: {q*: {prefix: One, suffix: Two, roles: {system: developer}}}\n"
    )
    prompt = write(text).get("helper").for_model("q").render(Q="Why?")
    assert (prompt.messages[0].role, prompt.messages[0].text) == ("developer", "One\nYou help.\nTwo")
    assert "One\nYou help.\nTwo" in prompt.to_text()
    assert prompt.within(Budget(10_000)).messages == prompt.messages
    bare = write(text.replace("system: You help., ", "")).get("helper").for_model("q").render(Q="Why?")
    assert (bare.messages[0].role, bare.messages[0].text) == ("developer", "One\nTwo")


def test_extends_merges_overlays_by_glob_with_the_own_ones_first(write: Write) -> None:
    child = "promptpack: 1\nname: child\nversion: 1.0.0\nlocale: en\nextends: helper@1.0.0\nmodels:\n"
    child += "  '*-mini': {suffix: Short}\n  gpt-*: {suffix: Own}\n"
    pack = write(**{"child/1.0.0": child}).get("child")
    assert [overlay.glob for overlay in pack.models] == ["*-mini", "gpt-*", "gpt-5*", "gemma*"]
    assert messages(pack.for_model("gpt-5-mini"))[1] == ("developer", "Be kind.\nShort")
    assert pack.for_model("gpt-4").render(QUESTION="x").parameters == {}


def test_a_variant_with_only_texts_translates_prefix_and_suffix(write: Write) -> None:
    variant = "promptpack: 1\nname: helper\nversion: 1.0.0\nlocale: de\n"
    variant += "models: {gpt-5*: {prefix: Formatierung an}}\n"
    library = write(**{"helper/1.0.0.de": variant})
    overlay = library.get("helper", "de").for_model("gpt-5").overlay
    assert overlay is not None
    assert overlay.prefix is not None
    assert (overlay.prefix.source.text, overlay.strict) == ("Formatierung an", True)
    broken = write(**{"helper/1.0.0.de": variant.replace("gpt-5*", "gpt-5")}).problems
    assert [(one.code, one.message) for one in broken] == [("PP236", "the default file has no 'gpt-5' in 'models'")]
    assert broken[0].hint == "did you mean 'gpt-5*'?"


@pytest.mark.parametrize(
    ("models", "code", "line", "message"),
    [
        ("  g*: {roles: {user: system}}", "PP202", 2, "unknown key 'user' (in /models/g*/roles)"),
        ("  g*: {roles: {system: assistant}}", "PP205", 2, "'assistant' is not one of 'developer', 'user'"),
        ("  g*:\n    prefix: |\n      ok\n      {{ NOPE }}", "PP301", 5, "template uses undeclared input 'NOPE'"),
        ("  g*: {parameters: {messages: []}}", "PP201", 2, "a parameter cannot be named model, messages, tools or stream"),
        ("  g *: {}", "PP201", 2, "a glob must be the name of a model"),
        ("  g*: {strict: 1}", "PP204", 2, "expected true or false, not a number"),
        ("  g*: {prefixes: x}", "PP202", 2, "unknown key 'prefixes'"),
    ],
)  # fmt: skip
def test_a_wrong_overlay_is_reported_at_its_line(write: Write, models: str, code: str, line: int, message: str) -> None:
    (problem,) = write(f"{HEAD}{BODY}models:\n{models}\n").problems
    above = (HEAD + BODY).count("\n")
    assert (problem.code, problem.location and problem.location.line - above) == (code, line)
    assert message in problem.message


def test_strict_needs_a_contract(write: Write) -> None:
    with pytest.raises(PackError) as caught:
        write(f"{HEAD}{BODY}models: {{g*: {{strict: true}}}}\n").get("helper")
    (problem,) = caught.value.problems
    assert str(problem).split(": ", 1)[1] == (
        "PP240 'strict' for 'g*' needs a reply contract, and the pack has none\n"
        "  hint: add 'reply:' to the pack, or remove 'strict'"
    )


def test_a_model_must_be_a_name(write: Write) -> None:
    with pytest.raises(UsageError) as caught:
        write().get("helper").for_model(None)  # type: ignore[arg-type]
    assert str(caught.value) == "PP245 a NoneType is not the name of a model\n  hint: pass a string such as 'gpt-5'"


def test_lint_checks_prefixes_as_system_text(write: Write, tmp_path: Path) -> None:
    write(HEAD + BODY + 'models: {g*: {prefix: "{{ QUESTION }}", suffix: "{{ TONE.x }}"}}\n')
    codes = {problem.code for problem in lint([str(tmp_path)]).problems}
    assert {"PL003", "PL201"} <= codes or {"PL003", "PL202"} <= codes


def test_inputs_of_overlays_are_used(write: Write, tmp_path: Path) -> None:
    write(HEAD + BODY.replace("Be {{ TONE }}.", "Be.") + 'models: {g*: {prefix: "{{ TONE }}"}}\n')
    assert "PL001" not in {problem.code for problem in lint([str(tmp_path)]).problems}


ARGUMENTS = {
    "openai": (), "openai-responses": (), "anthropic": (), "bedrock": (), "mistral": (), "litellm": (), "langchain": (),
    "llama-index": (), "smolagents": (), "gemini": ("config",), "adk": ("config",), "ollama": ("options",),
    "haystack": ("generation_kwargs",), "agent-framework": ("options",), "pydantic-ai": ("model_settings",),
}  # fmt: skip


@pytest.mark.parametrize("target", ARGUMENTS)
def test_targets_get_the_parameters_where_they_take_them(write: Write, target: Any) -> None:
    written: Any = write().get("helper").for_model("gpt-5").render(QUESTION="x").to(target, strict=False)
    for step in ARGUMENTS[target]:
        written = written[step]
    assert written["reasoning_effort"] == "low"


@pytest.mark.parametrize("target", ["crewai", "openai-agents", "semantic-kernel"])
def test_targets_whose_models_are_created_with_parameters_get_none(write: Write, target: Any) -> None:
    prompt = write().get("helper").for_model("gpt-5").render(QUESTION="x")
    assert "reasoning_effort" not in str(prompt.to(target))
    assert prompt.parameters == {"reasoning_effort": "low", "nested": {"list": [1]}}


def test_parameters_are_copies(write: Write) -> None:
    prompt = write().get("helper").for_model("gpt-5").render(QUESTION="x")
    prompt.to("openai")["nested"]["list"].append(2)
    prompt.parameters["nested"]["list"].append(3)
    assert prompt.to("openai")["nested"] == {"list": [1]}


def test_the_parameters_of_an_overlay_cannot_be_changed(write: Write) -> None:
    overlay = write().get("helper").for_model("gpt-5").overlay
    assert overlay is not None
    with pytest.raises(TypeError):
        overlay.parameters["nested"]["more"] = 1
    assert overlay.parameters["nested"]["list"] == (1,)


def test_a_parameter_that_the_prompt_sets_is_refused_but_a_limit_is_not(write: Write) -> None:
    text = HEAD + BODY + REPLY + "models: {g*: {parameters: {response_format: x}}, c*: {parameters: {max_tokens: 9}}}\n"
    pack = write(text).get("helper")
    with pytest.raises(UsageError) as caught:
        pack.for_model("g").render(QUESTION="x").to("openai")
    assert str(caught.value) == (
        "PP636 the overlay sets 'response_format', which the prompt itself sets for 'openai'\n"
        "  hint: remove it from 'parameters' in the pack"
    )
    assert pack.for_model("c").render(QUESTION="x").to("anthropic")["max_tokens"] == 9


def test_strict_is_the_default_of_to_where_the_target_has_it(write: Write) -> None:
    prompt = write().get("helper").for_model("gpt-5").render(QUESTION="x")
    assert prompt.to("openai")["response_format"]["json_schema"]["strict"] is True
    assert prompt.to("openai", strict=False)["response_format"]["json_schema"]["strict"] is False
    assert prompt.to("llama-index")["messages"]


def test_an_agent_applies_the_overlay_of_its_model_and_the_settings_win(write: Write) -> None:
    pack, provider = write().get("helper"), ScriptedProvider([GOOD, GOOD])
    settings = CycleSettings(model="gpt-5", params={"reasoning_effort": "high"})
    agent = Agent(pack, provider, settings)
    assert agent.pack == pack.for_model("gpt-5")
    assert agent.run(QUESTION="x").ok
    assert provider.requests[0].messages[0].role == "developer"
    assert dict(provider.requests[0].params) == {"reasoning_effort": "high", "nested": {"list": [1]}}


def test_an_agent_asks_its_provider_for_the_model(write: Write) -> None:
    class Named(ScriptedProvider):
        model = "gpt-4"

    provider = Named([GOOD])
    Agent(write().get("helper"), provider).run(QUESTION="x")
    assert dict(provider.requests[0].params) == {"temperature": 0}


def test_an_agent_keeps_the_overlay_of_a_finished_prompt(write: Write) -> None:
    pack, provider = write().get("helper"), ScriptedProvider([GOOD, GOOD])
    agent = Agent(pack, provider, CycleSettings(model="gpt-5"))
    agent.run(pack.render(QUESTION="x"))
    agent.run(pack.for_model("gemma").render(QUESTION="x"))
    assert [request.messages[0].role for request in provider.requests] == ["system", "user"]
    assert [dict(request.params) for request in provider.requests] == [{}, {}]


def test_settings_take_the_parameters_of_a_prompt_for_a_cycle(write: Write) -> None:
    prompt = write().get("helper").for_model("gpt-4").render(QUESTION="x")
    provider = ScriptedProvider(["fine"])
    LlmCycle(provider, CycleSettings().with_parameters(prompt.parameters)).submit_messages(prompt.messages)
    assert dict(provider.requests[0].params) == {"temperature": 0}


GLOBS = st.text("ab*?", max_size=6)
NAMES = st.text("abc", max_size=7)


@given(GLOBS, NAMES)
def test_globs_match_as_in_shells(glob: str, name: str) -> None:
    assert covers(glob, name, is_name=True) == fnmatchcase(name, glob)


@given(GLOBS, GLOBS, NAMES)
def test_a_glob_that_covers_another_matches_all_its_names(wide: str, narrow: str, name: str) -> None:
    if covers(wide, narrow) and fnmatchcase(name, narrow):
        assert fnmatchcase(name, wide)


def test_a_glob_covers_itself_and_a_star_covers_all() -> None:
    for glob in ("a", "a*b", "*?", "?*?"):
        assert covers(glob, glob)
        assert covers("*", glob)
    assert not covers("gpt-5*", "gpt-*")
    assert not covers("a", "a*")


def test_labels_and_overlays_can_be_combined(write: Write, tmp_path: Path) -> None:
    write()
    (tmp_path / "labels.yaml").write_text("labels: {helper: {production: 1.0.0, staging: 1.0.0}}\n", encoding="utf-8")
    library = Library.open(str(tmp_path), cache=False)
    plain = library.get("helper").for_model("gpt-5")
    packs = [library.get(f"helper@{label}").for_model("gpt-5") for label in ("production", "staging")]
    assert [pack.requested_label for pack in (plain, *packs)] == ["", "production", "staging"]
    assert packs[0] == packs[1] == plain
    restored = pickle.loads(pickle.dumps(packs[0]))  # noqa: S301 -- our own
    identity = PackIdentity.of(restored)
    assert (identity.label, identity.overlay, identity.digest) == ("production", "gpt-5*", plain.digest)
    row = packs[1].render(QUESTION="x").to_dict()
    assert PackIdentity.of(library.restore(row).pack) == PackIdentity.of(packs[1])


def test_the_name_of_a_model_has_a_limit(write: Write) -> None:
    pack = write().get("helper")
    assert pack.for_model("gpt-5" + "x" * 995).overlay is not None
    with pytest.raises(UsageError) as caught:
        pack.for_model("gpt-5" + "x" * 996)
    assert str(caught.value).startswith("PP245 the name of a model has more than 1,000 characters\n  hint: pass")


def test_globs_that_almost_match_are_compared_fast(write: Write, tmp_path: Path) -> None:
    globs = "".join(f"  '*{'a' * 96}*{'a' * 96}b{number}': {{}}\n" for number in range(200))
    pack = write(f"{HEAD}{BODY}models:\n{globs}").get("helper")
    start = time.process_time()
    assert pack.for_model("a" * 1_000) is pack
    assert "PL037" not in [one.code for one in lint(str(tmp_path)).problems]
    assert time.process_time() - start < 2


def test_globs_have_a_limit_with_those_that_are_inherited(write: Write) -> None:
    parent = f"{HEAD}{BODY}models:\n" + "".join(f"  a{number}: {{}}\n" for number in range(200))
    child = "promptpack: 1\nname: child\nversion: 1.0.0\nlocale: en\nextends: helper\nmodels: {b: {}}\n"
    (problem,) = write(parent, **{"child/1.0.0": child}).problems
    assert str(problem).split("child/1.0.0.yaml:1:1: ")[1] == (
        "PP218 the pack has more than 200 globs in 'models', with those it inherits\n  hint: split it into several packs"
    )
    own = write(f"{parent}  b: {{}}\n", **{"child/1.0.0": HEAD.replace("helper", "child") + BODY}).problems
    assert [(one.code, "200 globs" in one.message) for one in own] == [("PP218", True)]
