"""The six-agent walk: from what a user says to a finished, reviewed task."""

from promptpack.cli.walk.steps import Step, walk

__all__ = ["Step", "walk"]
