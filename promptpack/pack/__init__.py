"""`Document` -> `Pack`: checked against JSON Schema, linked with what it extends and includes, then frozen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.lazy import import_name

if TYPE_CHECKING:
    from promptpack.pack.building import BuildContext, Sketch, build, freeze, gather, sketch
    from promptpack.pack.checking import check
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
    from promptpack.pack.salvaging import salvage
    from promptpack.pack.sections import Sections
    from promptpack.pack.version import Version, parse_version

__all__ = [
    "ERROR_ACTIONS",
    "STANDARD_CONTEXT",
    "Action",
    "BuildContext",
    "CallTemplate",
    "Contract",
    "Input",
    "InputValue",
    "MessageTemplate",
    "Pack",
    "PackTest",
    "PartTemplate",
    "Rule",
    "Sections",
    "Sketch",
    "Version",
    "build",
    "check",
    "freeze",
    "gather",
    "parse_version",
    "salvage",
    "sketch",
]

# Where each name lives; it is imported when it is first used, as a pack that is known needs none of what builds one.
_MODULES = {
    "Action": "contract",
    "CallTemplate": "model",
    "Contract": "contract",
    "ERROR_ACTIONS": "contract",
    "Input": "model",
    "InputValue": "model",
    "MessageTemplate": "model",
    "Pack": "model",
    "PackTest": "model",
    "PartTemplate": "model",
    "Sections": "sections",
    "Rule": "contract",
    "STANDARD_CONTEXT": "model",
    "Sketch": "building",
    "BuildContext": "building",
    "Version": "version",
    "build": "building",
    "freeze": "building",
    "check": "checking",
    "gather": "building",
    "parse_version": "version",
    "salvage": "salvaging",
    "sketch": "building",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_name(name, _MODULES, globals())
