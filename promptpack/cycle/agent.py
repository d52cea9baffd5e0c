"""`Agent`: combine a pack and a provider to turn a context into a verdict."""

from dataclasses import dataclass
from typing import Any, Unpack, cast

from promptpack.cycle.cycle_settings import CycleSettings
from promptpack.cycle.drive import adrive, drive
from promptpack.cycle.machine import Conversation, converse
from promptpack.cycle.model_tools import ToolSource, read_tools
from promptpack.cycle.observe_cycle import observe_conversation
from promptpack.cycle.provider import Completion, Provider
from promptpack.cycle.services import ServiceOptions, Services
from promptpack.cycle.transcript import Transcript
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.verdict import Verdict


@dataclass(frozen=True, slots=True)
class AgentRun:
    """A verdict with its history: the rendered prompt and every round."""

    prompt: "Prompt"
    verdict: "Verdict"
    transcript: Transcript


class Agent:
    """Render a pack, ask a model and have invalid replies corrected; immutable, each run is a new conversation."""

    def __init__(
        self, pack: Pack, provider: Provider, settings: CycleSettings | None = None, tools: ToolSource = ()
    ) -> None:
        if pack.contract is None:
            message = f"{pack.label} declares no reply contract, so its replies cannot be checked"
            raise UsageError(Problem("PP618", message, None, "add 'reply:' to the pack, or use LlmCycle"))
        self.pack = pack
        self.provider = provider
        self.settings = settings or CycleSettings()
        self.tools = read_tools(tools)
        for tool in self.tools:
            if tool.function is None:
                raise UsageError(Problem("PP614", f"tool {tool.name!r} has no function", None, "pass a function"))

    def run(self, context: Any = None, /, **services: Unpack[ServiceOptions]) -> "Verdict":
        """Ask until a reply meets the contract or all rounds are used; return the last verdict.

        `context` has the inputs, or is a rendered prompt.
        """
        return self.run_with_transcript(context, **services).verdict

    async def arun(self, context: Any = None, /, **services: Unpack[ServiceOptions]) -> "Verdict":
        """Run asynchronously; see `run`."""
        return (await self.arun_with_transcript(context, **services)).verdict

    def run_with_transcript(self, context: Any = None, /, **services: Unpack[ServiceOptions]) -> AgentRun:
        """Run like `run`; return the prompt and the rounds too."""
        with observe_conversation(self.pack) as seen:
            prompt = seen.entered(self._prompt(context))
            transcript = seen.took(drive(converse(self._conversation(prompt)), self.provider, Services(**services)))
        return _agent_run(prompt, transcript)

    async def arun_with_transcript(self, context: Any = None, /, **services: Unpack[ServiceOptions]) -> AgentRun:
        """Run asynchronously; see `run_with_transcript`."""
        with observe_conversation(self.pack) as seen:
            prompt = seen.entered(self._prompt(context))
            effects = converse(self._conversation(prompt))
            transcript = seen.took(await adrive(effects, self.provider, Services(**services)))
        return _agent_run(prompt, transcript)

    def _prompt(self, context: Any) -> "Prompt":
        return context if isinstance(context, Prompt) else self.pack.render(context)

    def _conversation(self, prompt: "Prompt") -> Conversation:
        previous: Verdict | None = None

        def judge(completion: Completion) -> "Verdict":
            nonlocal previous
            options = {"finish_reason": completion.finish_reason, "refuse": self.settings.refuse, "after": previous}
            previous = prompt.check(completion.text, **options)
            return previous

        return Conversation(prompt.messages, self.settings, self.tools, judge)


def _agent_run(prompt: "Prompt", transcript: Transcript) -> AgentRun:
    # A conversation always ends with a verdict if it has a judge and all tools have functions.
    return AgentRun(prompt, cast("Verdict", transcript.verdict), transcript)
