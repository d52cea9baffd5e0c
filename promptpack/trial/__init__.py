"""`Pack` -> `Trial`s, by `run_tests.run`: the results of the tests in a pack."""

from promptpack.trial.model import Failure, Trial
from promptpack.trial.run_tests import run

__all__ = ["Failure", "Trial", "run"]
