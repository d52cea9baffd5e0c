import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from promptpack.cycle.cycle_errors import ProviderError, RunStoppedError, ToolError
from promptpack.cycle.cycle_settings import CycleSettings
from promptpack.cycle.drive import adrive, drive
from promptpack.cycle.events import Event, ReplyReceived, RetryPlanned, ToolAnswered
from promptpack.cycle.machine import Conversation, converse
from promptpack.cycle.model_tools import ModelTool
from promptpack.cycle.provider import Completion, Request, Usage
from promptpack.cycle.providers.scripted import ScriptedProvider
from promptpack.cycle.services import Cancellation, ManualClock, Services
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message, ToolCall
from tests.unit.cycle.conftest import Driven

ASKED = (Message("user", "hi"),)


def busy(retry_after: float | None = None) -> ProviderError:
    return ProviderError(Problem("PP604", "busy"), retryable=True, retry_after=retry_after)


def test_temporary_failures_are_retried_after_a_wait(driven: Driven) -> None:
    clock = ManualClock()
    events: list[Event] = []
    provider = ScriptedProvider([busy(), busy(4.0), "hello"])
    transcript = driven(Conversation(ASKED), provider, Services(clock, on_event=events.append))
    assert transcript.text == "hello"
    assert clock.slept == [0.5, 4.0]
    assert [event.seconds for event in events if isinstance(event, RetryPlanned)] == [0.5, 4.0]


def test_the_last_failure_is_raised(driven: Driven) -> None:
    with pytest.raises(ProviderError, match="PP604 busy"):
        driven(
            Conversation(ASKED, CycleSettings(retries=1)), ScriptedProvider([busy(), busy()]), Services(ManualClock())
        )


def test_tool_results_and_tool_errors_are_sent_to_the_model(driven: Driven) -> None:
    def weather(city: str) -> dict[str, int]:
        if city == "Atlantis":
            raise ToolError("no such city")
        return {"degrees": 7}

    calls = (ToolCall("1", "weather", '{"city": "Oslo"}'), ToolCall("2", "weather", '{"city": "Atlantis"}'))
    events: list[Event] = []
    transcript = driven(
        Conversation(ASKED, tools=(ModelTool.of(weather),)),
        ScriptedProvider([calls, "cold"]),
        Services(on_event=events.append),
    )
    assert transcript.text == "cold"
    assert [(e.answer.text, e.ok) for e in events if isinstance(e, ToolAnswered)] == [
        ('{"degrees": 7}', True),
        ("no such city", False),
    ]


def test_a_bug_in_a_tool_ends_the_run(driven: Driven) -> None:
    def broken() -> None:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        driven(
            Conversation(ASKED, tools=(ModelTool.of(broken),)),
            ScriptedProvider([ToolCall("1", "broken", "{}")]),
            Services(),
        )


def test_a_coroutine_tool_is_awaited() -> None:
    async def weather(city: str) -> str:
        await asyncio.sleep(0)
        return f"rain in {city}"

    provider = ScriptedProvider([ToolCall("1", "weather", '{"city": "Oslo"}'), "wet"])
    conversation = Conversation(ASKED, tools=(ModelTool.of(weather),))
    transcript = asyncio.run(adrive(converse(conversation), provider, Services()))
    assert transcript.messages[2].text == "rain in Oslo"


def test_a_coroutine_tool_needs_an_asynchronous_run() -> None:
    async def weather() -> str:
        return "rain"

    conversation = Conversation(ASKED, tools=(ModelTool.of(weather),))
    with pytest.raises(UsageError) as raised:
        drive(converse(conversation), ScriptedProvider([ToolCall("1", "weather", "{}")]), Services())
    assert str(raised.value) == (
        "PP617 tool 'weather' is a coroutine function, which a synchronous run cannot await\n"
        "  hint: use the asynchronous method, whose name starts with 'a'"
    )


def test_a_blocking_tool_does_not_block_the_event_loop() -> None:
    free = threading.Event()

    def slow() -> str:
        assert free.wait(30)
        return "done"

    async def both() -> str:
        provider = ScriptedProvider([ToolCall("1", "slow", "{}"), "after"])
        run = asyncio.create_task(
            adrive(converse(Conversation(ASKED, tools=(ModelTool.of(slow),))), provider, Services())
        )
        while not provider.requests:
            await asyncio.sleep(0)
        free.set()
        return (await run).text

    assert asyncio.run(both()) == "after"


def test_streamed_text_is_passed_on_piece_by_piece(driven: Driven) -> None:
    pieces: list[str] = []
    provider = ScriptedProvider(["a text that is longer than one piece"])
    transcript = driven(Conversation(ASKED), provider, Services(on_delta=pieces.append))
    assert len(pieces) > 1
    assert "".join(pieces) == transcript.text
    assert provider.requests[0].stream


def test_a_stream_stops_between_its_pieces_when_cancelled(driven: Driven) -> None:
    cancellation = Cancellation()
    pieces: list[str] = []

    def take(piece: str) -> None:
        pieces.append(piece)
        cancellation.cancel()

    with pytest.raises(RunStoppedError, match="PP610 the run was cancelled"):
        driven(Conversation(ASKED), ScriptedProvider(["x" * 100]), Services(cancellation=cancellation, on_delta=take))
    assert len(pieces) == 1


def test_a_stream_stops_between_its_pieces_at_the_deadline(driven: Driven) -> None:
    clock = ManualClock()
    pieces: list[str] = []

    def take(piece: str) -> None:
        pieces.append(piece)
        clock.time += 6.0

    with pytest.raises(RunStoppedError, match="PP611"):
        driven(
            Conversation(ASKED, CycleSettings(deadline=10.0)),
            ScriptedProvider(["x" * 100]),
            Services(clock, on_delta=take),
        )
    assert len(pieces) == 2


def test_a_cancelled_run_sends_nothing(driven: Driven) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    provider = ScriptedProvider(["hello"])
    with pytest.raises(RunStoppedError):
        driven(Conversation(ASKED), provider, Services(cancellation=cancellation))
    assert provider.requests == []


def test_a_run_can_be_cancelled_between_two_effects(driven: Driven) -> None:
    cancellation = Cancellation()

    def stop(event: Event) -> None:
        if isinstance(event, RetryPlanned):
            cancellation.cancel()

    provider = ScriptedProvider([busy(), "hello"])
    with pytest.raises(RunStoppedError):
        driven(Conversation(ASKED), provider, Services(ManualClock(), cancellation, on_event=stop))
    assert len(provider.requests) == 1


class Hanging:
    """A provider that never answers; `asked` is set when a request arrives."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def complete(self, request: Request) -> Completion:
        raise AssertionError(f"only awaited: {request}")

    async def acomplete(self, request: Request) -> Completion:
        self.asked.set()
        await asyncio.get_running_loop().create_future()
        raise AssertionError(f"never answered: {request}")


def test_another_thread_can_cancel_an_awaited_answer() -> None:
    cancellation, provider = Cancellation(), Hanging()

    def stop() -> None:
        provider.asked.wait(30)
        cancellation.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(RunStoppedError, match="PP610"):
        asyncio.run(adrive(converse(Conversation(ASKED)), provider, Services(cancellation=cancellation)))
    thread.join()


class Cancelling(Hanging):
    """A hanging provider that cancels the run before its answer is awaited."""

    def __init__(self, cancellation: Cancellation) -> None:
        super().__init__()
        self.cancellation = cancellation

    def acomplete(self, request: Request) -> Coroutine[Any, Any, Completion]:
        self.cancellation.cancel()
        return super().acomplete(request)


def test_a_cancellation_just_before_the_wait_is_not_missed() -> None:
    cancellation = Cancellation()
    effects = converse(Conversation(ASKED))
    with pytest.raises(RunStoppedError, match="PP610"):
        asyncio.run(adrive(effects, Cancelling(cancellation), Services(cancellation=cancellation)))


def test_a_cancelled_asyncio_task_stays_cancelled() -> None:
    async def run() -> bool:
        provider = Hanging()
        task = asyncio.create_task(adrive(converse(Conversation(ASKED)), provider, Services()))
        while not provider.asked.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelled()

    assert asyncio.run(run())


def test_usage_is_the_sum_of_all_rounds(driven: Driven) -> None:
    def nothing() -> str:
        return "nothing"

    provider = ScriptedProvider(
        [
            Completion(tool_calls=(ToolCall("1", "nothing", ""),), usage=Usage(10, 2, 1)),
            Completion("done", usage=Usage(20, 3)),
        ]
    )
    events: list[Event] = []
    transcript = driven(Conversation(ASKED, tools=(ModelTool.of(nothing),)), provider, Services(on_event=events.append))
    assert transcript.usage == Usage(30, 5, 1)
    assert transcript.usage.total_tokens == 35
    assert sum(isinstance(event, ReplyReceived) for event in events) == 2
