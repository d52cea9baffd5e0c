"""`flow.yaml` + packs -> `Flow`: which agent follows which, which data they pass on, and the runs of it."""

from promptpack.flow.check_flow import CODES, check
from promptpack.flow.draw import to_svg
from promptpack.flow.flow import Flow, FlowRun, FlowStep, Visit
from promptpack.flow.mermaid import to_mermaid
from promptpack.flow.model import END, FlowFile, Step
from promptpack.flow.opening import open_flow
from promptpack.flow.read_flow import FILE, find, read_text

__all__ = [
    "CODES",
    "END",
    "FILE",
    "Flow",
    "FlowFile",
    "FlowRun",
    "FlowStep",
    "Step",
    "Visit",
    "check",
    "find",
    "open_flow",
    "read_text",
    "to_mermaid",
    "to_svg",
]
