"""Rows in, rows out: render and check lists of rows, in any engine."""

from promptpack.batch.check import check_batch
from promptpack.batch.render import render_batch

__all__ = ["check_batch", "render_batch"]
