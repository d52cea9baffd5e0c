"""The settings of a cycle: the model, its parameters and the limits of the loop."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from promptpack.problem import Problem, UsageError
from promptpack.verdict import JudgeOptions


@dataclass(frozen=True, slots=True)
class Backoff:
    """The wait before the next attempt: exponential without jitter, at most `longest` seconds.

    The first wait is `first` seconds, and each later one is `factor` times as long.
    """

    first: float = 0.5
    factor: float = 2.0
    longest: float = 30.0

    def wait(self, attempt: int, retry_after: float | None = None) -> float | None:
        """Return the seconds to wait after an attempt; None when the server asks for more than `longest`.

        `attempt` counts from 1, and `retry_after` is what the server asks for, in seconds.
        """
        if retry_after is not None and retry_after > self.longest:
            return None
        planned = min(self.first * self.factor ** min(attempt - 1, 64), self.longest)
        return max(planned, retry_after or 0.0)


@dataclass(frozen=True, slots=True)
class CycleSettings:
    """All settings of a cycle.

    `rounds` limits the judged replies, and `tool_rounds` the rounds of tool calls before the model must answer.
    `timeout` limits the silence of a server and `deadline` the whole run, both in seconds. `retries` limits how often a
    request is sent again after temporary failures. An `Agent` asks again if a reply needs a repair in `refuse` (kinds
    or risks).

    `model` is the model to ask, by default that of the provider. `system_prompt` goes before the first message of an
    `LlmCycle`. `params` are further arguments of each request, such as `temperature`. `backoff` plans the waits between
    retries, and `stream` asks for the answer piece by piece.
    """

    model: str = ""
    system_prompt: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    rounds: int = 3
    tool_rounds: int = 8
    retries: int = 2
    backoff: Backoff = Backoff()
    timeout: float | None = 120.0
    deadline: float | None = None
    stream: bool = False
    refuse: frozenset[str] = frozenset({"high"})

    def __post_init__(self) -> None:
        minimums = {"rounds": 1, "tool_rounds": 0, "retries": 0}
        problems = [
            Problem("PP616", f"{name!r} is {getattr(self, name)!r}, but must be an integer of at least {low}")
            for name, low in minimums.items()
            if type(getattr(self, name)) is not int or getattr(self, name) < low
        ]
        problems += [
            Problem("PP616", f"{name!r} is {seconds}, but must be more than 0 seconds", None, "use None for no limit")
            for name, seconds in (("timeout", self.timeout), ("deadline", self.deadline))
            if seconds is not None and seconds <= 0
        ]
        if problems:
            raise UsageError(problems)
        JudgeOptions(refuse=self.refuse)  # raises before a model is asked if a name is unknown

    def with_parameters(self, parameters: Mapping[str, Any]) -> "CycleSettings":
        """Return settings that also have the `parameters` of a prompt; `params` of the settings win."""
        return replace(self, params={**parameters, **self.params}) if parameters else self
