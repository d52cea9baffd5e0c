"""Emit the events of a conversation while someone listens: its run, its calls of models and its tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from promptpack import hook
from promptpack.cycle.events import Event, RetryPlanned, ToolAnswered

if TYPE_CHECKING:
    from promptpack.cycle.machine import CallTool, Send
    from promptpack.cycle.provider import Completion, Provider
    from promptpack.cycle.transcript import Transcript
    from promptpack.observation import CallEnded, PackIdentity, RunEnded
    from promptpack.pack.model import Pack
    from promptpack.prompt.prompt import Prompt

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Observer:
    """Passes the results of a block to the listeners; returns each value unchanged."""

    on_result: Callable[[Any], object] | None = None
    on_prompt: Callable[[Prompt], object] | None = None

    def record(self, result: Result) -> Result:
        """Record the result of the block, and return it."""
        if self.on_result is not None:
            self.on_result(result)
        return result

    def entered(self, prompt: Prompt) -> Prompt:
        """Record the prompt of the run, and return it."""
        if self.on_prompt is not None:
            self.on_prompt(prompt)
        return prompt


_UNOBSERVED = Observer()


@contextmanager
def observe_conversation(pack: Pack | None = None) -> Iterator[Observer]:
    """Observe the run of an agent with a pack, or of a cycle without one."""
    if not hook.listeners:
        yield _UNOBSERVED
        return
    from promptpack.observation import observe_run
    from promptpack.prompt.observe_render import enter_prompt

    with observe_run("cycle" if pack is None else "agent", pack) as seen:

        def note(transcript: Transcript) -> None:
            seen.end = _run_ended(seen.end, transcript)

        yield Observer(note, enter_prompt)


@contextmanager
def observe_call(effect: Send, provider: Provider) -> Iterator[Observer]:
    """Observe one request to a model."""
    if not hook.listeners:
        yield _UNOBSERVED
        return
    from promptpack.observation import CallEnded, CallStarted, Observation, current_run, make_hider

    request, hide, run = effect.request, make_hider(), current_run()
    prompt = None if run is None else run.prompt
    start = CallStarted(
        pack=_pack(),
        provider=_provider_name(provider),
        model=request.model or _text(getattr(provider, "model", "")),
        round=effect.number,
        attempt=effect.attempt,
        content=lambda: {
            "messages": hide([message.to_dict() for message in request.messages]),
            **(prompt() if prompt is not None else {}),
        },
    )
    with Observation(CallEnded(start=start)) as seen:

        def note(completion: Completion) -> None:
            seen.end = _call_ended(seen.end, completion, hide)

        yield Observer(note)


@contextmanager
def observe_tool(effect: CallTool) -> Iterator[Observer]:
    """Observe one call of a tool."""
    if not hook.listeners:
        yield _UNOBSERVED
        return
    from promptpack.observation import Observation, ToolEnded, ToolStarted, make_hider

    hide = make_hider()
    start = ToolStarted(pack=_pack(), name=effect.name, content=lambda: {"arguments": hide(effect.arguments)})
    with Observation(ToolEnded(start=start)) as seen:

        def note(result: object) -> None:
            seen.end = replace(seen.end, content=lambda: {"result": hide(result)})

        yield Observer(note)


def observe_event(event: Event) -> None:
    """Emit a retry, or the call of a tool that was rejected."""
    from promptpack.observation import CallRetried, OperationFailure

    if isinstance(event, RetryPlanned):
        failure = OperationFailure.of(event.error)
        retried = CallRetried(
            pack=_pack(), failure=failure, round=event.number, attempt=event.attempt, seconds=event.seconds
        )
        hook.emit(retried)
    elif isinstance(event, ToolAnswered) and event.rejection:
        _emit_rejected(event)


def _emit_rejected(event: ToolAnswered) -> None:
    from promptpack.observation import Observation, ToolEnded, ToolStarted, make_hider

    hide = make_hider()
    # The name of an unknown tool is text of the model.
    name = "" if event.rejection == "unknown tool" else event.call.name
    start = ToolStarted(pack=_pack(), name=name, content=lambda: {"arguments": hide(event.call.arguments)})
    with Observation(ToolEnded(start=start)) as seen:
        answer = event.answer.text
        seen.end = replace(seen.end, rejection=event.rejection, content=lambda: {"result": hide(answer)})


def _run_ended(end: RunEnded, transcript: Transcript) -> RunEnded:
    verdict = transcript.verdict
    outcome, ok = ("", True) if verdict is None else (verdict.outcome, verdict.ok)
    return replace(end, outcome=outcome, ok=ok, rounds=len(transcript.rounds))


def _call_ended(end: CallEnded, completion: Completion, hide: Callable[[object], object]) -> CallEnded:
    usage = completion.usage
    return replace(
        end,
        model=completion.model,
        finish_reason=completion.finish_reason,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        content=lambda: {"message": hide(completion.message.to_dict())},
    )


def _pack() -> PackIdentity | None:
    from promptpack.observation import current_run

    run = current_run()
    return None if run is None else run.pack


def _provider_name(provider: Provider) -> str:
    """Return the package of an SDK, or the name of the class."""
    return _text(getattr(provider, "package", "")) or type(provider).__name__


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
