"""Messages + `Budget` -> `Fit`: drop or cut messages until they fit, in steps that keep a cached prefix stable."""

from promptpack.prompt.budget.counters import Counter, ExactCounter, estimate_tokens, exact_counter
from promptpack.prompt.budget.fit import fit, fit_items
from promptpack.prompt.budget.model import Budget, Fit, MessageChange, read_budget
from promptpack.prompt.budget.sizing import BudgetItem

__all__ = [
    "Budget", "BudgetItem", "Counter", "ExactCounter", "Fit", "MessageChange", "estimate_tokens", "exact_counter",
    "fit", "fit_items", "read_budget",
]  # fmt: skip
