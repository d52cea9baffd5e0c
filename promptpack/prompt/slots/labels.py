"""What a prompt's settings say: the shown name of every role and the title of every block."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from promptpack.problem import Problem, UsageError
from promptpack.prompt.slots.slot_data import inherit, merge_at

DEFAULTS: Final[dict[str, Any]] = {
    "prompt": {
        "role_mapping": {
            "system": "system",
            "developer": "developer",
            "assistant": "assistant",
            "user": "user",
            "_": "assistant",
        },
        "prompt_title_mapping": {
            "system": "SYSTEM",
            "developer": "DEVELOPER DIRECTIONS",
            "chat_history": "CHAT HISTORY",
            "info": "INFO",
            "tools": "TOOLS",
            "action_results": "ACTION RESULTS",
            "instruct": "INSTRUCT",
            "examples": "EXAMPLES",
            "input": "INPUT",
            "output": "OUTPUT",
            "output_requirement": "OUTPUT REQUIREMENT",
        },
    }
}


@dataclass(frozen=True, slots=True)
class Labels:
    """The names that roles and blocks are shown under."""

    roles: Mapping[Any, Any]
    titles: Any  # whatever the settings hold: a value that is no mapping fails when a title is asked for

    def role(self, name: str) -> Any:
        """Give the shown name of one of the prompt's own roles."""
        return self.roles.get(name, name)

    def history_role(self, name: str) -> Any:
        """Give the shown name of a role of the history; one that is not mapped takes the name of `_`."""
        roles = self.roles
        return roles[name] if name in roles else roles.get("_", name)

    def title(self, slot: str) -> str:
        """Give the title line of a block."""
        default = DEFAULTS["prompt"]["prompt_title_mapping"][slot]
        return f"[{self.titles.get(slot, default)}]:"

    def with_roles(self, role_mapping: Any) -> "Labels":
        """Put the role mapping of one call on top; anything but a dict is passed over, as the original does."""
        if not isinstance(role_mapping, dict) or not role_mapping:
            return self
        return Labels({**self.roles, **role_mapping}, self.titles)


def resolve_settings(settings: Any, above: dict[str, Any]) -> dict[str, Any]:
    """Put settings, given under dotted or nested names, on top of those above them."""
    if not settings:
        return above
    if not isinstance(settings, Mapping):
        message = f"settings must be a mapping, not {type(settings).__name__}"
        raise UsageError(Problem("PP463", message, hint="{'prompt.role_mapping': {'user': 'human'}}"))
    own: dict[str, Any] = {}
    for name, value in settings.items():
        own = merge_at(own, name, value)
    view: dict[str, Any] = inherit(own, above)
    return _checked(view)


def read_labels(settings: dict[str, Any]) -> Labels:
    """Read the labels out of resolved settings."""
    roles = _setting(settings, "role_mapping")
    return Labels(roles if isinstance(roles, dict) else {}, _setting(settings, "prompt_title_mapping"))


def _setting(settings: dict[str, Any], name: str) -> Any:
    prompt = settings.get("prompt")
    return prompt.get(name, {}) if isinstance(prompt, dict) else {}


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    if _setting(settings, "add_current_time"):
        hint = "put the time into a slot: prompt.set('info.now', ...)"
        raise UsageError(
            Problem("PP463", "setting 'prompt.add_current_time': a prompt never reads the clock", hint=hint)
        )
    return settings
