"""The events of the hook: the start and the end of each run, render, call, tool and check.

Events name packs, models, tools, codes and counts. Text of prompts and replies is only behind `content`, which is
called on request and returns plain data without the declared secrets.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Literal

from promptpack.observation.run_scope import ContentReader, PackIdentity, read_clock, run_id
from promptpack.problem import PromptpackError

RunKind = Literal["agent", "cycle", "flow"]
_ids = itertools.count(1)


@dataclass(frozen=True, slots=True)
class OperationFailure:
    """Why an operation ended: the type of the exception and its codes, without its text."""

    type: str
    codes: tuple[str, ...] = ()

    @classmethod
    def of(cls, error: BaseException) -> OperationFailure:
        """Return the failure of an exception."""
        problems = error.problems if isinstance(error, PromptpackError) else ()
        return cls(type(error).__name__, tuple(dict.fromkeys(problem.code for problem in problems)))


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationStarted:
    """An operation starts; `run` is empty outside runs, and `pack` is None without a pack."""

    pack: PackIdentity | None = None
    content: ContentReader | None = field(default=None, repr=False, compare=False)
    run: str = field(default_factory=run_id)
    id: int = field(default_factory=_ids.__next__)
    time_ns: int = field(default_factory=read_clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(OperationStarted):
    """A run of an agent, a cycle or a flow starts; a run inside another has the id of the outer one."""

    kind: RunKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderStarted(OperationStarted):
    """A pack is rendered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted(OperationStarted):
    """A request is sent to a model; `attempt` is above 1 when it is retried after a failure."""

    provider: str
    model: str = ""
    round: int = 1
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(OperationStarted):
    """A tool is called; the name is empty if the model named no tool that exists."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStarted(OperationStarted):
    """A reply is checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationEnded:
    """An operation ended; `failure` says why, if an exception ended it."""

    start: OperationStarted
    failure: OperationFailure | None = None
    content: ContentReader | None = field(default=None, repr=False, compare=False)
    time_ns: int = 0

    @property
    def seconds(self) -> float:
        """How long the operation took."""
        return (self.time_ns - self.start.time_ns) / 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(OperationEnded):
    """A run ended; `outcome` is that of the last verdict, and empty without one."""

    start: RunStarted
    outcome: str = ""
    ok: bool = True
    rounds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderEnded(OperationEnded):
    """A pack was rendered."""

    start: RenderStarted
    messages: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded(OperationEnded):
    """A model answered; token counts are 0 if the server counts none."""

    start: CallStarted
    model: str = ""
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEnded(OperationEnded):
    """A tool answered, or its call was rejected."""

    start: ToolStarted
    rejection: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnded(OperationEnded):
    """A reply was checked; `violations` are codes, and `repairs` are kinds, one for each repair."""

    start: CheckStarted
    outcome: str = ""
    violations: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRetried:
    """A call failed with a temporary error: it is sent again after `seconds`."""

    failure: OperationFailure
    round: int
    attempt: int
    seconds: float
    pack: PackIdentity | None = None
    run: str = field(default_factory=run_id)
    time_ns: int = field(default_factory=read_clock)


Started = RunStarted | RenderStarted | CallStarted | ToolStarted | CheckStarted
Ended = RunEnded | RenderEnded | CallEnded | ToolEnded | CheckEnded
ObservedEvent = Started | Ended | CallRetried
