"""Ask a model about one case: one conversation of the cycle, paced and timed, as an `Answer`."""

from collections.abc import Mapping
from typing import Any

from promptpack.cycle import Agent, Clock, Completion, LlmCycle, Provider, ProviderError, Request, Services, Transcript
from promptpack.evaluation.answer import Answer, Reply
from promptpack.evaluation.cases import Case
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.evaluation.pace import Pace
from promptpack.prompt.budget.counters import estimate_tokens
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import Secrets
from promptpack.verdict import Violation
from promptpack.verdict.model import RULE_CODES


class TimedProvider:
    """Sends the requests of one conversation at the pace of the evaluation, and measures each answer."""

    def __init__(self, provider: Provider, pace: Pace, clock: Clock) -> None:
        self._provider = provider
        self._pace = pace
        self._clock = clock
        self.model: str = getattr(provider, "model", "")
        self.seconds: list[float] = []

    def complete(self, request: Request) -> Completion:
        """Send the `request` and wait for the answer."""
        return self._provider.complete(request)

    async def acomplete(self, request: Request) -> Completion:
        """Wait for the turn, send the `request` and await the answer; a `Retry-After` pauses all conversations."""
        estimated = sum(estimate_tokens(message.text) for message in request.messages)
        await self._pace.wait(estimated)
        started = self._clock.now()
        try:
            completion = await self._provider.acomplete(request)
        except ProviderError as error:
            self._pace.pause(error.retry_after or 0.0)
            raise
        self.seconds.append(self._clock.now() - started)
        self._pace.correct_tokens(estimated, completion.usage.total_tokens or estimated)
        return completion


async def ask(subject: EvaluatedPack, case: Case, repetition: int, prompt: Prompt, pace: Pace, clock: Clock) -> Answer:
    """Ask once, with corrections; raise `ProviderError` if the server fails after all retries."""
    provider = TimedProvider(subject.provider, pace, clock)
    if subject.pack.contract is None:
        settings = subject.settings.with_parameters(prompt.parameters)
        cycle = LlmCycle(provider, settings, Services(clock=clock))
        return _answer(case, repetition, prompt, await cycle.asubmit_messages(prompt.messages), None, provider.seconds)
    run = await Agent(subject.pack, provider, subject.settings).arun_with_transcript(prompt, clock=clock)
    return _answer(case, repetition, prompt, run.transcript, run.to_dict()["verdict"], provider.seconds)


def _answer(
    case: Case,
    repetition: int,
    prompt: Prompt,
    transcript: Transcript,
    verdict: Mapping[str, Any] | None,
    seconds: list[float],
) -> Answer:
    secrets = Secrets(prompt.pack, prompt.context)
    replies = tuple(
        Reply(
            secrets.hide(done.completion.text),
            done.completion.finish_reason,
            tuple(_name_kind(found) for found in done.verdict.violations) if done.verdict is not None else (),
            done.completion.usage.input_tokens,
            done.completion.usage.output_tokens,
            done.completion.usage.cached_tokens,
            round(taken, 4),
        )
        for done, taken in zip(transcript.rounds, seconds, strict=True)
    )
    return Answer(case.key, repetition, replies, verdict)


def _name_kind(found: Violation) -> str:
    """Return the code of a violation; if it is of a rule of the pack, with the name of the rule."""
    return f"{found.code} {found.rule}" if found.code in RULE_CODES else found.code
