"""Prompts as the arguments of SDKs: one module per target, which `Prompt.to` calls.

`Prompt.to` returns plain data and imports no SDK. Where a framework accepts only its own objects, the module of the
target has a function that creates them and imports the framework.
"""

from promptpack.adapters.catalogue import TARGETS, Target

__all__ = ["TARGETS", "Target"]
