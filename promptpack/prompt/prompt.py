"""The `Prompt`: rendered messages, with their pack and context."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import promptpack
from promptpack.lazy import cached_property
from promptpack.pack.model import Pack
from promptpack.problem import Problem
from promptpack.prompt.message import Message
from promptpack.prompt.reply_format import ToolSet


class Origin(NamedTuple):
    """The origin of a message, for budgets: history is dropped first, then messages by priority; and for tests."""

    history: bool = False
    priority: int | None = None
    id: str = ""


@dataclass(frozen=True)
class Prompt:
    """The messages to send to a model; immutable.

    `pack` rendered the `messages` with the values in `context`. `origins` says which messages are history, and `fit`
    what `within` has dropped.
    """

    pack: Pack
    messages: tuple[Message, ...]
    context: Mapping[str, Any] = field(repr=False)
    origins: tuple[Origin, ...] = field(default=(), repr=False)
    fit: promptpack.Fit[Message] | None = field(default=None, repr=False)
    slots: Mapping[str, Any] | None = field(default=None, repr=False)
    """The rendered slots of a slot prompt; they determine its text."""
    tools: ToolSet | None = field(default=None, repr=False, compare=False)
    """The contract of the replies, with the tools in the context."""

    def __repr__(self) -> str:
        # Without messages and context: they may contain secrets, and a repr may be logged.
        return f"Prompt({self.pack.label}, {len(self.messages)} messages)"

    def __hash__(self) -> int:
        return hash((self.pack, *(message.text for message in self.messages)))

    def __deepcopy__(self, memo: object) -> Prompt:
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Results are computed again; the context is restored as plain data.
        state = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**state, "context": dict(self.context), "tools": None}

    @property
    def version(self) -> str:
        """The version of the pack."""
        return str(self.pack.version)

    @property
    def digest(self) -> str:
        """The digest of the pack."""
        return self.pack.digest

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of a request that the overlay of the model sets, such as `temperature`."""
        from promptpack.pack.slot_compiling import thaw

        parameters: dict[str, Any] = thaw(self.pack.overlay.parameters) if self.pack.overlay else {}
        return parameters

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

    def explain(self) -> promptpack.Explanation:
        """Return where each span of `to_text` comes from, and whether it is trusted; secrets are hidden.

        The prompt is rendered once more to find out.
        """
        from promptpack.prompt.provenance.explaining import explain

        return explain(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the prompt as plain data for JSON; `Library.restore` returns the prompt again.

        It has the pack, its digest, the context and the messages. Secret inputs, and inputs that repeat a secret, are
        left out; secrets are hidden in the messages.
        """
        from promptpack.prompt.stored_prompt import write_prompt

        return write_prompt(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the messages in the format of OpenAI-style chat APIs."""
        return [message.to_dict() for message in self.messages]

    def to(
        self,
        target: promptpack.adapters.Target,
        *,
        strict: bool | None = None,
        tools: promptpack.providers.ToolSource | None = None,
        cache: bool = False,
    ) -> dict[str, Any]:
        """Return the prompt as the keyword arguments of an SDK: plain data, without an import of the SDK.

        `target` names the SDK or framework. `strict` asks for the reply's schema in the strict form of the provider, by
        default if the overlay of the model says so and the target has this form. `tools` are those that the model may
        call: functions, `ModelTool` values or definitions in the form of any SDK. `cache` marks the end of the stable
        prefix for the provider's cache. An option that the target does not have and a message that it cannot carry
        raise `UsageError`. The arguments include the `parameters` of the overlay, except for `crewai`, `openai-agents`
        and `semantic-kernel`, whose models are created with them.
        """
        from promptpack.adapters.catalogue import write

        return write(self, target, strict=strict, tools=tools, cache=cache)

    def validate(self) -> None:
        """Check the order of the messages; raise all problems together."""
        from promptpack.prompt.order import validate_messages

        validate_messages(self.messages)

    def within(self, budget: promptpack.Budget, counter: Callable[[str], int] | None = None) -> Prompt:
        """Return a prompt that fits a `budget`; its `fit` lists what was dropped or cut.

        `counter` returns the tokens of a text, such as `exact_counter()`; by default they are estimated.
        """
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

    def _slots_within(
        self, slots: Mapping[str, Any], budget: promptpack.Budget, counter: Callable[[str], int] | None
    ) -> Prompt:
        from promptpack.prompt.slot_rendering import fit_slots

        fitting, fitted = fit_slots(slots, budget, counter, self.pack.overlay)
        return replace(self, messages=fitted.messages, fit=fitted, slots=fitting)

    def check(
        self,
        reply: object,
        *,
        strict: bool = False,
        refuse: Collection[str] = (),
        finish_reason: str | None = None,
        after: promptpack.Verdict | None = None,
        tools: Iterable[object] = (),
    ) -> promptpack.Verdict:
        """Check a model's reply to this prompt; an invalid reply is a verdict, not an exception.

        `reply` is text, bytes, None (no answer), a mapping (a parsed answer), or the response of OpenAI (chat or
        Responses), Anthropic, Gemini or LangChain. Responses also have a finish reason, and may call tools.
        `strict` allows no repairs. `refuse` names kinds of repairs, or risks such as "high", that are not allowed.
        `finish_reason` is why the model stopped, in the provider's words: "length" means that the text is cut.
        `after` is the verdict whose correction the reply answers; such a reply may have only the corrected fields.
        `tools` are tools that the model may call natively, besides those in the context.
        """
        return self.pack._check(reply, self.context, self, strict, refuse, finish_reason, after, tools)

    def correct(self, ask: Callable[[tuple[Message, ...]], object], *, rounds: int = 3) -> promptpack.Verdict:
        """Ask until a reply meets the contract, or the rounds are used; return the last verdict.

        `ask` gets the messages to send and returns anything that `check` accepts. A refused reply and its correction
        are appended to the messages of the next round. `rounds` is the largest number of questions.
        """
        from promptpack.adapters.correcting import correct

        return correct(self, ask, rounds)

    async def acorrect(
        self, ask: Callable[[tuple[Message, ...]], Awaitable[object]], *, rounds: int = 3
    ) -> promptpack.Verdict:
        """Ask asynchronously until a reply meets the contract; see `correct`."""
        from promptpack.adapters.correcting import acorrect

        return await acorrect(self, ask, rounds)

    def with_messages(self, messages: Iterable[Message]) -> Prompt:
        """Return this prompt with other `messages`, such as those that `correct` passes on, for `to` and `check`."""
        changed, own = tuple(messages), self.origins or (Origin(),) * len(self.messages)
        known = {(one.role, one.text): origin for one, origin in zip(self.messages, own, strict=True)}
        # A new answer is not an example of the pack, but a part of the conversation.
        origins = tuple(known.get((one.role, one.text), Origin(one.role == "assistant")) for one in changed)
        return replace(self, messages=changed, origins=origins, fit=None, slots=None)

    def astream(
        self, stream: AsyncIterable[object] | Iterable[object] | Awaitable[AsyncIterable[object]]
    ) -> AsyncIterator[promptpack.StreamPart]:
        """Check the stream of an SDK while it arrives: each part has the answer so far, the last one the verdict.

        `stream` is a stream of OpenAI (chat or Responses), Anthropic, Gemini or LangChain, or yields text or bytes.
        """
        from promptpack.adapters.streams import check_stream

        return check_stream(self, stream)

    def stream(
        self,
        *,
        strict: bool = False,
        refuse: Collection[str] = (),
        finish_reason: str | None = None,
        after: promptpack.Verdict | None = None,
    ) -> promptpack.VerdictStream:
        """Check a model's reply to this prompt while it arrives; the options are those of `check`."""
        from promptpack.verdict import VerdictStream
        from promptpack.verdict.judge_options import choose

        return VerdictStream(self.pack, self.context, self, choose(strict, refuse, finish_reason, after))
