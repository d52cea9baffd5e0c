"""Slot prompts: a container of named slots that becomes text, messages, an output model or an export."""

from promptpack.prompt.slots.container import SlotPrompt, SlotWarning
from promptpack.prompt.slots.output_schema import read_output_schema

__all__ = ["SlotPrompt", "SlotWarning", "read_output_schema"]
