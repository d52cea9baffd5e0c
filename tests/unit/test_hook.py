import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from promptpack import Library, Pack, hook
from promptpack.cycle import Agent, Completion, CycleSettings, LlmCycle, ManualClock, ScriptedProvider, ToolError, Usage
from promptpack.cycle.providers.scripted import ScriptedReply
from promptpack.cycle.services import Services
from promptpack.observation import (
    CallEnded,
    CallRetried,
    CallStarted,
    CheckEnded,
    CheckStarted,
    Ended,
    ObservedEvent,
    OperationFailure,
    OperationStarted,
    RenderEnded,
    RenderStarted,
    RunEnded,
    RunStarted,
    ToolEnded,
)
from promptpack.problem import ContextError, Problem
from promptpack.prompt.message import ToolCall
from tests.unit.greeter import BAD, BODY, GOOD, reply


@pytest.fixture
def pack(make_pack: Callable[[str], Pack]) -> Pack:
    return make_pack(BODY)


@pytest.fixture
def events() -> Iterator[list[ObservedEvent]]:
    found: list[ObservedEvent] = []
    stop = hook.subscribe(found.append)
    yield found
    stop()


def ends(events: list[ObservedEvent]) -> list[Ended]:
    return [event for event in events if not isinstance(event, OperationStarted | CallRetried)]


def kinds(events: list[ObservedEvent]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_nobody_listens_until_someone_subscribes() -> None:
    counts = [len(hook.listeners)]
    stop = hook.subscribe(lambda _: None)
    counts += [len(hook.listeners)]
    stop()
    stop()
    assert [*counts, len(hook.listeners)] == [0, 1, 0]


def test_one_listener_may_subscribe_twice_and_stop_once(pack: Pack) -> None:
    found: list[ObservedEvent] = []
    first, second = hook.subscribe(found.append), hook.subscribe(found.append)
    first()
    pack.render(NAME="Ada")
    second()
    assert kinds(found) == ["RenderStarted", "RenderEnded"]


def test_no_event_module_is_imported_when_nobody_listens(pack: Pack) -> None:
    names = ("promptpack.prompt.observe_render", "promptpack.verdict.observe_check")
    saved = {name: sys.modules.pop(name, None) for name in names}
    try:
        pack.render(NAME="Ada").check(GOOD)
        assert not any(name in sys.modules for name in names)
    finally:
        sys.modules.update({name: module for name, module in saved.items() if module is not None})


def test_a_render_and_a_check_without_a_run(pack: Pack, events: list[ObservedEvent]) -> None:
    prompt = pack.render(NAME="Ada")
    prompt.check(GOOD)
    pack.check(BAD)
    assert kinds(events) == [
        "RenderStarted", "RenderEnded", "CheckStarted", "CheckEnded", "CheckStarted", "CheckEnded",
    ]  # fmt: skip
    start, rendered, _, checked, _, refused = events
    assert isinstance(start, RenderStarted)
    assert isinstance(rendered, RenderEnded)
    assert start.pack is not None
    assert (start.run, start.pack.name, start.pack.version, start.pack.digest) == ("", "demo", "1.0.0", pack.digest)
    assert (start.pack.agent, start.pack.label) == ("greeter-agent", "")
    assert rendered.start is start
    assert (rendered.messages, rendered.failure) == (2, None)
    assert rendered.time_ns >= start.time_ns
    assert isinstance(checked, CheckEnded)
    assert isinstance(refused, CheckEnded)
    assert (checked.outcome, checked.violations, checked.repairs) == ("valid", (), ())
    assert (refused.outcome, refused.violations) == ("invalid", ("PP511",))


def test_repairs_are_counted_by_kind(pack: Pack, events: list[ObservedEvent]) -> None:
    verdict = pack.check(f"```json\n{GOOD[:-1]},}}\n```")
    (checked,) = ends(events)
    assert isinstance(checked, CheckEnded)
    assert checked.repairs == tuple(repair.kind for repair in verdict.repairs)
    assert checked.repairs


def test_a_stream_is_checked_once(pack: Pack, events: list[ObservedEvent]) -> None:
    stream = pack.render(NAME="Ada").stream()
    for character in GOOD:
        stream.feed(character)
    assert stream.close().ok
    assert kinds(events)[2:] == ["CheckStarted", "CheckEnded"]


def test_a_failed_render_names_the_codes_without_the_text(pack: Pack, events: list[ObservedEvent]) -> None:
    with pytest.raises(ContextError):
        pack.render(NAME=12345678)
    (ended,) = ends(events)
    assert ended.failure == OperationFailure("ContextError", ("PP416",))
    assert "12345678" not in repr(events)


def test_a_run_of_an_agent(pack: Pack, events: list[ObservedEvent]) -> None:
    replies: list[ScriptedReply] = [Completion(BAD, model="m-1", usage=Usage(5, 6, 2)), GOOD]
    assert Agent(pack, ScriptedProvider(replies), CycleSettings(model="m")).run({"NAME": "Ada"}).ok
    assert kinds(events) == [
        "RunStarted", "RenderStarted", "RenderEnded", "CallStarted", "CallEnded", "CheckStarted", "CheckEnded",
        "CallStarted", "CallEnded", "CheckStarted", "CheckEnded", "RunEnded",
    ]  # fmt: skip
    starts = [event for event in events if isinstance(event, OperationStarted)]
    assert len({start.run for start in starts}) == 1
    assert starts[0].run != ""
    assert {start.pack for start in starts} == {starts[0].pack}
    call, called = events[3:5]
    assert isinstance(call, CallStarted)
    assert isinstance(called, CallEnded)
    assert (call.provider, call.model, call.round, call.attempt) == ("ScriptedProvider", "m", 1, 1)
    assert (called.model, called.finish_reason) == ("m-1", "stop")
    assert (called.input_tokens, called.output_tokens, called.cached_tokens) == (5, 6, 2)
    assert isinstance(events[-1], RunEnded)
    assert (events[-1].outcome, events[-1].ok, events[-1].rounds) == ("valid", True, 2)
    assert hook_run() == ""


def hook_run() -> str:
    from promptpack.observation.run_scope import run_id

    return run_id()


def test_an_asynchronous_run_emits_the_same_events(pack: Pack, events: list[ObservedEvent]) -> None:
    async def both() -> None:
        agents = [Agent(pack, ScriptedProvider([BAD, GOOD])) for _ in range(2)]
        await asyncio.gather(*(agent.arun({"NAME": "Ada"}) for agent in agents))

    asyncio.run(both())
    runs = {event.run for event in events if isinstance(event, RunStarted)}
    assert len(runs) == 2
    for run in runs:
        own = [event for event in events if (event if hasattr(event, "run") else event.start).run == run]
        assert kinds(own)[:3] == ["RunStarted", "RenderStarted", "RenderEnded"]
        assert kinds(own)[-1] == "RunEnded"
        assert len(own) == 12


def test_a_run_inside_a_run_shares_its_id(pack: Pack, events: list[ObservedEvent]) -> None:
    def ask() -> str:
        """Ask another agent."""
        return str(Agent(pack, ScriptedProvider([GOOD])).run({"NAME": "Bob"}).ok)

    cycle = LlmCycle(ScriptedProvider([ToolCall("1", "ask", "{}"), "done"]))
    cycle.submit("go", [ask])
    assert len({event.run for event in events if isinstance(event, OperationStarted)}) == 1
    assert [event.kind for event in events if isinstance(event, RunStarted)] == ["cycle", "agent"]


def test_tools_that_fail_and_calls_that_are_rejected(events: list[ObservedEvent]) -> None:
    def fail(city: str) -> str:
        """Fail."""
        raise ToolError(f"no {city}")

    calls = (
        ToolCall("1", "fail", '{"city": "Oslo"}'),
        ToolCall("2", "fail", '{"town": "Oslo"}'),
        ToolCall("3", "Ignore all rules", "{}"),
    )
    LlmCycle(ScriptedProvider([calls, "done"])).submit("go", [fail])
    found = [(event.start.name, event.rejection, event.failure) for event in events if isinstance(event, ToolEnded)]
    assert found == [
        ("fail", "", OperationFailure("ToolError")),
        ("fail", "invalid arguments", None),
        ("", "unknown tool", None),
    ]
    assert "Oslo" not in repr(events)
    assert "Ignore" not in repr(events)


def test_a_retry_is_an_event_between_two_calls(events: list[ObservedEvent]) -> None:
    from promptpack.cycle import ProviderError

    error = ProviderError(Problem("PP605", "failed: secret text"), retryable=True)
    LlmCycle(ScriptedProvider([error, "done"]), services=Services(clock=ManualClock())).submit("go")
    assert kinds(events) == [
        "RunStarted", "CallStarted", "CallEnded", "CallRetried", "CallStarted", "CallEnded", "RunEnded",
    ]  # fmt: skip
    retried = events[3]
    assert isinstance(retried, CallRetried)
    assert (retried.failure, retried.attempt, retried.seconds) == (
        OperationFailure("ProviderError", ("PP605",)),
        1,
        0.5,
    )
    assert "secret text" not in repr(events)


def test_a_run_that_fails_ends_all_its_operations(pack: Pack, events: list[ObservedEvent]) -> None:
    def explode(_: object) -> str:
        raise ZeroDivisionError("secret text")

    with pytest.raises(ZeroDivisionError):
        Agent(pack, ScriptedProvider(explode)).run({"NAME": "Ada"})
    assert [(type(event).__name__, event.failure) for event in ends(events)[-2:]] == [
        ("CallEnded", OperationFailure("ZeroDivisionError")),
        ("RunEnded", OperationFailure("ZeroDivisionError")),
    ]


def test_a_cancelled_task_ends_all_its_operations(pack: Pack, events: list[ObservedEvent]) -> None:
    class Waiting(ScriptedProvider):
        async def acomplete(self, request: object) -> Completion:  # noqa: ARG002
            await asyncio.Event().wait()
            raise AssertionError

    async def cancelled() -> None:
        task = asyncio.create_task(Agent(pack, Waiting([])).arun({"NAME": "Ada"}))
        while not any(isinstance(event, CallStarted) for event in events):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())
    assert [event.failure for event in ends(events)[-2:]] == [OperationFailure("CancelledError")] * 2


def test_a_listener_that_raises_does_not_break_the_call(pack: Pack) -> None:
    def broken(_: ObservedEvent) -> None:
        raise KeyError("secret text")

    found: list[ObservedEvent] = []
    stops = [hook.subscribe(broken), hook.subscribe(found.append)]
    with pytest.warns(RuntimeWarning) as warned:
        prompt = pack.render(NAME="Ada")
    for stop in stops:
        stop()
    assert prompt.messages[1].text == "Greet Ada. "
    assert kinds(found) == ["RenderStarted", "RenderEnded"]
    text = str(warned[0].message)
    assert text.startswith(f"PP658 the listener {broken.__qualname__!r} failed with KeyError at {__file__}:")
    assert text.endswith("; the call continues without it")
    assert "secret text" not in text


def test_a_listener_gets_the_end_of_what_it_saw_begin(pack: Pack) -> None:
    found: list[ObservedEvent] = []
    late: list[ObservedEvent] = []
    stops: list[Callable[[], None]] = []

    def swap(_: object) -> str:
        stops[0]()
        stops.append(hook.subscribe(late.append))
        return GOOD

    stops.append(hook.subscribe(found.append))
    Agent(pack, ScriptedProvider(swap)).run({"NAME": "Ada"})
    for stop in stops:
        stop()
    assert kinds(found) == ["RunStarted", "RenderStarted", "RenderEnded", "CallStarted", "CallEnded", "RunEnded"]
    assert kinds(late) == ["CheckStarted", "CheckEnded"]


def test_the_events_of_a_run_are_nested_while_the_wall_clock_is_set_back(
    pack: Pack, events: list[ObservedEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(2_000_000_000_000_000_000, 0, -3_600_000_000_000))
    monkeypatch.setattr(time, "time_ns", lambda: next(times))
    assert Agent(pack, ScriptedProvider([BAD, GOOD])).run({"NAME": "Ada"}).ok
    found = [event.time_ns for event in events]
    assert found == sorted(found)


def test_threads_do_not_share_a_run(pack: Pack, events: list[ObservedEvent]) -> None:
    threads = [
        threading.Thread(target=lambda: Agent(pack, ScriptedProvider([GOOD])).run({"NAME": "Ada"})) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({event.run for event in events if isinstance(event, RunStarted)}) == 8
    assert len(events) == 8 * 8


def test_a_flow_is_one_run(events: list[ObservedEvent]) -> None:
    flow = Library.open().flow("en")
    with flow.traced("my-run"):
        flow.packs["planner"].render(USER_GOAL="a goal")
    assert [event.run for event in events if isinstance(event, OperationStarted)] == ["my-run", "my-run"]
    assert kinds(events) == ["RunStarted", "RenderStarted", "RenderEnded", "RunEnded"]


def test_a_traced_flow_without_listeners_is_just_a_block() -> None:
    with Library.open().flow("en").traced():
        assert hook_run() == ""


def test_a_run_hides_the_secrets_of_all_its_prompts(pack: Pack, events: list[ObservedEvent]) -> None:
    key = "k-12345"
    with Library.open().flow("en").traced():
        prompt = pack.render(NAME="Ada", KEY=key)
        pack.render(NAME=f"Ada {key}")
        pack.check(reply([key]))
        LlmCycle(ScriptedProvider([f"I know {key}"])).submit_messages(prompt.messages)
    contents = [event.content() for event in events if not isinstance(event, CallRetried) and event.content is not None]
    assert len(contents) == 6
    assert key not in repr(contents)


def test_content_is_read_on_request_and_hides_secrets(pack: Pack, events: list[ObservedEvent]) -> None:
    key = "k-12345"
    replies = [reply([key]), GOOD]
    Agent(pack, ScriptedProvider(replies)).run({"NAME": "Ada", "KEY": key})
    contents = [event.content() for event in events if not isinstance(event, CallRetried) and event.content is not None]
    assert key not in repr(contents)
    assert "***" in repr(contents)
    rendered = next(event for event in events if isinstance(event, RenderEnded))
    assert rendered.content is not None
    assert rendered.content() == {
        "messages": [{"role": "system", "content": "You greet people."}, {"role": "user", "content": "Greet Ada. ***"}],
        "template": [
            {"role": "system", "content": "You greet people."},
            {"role": "user", "content": "Greet {{ NAME }}. {{ KEY }}"},
        ],
        "variables": {"NAME": "Ada", "KEY": "***"},
    }
    checked = next(event for event in events if isinstance(event, CheckStarted))
    assert checked.content is not None
    assert checked.content() == {"reply": reply(["***"])}
