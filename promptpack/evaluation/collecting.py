"""Samples -> answers: ask about every sample that no journal has, several at a time, unless something stops it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from promptpack.cycle import Clock, ProviderError
from promptpack.evaluation.answer import Answer
from promptpack.evaluation.asking import ask
from promptpack.evaluation.cases import Case
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.evaluation.journal import Journal
from promptpack.evaluation.outage import Outage
from promptpack.evaluation.pace import Pace
from promptpack.evaluation.prices import Price
from promptpack.evaluation.spending import CostLimit, worst_cost
from promptpack.problem import ContextError, Problem


class Sample(NamedTuple):
    """One conversation of an evaluation: a case of a subject, in a repetition."""

    subject: EvaluatedPack
    journal: Journal
    case: Case
    repetition: int

    @property
    def stored(self) -> Answer | None:
        """The answer, if the journal has one."""
        return self.journal.find(self.case.key, self.repetition)


@dataclass(slots=True)
class CollectionResult:
    """The failures of the samples that had to be asked about, and the reason if it stopped early."""

    failures: list[tuple[Sample, Problem]] = field(default_factory=list)
    sent: int = 0
    stop: str = ""


class Collector:
    """Asks about samples; answers go to the journals."""

    def __init__(
        self, clock: Clock, pace: Pace, limit: CostLimit, price: Callable[[EvaluatedPack], Price | None]
    ) -> None:
        self._clock = clock
        self._pace = pace
        self._limit = limit
        self._price = price
        self._outage = Outage()
        self.done: CollectionResult = CollectionResult()

    async def collect(
        self, samples: Sequence[Sample], concurrency: int, on_done: Callable[[], object] = lambda: None
    ) -> None:
        """Ask about every sample that has no answer yet, in order; an interruption loses no answer that arrived."""
        # Two samples may be the same question: a judge is asked about equal replies once.
        different = {(one.subject.key, one.case.key, one.repetition): one for one in samples if one.stored is None}
        waiting = iter(different.values())
        workers = [asyncio.create_task(self._work(waiting, on_done)) for _ in range(concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, waiting: Iterator[Sample], on_done: Callable[[], object]) -> None:
        for sample in waiting:
            await self._ask(sample)
            on_done()
            if self.done.stop:
                return

    async def _ask(self, sample: Sample) -> None:
        subject, price = sample.subject, self._price(sample.subject)
        try:
            prompt = subject.pack.render(sample.case.context)
        except ContextError as error:  # cases fit, but the input of a judge contains a reply
            self.done.failures.append((sample, error.problems[0]))
            return
        reserved = worst_cost(subject, prompt, price) if price else 0.0
        if not self._limit.reserve(reserved):
            self.done.stop = "the next reply could exceed --max-cost"
            return
        cost = 0.0
        try:
            answer = await ask(subject, sample.case, sample.repetition, prompt, self._pace, self._clock)
            cost = price.cost(answer.usage) if price else 0.0
            sample.journal.add(answer)
            self._outage.note_answer()
            self.done.sent += 1
        except ProviderError as error:
            self._fail(sample, error)
        finally:
            self._limit.spend(reserved, cost)

    def _fail(self, sample: Sample, error: ProviderError) -> None:
        self.done.failures.append((sample, error.problems[0]))
        stop = self._outage.note_failure(error)
        self.done.stop = self.done.stop or stop
