"""`RenderContext`: the standard context of the six agents as a pydantic model."""

from typing import Any, ClassVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


def _names(field: str) -> AliasChoices:
    return AliasChoices(field, to_camel(field), field.upper())


class RenderContext(BaseModel):
    """Accepts `USER_GOAL`, `userGoal` and `user_goal`; unset fields are not passed to the pack.

    The fields are the inputs that the six agents share: `system_state`, `task_context`, `resource_pool`, `history`,
    `available_tools`, `intent_analysis`, `user_goal` and `user_input`. Other values are passed too.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="allow", validate_by_name=True, validate_by_alias=True, hide_input_in_errors=True
    )

    system_state: dict[str, Any] | None = Field(None, validation_alias=_names("system_state"))
    task_context: dict[str, Any] | None = Field(None, validation_alias=_names("task_context"))
    resource_pool: dict[str, Any] | None = Field(None, validation_alias=_names("resource_pool"))
    history: list[dict[str, Any]] | None = Field(None, validation_alias=_names("history"))
    available_tools: list[dict[str, Any]] | None = Field(None, validation_alias=_names("available_tools"))
    intent_analysis: dict[str, Any] | None = Field(None, validation_alias=_names("intent_analysis"))
    user_goal: str | None = Field(None, validation_alias=_names("user_goal"))
    user_input: str | None = Field(None, validation_alias=_names("user_input"))

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        # Without the values: some may be secret, and a repr may be logged.
        return [(None, name) for name in self.to_inputs()]

    def to_inputs(self) -> dict[str, Any]:
        """Return the set values under the names that packs use."""
        fields = type(self).model_fields
        standard = {name.upper(): getattr(self, name) for name in fields if getattr(self, name) is not None}
        return {**standard, **(self.model_extra or {})}
