"""`instrument`: create spans for renders, calls, tools, checks and runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from promptpack import hook
from promptpack.otel.dialects import gen_ai, openinference
from promptpack.otel.dialects.dialect import Dialect
from promptpack.otel.dialects.langfuse import Langfuse
from promptpack.problem import MissingExtraError, Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

DialectName = Literal["openinference", "langfuse"]
_NAMES: Final = ("openinference", "langfuse")
_lock = threading.Lock()
_active: list[Callable[[], None]] = []


def instrument(
    *,
    content: bool = False,
    dialects: Sequence[DialectName] = (),
    tracer_provider: TracerProvider | None = None,
    langfuse_versions: Mapping[str, int] | None = None,
) -> Callable[[], None]:
    """Create OpenTelemetry spans for all renders, calls, tools, checks and runs of this process, until you stop it.

    `content` adds the text of prompts and replies, the variables and the arguments of tools; declared secrets are
    replaced in all of them. `dialects` adds the attribute names of OpenInference (Phoenix) and Langfuse to those of
    OpenTelemetry. `tracer_provider` is the global one by default. `langfuse_versions` maps `name@version` of a pack to
    the version number of the prompt in Langfuse, which knows only integers; without a number, only the name is sent.

    Return a function that stops it. Instrumenting twice is an error, because every span would be created twice.
    """
    _refuse_mistakes(dialects, langfuse_versions or {})
    try:
        from promptpack.otel.spans import SpanRecorder, open_tracer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "opentelemetry":
            raise
        hint = "run: python -m pip install 'promptpack-agents[otel]'"
        raise MissingExtraError(Problem("PP655", "traces need the extra 'otel'", None, hint)) from error
    listener = SpanRecorder(open_tracer(tracer_provider), _chosen(dialects, langfuse_versions or {}), content=content)
    with _lock:
        if _active:
            hint = "call it once when the program starts, or first call the function that it returned"
            raise UsageError(Problem("PP656", "promptpack is already instrumented", None, hint))
        unsubscribe = hook.subscribe(listener)
        _active.append(unsubscribe)

    def uninstrument() -> None:
        with _lock:
            if unsubscribe in _active:
                _active.remove(unsubscribe)
        unsubscribe()

    return uninstrument


def _refuse_mistakes(dialects: Sequence[str], versions: Mapping[str, int]) -> None:
    if isinstance(dialects, str):
        raise UsageError(Problem("PP657", "'dialects' is a string, not a list", None, f"write dialects=[{dialects!r}]"))
    problems = [
        Problem(
            "PP657",
            f"unknown dialect {name!r}",
            None,
            did_you_mean(str(name), _NAMES) or f"the dialects are {', '.join(_NAMES)}",
        )
        for name in dialects
        if name not in _NAMES
    ]
    problems += [
        Problem(
            "PP659",
            f"the Langfuse version of {name!r} is {version!r}, not a whole number above 0",
            None,
            "Langfuse numbers the versions of a prompt 1, 2, 3: pass that number",
        )
        for name, version in versions.items()
        if isinstance(version, bool) or not isinstance(version, int) or version < 1
    ]
    if versions and "langfuse" not in dialects:
        hint = "add 'langfuse' to the dialects"
        problems += [Problem("PP657", "'langfuse_versions' is used only by the dialect 'langfuse'", None, hint)]
    if problems:
        raise UsageError(problems)


def _chosen(names: Sequence[str], versions: Mapping[str, int]) -> tuple[Dialect, ...]:
    chosen: tuple[Dialect, ...] = (gen_ai.GenAi(),)
    if "openinference" in names:
        chosen += (openinference.OpenInference(),)
    if "langfuse" in names:
        chosen += (Langfuse(dict(versions)),)
    return chosen
