"""Langfuse's own names; it reads the other facts from OpenTelemetry's."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from promptpack.observation import (
    CallStarted,
    CheckStarted,
    Ended,
    RenderStarted,
    RunStarted,
    Started,
    ToolStarted,
)
from promptpack.otel.dialects.dialect import Attributes, Content, write_text


@dataclass(frozen=True, slots=True)
class Langfuse:
    """Links generations to prompts; `versions` maps `name@version` of a pack to the integer that Langfuse uses.

    Langfuse would read the SemVer texts 1.0.0 and 1.9.0 both as 1, so a version without an integer is not sent.
    """

    versions: Mapping[str, int] = field(default_factory=dict)

    def started(self, event: Started, content: Content) -> Attributes:
        """Return the attributes at the start of an operation."""
        found: Attributes = {"langfuse.observation.type": _type(event)}
        if isinstance(event, CallStarted) and event.pack is not None:
            found["langfuse.observation.prompt.name"] = event.pack.name
            version = self.versions.get(f"{event.pack.name}@{event.pack.version}")
            if version is not None:
                found["langfuse.observation.prompt.version"] = version
        return found | _value("input", content, ("messages", "arguments", "reply"))

    def ended(self, event: Ended, content: Content) -> Attributes:  # noqa: ARG002 -- as the protocol says
        """Return the attributes at its end."""
        return _value("output", content, ("messages", "message", "result", "violations"))


def _type(event: Started) -> str:
    match event:
        case RunStarted():
            return "agent" if event.kind == "agent" else "chain"
        case CallStarted():
            return "generation"
        case ToolStarted():
            return "tool"
        case CheckStarted():
            return "guardrail"
        case RenderStarted():
            return "span"


def _value(side: str, content: Content, names: tuple[str, ...]) -> Attributes:
    name = next((name for name in names if name in content), None)
    return {} if name is None else {f"langfuse.observation.{side}": write_text(content[name])}
