"""`Document` -> `Pack`: validate, merge with the packs it extends, compile, then freeze."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.lazy import import_name

if TYPE_CHECKING:
    from promptpack.pack.building import BuildContext, CompiledSections, build, compile_sections, resolve_sections
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
    from promptpack.pack.pack_schema import check
    from promptpack.pack.pruning import prune
    from promptpack.pack.sections import Sections
    from promptpack.pack.version import Version, parse_version

__all__ = [
    "ERROR_ACTIONS",
    "STANDARD_CONTEXT",
    "Action",
    "BuildContext",
    "CallTemplate",
    "CompiledSections",
    "Contract",
    "Input",
    "InputValue",
    "MessageTemplate",
    "Pack",
    "PackTest",
    "PartTemplate",
    "Rule",
    "Sections",
    "Version",
    "build",
    "check",
    "compile_sections",
    "parse_version",
    "prune",
    "resolve_sections",
]

# The module of each name, imported on first use: opening a cached library needs nothing that builds packs.
_MODULES = {
    "Action": "contract",
    "BuildContext": "building",
    "CallTemplate": "model",
    "CompiledSections": "building",
    "Contract": "contract",
    "ERROR_ACTIONS": "contract",
    "Input": "model",
    "InputValue": "model",
    "MessageTemplate": "model",
    "Pack": "model",
    "PackTest": "model",
    "PartTemplate": "model",
    "Rule": "contract",
    "STANDARD_CONTEXT": "model",
    "Sections": "sections",
    "Version": "version",
    "build": "building",
    "check": "pack_schema",
    "compile_sections": "building",
    "parse_version": "version",
    "prune": "pruning",
    "resolve_sections": "building",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_name(name, _MODULES, globals())
