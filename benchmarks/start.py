"""The cost of a process that opens six packs and renders one prompt, relative to a bare interpreter; and of imports."""

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks.environments import ROOT, scratch_folder
from benchmarks.sides import Command, Table

AGENTS = ("agent-base", "understanding", "router", "planner", "executor", "reviewer", "orchestrator")
FIRST_PROMPT = """
import sys
from promptpack import Library
library = Library.open(sys.argv[1], cache=sys.argv[2] or False)
sys.stdout.reconfigure(encoding="utf-8")
print(library.get("planner").render(USER_GOAL="Write the weekly report").to_text())
"""
VALIDATED = FIRST_PROMPT.replace("sys.stdout", "library.raise_for_problems()\nsys.stdout")
LINT = """
import os, sys
os.environ["PROMPTPACK_CACHE"] = sys.argv.pop()
sys.argv.insert(1, "lint")
from promptpack.cli.main import main
main(standalone_mode=False)
"""
FOUR = "the four packages"
IMPORT_FOUR = "import jinja2, jsonschema, pydantic, yaml\nclass Model(pydantic.BaseModel):\n    field: int\n"
BARE = "bare interpreter"
ROUNDS = 9
PEERS = (
    ("LangChain, `PromptTemplate`", "langchain-core", "from langchain_core.prompts import PromptTemplate"),
    ("Agently", "agently", "import agently"),
    ("instructor", "instructor", "import instructor"),
    ("instructor, `Instructor`", "instructor", "from instructor import Instructor"),
)


def tables() -> tuple[Table, ...]:
    return (
        Table("start", "A process, from start to first prompt", tuple(_starts()), ROUNDS, "cost"),
        Table("import", "Importing", tuple(_imports()), ROUNDS, "cost"),
    )


def _starts() -> Iterator[Command]:
    folder = _folder()
    text = _first_prompt(f"{folder}/packs")
    yield Command(BARE, "pass")
    for name, code in (("six packs validated", VALIDATED), ("six packs opened", FIRST_PROMPT)):
        yield Command(name, code, (f"{folder}/packs", ""), text, over=BARE)
        yield Command(f"{name}, from the cache", code, (f"{folder}/packs", f"{folder}/cache"), text, over=BARE)
    whole, note = f"{folder}/whole", "17 files, with tests, locales and a lock file"
    yield Command("all shipped packs opened", FIRST_PROMPT, (whole, ""), text, over=BARE, note=note)
    cached = "all shipped packs opened, from the cache"
    yield Command(cached, FIRST_PROMPT, (whole, f"{folder}/cache"), text, over=BARE, note=note)
    yield Command("`promptpack lint`, nothing changed", LINT, (whole, f"{folder}/cache"), over=BARE, note=note)


def _imports() -> Iterator[Command]:
    yield Command(FOUR, IMPORT_FOUR, packages=("jinja2", "pyyaml", "jsonschema", "pydantic"), note="with one model")
    yield Command(BARE, "pass", over=FOUR)
    yield Command("promptpack", "import promptpack", over=FOUR)
    yield Command("promptpack, `Library`", "from promptpack import Library", over=FOUR)
    for name, package, code in PEERS:
        environment = package.removesuffix("-core")
        yield Command(name, code, environment=environment, packages=(package,), over=FOUR)


@cache
def _folder() -> Path:
    """Copy the six packs and their base pack, and all packs, into a folder that is deleted when this process ends."""
    folder = scratch_folder()
    shutil.copytree(ROOT / "packs", folder / "whole")
    for agent in AGENTS:
        target = folder / "packs" / agent
        target.mkdir(parents=True)
        shutil.copy(ROOT / "packs" / agent / "1.0.0.yaml", target)
    return folder


def _first_prompt(packs: str) -> str:
    from promptpack import Library

    return Library.open(packs, cache=False).get("planner").render(USER_GOAL="Write the weekly report").to_text().strip()
