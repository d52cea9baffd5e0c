"""The functions that run vectors, for every set of vectors."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from promptpack import Library, Pack
from promptpack.files import Folder
from promptpack.library.contents import Contents
from promptpack.library.entry import read_entry
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version
from promptpack.prompt.plain_data import to_plain
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source
from tests.conformance.executor_driver import run_executor
from tests.conformance.slots_driver import slots_factory
from tests.conformance.templates_driver import run_composer, run_template

ENGINE = Engine()

__all__ = [
    "check_reply",
    "load_pack",
    "render_template",
    "run_composer",
    "run_executor",
    "run_template",
    "slots_factory",
]

CONTRACTS = Path(__file__).parent / "replies" / "contract.json"
PACKS = Path(__file__).parents[2] / "packs"


def check_reply(
    raw: str, agent: str, context: dict[str, Any] | None = None, finish_reason: str | None = None
) -> dict[str, Any]:
    """Judge a reply by the agent's contract in the vectors or, with a context, by the shipped pack and its rules."""
    if context is None:
        verdict = _contract_pack(agent).check(raw, finish_reason=finish_reason)
    else:
        verdict = _library().get(agent).check(raw, context, finish_reason=finish_reason)
    return {
        "ok": verdict.ok,
        "output": verdict.data if verdict.ok else None,
        "violations": [
            {"path": violation.path, "code": violation.code, "rule": violation.rule} for violation in verdict.violations
        ],
        "repairs": [repair.kind for repair in verdict.repairs],
    }


def render_template(template: str, context: dict[str, Any]) -> str:
    """Render one template within the limits of packs."""
    plain = {name: to_plain(value, name) for name, value in context.items()}
    return compile(Source.of_text(template), ENGINE).render(plain)


def load_pack(path: str) -> None:
    """Load one pack file as a library does; raise the library's errors."""
    file = Path(path)
    entry = read_entry(Folder(str(file.parent)), file.name)
    Library(Contents((entry,), {str(file.parent): {}}, {}))._build_entry(entry)


@cache
def _library() -> Library:
    return Library.open(str(PACKS))


@cache
def _contract_pack(agent: str) -> Pack:
    shape = json.loads(CONTRACTS.read_text(encoding="utf-8"))[agent]
    return Pack(agent, Version(1, 0, 0), "contract.json", contract=Contract(agent, shape))
