"""`Pack` -> `Mutation`s: small changes of a pack, and whether its tests notice them."""

from promptpack.trial.mutation.mutants import Mutant, find_mutants
from promptpack.trial.mutation.run_mutants import Mutation, Score, run_mutants

__all__ = ["Mutant", "Mutation", "Score", "find_mutants", "run_mutants"]
