"""`Agent`: a pack and a provider, from a context to a verdict."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack, cast

from promptpack.cycle.drive import adrive, drive
from promptpack.cycle.machine import Task, converse
from promptpack.cycle.provider import Provider
from promptpack.cycle.request import Completion
from promptpack.cycle.settings import Settings
from promptpack.cycle.surroundings import Surroundings, Watching
from promptpack.cycle.tools import ToolSource, read_tools
from promptpack.cycle.transcript import Transcript
from promptpack.pack import Pack
from promptpack.problem import Problem, UsageError

if TYPE_CHECKING:
    from promptpack.prompt import Prompt
    from promptpack.verdict import Verdict


@dataclass(frozen=True, slots=True)
class AgentRun:
    """A verdict with the way to it: the rendered prompt and every round."""

    prompt: "Prompt"
    verdict: "Verdict"
    transcript: Transcript


class Agent:
    """Renders a pack, asks a model and has bad replies corrected; immutable, each run is its own conversation."""

    def __init__(
        self, pack: Pack, provider: Provider, settings: Settings | None = None, tools: ToolSource = ()
    ) -> None:
        if pack.contract is None:
            message = f"{pack.label} declares no reply contract, so there is nothing to judge by"
            raise UsageError(Problem("PP618", message, None, "add 'reply:' to the pack, or use LlmCycle"))
        self.pack = pack
        self.provider = provider
        self.settings = settings or Settings()
        self.tools = read_tools(tools)
        for tool in self.tools:
            if tool.function is None:
                raise UsageError(Problem("PP614", f"tool {tool.name!r} has no function", None, "give a function"))

    def run(self, context: Any = None, /, **watching: Unpack[Watching]) -> "Verdict":
        """Ask until a reply meets the contract or the rounds are used up; the last verdict tells which."""
        return self.run_with_transcript(context, **watching).verdict

    async def arun(self, context: Any = None, /, **watching: Unpack[Watching]) -> "Verdict":
        """Do as `run` does, awaiting."""
        return (await self.arun_with_transcript(context, **watching)).verdict

    def run_with_transcript(self, context: Any = None, /, **watching: Unpack[Watching]) -> AgentRun:
        """Do as `run` does, and keep the prompt and the rounds."""
        prompt = self.pack.render(context)
        transcript = drive(converse(self._task(prompt)), self.provider, Surroundings(**watching))
        return _finished(prompt, transcript)

    async def arun_with_transcript(self, context: Any = None, /, **watching: Unpack[Watching]) -> AgentRun:
        """Do as `run_with_transcript` does, awaiting."""
        prompt = self.pack.render(context)
        transcript = await adrive(converse(self._task(prompt)), self.provider, Surroundings(**watching))
        return _finished(prompt, transcript)

    def _task(self, prompt: "Prompt") -> Task:
        last: Verdict | None = None

        def judge(completion: Completion) -> "Verdict":
            nonlocal last
            last = prompt.check(completion.text, finish_reason=completion.finish_reason, after=last)
            return last

        return Task(prompt.messages, self.settings, self.tools, judge)


def _finished(prompt: "Prompt", transcript: Transcript) -> AgentRun:
    # A run with a judge whose tools all have functions ends only with a verdict.
    return AgentRun(prompt, cast("Verdict", transcript.verdict), transcript)
