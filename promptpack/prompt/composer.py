"""`PromptComposer`: build messages in Python, one call at a time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from promptpack.pack.model import Role
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message, Part, read_message
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.prompt_template import PromptTemplate
from promptpack.prompt.template_context import TemplateContext

ComposerValues = TemplateContext | Mapping[str, Any]
PartLike = Part | Mapping[str, Any]
MessageLike = Message | Mapping[str, Any]
# Every call copies the messages so far.
MAX_MESSAGES = 10_000


@dataclass(frozen=True, slots=True)
class PromptComposer:
    """Immutable: every call returns a new composer with one more message, so composers can share their first messages.

    It does not trim, merge or check messages; `validate_messages` checks their order.

    `messages` are those so far, and `name_to_come` is the name of the first message to be added.
    """

    messages: tuple[Message, ...] = ()
    name_to_come: str | None = None

    @classmethod
    def from_messages(cls, messages: Iterable[MessageLike]) -> "PromptComposer":
        """Start with existing `messages`."""
        return cls().extend(messages)

    @classmethod
    def from_prompt(cls, prompt: Prompt) -> "PromptComposer":
        """Start with the messages of a rendered `prompt`."""
        return cls(prompt.messages)

    def extend(self, messages: Iterable[MessageLike]) -> "PromptComposer":
        """Add existing `messages` unchanged."""
        added = [read_message(message, f"message {index + 1}") for index, message in enumerate(messages)]
        return self._push(*added) if added else self

    def system(self, text: str) -> "PromptComposer":
        """Add a system message with a `text`."""
        return self._add("system", [Part.text(text)])

    def system_template(self, template: PromptTemplate, context: ComposerValues) -> "PromptComposer":
        """Add a system message, rendered from a `template` with a `context`."""
        return self.system(template.render(context))

    def system_content(self, part: PartLike) -> "PromptComposer":
        """Add a system message of one `part`."""
        return self._add("system", [part])

    def system_contents(self, parts: Iterable[PartLike]) -> "PromptComposer":
        """Add a system message of several `parts`."""
        return self._add("system", parts)

    def user(self, text: str) -> "PromptComposer":
        """Add a user message with a `text`."""
        return self._add("user", [Part.text(text)])

    def user_template(self, template: PromptTemplate, context: ComposerValues) -> "PromptComposer":
        """Add a user message, rendered from a `template` with a `context`."""
        return self.user(template.render(context))

    def user_content(self, part: PartLike) -> "PromptComposer":
        """Add a user message of one `part`."""
        return self._add("user", [part])

    def user_contents(self, parts: Iterable[PartLike]) -> "PromptComposer":
        """Add a user message of several `parts`."""
        return self._add("user", parts)

    def assistant(self, text: str) -> "PromptComposer":
        """Add an assistant message with a `text`."""
        return self._add("assistant", [Part.text(text)])

    def assistant_template(self, template: PromptTemplate, context: ComposerValues) -> "PromptComposer":
        """Add an assistant message, rendered from a `template` with a `context`."""
        return self.assistant(template.render(context))

    def assistant_content(self, part: PartLike) -> "PromptComposer":
        """Add an assistant message of one `part`."""
        return self._add("assistant", [part])

    def assistant_contents(self, parts: Iterable[PartLike]) -> "PromptComposer":
        """Add an assistant message of several `parts`."""
        return self._add("assistant", parts)

    def developer(self, text: str) -> "PromptComposer":
        """Add a developer message with a `text`."""
        return self._add("developer", [Part.text(text)])

    def developer_template(self, template: PromptTemplate, context: ComposerValues) -> "PromptComposer":
        """Add a developer message, rendered from a `template` with a `context`."""
        return self.developer(template.render(context))

    def developer_content(self, part: PartLike) -> "PromptComposer":
        """Add a developer message of one `part`."""
        return self._add("developer", [part])

    def developer_contents(self, parts: Iterable[PartLike]) -> "PromptComposer":
        """Add a developer message of several `parts`."""
        return self._add("developer", parts)

    def tool(self, call_id: str, text: str) -> "PromptComposer":
        """Add the result of the tool call `call_id` as a `text`."""
        return self._add("tool", [Part.text(text)], call_id)

    def tool_template(self, call_id: str, template: PromptTemplate, context: ComposerValues) -> "PromptComposer":
        """Add the result of the tool call `call_id`, rendered from a `template` with a `context`."""
        return self.tool(call_id, template.render(context))

    def tool_content(self, call_id: str, part: PartLike) -> "PromptComposer":
        """Add the result of the tool call `call_id` as one `part`."""
        return self._add("tool", [part], call_id)

    def tool_contents(self, call_id: str, parts: Iterable[PartLike]) -> "PromptComposer":
        """Add the result of the tool call `call_id` as several `parts`."""
        return self._add("tool", parts, call_id)

    def with_name(self, name: str) -> "PromptComposer":
        """Set the `name` of the last message, or of the first one to be added if there is none.

        Tool results have no names.
        """
        if not self.messages:
            return replace(self, name_to_come=name)
        *earlier, last = self.messages
        return replace(self, messages=(*earlier, _named(last, name)))

    def build(self) -> tuple[Message, ...]:
        """Return the messages."""
        return self.messages

    def build_request(self, model: str, **params: Any) -> dict[str, Any]:
        """Return a request to a `model` for OpenAI-style chat APIs, with `params`; those that are None are left out."""
        if "messages" in params:
            raise UsageError(Problem("PP455", "a request cannot replace the composer's messages", None, "use extend()"))
        given = {name: value for name, value in params.items() if value is not None}
        return {"model": model, "messages": [message.to_dict() for message in self.messages], **given}

    def _add(self, role: "Role", parts: Iterable[PartLike], call_id: str | None = None) -> "PromptComposer":
        where = f"message {len(self.messages) + 1}"
        return self._push(read_message({"role": role, "content": list(parts), "tool_call_id": call_id}, where))

    def _push(self, first: Message, *others: Message) -> "PromptComposer":
        named = first if self.name_to_come is None else _named(first, self.name_to_come)
        if len(self.messages) + 1 + len(others) > MAX_MESSAGES:
            limit = f"a composer has at most {MAX_MESSAGES:,} messages"
            raise UsageError(Problem("PP456", limit, None, "leave out the oldest messages"))
        return PromptComposer((*self.messages, named, *others))


def _named(message: Message, name: str) -> Message:
    return message if message.role == "tool" else replace(message, name=name)
