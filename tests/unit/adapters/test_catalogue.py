"""`Prompt.to`: known targets and options only, no SDK imported, nothing lost."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any, cast, get_args

import pytest

from promptpack.adapters import (
    TARGETS,
    Target,
    agent_framework,
    haystack,
    langchain,
    langgraph,
    llama_index,
    openai_agents,
    pydantic_ai,
    semantic_kernel,
)
from promptpack.problem import MissingExtraError, PackError, UsageError
from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import (
    BRACES,
    DATA,
    DEGREES,
    FREE,
    HISTORY,
    PACK,
    PIXEL,
    RULES,
    SIMPLE,
    TOOL,
    prompt_of,
)


def test_there_are_eighteen_targets() -> None:
    assert get_args(Target) == TARGETS
    assert len(TARGETS) == 18


def texts_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple | dict):
        items = value.values() if isinstance(value, dict) else value
        return [text for item in items for text in texts_in(item)]
    return []


@pytest.mark.parametrize("target", TARGETS)
def test_braces_reach_every_target_unchanged(target: Target) -> None:
    for prompt in (SIMPLE, HISTORY):
        written = "\n".join(texts_in(prompt.to(target)))
        assert written.count(BRACES) == 2
        assert RULES in written
        assert DATA in written
    assert DEGREES in "\n".join(texts_in(HISTORY.to(target)))


@pytest.mark.parametrize("target", TARGETS)
def test_arguments_are_plain_data_of_their_own(target: Target) -> None:
    first = HISTORY.to(target)
    assert json.loads(json.dumps(first)) == first
    for value in first.values():
        value.clear() if isinstance(value, list | dict) else None
    assert HISTORY.to(target) != first


def test_no_sdk_is_imported() -> None:
    code = """
import sys
from promptpack.adapters import TARGETS
from tests.unit.adapters.prompts import SIMPLE
for target in TARGETS:
    SIMPLE.to(target)
ours = [name for name in sys.modules if name.startswith("promptpack.adapters.")]
sdks = "openai anthropic google boto3 mistralai ollama litellm langchain langchain_core llama_index pydantic_ai agents " \\
    "agent_framework crewai semantic_kernel haystack smolagents"
print(len(ours) > len(TARGETS), [name for name in sdks.split() if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True []\n"


def test_an_unknown_target() -> None:
    with pytest.raises(UsageError) as caught:
        SIMPLE.to(cast("Target", "antropic"))
    assert str(caught.value) == "PP630 unknown target 'antropic'\n  hint: did you mean 'anthropic'?"
    with pytest.raises(UsageError) as caught:
        SIMPLE.to(cast("Target", "zzz"))
    assert str(caught.value) == f"PP630 unknown target 'zzz'\n  hint: the targets are {', '.join(TARGETS)}"


def test_an_option_that_a_target_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        SIMPLE.to("openai", cache=True)
    assert str(caught.value) == (
        "PP631 target 'openai' has no option 'cache'\n  hint: OpenAI caches long prefixes by itself; leave out 'cache'"
    )
    with pytest.raises(UsageError) as caught:
        SIMPLE.to("llama-index", strict=True, tools=[TOOL], cache=True)
    assert str(caught.value) == (
        "PP631 target 'llama-index' has no option 'strict'\n"
        "  hint: pass contract.strict(provider) to the model of LlamaIndex\n"
        "PP631 target 'llama-index' has no option 'tools'\n"
        "  hint: pass tools to 'llm.chat_with_tools'\n"
        "PP631 target 'llama-index' has no option 'cache'\n"
        "  hint: only 'anthropic' marks a prefix to cache"
    )


def test_everything_that_a_target_cannot_carry_is_named() -> None:
    parts = (Part.text("a"), Part.image(PIXEL), Part.audio("aGk="))
    with pytest.raises(UsageError) as caught:
        prompt_of(Message("system", (Part.image(PIXEL),)), Message("user", parts, name="ann")).to("anthropic")
    assert str(caught.value) == (
        "PP632 target 'anthropic' cannot carry a part of type 'image_url' in message 1 (system)\n"
        "  hint: remove it, or use another target\n"
        "PP632 target 'anthropic' cannot carry a part of type 'input_audio' in message 2 (user)\n"
        "  hint: remove it, or use another target\n"
        "PP632 target 'anthropic' cannot carry the name in message 2 (user)\n"
        "  hint: remove it, or use another target"
    )


@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock", "pydantic-ai", "adk"])
def test_only_system_messages_are_refused_where_they_are_sent_apart(target: Target) -> None:
    with pytest.raises(UsageError) as caught:
        prompt_of(Message("system", "a"), Message("developer", "b")).to(target)
    assert str(caught.value) == (
        f"PP633 target {target!r} needs a message that is not a system message\n  hint: add a user message to the pack"
    )


def test_strict_needs_a_contract() -> None:
    with pytest.raises(UsageError) as caught:
        FREE.to("openai", strict=True)
    assert str(caught.value) == (
        "PP634 free@1.0.0 declares no reply contract, so it has no strict schema\n"
        "  hint: add 'reply:' to the pack, or leave out strict=True"
    )


def test_an_open_object_cannot_be_strict() -> None:
    from dataclasses import replace

    from promptpack.pack.contract import Contract

    schema = {"type": "object", "required": ["any"], "properties": {"any": {"type": "object"}}}
    pack = replace(PACK, contract=Contract("open", schema))
    with pytest.raises(PackError, match=r"weather@1\.0\.0"):
        prompt_of(Message("user", "hi"), pack=pack).to("openai", strict=True)


def test_our_own_keywords_stay_at_home_but_fields_do_not() -> None:
    from dataclasses import replace

    from promptpack.pack.contract import Contract

    field = {"type": "string", "x-descriptions": {"zh": "城市"}, "default": {"x-a": 1}}
    schema = {"type": "object", "properties": {"x-ray": field}, "allOf": [{"x-note": 1, "required": ["x-ray"]}]}
    pack = replace(PACK, contract=Contract("noted", schema))
    written = prompt_of(Message("user", "hi"), pack=pack).to("openai")["response_format"]["json_schema"]["schema"]
    assert written == {
        "type": "object",
        "properties": {"x-ray": {"type": "string", "default": {"x-a": 1}}},
        "allOf": [{"required": ["x-ray"]}],
    }


def test_the_name_of_the_schema_has_only_the_characters_that_apis_accept() -> None:
    from dataclasses import replace

    pack = replace(PACK, name="weather report/北京" + "x" * 80)
    name = prompt_of(Message("user", "hi"), pack=pack).to("openai")["response_format"]["json_schema"]["name"]
    assert name == ("weather_report___" + "x" * 80)[:64]


def test_no_tools_and_no_name_are_no_reason_to_refuse() -> None:
    prompt = prompt_of(Message("user", "hi", name=""))
    assert prompt.to("llama-index", tools=[]) == prompt_of(Message("user", "hi")).to("llama-index")


@pytest.mark.parametrize("target", TARGETS)
def test_broken_parts_are_refused_or_sent_but_never_crash(target: Target) -> None:
    for kind in ("image_url", "input_audio", "file", "refusal"):
        for payload in (None, "x", {}, {"url": 7}, {"file_data": "data:x"}, {"data": "%", "format": "wav"}):
            with contextlib.suppress(UsageError):
                prompt_of(Message("user", (Part(kind, payload),))).to(target)


@pytest.mark.parametrize(
    ("module", "package", "call"),
    [
        ("langchain_core", "langchain-core", lambda: langchain.messages(SIMPLE)),
        ("langchain_core", "langchain-core", lambda: langchain.runnable(SIMPLE, None)),
        ("langchain_core", "langchain-core", lambda: langgraph.node(PACK, None)),
        ("llama_index", "llama-index-core", lambda: llama_index.messages(SIMPLE)),
        ("pydantic_ai", "pydantic-ai-slim", lambda: pydantic_ai.run_arguments(HISTORY)),
        ("pydantic_ai", "pydantic-ai-slim", lambda: pydantic_ai.output_validator(SIMPLE)),
        ("agents", "openai-agents", lambda: openai_agents.output_type(SIMPLE)),
        ("agent_framework", "agent-framework-core", lambda: agent_framework.messages(SIMPLE)),
        ("semantic_kernel", "semantic-kernel", lambda: semantic_kernel.chat_history(SIMPLE)),
        ("haystack", "haystack-ai", lambda: haystack.messages(SIMPLE)),
    ],
)
def test_a_missing_sdk_is_named_with_its_package(
    module: str, package: str, call: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        call()
    assert str(caught.value) == (
        f"PP601 the package {package!r} is not installed\n  hint: run: python -m pip install {package}"
    )
