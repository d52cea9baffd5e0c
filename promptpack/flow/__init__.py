"""`flow.yaml` -> `Flow`: which agent follows which, and which data they pass on."""

from promptpack.flow.check_flow import CODES, check
from promptpack.flow.draw import to_svg
from promptpack.flow.mermaid import to_mermaid
from promptpack.flow.model import END, Branches, CallerValue, FixedValue, Flow, FlowValue, ObjectValue, ReplyValue, Step
from promptpack.flow.read_flow import FILE, find, read_text

__all__ = [
    "CODES", "END", "FILE", "Branches", "CallerValue", "FixedValue", "Flow", "FlowValue", "ObjectValue", "ReplyValue",
    "Step", "check", "find", "read_text", "to_mermaid", "to_svg",
]  # fmt: skip
