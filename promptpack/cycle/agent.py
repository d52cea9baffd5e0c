"""`Agent`: combine a pack and a provider to turn a context into a verdict."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from promptpack.cycle.cycle_settings import CycleSettings
from promptpack.cycle.drive import adrive, drive
from promptpack.cycle.events import Event
from promptpack.cycle.machine import Conversation, converse
from promptpack.cycle.model_tools import ModelTool, ToolSource, read_tools
from promptpack.cycle.observe_cycle import observe_conversation
from promptpack.cycle.provider import Completion, Provider
from promptpack.cycle.services import Cancellation, Clock, Services, open_services
from promptpack.cycle.transcript import Transcript
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.value_encoders import is_a
from promptpack.verdict import Verdict


@dataclass(frozen=True, slots=True)
class AgentRun:
    """A verdict with its history: the rendered prompt and every round."""

    prompt: "Prompt"
    """The rendered prompt."""
    verdict: "Verdict"
    """The verdict on the last reply."""
    transcript: Transcript
    """Every round: request, completion, verdict and answers."""

    def __hash__(self) -> int:
        return hash((self.prompt, self.verdict))

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data for JSON, without secrets: the prompt, the rounds and the verdict.

        `Library.restore` and `Verdict.from_dict` read its `prompt` and `verdict`, to continue with
        `prompt.check(reply, after=verdict)`.
        """
        from promptpack.cycle.stored_run import write_run

        return write_run(self)


class Agent:
    """Render a pack, ask a model and have invalid replies corrected; immutable, each run is a new conversation.

    `pack` has a reply contract, `provider` sends the requests, `settings` limits the rounds and names the model, and
    `tools` are functions that the model may call. The pack gets its overlay for the model, unless it has one.
    """

    def __init__(
        self, pack: Pack, provider: Provider, settings: CycleSettings | None = None, tools: ToolSource = ()
    ) -> None:
        if not is_a(pack, Pack):
            hint = "pass what Library.get returned"
            raise UsageError(Problem("PP618", f"a {type(pack).__name__} is not a pack", None, hint))
        require_contract(pack)
        self.provider = provider
        self.settings: CycleSettings = settings or CycleSettings()
        self.pack: Pack = pack if pack.overlay else pack.for_model(find_model(provider, self.settings))
        self.tools: tuple[ModelTool, ...] = read_tools(tools)
        for tool in self.tools:
            if tool.function is None:
                raise UsageError(Problem("PP614", f"tool {tool.name!r} has no function", None, "pass a function"))

    def __repr__(self) -> str:
        return f"Agent({self.pack.label}, {type(self.provider).__name__})"

    def run(
        self,
        context: object = None,
        /,
        *,
        clock: Clock | None = None,
        cancellation: Cancellation | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_delta: Callable[[str], object] | None = None,
        **inputs: Any,
    ) -> "Verdict":
        """Ask until a reply meets the contract or all rounds are used; return the last verdict.

        `context` and `inputs` are those of `Pack.render`; `context` may also be a finished prompt. `cancellation` stops
        the run from another thread. `on_event` gets every event, `on_delta` every piece of streamed text. `clock`
        measures and waits; tests replace it.
        """
        return self._run(context, inputs, open_services(clock, cancellation, on_event, on_delta)).verdict

    async def arun(
        self,
        context: object = None,
        /,
        *,
        clock: Clock | None = None,
        cancellation: Cancellation | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_delta: Callable[[str], object] | None = None,
        **inputs: Any,
    ) -> "Verdict":
        """Run asynchronously; see `run`."""
        return (await self._arun(context, inputs, open_services(clock, cancellation, on_event, on_delta))).verdict

    def run_with_transcript(
        self,
        context: object = None,
        /,
        *,
        clock: Clock | None = None,
        cancellation: Cancellation | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_delta: Callable[[str], object] | None = None,
        **inputs: Any,
    ) -> AgentRun:
        """Run like `run`; return the prompt and the rounds too."""
        return self._run(context, inputs, open_services(clock, cancellation, on_event, on_delta))

    async def arun_with_transcript(
        self,
        context: object = None,
        /,
        *,
        clock: Clock | None = None,
        cancellation: Cancellation | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_delta: Callable[[str], object] | None = None,
        **inputs: Any,
    ) -> AgentRun:
        """Run asynchronously; see `run_with_transcript`."""
        return await self._arun(context, inputs, open_services(clock, cancellation, on_event, on_delta))

    def _run(self, context: object, inputs: Mapping[str, Any], services: Services) -> AgentRun:
        with observe_conversation(self.pack) as seen:
            prompt = seen.entered(self._prompt(context, inputs))
            transcript = seen.record(drive(converse(self._conversation(prompt)), self.provider, services))
        return _agent_run(prompt, transcript)

    async def _arun(self, context: object, inputs: Mapping[str, Any], services: Services) -> AgentRun:
        with observe_conversation(self.pack) as seen:
            prompt = seen.entered(self._prompt(context, inputs))
            transcript = seen.record(await adrive(converse(self._conversation(prompt)), self.provider, services))
        return _agent_run(prompt, transcript)

    def _prompt(self, context: object, inputs: Mapping[str, Any]) -> "Prompt":
        if not isinstance(context, Prompt):
            return self.pack.render(cast("Mapping[str, Any] | None", context), **inputs)
        if inputs:
            message = f"a finished prompt takes no inputs, but got {', '.join(inputs)}"
            raise UsageError(Problem("PP620", message, None, "pass the inputs to 'render'"))
        if context.pack._without_overlay.digest != self.pack._without_overlay.digest:
            message = f"the prompt belongs to {context.pack.label}, not to {self.pack.label}"
            raise UsageError(Problem("PP620", message, None, "create an Agent with the pack of the prompt"))
        return context

    def _conversation(self, prompt: "Prompt") -> Conversation:
        previous: Verdict | None = None

        def judge(completion: Completion) -> "Verdict":
            nonlocal previous
            previous = prompt.check(
                completion.text, refuse=self.settings.refuse, finish_reason=completion.finish_reason, after=previous
            )
            return previous

        return Conversation(prompt.messages, self.settings.with_parameters(prompt.parameters), self.tools, judge)


def require_contract(pack: Pack) -> None:
    """Raise a `UsageError` if the replies of a pack cannot be checked."""
    if pack.contract is None:
        message = f"{pack.label} declares no reply contract, so its replies cannot be checked"
        raise UsageError(Problem("PP618", message, None, "add 'reply:' to the pack, or use LlmCycle"))


def find_model(provider: Provider, settings: CycleSettings) -> str:
    """Return the name of the model that will be asked; empty if the provider does not say."""
    model = settings.model or getattr(provider, "model", "")
    return model if isinstance(model, str) else ""


def _agent_run(prompt: "Prompt", transcript: Transcript) -> AgentRun:
    # A conversation always ends with a verdict if it has a judge and all tools have functions.
    return AgentRun(prompt, cast("Verdict", transcript.verdict), transcript)
