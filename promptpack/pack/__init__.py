"""`Document` -> `Pack`: checked against JSON Schema, linked with what it extends and includes, then frozen."""

from promptpack.pack.build import Sketch, Surroundings, build, gather, sketch
from promptpack.pack.check import check
from promptpack.pack.contract import ERROR_ACTIONS, Action, Contract, Rule
from promptpack.pack.model import (
    STANDARD_CONTEXT,
    CallTemplate,
    Input,
    InputValue,
    MessageTemplate,
    Pack,
    PackTest,
    PartTemplate,
)
from promptpack.pack.parts import Parts
from promptpack.pack.version import Version, parse_version

__all__ = [
    "ERROR_ACTIONS",
    "STANDARD_CONTEXT",
    "Action",
    "CallTemplate",
    "Contract",
    "Input",
    "InputValue",
    "MessageTemplate",
    "Pack",
    "PackTest",
    "PartTemplate",
    "Parts",
    "Rule",
    "Sketch",
    "Surroundings",
    "Version",
    "build",
    "check",
    "gather",
    "parse_version",
    "sketch",
]
