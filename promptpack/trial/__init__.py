"""`Pack` -> `Trial`s: the results of the tests in a pack."""

from promptpack.trial.run_tests import Trial, run

__all__ = ["Trial", "run"]
