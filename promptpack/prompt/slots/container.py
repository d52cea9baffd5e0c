"""`SlotPrompt`: named slots, filled step by step and written as text, messages, a model or an export."""

import textwrap
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Self, TypedDict, Unpack

import pydantic

from promptpack.problem import Problem, UsageError
from promptpack.prompt.slots import printed_names
from promptpack.prompt.slots.exports import export_data, export_json, export_yaml
from promptpack.prompt.slots.imports import import_data, import_json, import_yaml
from promptpack.prompt.slots.model import PromptModel, read_model
from promptpack.prompt.slots.output_model import make_output_model
from promptpack.prompt.slots.placeholders import fill_placeholders
from promptpack.prompt.slots.slot_data import copy_data, delete_at, find, find_in_dicts, inherit_data, merge_at, set_at
from promptpack.prompt.slots.slot_messages import write_messages
from promptpack.prompt.slots.slot_text import write_text


class SlotWarning(UserWarning):
    """Part of a prompt could not be written and was skipped."""


class SlotOptions(TypedDict, total=False):
    """The parent whose slots a prompt inherits, and its settings."""

    parent: "SlotPrompt | None"
    settings: Mapping[str, Any] | None


class SlotPrompt:
    """A prompt of named slots; it inherits the slots of its parent and never changes them.

    `data` has the first slots, `parent` is the prompt to inherit from, and `settings` has other names for roles and
    titles.
    """

    __slots__ = ("_data", "_parent", "_settings")

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        parent: "SlotPrompt | None" = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if parent is not None and not isinstance(parent, SlotPrompt):
            raise UsageError(Problem("PP466", f"parent must be a SlotPrompt, not {type(parent).__name__}"))
        if data is not None and not isinstance(data, Mapping):
            raise UsageError(Problem("PP461", f"slots must be a mapping, not {type(data).__name__}"))
        inherited_settings: dict[str, Any] = printed_names.DEFAULTS if parent is None else parent._settings
        self._data: dict[Any, Any] = {key: copy_data(value) for key, value in data.items()} if data else {}
        self._parent = parent
        self._settings: dict[str, Any] = printed_names.resolve_settings(settings, inherited_settings)

    @classmethod
    def from_prompt_data(cls, data: Any, **options: Unpack[SlotOptions]) -> Self:
        """Read the result of `to_serializable_prompt_data`; type names become types again.

        `data` is plain data, and `options` are `parent` and `settings`.
        """
        return cls(import_data(data), **options)

    @classmethod
    def from_json(cls, text: str, *, source: str = "<json>", **options: Unpack[SlotOptions]) -> Self:
        """Read a `text` of `to_json_prompt`; problems name `source` as their file.

        `options` are `parent` and `settings`.
        """
        return cls(import_json(text, source), **options)

    @classmethod
    def from_yaml(cls, text: str, *, source: str = "<yaml>", **options: Unpack[SlotOptions]) -> Self:
        """Read a `text` of `to_yaml_prompt`; problems name `source` as their file.

        `options` are `parent` and `settings`.
        """
        return cls(import_yaml(text, source), **options)

    def __repr__(self) -> str:
        return f"SlotPrompt({len(self._all_slots())} slots)"

    def __getitem__(self, key: Any) -> Any:
        return copy_data(find(self._all_slots(), key)[1])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._data = merge_at(self._data, key, value)

    def __delitem__(self, key: Any) -> None:
        self.delete(key)

    def __contains__(self, key: Any) -> bool:
        return key in self._all_slots()

    def set(self, key: Any, value: Any, mappings: dict[str, Any] | None = None) -> None:
        """Merge a `value` into a slot: mappings and lists grow, anything else is replaced.

        `key` is the name of the slot or a dotted path, and `mappings` has values for placeholders such as `${name}`.
        """
        value = _trim(value)
        if mappings is not None:
            key, value = fill_placeholders(key, mappings), fill_placeholders(value, mappings)
        self._data = merge_at(self._data, key, value)

    def append(self, key: Any, value: Any, mappings: dict[str, Any] | None = None) -> None:
        """Append one `value` to a slot, which becomes a list; `key` and `mappings` are those of `set`."""
        value = _trim(value)
        if mappings is not None:
            key, value = fill_placeholders(key, mappings), fill_placeholders(value, mappings)
        _, existing = find(self._data, key)
        if isinstance(existing, set):
            self._data = set_at(self._data, key, existing | {copy_data(value)})
        else:
            self._data = set_at(self._data, key, [*_as_list(existing), copy_data(value)])

    def update(self, new: Mapping[Any, Any], mappings: dict[str, Any] | None = None) -> None:
        """Set every slot of the mapping `new`; `mappings` has values for placeholders such as `${name}`."""
        if mappings is not None:
            # [placeholder] placeholders are filled before `set` trims, so here the filled text is trimmed too
            new = fill_placeholders(new, mappings)
        for key, value in new.items():
            self.set(key, value)

    def extend(self, key: Any, values: Iterable[Any]) -> None:
        """Append all `values` to the slot `key`, which becomes a list."""
        _, existing = find(self._data, key)
        self._data = set_at(self._data, key, [*_as_list(existing), *(copy_data(value) for value in values)])

    def pop(self, key: Any, default: Any = None) -> Any:
        """Remove the slot or dotted path `key` from the prompt's own data; return its value, or `default`."""
        found, value = find_in_dicts(self._data, key)
        if not found or (value is None and isinstance(key, str) and "." in key):
            # [container] None at the end of a path counts as absent and is not removed
            return default
        self.delete(key)
        return value

    def delete(self, key: Any) -> None:
        """Delete the slot or dotted path `key` from the prompt's own data."""
        self._data = delete_at(self._data, key)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of the slot or dotted path `key`, own or inherited, or `default`."""
        found, value = find_in_dicts(self._all_slots(), key)
        return copy_data(value) if found else default

    def to_prompt_object(self) -> PromptModel:
        """Return the slots as a pydantic model."""
        return read_model(self._all_slots())

    def to_text(self, *, role_mapping: dict[str, Any] | None = None, safe: bool = False) -> str:
        """Write the prompt as one text; raise KeyError for an empty prompt.

        `role_mapping` has other names for roles. In a `safe` text, no value can imitate a role line or the title of a
        slot.
        """
        names = printed_names.read_printed_names(self._settings).with_roles(role_mapping)
        names = names.guarded() if safe else names
        skipped: list[str] = []
        try:
            return write_text(read_model(self._all_slots()), names, skipped)
        finally:
            _warn(skipped)

    def to_messages(
        self,
        *,
        role_mapping: dict[str, Any] | None = None,
        rich_content: bool | None = False,
        strict_role_orders: bool | None = True,
    ) -> list[dict[str, Any]]:
        """Write the prompt as chat messages; raise KeyError for an empty prompt.

        `role_mapping` has other names for roles. With `rich_content`, pictures and files are sent too. With
        `strict_role_orders`, user and assistant alternate: neighbours with the same role are merged, and gaps are
        filled.
        """
        names = printed_names.read_printed_names(self._settings).with_roles(role_mapping)
        skipped: list[str] = []
        try:
            return write_messages(
                read_model(self._all_slots()),
                names,
                rich_content=rich_content,
                strict_role_orders=strict_role_orders,
                skipped=skipped,
            )
        finally:
            _warn(skipped)

    def to_output_model(self) -> type[pydantic.BaseModel]:
        """Build the pydantic model that validates a reply to this prompt."""
        return make_output_model(read_model(self._all_slots()).output)

    def to_serializable_prompt_data(self, inherit: bool = False) -> dict[str, Any]:
        """Return the slots as plain data; with `inherit`, the inherited ones too."""
        return export_data(self._all_slots() if inherit else self._data)

    def to_json_prompt(self, inherit: bool = False) -> str:
        """Write `to_serializable_prompt_data` as JSON; with `inherit`, the inherited slots too."""
        return export_json(self._all_slots() if inherit else self._data)

    def to_yaml_prompt(self, inherit: bool = False) -> str:
        """Write `to_serializable_prompt_data` as YAML; with `inherit`, the inherited slots too."""
        return export_yaml(self._all_slots() if inherit else self._data)

    def _all_slots(self) -> dict[Any, Any]:
        if self._parent is None:
            return self._data
        slots: dict[Any, Any] = inherit_data(self._data, self._parent._all_slots())
        return slots


def _trim(value: Any) -> Any:
    # [strip] strip() comes first, so dedent() only changes lines that hold nothing but blanks
    return textwrap.dedent(value.strip()) if isinstance(value, str) else value


def _as_list(existing: Any) -> list[Any]:
    if existing is None:
        return []
    return existing if isinstance(existing, list) else [existing]


def _warn(skipped: list[str]) -> None:
    for text in skipped:
        warnings.warn(text, SlotWarning, stacklevel=3)
