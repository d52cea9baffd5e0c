"""`Pack` -> `FuzzReport`: failures with generated contexts and replies, each as a small test to paste."""

from promptpack.trial.fuzz.fuzzing import FuzzReport, fuzz
from promptpack.trial.fuzz.model import Finding

__all__ = ["Finding", "FuzzReport", "fuzz"]
