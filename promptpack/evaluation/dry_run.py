"""The requests, tokens and cost of an evaluation, estimated without sending anything."""

from dataclasses import dataclass

from promptpack.cycle import Usage
from promptpack.evaluation.evaluate import EvaluationPlan
from promptpack.evaluation.spending import estimate_usage


@dataclass(frozen=True, slots=True)
class Estimate:
    """The first requests of one version, without corrections and retries."""

    label: str
    requests: int
    usage: Usage
    cost: float | None


def estimate(plan: EvaluationPlan) -> tuple[Estimate, ...]:
    """Estimate each version; every case is asked about as often as it is repeated."""
    found = []
    for subject in plan.subjects:
        usages = [estimate_usage(subject, subject.pack.render(case.context)) for case in plan.cases]
        usage = sum(usages * plan.repeat, Usage())
        price = plan.price(subject)
        found.append(Estimate(subject.label, len(usages) * plan.repeat, usage, price.cost(usage) if price else None))
    return tuple(found)
