"""`Pack` -> `Trial`s: the tests that a pack brings along, run."""

from promptpack.trial.run import Trial, run

__all__ = ["Trial", "run"]
