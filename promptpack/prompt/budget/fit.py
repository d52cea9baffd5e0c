"""Messages + `Budget` -> `Fit`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from promptpack.problem import ContextError, Problem
from promptpack.prompt.budget.counters import Counter, describe, estimate_tokens
from promptpack.prompt.budget.model import Budget, Fit, MessageChange, Way
from promptpack.prompt.budget.reducers import REDUCERS, Overrun
from promptpack.prompt.budget.sizing import BudgetItem, SizedMessage, measure_items, read_item, replace_text

M = TypeVar("M")


def fit(messages: Iterable[M], budget: Budget, counter: Counter | None = None) -> Fit[M]:
    """Make messages fit a budget; raises `ContextError` when all that may give way is not enough.

    Messages are mappings or objects with `role` and `content`, and may have `tool_calls`, `tool_call_id`, `priority`
    and `history` (true for what was spliced in). A tool call and its results stay together, or go together.
    """
    if not isinstance(messages, Iterable) or isinstance(messages, str | bytes | Mapping):
        raise ContextError(Problem("PP434", f"messages to fit are a list, not a {type(messages).__name__}"))
    return fit_items([read_item(message) for message in messages], budget, counter)


def fit_items(candidates: Sequence[BudgetItem[M]], budget: Budget, counter: Counter | None = None) -> Fit[M]:
    """Do the same for messages that have no fields of their own for `history` and `priority`."""
    count = _counter(budget, counter)
    measure = "characters" if budget.unit == "characters" else describe(counter)
    given = measure_items(candidates, count, budget.per_message)
    kept = given
    changes: list[MessageChange] = []
    for way in budget.order:
        excess = _size(kept) - budget.limit
        if excess <= 0:
            break
        smaller = REDUCERS[way](kept, Overrun(budget, count, excess))
        changes += _changes(kept, smaller, way)
        kept = smaller
    if _size(kept) > budget.limit:
        raise ContextError(_too_large(kept, budget, measure))
    texts = {line.position: line.text for line in kept}
    cut = {change.position for change in changes if change.action == "cut"}
    fitted = tuple(
        replace_text(candidate.message, texts[position]) if position in cut else candidate.message
        for position, candidate in enumerate(candidates)
        if position in texts
    )
    return Fit(fitted, tuple(changes), budget.limit, _size(given), _size(kept), measure)


def _counter(budget: Budget, counter: Counter | None) -> Counter:
    if budget.unit == "tokens":
        return counter or estimate_tokens
    if counter is not None:
        raise ContextError(Problem("PP436", "a counter is for a budget in tokens", hint="leave one of the two out"))
    return len


def _size(lines: Sequence[SizedMessage]) -> int:
    return sum(line.size for line in lines)


def _changes(before: Sequence[SizedMessage], after: Sequence[SizedMessage], way: Way) -> list[MessageChange]:
    left = {line.position: line for line in after}
    changes: list[MessageChange] = []
    for line in before:
        now = left.get(line.position)
        if now is None:
            changes.append(MessageChange(line.position, line.role, "dropped", way, line.size, 0))
        elif now.size != line.size:
            changes.append(MessageChange(line.position, line.role, "cut", way, line.size, now.size))
    return changes


def _too_large(kept: Sequence[SizedMessage], budget: Budget, measure: str) -> Problem:
    largest = max(kept, key=lambda line: line.size)
    message = f"messages need {_size(kept):,} {measure}, and the budget is {budget.limit:,}"
    hint = f"raise the budget, or shorten message {largest.position} ({largest.role}: {largest.size:,})"
    return Problem("PP435", message, hint=hint)
