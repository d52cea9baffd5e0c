"""The arguments and responses of other SDKs, one module each; nothing here imports an SDK before it is used.

`Prompt.to` returns arguments as plain data. Where a framework accepts only its own objects, the module of the target
has a function that creates them and imports the framework.
"""

from promptpack.adapters.catalogue import TARGETS, Target

__all__ = ["TARGETS", "Target"]
