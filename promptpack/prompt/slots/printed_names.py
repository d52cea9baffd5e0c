"""A prompt's settings -> `PrintedNames`: the printed name of each role and the title of each block."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from promptpack.problem import Problem, UsageError
from promptpack.prompt.slots.role_lines import RoleLines, one_line
from promptpack.prompt.slots.slot_data import inherit_data, merge_at

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
class PrintedNames:
    """The printed names of roles and the titles of blocks."""

    roles: Mapping[Any, Any]
    titles: Any  # not validated: a value that is not a mapping fails when a title is needed
    role_lines: RoleLines | None = None
    """Escapes the values of a safe text."""

    def role(self, name: str) -> Any:
        """Return the printed name of one of the prompt's own roles."""
        return self.roles.get(name, name)

    def history_role(self, name: str) -> Any:
        """Return the printed name of a role in the history; unmapped roles use the name of `_`."""
        roles = self.roles
        return roles[name] if name in roles else roles.get("_", name)

    def title(self, slot: str) -> str:
        """Return the title line of a block."""
        default = DEFAULTS["prompt"]["prompt_title_mapping"][slot]
        return f"[{self.titles.get(slot, default)}]:"

    def with_roles(self, role_mapping: Any) -> "PrintedNames":
        """Return names with the role mapping of one call; ignore anything but a dict, as the original does."""
        if not isinstance(role_mapping, dict) or not role_mapping:
            return self
        return replace(self, roles={**self.roles, **role_mapping})

    def guarded(self) -> "PrintedNames":
        """Return names for a safe text, in which no value can imitate a role line or a title."""
        return replace(self, role_lines=RoleLines(self.roles.values()))

    def value(self, text: Any) -> Any:
        """Return the text of a value, escaped in a safe text."""
        return text if self.role_lines is None or not isinstance(text, str) else self.role_lines.escape(text)

    def name(self, name: Any) -> Any:
        """Return a name that the caller chose, on one line in a safe text."""
        return name if self.role_lines is None else one_line(name)


def resolve_settings(settings: Any, inherited: dict[str, Any]) -> dict[str, Any]:
    """Merge settings with dotted or nested names into the inherited ones."""
    if not settings:
        return inherited
    if not isinstance(settings, Mapping):
        message = f"settings must be a mapping, not {type(settings).__name__}"
        raise UsageError(Problem("PP463", message, hint="write {'prompt.role_mapping': {'user': 'human'}}"))
    own: dict[str, Any] = {}
    for name, value in settings.items():
        own = merge_at(own, name, value)
    resolved: dict[str, Any] = inherit_data(own, inherited)
    if _setting(resolved, "add_current_time"):
        message = "setting 'prompt.add_current_time' is not supported: prompts never read the clock"
        raise UsageError(Problem("PP463", message, hint="put the time in a slot: prompt.set('info.now', ...)"))
    return resolved


def read_printed_names(settings: dict[str, Any]) -> PrintedNames:
    """Read the names from resolved settings."""
    roles = _setting(settings, "role_mapping")
    return PrintedNames(roles if isinstance(roles, dict) else {}, _setting(settings, "prompt_title_mapping"))


def _setting(settings: dict[str, Any], name: str) -> Any:
    prompt = settings.get("prompt")
    return prompt.get(name, {}) if isinstance(prompt, dict) else {}
