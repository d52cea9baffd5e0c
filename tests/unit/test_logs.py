import logging
from collections.abc import Callable, Iterator

import pytest

import promptpack
from promptpack import Agent, ContextError, Library, LlmCycle, Pack, hook
from promptpack.cycle.providers.scripted import ScriptedReply
from promptpack.problem import Problem
from promptpack.providers import (
    Completion,
    CycleSettings,
    ManualClock,
    ProviderError,
    ScriptedProvider,
    Services,
    ToolCall,
    ToolError,
    Usage,
)
from tests.unit.greeter import BAD, BODY, GOOD


@pytest.fixture
def pack(make_pack: Callable[[str], Pack]) -> Pack:
    return make_pack(BODY)


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    """The records so far, as lines."""
    caplog.set_level(logging.DEBUG, "promptpack")
    stop = promptpack.log_events()
    yield lambda: [f"{record.levelname} {record.getMessage()}" for record in caplog.records]
    stop()


def test_the_logger_has_no_handlers_that_print() -> None:
    promptpack.log_events()()
    assert [type(handler) for handler in logging.getLogger("promptpack").handlers] == [logging.NullHandler]


def test_logging_twice_writes_each_record_once(pack: Pack, lines: Callable[[], list[str]]) -> None:
    stop = promptpack.log_events()
    pack.render(NAME="Ada")
    stop()
    pack.render(NAME="Ada")
    assert lines() == ["DEBUG rendered demo@1.0.0: 2 messages"]
    assert hook.listeners == ()


def test_a_run_of_an_agent(pack: Pack, lines: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptpack.observation.run_scope.time.perf_counter_ns", lambda: 0)
    replies: list[ScriptedReply] = [Completion(BAD, model="m-1", usage=Usage(5, 6)), f"```\n{GOOD}\n```"]
    Agent(pack, ScriptedProvider(replies), CycleSettings(model="m")).run({"NAME": "Ada"})
    assert lines() == [
        "DEBUG rendered demo@1.0.0: 2 messages",
        "INFO m-1 answered demo@1.0.0: 5 + 6 tokens in 0.00 s",
        "WARNING reply to demo@1.0.0: invalid (PP511)",
        "INFO m answered demo@1.0.0: 0 + 0 tokens in 0.00 s",
        "DEBUG reply to demo@1.0.0: recovered, 2 repairs",
        "INFO run of demo@1.0.0 ended: recovered after 2 rounds",
    ]


def test_a_run_without_a_valid_reply_is_a_warning(pack: Pack, lines: Callable[[], list[str]]) -> None:
    Agent(pack, ScriptedProvider([BAD]), CycleSettings(rounds=1)).run({"NAME": "Ada"})
    assert lines()[-1] == "WARNING run of demo@1.0.0 ended: invalid after 1 rounds"


def test_failures_are_named_by_their_codes(pack: Pack, lines: Callable[[], list[str]]) -> None:
    with pytest.raises(ContextError):
        pack.render(NAME=7)
    error = ProviderError(Problem("PP605", "the server said: Ada"), retryable=True)
    cycle = LlmCycle(ScriptedProvider([error, error]), CycleSettings(retries=1), Services(clock=ManualClock()))
    with pytest.raises(ProviderError):
        cycle.submit("Ada")
    assert lines() == [
        "WARNING render of demo@1.0.0 failed: PP416",
        "WARNING call of ScriptedProvider for a conversation failed: PP605",
        "WARNING a conversation: PP605, so the call is sent again in 0.5 s",
        "WARNING call of ScriptedProvider for a conversation failed: PP605",
        "WARNING run of a conversation failed: PP605",
    ]


def test_tools(lines: Callable[[], list[str]]) -> None:
    def degrees(city: str) -> int:
        """Return the temperature."""
        if city != "Oslo":
            raise ToolError(f"no station in {city}")
        return 7

    calls = (
        ToolCall("1", "degrees", '{"city": "Oslo"}'),
        ToolCall("2", "degrees", '{"city": "Bonn"}'),
        ToolCall("3", "rain", "{}"),
    )
    LlmCycle(ScriptedProvider([calls, "7"])).submit("How warm is it?", [degrees])
    assert [line for line in lines() if "tool" in line] == [
        "DEBUG tool 'degrees' answered a conversation",
        "WARNING tool 'degrees' for a conversation failed: ToolError",
        "WARNING a tool call for a conversation is rejected: unknown tool",
    ]


def test_a_flow_and_the_facts_of_a_record(pack: Pack, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "promptpack")
    stop = promptpack.log_events()
    with Library.open().flow("en").traced("run-7"):
        pack.render(NAME="Ada")
    stop()
    first, last = (record.__dict__["promptpack"] for record in caplog.records)
    assert first == {
        "event": "RenderEnded",
        "run": "run-7",
        "pack": "demo",
        "version": "1.0.0",
        "digest": pack.digest,
        "label": "",
        "messages": 2,
    }
    assert last == {"event": "RunEnded", "run": "run-7", "kind": "flow", "outcome": "", "rounds": 0}
    assert caplog.records[-1].getMessage() == "run of a flow ended"
