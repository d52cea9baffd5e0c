"""`Pack` -> `FuzzReport`: what generated contexts and replies break, each as a small test to paste."""

from promptpack.trial.fuzz.fuzzing import FuzzReport, fuzz
from promptpack.trial.fuzz.model import Finding

__all__ = ["Finding", "FuzzReport", "fuzz"]
