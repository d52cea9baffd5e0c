"""`flow.yaml` -> `Flow`: which agent follows which, and what of its answer the next one is given."""

from promptpack.flow.check import CODES, check
from promptpack.flow.draw import to_svg
from promptpack.flow.mermaid import to_mermaid
from promptpack.flow.model import END, Composed, Fixed, Flow, Given, Reply, Routes, Step, Value
from promptpack.flow.read import FILE, find, read_text

__all__ = [
    "CODES",
    "END",
    "FILE",
    "Composed",
    "Fixed",
    "Flow",
    "Given",
    "Reply",
    "Routes",
    "Step",
    "Value",
    "check",
    "find",
    "read_text",
    "to_mermaid",
    "to_svg",
]
