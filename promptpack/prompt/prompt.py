"""The `Prompt`: rendered messages, with their pack and context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from promptpack import hook
from promptpack.lazy import cached_property

if TYPE_CHECKING:
    from promptpack.pack.model import Pack
    from promptpack.problem import Problem
    from promptpack.prompt.budget import Budget, Counter, Fit
    from promptpack.prompt.message import Message
    from promptpack.prompt.tool_actions import ToolSet
    from promptpack.verdict import Verdict, VerdictStream


class Origin(NamedTuple):
    """The origin of a message, for budgets: history is dropped first, then messages by priority."""

    history: bool = False
    priority: int | None = None


@dataclass(frozen=True)
class Prompt:
    """The messages to send to a model; immutable."""

    pack: Pack
    messages: tuple[Message, ...]
    context: Mapping[str, Any] = field(repr=False)
    origins: tuple[Origin, ...] = field(default=(), repr=False)
    fit: Fit[Message] | None = field(default=None, repr=False)
    slots: Mapping[str, Any] | None = field(default=None, repr=False)
    """The rendered slots of a slot prompt; they determine its text."""
    tools: ToolSet | None = field(default=None, repr=False, compare=False)
    """The contract of the replies, with the tools in the context."""

    def __repr__(self) -> str:
        # Without messages and context: they may contain secrets, and a repr may be logged.
        return f"Prompt({self.pack.label}, {len(self.messages)} messages)"

    @property
    def version(self) -> str:
        """The version of the pack."""
        return str(self.pack.version)

    @property
    def digest(self) -> str:
        """The digest of the pack."""
        return self.pack.digest

    @cached_property
    def warnings(self) -> tuple[Problem, ...]:
        """Suspicious content of the context: hidden and control characters, special tokens, API keys."""
        from promptpack.prompt.context_warnings import find_warnings

        return tuple(dict.fromkeys(find_warnings(self.pack, self.context)))

    @cached_property
    def few_shot(self) -> tuple[str, ...]:
        """The texts of the assistant messages that the pack itself contains: examples of answers."""
        origins = self.origins or (Origin(),) * len(self.messages)
        pairs = zip(self.messages, origins, strict=True)
        return tuple(one.text for one, origin in pairs if one.role == "assistant" and not origin.history)

    def to_text(self) -> str:
        """Return the prompt as one text, in which content cannot imitate a role line; slots as in slot prompts."""
        if self.slots is None:
            from promptpack.prompt.message_text import to_text

            return to_text(self.messages)
        from promptpack.prompt.slot_rendering import write_text

        return write_text(self.slots)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the messages in the format of OpenAI-style chat APIs."""
        return [message.to_dict() for message in self.messages]

    def validate(self) -> None:
        """Check the order of the messages; raise all problems together."""
        from promptpack.prompt.order import validate_messages

        validate_messages(self.messages)

    def within(self, budget: Budget, counter: Counter | None = None) -> Prompt:
        """Return a prompt that fits a budget; its `fit` lists what was dropped or cut."""
        if self.slots is not None:
            return self._slots_within(self.slots, budget, counter)
        from promptpack.prompt.budget import BudgetItem, fit_items

        origins = self.origins or (Origin(),) * len(self.messages)
        candidates = [
            BudgetItem(message, origin.history, origin.priority)
            for message, origin in zip(self.messages, origins, strict=True)
        ]
        fitted = fit_items(candidates, budget, counter)
        dropped = {change.position for change in fitted.changes if change.action == "dropped"}
        remaining = tuple(origin for position, origin in enumerate(origins) if position not in dropped)
        return replace(self, messages=fitted.messages, origins=remaining, fit=fitted)

    def _slots_within(self, slots: Mapping[str, Any], budget: Budget, counter: Counter | None) -> Prompt:
        from promptpack.prompt.slot_rendering import fit_slots

        fitting, fitted = fit_slots(slots, budget, counter)
        return replace(self, messages=fitted.messages, fit=fitted, slots=fitting)

    def check(self, reply: str | bytes, **options: Any) -> Verdict:
        """Judge a model's reply to this prompt."""
        if hook.listeners:
            from promptpack.verdict.observe_check import observe_check

            return observe_check(
                self.pack, self.context, reply, lambda: self.pack.judge(reply, self.context, self, **options)
            )
        return self.pack.judge(reply, self.context, self, **options)

    def stream(self, **options: Any) -> VerdictStream:
        """Judge a model's reply to this prompt while it arrives."""
        from promptpack.verdict import VerdictStream

        return VerdictStream(self.pack, self.context, self, **options)
