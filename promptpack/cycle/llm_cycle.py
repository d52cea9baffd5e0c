"""`LlmCycle`: a conversation with a model that stores its history."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from promptpack.cycle.cycle_settings import CycleSettings
from promptpack.cycle.drive import adrive, drive
from promptpack.cycle.machine import Conversation, JudgeFunction, converse
from promptpack.cycle.model_tools import ToolSource, read_tools
from promptpack.cycle.observe_cycle import observe_conversation
from promptpack.cycle.provider import Provider
from promptpack.cycle.services import Services
from promptpack.cycle.transcript import Transcript
from promptpack.prompt.message import Message, Part, read_message

Messages = Iterable[Message | Mapping[str, Any]]


class LlmCycle:
    """A provider and a history: one conversation, not thread-safe.

    A submission that fails or is stopped leaves the history unchanged.

    `provider` sends the requests, `settings` limits the rounds and names the model, and `services` has the clock, the
    cancellation and the callbacks.
    """

    def __init__(
        self, provider: Provider, settings: CycleSettings | None = None, services: Services | None = None
    ) -> None:
        self._provider = provider
        self._settings = settings or CycleSettings()
        self._services = services or Services()
        self._history: tuple[Message, ...] = ()

    def __repr__(self) -> str:
        return f"LlmCycle({type(self._provider).__name__}, {len(self._history)} messages)"

    @property
    def messages(self) -> tuple[Message, ...]:
        """The history: all messages, including replies, tool results and corrections."""
        return self._history

    def with_messages(self, messages: Messages) -> "LlmCycle":
        """Replace the history with `messages`; return the cycle."""
        self._history = _read(messages)
        return self

    def extend_messages(self, messages: Messages) -> "LlmCycle":
        """Add `messages` to the history; return the cycle."""
        self._history += _read(messages)
        return self

    def submit(self, text: str, tools: ToolSource = (), judge: JudgeFunction | None = None) -> Transcript:
        """Send a user message; the system prompt goes first unless the history has a system message.

        `text` is the message, `tools` are functions that the model may call, and `judge` turns a completion into a
        verdict; a refused reply is corrected.
        """
        return self._run(self._with_user_message(text), tools, judge)

    async def asubmit(self, text: str, tools: ToolSource = (), judge: JudgeFunction | None = None) -> Transcript:
        """Submit asynchronously; see `submit`."""
        return await self._arun(self._with_user_message(text), tools, judge)

    def submit_messages(
        self, messages: Messages, tools: ToolSource = (), judge: JudgeFunction | None = None
    ) -> Transcript:
        """Send the history and `messages` unchanged; the other arguments are those of `submit`."""
        return self._run((*self._history, *_read(messages)), tools, judge)

    async def asubmit_messages(
        self, messages: Messages, tools: ToolSource = (), judge: JudgeFunction | None = None
    ) -> Transcript:
        """Submit asynchronously; see `submit_messages`."""
        return await self._arun((*self._history, *_read(messages)), tools, judge)

    def _with_user_message(self, text: str) -> tuple[Message, ...]:
        messages = (*self._history, _message("user", text))
        prompt = self._settings.system_prompt
        if not prompt or any(message.role == "system" for message in messages):
            return messages
        return (_message("system", prompt), *messages)

    def _run(self, messages: tuple[Message, ...], tools: ToolSource, judge: JudgeFunction | None) -> Transcript:
        conversation = Conversation(messages, self._settings, read_tools(tools), judge)
        with observe_conversation() as seen:
            return self._store(seen.record(drive(converse(conversation), self._provider, self._services)))

    async def _arun(self, messages: tuple[Message, ...], tools: ToolSource, judge: JudgeFunction | None) -> Transcript:
        conversation = Conversation(messages, self._settings, read_tools(tools), judge)
        with observe_conversation() as seen:
            return self._store(seen.record(await adrive(converse(conversation), self._provider, self._services)))

    def _store(self, transcript: Transcript) -> Transcript:
        self._history = transcript.messages
        return transcript


def _read(messages: Messages) -> tuple[Message, ...]:
    return tuple(read_message(message, f"message {index + 1}") for index, message in enumerate(messages))


def _message(role: Literal["system", "user"], text: str) -> Message:
    return Message(role, (Part.text(text),))
