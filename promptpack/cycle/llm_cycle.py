"""`LlmCycle`: a conversation with a model that remembers what was said."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from promptpack.cycle.drive import adrive, drive
from promptpack.cycle.machine import Judge, Task, converse
from promptpack.cycle.provider import Provider
from promptpack.cycle.settings import Settings
from promptpack.cycle.surroundings import Surroundings
from promptpack.cycle.tools import ToolSource, read_tools
from promptpack.cycle.transcript import Transcript
from promptpack.prompt.message import Message, Part, read_message

Messages = Iterable[Message | Mapping[str, Any]]


class LlmCycle:
    """A provider and a history; one conversation, not to be shared between threads.

    A submission that fails or is stopped leaves the history as it was.
    """

    def __init__(
        self, provider: Provider, settings: Settings | None = None, surroundings: Surroundings | None = None
    ) -> None:
        self._provider = provider
        self._settings = settings or Settings()
        self._surroundings = surroundings or Surroundings()
        self._history: tuple[Message, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The history: everything that was said, with the replies, the tools' results and the corrections."""
        return self._history

    def with_messages(self, messages: Messages) -> "LlmCycle":
        """Start from these messages instead of the history; gives the cycle back."""
        self._history = _read(messages)
        return self

    def extend_messages(self, messages: Messages) -> "LlmCycle":
        """Add messages to the history; gives the cycle back."""
        self._history += _read(messages)
        return self

    def submit(self, text: str, tools: ToolSource = (), judge: Judge | None = None) -> Transcript:
        """Say something as the user; the system prompt goes in front when there is no system message."""
        return self._run(self._asking(text), tools, judge)

    async def asubmit(self, text: str, tools: ToolSource = (), judge: Judge | None = None) -> Transcript:
        """Do as `submit` does, awaiting."""
        return await self._arun(self._asking(text), tools, judge)

    def submit_messages(self, messages: Messages, tools: ToolSource = (), judge: Judge | None = None) -> Transcript:
        """Send the history and these messages as they are."""
        return self._run((*self._history, *_read(messages)), tools, judge)

    async def asubmit_messages(
        self, messages: Messages, tools: ToolSource = (), judge: Judge | None = None
    ) -> Transcript:
        """Do as `submit_messages` does, awaiting."""
        return await self._arun((*self._history, *_read(messages)), tools, judge)

    def _asking(self, text: str) -> tuple[Message, ...]:
        said = (*self._history, _message("user", text))
        prompt = self._settings.system_prompt
        if not prompt or any(message.role == "system" for message in said):
            return said
        return (_message("system", prompt), *said)

    def _run(self, messages: tuple[Message, ...], tools: ToolSource, judge: Judge | None) -> Transcript:
        task = Task(messages, self._settings, read_tools(tools), judge)
        return self._keep(drive(converse(task), self._provider, self._surroundings))

    async def _arun(self, messages: tuple[Message, ...], tools: ToolSource, judge: Judge | None) -> Transcript:
        task = Task(messages, self._settings, read_tools(tools), judge)
        return self._keep(await adrive(converse(task), self._provider, self._surroundings))

    def _keep(self, transcript: Transcript) -> Transcript:
        self._history = transcript.messages
        return transcript


def _read(messages: Messages) -> tuple[Message, ...]:
    return tuple(read_message(message, f"message {index + 1}") for index, message in enumerate(messages))


def _message(role: Literal["system", "user"], text: str) -> Message:
    return Message(role, (Part.text(text),))
