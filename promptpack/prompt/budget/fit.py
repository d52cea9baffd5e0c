"""Messages + `Budget` -> `Fit`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from promptpack.problem import ContextError, Problem
from promptpack.prompt.budget.counters import Counter, describe, estimate_tokens
from promptpack.prompt.budget.model import Budget, Fit, MessageChange, Way
from promptpack.prompt.budget.reducers import REDUCERS, Overrun
from promptpack.prompt.budget.sizing import BudgetItem, SizedMessage, measure_items, read_item, replace_text, total_size

M = TypeVar("M")


def fit(messages: Iterable[M], budget: Budget, counter: Counter | None = None) -> Fit[M]:
    """Make messages fit a budget; raise `ContextError` if dropping and cutting all that may give way is not enough.

    Messages are mappings or objects with `role` and `content`, and may have `tool_calls`, `tool_call_id`, `priority`
    and `history` (true for spliced history). A tool call and its results stay together, or go together.

    `messages` are fitted to the `budget`; `counter` returns the tokens of a text, and by default they are estimated.
    """
    if not isinstance(messages, Iterable) or isinstance(messages, str | bytes | Mapping):
        raise ContextError(Problem("PP434", f"the messages to fit must be a list, not a {type(messages).__name__}"))
    return fit_items([read_item(message) for message in messages], budget, counter)


def fit_items(items: Sequence[BudgetItem[M]], budget: Budget, counter: Counter | None = None) -> Fit[M]:
    """Make messages fit a budget, with `history` and `priority` from their `items`.

    `budget` is the limit, and `counter` returns the tokens of a text; by default they are estimated.
    """
    count = _counter(budget, counter)
    measure = "characters" if budget.unit == "characters" else describe(counter)
    given = measure_items(items, count, budget.per_message)
    kept = given
    changes: list[MessageChange] = []
    for way in budget.order:
        excess = total_size(kept) - budget.limit
        if excess <= 0:
            break
        smaller = REDUCERS[way](kept, Overrun(budget, count, excess))
        changes += _changes(kept, smaller, way)
        kept = smaller
    if total_size(kept) > budget.limit:
        raise ContextError(_too_large(kept, budget, measure))
    texts = {message.position: message.text for message in kept}
    cut = {change.position for change in changes if change.action == "cut"}
    fitted = tuple(
        replace_text(item.message, texts[position]) if position in cut else item.message
        for position, item in enumerate(items)
        if position in texts
    )
    return Fit(fitted, tuple(changes), budget.limit, total_size(given), total_size(kept), measure)


def _counter(budget: Budget, counter: Counter | None) -> Counter:
    if budget.unit == "tokens":
        return counter or estimate_tokens
    if counter is not None:
        hint = "remove the counter, or set the budget in tokens"
        raise ContextError(Problem("PP436", "a counter only works with a budget in tokens", hint=hint))
    return len


def _changes(before: Sequence[SizedMessage], after: Sequence[SizedMessage], way: Way) -> list[MessageChange]:
    remaining = {message.position: message for message in after}
    changes: list[MessageChange] = []
    for old in before:
        new = remaining.get(old.position)
        if new is None:
            changes.append(MessageChange(old.position, old.role, "dropped", way, old.size, 0))
        elif new.size != old.size:
            changes.append(MessageChange(old.position, old.role, "cut", way, old.size, new.size))
    return changes


def _too_large(kept: Sequence[SizedMessage], budget: Budget, measure: str) -> Problem:
    largest = max(kept, key=lambda message: message.size)
    text = f"messages need {total_size(kept):,} {measure}, but the budget is {budget.limit:,}"
    hint = f"raise the budget, or shorten message {largest.position} ({largest.role}: {largest.size:,})"
    return Problem("PP435", text, hint=hint)
