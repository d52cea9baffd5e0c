"""Slot prompts: named slots, written as text, messages, an output model or an export."""

from promptpack.pack.output.output_schema import read_output_schema
from promptpack.prompt.slots.container import SlotPrompt, SlotWarning

__all__ = ["SlotPrompt", "SlotWarning", "read_output_schema"]
