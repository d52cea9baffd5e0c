"""The events of the hook, and how the stages emit them around their work."""

from promptpack.observation.events import (
    CallEnded,
    CallRetried,
    CallStarted,
    CheckEnded,
    CheckStarted,
    Failure,
    ObservedEvent,
    RenderEnded,
    RenderStarted,
    RunEnded,
    RunKind,
    RunStarted,
    ToolEnded,
    ToolStarted,
)
from promptpack.observation.observe import Observation, observe_run
from promptpack.observation.run_scope import Hide, PackIdentity, current_run, make_hider, remember_secrets

__all__ = [
    "CallEnded", "CallRetried", "CallStarted", "CheckEnded", "CheckStarted", "Failure", "Hide", "Observation",
    "ObservedEvent", "PackIdentity", "RenderEnded", "RenderStarted", "RunEnded", "RunKind", "RunStarted", "ToolEnded",
    "ToolStarted", "current_run", "make_hider", "observe_run", "remember_secrets",
]  # fmt: skip
