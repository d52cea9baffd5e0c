"""What the state machine asks its driver to do: the machine decides, the driver waits."""

from dataclasses import dataclass
from typing import Any

from promptpack.cycle.events import Event
from promptpack.cycle.request import Request
from promptpack.cycle.tools import Function


@dataclass(frozen=True, slots=True)
class Now:
    """Answer with the clock's time."""


@dataclass(frozen=True, slots=True)
class Send:
    """Answer with the `Completion`, or throw the `ProviderError`; a stream ends at the time `until`."""

    request: Request
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait, then answer with nothing."""

    seconds: float


@dataclass(frozen=True, slots=True)
class CallTool:
    """Answer with what the tool returns, or throw its `ToolError`."""

    name: str
    function: Function
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell whoever watches, then answer with nothing."""

    event: Event


Effect = Now | Send | Sleep | CallTool | Tell
