"""`Pack` + its tests -> `Coverage`: which parts of the files the tests reach, line by line."""

from promptpack.trial.coverage.measuring import measure
from promptpack.trial.coverage.model import Coverage, Point

__all__ = ["Coverage", "Point", "measure"]
