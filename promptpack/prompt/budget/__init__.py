"""Messages + `Budget` -> `Fit`: what gives way so that they fit, in steps that keep a cached prefix stable."""

from promptpack.prompt.budget.counters import Counter, ExactCounter, estimate_tokens, exact_counter
from promptpack.prompt.budget.fit import fit, fit_candidates
from promptpack.prompt.budget.lines import Candidate
from promptpack.prompt.budget.model import Budget, Change, Fit, read_budget

__all__ = [
    "Budget",
    "Candidate",
    "Change",
    "Counter",
    "ExactCounter",
    "Fit",
    "estimate_tokens",
    "exact_counter",
    "fit",
    "fit_candidates",
    "read_budget",
]
