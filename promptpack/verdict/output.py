"""`AgentOutput`: the reply of every agent as typed data, camelCase in JSON and snake_case in Python."""

import marshal
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class _Wire(BaseModel):
    # Unknown keys are allowed, so that no part of a reply is lost.
    model_config: ClassVar[ConfigDict] = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, validate_by_alias=True, extra="allow", frozen=True
    )

    def __repr_args__(self) -> list[tuple[str, Any]]:
        # Without the texts: a reply may repeat secrets of its prompt, and a repr may be logged.
        return [
            (name, getattr(self, name)) for name in ("action", "level", "confidence") if name in self.model_fields_set
        ]


class Risk(_Wire):
    """The risk of an action."""

    level: Literal["low", "medium", "high"]
    description: str
    mitigation: str | None = None


class AgentOutput(_Wire):
    """The reply of every agent.

    `thought` is the reasoning of the agent, `action` what it decided to do, `params` the arguments of the action,
    `expected_outcome` what it should achieve, and `risk` how dangerous it is. `confidence` is a number from 0 to 100.
    `alternative_actions` are other possible actions. If `requires_user_confirmation` is true, the user must agree
    first; `user_message` is the text for the user.
    """

    thought: str
    action: str
    params: dict[str, Any]
    expected_outcome: str
    risk: Risk
    confidence: Annotated[int, Field(ge=0, le=100)] | Annotated[float, Field(ge=0, le=100)]
    alternative_actions: list[str] | None = None
    requires_user_confirmation: bool | None = None
    user_message: str | None = None

    def to_wire(self) -> dict[str, Any]:
        """Return the output as JSON data: camelCase, without fields that are None."""
        return self.model_dump(by_alias=True, exclude_none=True)


# A third faster than `AgentOutput.model_validate`, which also processes options.
_validate: Callable[..., AgentOutput] = AgentOutput.__pydantic_validator__.validate_python
_validate_json: Callable[..., AgentOutput] = AgentOutput.__pydantic_validator__.validate_json


def to_agent_output(value: Any) -> AgentOutput:
    """Return JSON data as an output; a field has only its camelCase name there, its Python name is an unknown key."""
    return _validate(copy_plain(value), by_alias=True, by_name=False)


def read_agent_output(text: str) -> AgentOutput:
    """Return the output that a text of strict JSON holds; faster than to copy the data of the text."""
    return _validate_json(text, by_alias=True, by_name=False)


def copy_plain(value: Any) -> Any:
    """Return a copy of plain data."""
    return marshal.loads(marshal.dumps(value))  # noqa: S302 -- our own bytes


def error_output(error_type: str, message: str, suggestion: str = "") -> AgentOutput:
    """Return the standard `ERROR` output, which an orchestrator can route."""
    params = {"errorType": error_type, "message": message} | ({"suggestion": suggestion} if suggestion else {})
    return AgentOutput(
        thought="The model's reply does not meet its contract.",
        action="ERROR",
        params=params,
        expected_outcome="The model corrects its reply, or the orchestrator handles the error.",
        risk=Risk(level="medium", description="The agent's step has no usable result."),
        confidence=100,
    )
