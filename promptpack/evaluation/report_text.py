"""`Evaluation` -> a table for the terminal, one column for each version."""

from collections import Counter
from collections.abc import Sequence

from promptpack.evaluation.results import Evaluation, JudgeUsage, SideResult
from promptpack.evaluation.statistics import Interval, RateComparison

_MAX_KINDS = 5


def to_text(evaluation: Evaluation) -> str:
    """Return the table, the comparison and the conclusion."""
    sides = evaluation.sides
    rows = [("", *(side.subject.label for side in sides)), *to_rows(evaluation)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if evaluation.judge:
        lines += ["", f"judge        {judged(evaluation.judge, evaluation.currency)}"]
    if evaluation.comparison:
        lines += ["", *_comparison(evaluation.comparison)]
    return "\n".join(lines)


def to_rows(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """Return the numbers: a name, then a text for each version."""
    sides, currency = evaluation.sides, evaluation.currency
    rows = [
        ("pass rate", *(rate(side.pass_rate) if side.graded else "unknown" for side in sides)),
        (
            "cases",
            *(f"{len(side.rates):,} of {evaluation.cases:,}, each {_times(evaluation.repeat)}" for side in sides),
        ),
        ("valid at first", *(_share(side.first_replies, side) for side in sides)),
        ("after correction", *(f"{side.corrected:,}" for side in sides)),
        *([("valid, but failed", *(f"{side.refused:,}" for side in sides))] if any(s.refused for s in sides) else []),
        ("repairs", *(_kinds(side.repairs) for side in sides)),
        ("violations", *(_kinds(side.violations) for side in sides)),
        ("tokens", *(f"{side.usage.input_tokens:,} in, {side.usage.output_tokens:,} out" for side in sides)),
        ("latency", *(f"p50 {side.latency(0.5):.2f} s, p95 {side.latency(0.95):.2f} s" for side in sides)),
        ("cost", *(money(side.cost, currency) for side in sides)),
    ]
    return [*rows, ("without a grade", *(f"{len(side.missing):,}" for side in sides))] if _misses(sides) else rows


def _misses(sides: Sequence[SideResult]) -> bool:
    return any(side.missing for side in sides)


def _comparison(found: RateComparison) -> list[str]:
    low, high = found.difference.low, found.difference.high
    return [
        f"difference   {points(found.difference.estimate)} points, 95 % interval {points(low)} to {points(high)}",
        f"             paired bootstrap over {found.cases:,} cases",
        f"McNemar      p = {found.mcnemar:.3g} ({found.better:,} cases better, {found.worse:,} worse)",
        f"conclusion   {found.text}",
    ]


def judged(judge: JudgeUsage, currency: str) -> str:
    """Return the number of questions to a judge and their cost, which the numbers of the versions leave out."""
    tokens = f"{judge.usage.input_tokens:,} tokens in, {judge.usage.output_tokens:,} out"
    return f"{judge.subject.label}, asked {_times(judge.questions)}; {tokens}, cost {money(judge.cost, currency)}"


def rate(found: Interval) -> str:
    """Return a rate with its interval in per cent."""
    return f"{100 * found.estimate:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def points(difference: float) -> str:
    """Return a difference of rates in percentage points, with its sign."""
    return f"{100 * difference:+.1f}"


def money(cost: float | None, currency: str) -> str:
    """Return a cost, or that it is unknown."""
    return "unknown (no --prices)" if cost is None else f"{cost:.4f} {currency}"


def _times(repeat: int) -> str:
    return "once" if repeat == 1 else f"{repeat:,} times"


def _share(count: int, side: SideResult) -> str:
    total = len(side.graded)
    return f"{100 * count / total:.1f} % of {total:,} replies" if total else "no replies"


def _kinds(counts: Counter[str]) -> str:
    shown = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    more = f", {len(shown) - _MAX_KINDS} more kinds" if len(shown) > _MAX_KINDS else ""
    return ", ".join(f"{kind} {count:,}" for kind, count in shown[:_MAX_KINDS]) + more if shown else "none"
