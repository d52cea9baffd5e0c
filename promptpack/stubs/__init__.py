"""Packs -> typed Python modules, by `promptpack stubs`, and the classes that these modules use."""

from promptpack.stubs.runtime import NOT_GIVEN, AgentReply, Model, NotGiven, PackSource, TypedPrompt, TypedVerdict

__all__ = ["NOT_GIVEN", "AgentReply", "Model", "NotGiven", "PackSource", "TypedPrompt", "TypedVerdict"]
