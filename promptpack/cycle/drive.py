"""The synchronous and the asynchronous driver of the state machine: they perform its effects."""

import inspect
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from promptpack import hook
from promptpack.cycle.cycle_errors import ProviderError, ToolError
from promptpack.cycle.machine import CallTool, Effect, Effects, Emit, Now, Send, Sleep, deadline_error
from promptpack.cycle.observe_cycle import observe_call, observe_event, observe_tool
from promptpack.cycle.provider import Provider, Request
from promptpack.cycle.services import Cancellation, Services
from promptpack.problem import Problem, UsageError

Result = TypeVar("Result")
Returned = TypeVar("Returned")


def drive(effects: Effects[Result], provider: Provider, services: Services) -> Result:
    """Run the machine to its end and return its result; wait for every effect."""
    answer: Any = None
    failure: ProviderError | ToolError | None = None
    while True:
        try:
            effect = effects.throw(failure) if failure else effects.send(answer)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        answer, failure = None, None
        try:
            answer = _perform(effect, provider, services)
        except (ProviderError, ToolError) as error:
            failure = error


async def adrive(effects: Effects[Result], provider: Provider, services: Services) -> Result:
    """Run the machine to its end and return its result; await every effect."""
    answer: Any = None
    failure: ProviderError | ToolError | None = None
    while True:
        try:
            effect = effects.throw(failure) if failure else effects.send(answer)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        answer, failure = None, None
        try:
            answer = await _aperform(effect, provider, services)
        except (ProviderError, ToolError) as error:
            failure = error


def _perform(effect: Effect, provider: Provider, services: Services) -> Any:
    services.cancellation.raise_if_cancelled()
    match effect:
        case Send():
            with observe_call(effect, provider) as seen:
                return seen.record(provider.complete(_with_on_delta(effect, services)))
        case Sleep():
            return services.clock.sleep(effect.seconds, services.cancellation)
        case CallTool():
            with observe_tool(effect) as seen:
                return seen.record(_call(effect))
        case Now() | Emit():
            return _perform_instantly(effect, services)


async def _aperform(effect: Effect, provider: Provider, services: Services) -> Any:
    services.cancellation.raise_if_cancelled()
    match effect:
        case Send():
            with observe_call(effect, provider) as seen:
                work = provider.acomplete(_with_on_delta(effect, services))
                return seen.record(await _unless_cancelled(work, services.cancellation))
        case Sleep():
            return await _unless_cancelled(services.clock.asleep(effect.seconds), services.cancellation)
        case CallTool():
            with observe_tool(effect) as seen:
                return seen.record(await _unless_cancelled(_acall(effect), services.cancellation))
        case Now() | Emit():
            return _perform_instantly(effect, services)


def _perform_instantly(effect: Now | Emit, services: Services) -> float | None:
    if isinstance(effect, Now):
        return services.clock.now()
    if hook.listeners:
        observe_event(effect.event)
    if services.on_event is not None:
        services.on_event(effect.event)
    return None


def _with_on_delta(effect: Send, services: Services) -> Request:
    """Return the request with a callback that forwards streamed text and can stop the stream between two pieces."""

    def on_delta(text: str) -> None:
        services.cancellation.raise_if_cancelled()
        if effect.until is not None and services.clock.now() >= effect.until:
            raise deadline_error()
        if services.on_delta is not None:
            services.on_delta(text)

    if not effect.request.stream and services.on_delta is None:
        return effect.request
    return replace(effect.request, stream=True, on_delta=on_delta)


def _call(effect: CallTool) -> Any:
    result = effect.function(**effect.arguments)
    if inspect.iscoroutine(result):
        result.close()
        message = f"tool {effect.name!r} is a coroutine function, which a synchronous run cannot await"
        raise UsageError(Problem("PP617", message, None, "use the asynchronous method, whose name starts with 'a'"))
    return result


async def _acall(effect: CallTool) -> Any:
    import asyncio

    if inspect.iscoroutinefunction(effect.function):
        return await effect.function(**effect.arguments)
    # A tool that blocks must not block the event loop.
    result = await asyncio.to_thread(effect.function, **effect.arguments)
    return await result if inspect.isawaitable(result) else result


async def _unless_cancelled(work: Coroutine[Any, Any, Returned], cancellation: Cancellation) -> Returned:
    import asyncio

    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    with cancellation._notifying(lambda: loop.call_soon_threadsafe(task.cancel)):
        if cancellation.cancelled:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is None or not current.cancelling():
                cancellation.raise_if_cancelled()
            raise
