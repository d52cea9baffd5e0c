"""The demo of `promptpack run`: six agents turn a user's request into a finished, reviewed task."""

from promptpack.cli.walk.turns import Turn, walk

__all__ = ["Turn", "walk"]
