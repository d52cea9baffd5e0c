"""The effects that the state machine asks its driver to perform: the machine decides, the driver waits."""

from dataclasses import dataclass
from typing import Any

from promptpack.cycle.events import Event
from promptpack.cycle.model_tools import ToolFunction
from promptpack.cycle.request import Request


@dataclass(frozen=True, slots=True)
class Now:
    """Answer with the current time of the clock."""


@dataclass(frozen=True, slots=True)
class Send:
    """Answer with the `Completion`, or throw the `ProviderError`; stop a stream at the time `until`."""

    request: Request
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait, then answer with None."""

    seconds: float


@dataclass(frozen=True, slots=True)
class CallTool:
    """Answer with the result of the tool, or throw its `ToolError`."""

    name: str
    function: ToolFunction
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Emit:
    """Pass the event to the `on_event` callback, then answer with None."""

    event: Event


Effect = Now | Send | Sleep | CallTool | Emit
