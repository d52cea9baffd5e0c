"""The two drivers of the state machine: they do what it asks, one by waiting and one by awaiting."""

import inspect
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from promptpack.cycle.effects import CallTool, Effect, Now, Send, Sleep, Tell
from promptpack.cycle.failure import ProviderError, ToolError
from promptpack.cycle.machine import Steps, over
from promptpack.cycle.provider import Provider
from promptpack.cycle.request import Request
from promptpack.cycle.surroundings import Cancellation, Surroundings
from promptpack.problem import Problem, UsageError

Result = TypeVar("Result")
Answer = TypeVar("Answer")


def drive(steps: Steps[Result], provider: Provider, around: Surroundings) -> Result:
    """Run the machine to its end, waiting for whatever it asks."""
    answer: Any = None
    failure: ProviderError | ToolError | None = None
    while True:
        try:
            effect = steps.throw(failure) if failure else steps.send(answer)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        answer, failure = None, None
        try:
            answer = _perform(effect, provider, around)
        except (ProviderError, ToolError) as error:
            failure = error


async def adrive(steps: Steps[Result], provider: Provider, around: Surroundings) -> Result:
    """Run the machine to its end, awaiting whatever it asks."""
    answer: Any = None
    failure: ProviderError | ToolError | None = None
    while True:
        try:
            effect = steps.throw(failure) if failure else steps.send(answer)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        answer, failure = None, None
        try:
            answer = await _aperform(effect, provider, around)
        except (ProviderError, ToolError) as error:
            failure = error


def _perform(effect: Effect, provider: Provider, around: Surroundings) -> Any:
    around.cancellation.raise_if_cancelled()
    match effect:
        case Send():
            return provider.complete(_watched(effect, around))
        case Sleep():
            return around.clock.sleep(effect.seconds, around.cancellation)
        case CallTool():
            return _call(effect)
        case Now() | Tell():
            return _at_once(effect, around)


async def _aperform(effect: Effect, provider: Provider, around: Surroundings) -> Any:
    around.cancellation.raise_if_cancelled()
    match effect:
        case Send():
            return await _unless_cancelled(provider.acomplete(_watched(effect, around)), around.cancellation)
        case Sleep():
            return await _unless_cancelled(around.clock.asleep(effect.seconds), around.cancellation)
        case CallTool():
            return await _unless_cancelled(_acall(effect), around.cancellation)
        case Now() | Tell():
            return _at_once(effect, around)


def _at_once(effect: Now | Tell, around: Surroundings) -> float | None:
    if isinstance(effect, Now):
        return around.clock.now()
    if around.on_event is not None:
        around.on_event(effect.event)
    return None


def _watched(effect: Send, around: Surroundings) -> Request:
    """Let a stream be stopped between its pieces, and pass them on."""

    def on_delta(text: str) -> None:
        around.cancellation.raise_if_cancelled()
        if effect.until is not None and around.clock.now() >= effect.until:
            raise over()
        if around.on_delta is not None:
            around.on_delta(text)

    if not effect.request.stream and around.on_delta is None:
        return effect.request
    return replace(effect.request, stream=True, on_delta=on_delta)


def _call(effect: CallTool) -> Any:
    result = effect.function(**effect.arguments)
    if inspect.iscoroutine(result):
        result.close()
        message = f"tool {effect.name!r} is a coroutine function, and this run does not await"
        raise UsageError(Problem("PP617", message, None, "use the method whose name starts with 'a'"))
    return result


async def _acall(effect: CallTool) -> Any:
    import asyncio

    if inspect.iscoroutinefunction(effect.function):
        return await effect.function(**effect.arguments)
    # A tool that waits must not hold up the loop.
    result = await asyncio.to_thread(effect.function, **effect.arguments)
    return await result if inspect.isawaitable(result) else result


async def _unless_cancelled(work: Coroutine[Any, Any, Answer], cancellation: Cancellation) -> Answer:
    import asyncio

    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    with cancellation.telling(lambda: loop.call_soon_threadsafe(task.cancel)):
        if cancellation.cancelled:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            around = asyncio.current_task()
            if around is None or not around.cancelling():
                cancellation.raise_if_cancelled()
            raise
