import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "promptpack"
CORE = ("document", "schema", "template", "pack", "library", "prompt", "reply", "verdict")

FORK = """
import os, sys
from promptpack import Library
library = Library.open(cache=False)
if os.fork() == 0:
    before = set(sys.modules)
    {job}
    sys.stdout.flush()
    os._exit(0)
os.wait()
"""
LIST_MODULES = """print("\\n".join(before))"""
USE_ALL_PACKS = """
    for pack in library.packs():
        for test in pack.tests:
            if "error" in test.expect:
                continue
            prompt = pack.render(test.context)
            prompt.to_text(), prompt.warnings, pack.digest
            if pack.contract is not None:
                for reply in ("", "{}", "Sure: {thought: 1,}", test.reply):
                    verdict = prompt.check(reply if isinstance(reply, str) else str(reply))
                    verdict.output, verdict.extras, verdict.correction
    print("\\n".join(set(sys.modules) - before))
"""


def lines_of_child(job: str) -> list[str]:
    command = [sys.executable, "-c", FORK.format(job=job)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.split()


def late_imports(module: Path) -> Iterator[str]:
    """Yield the modules that a module imports inside its functions."""
    functions = [node for node in ast.walk(ast.parse(module.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            full = (f"{node.module}.{name.name}" for name in node.names)
            yield from (name for name in full if name.startswith("promptpack.") and is_module(name))


def is_module(name: str) -> bool:
    return (PACKAGE.parent / f"{name.replace('.', '/')}.py").exists()


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")


def test_a_forked_process_imports_nothing_to_use_packs() -> None:
    assert lines_of_child(USE_ALL_PACKS) == []


def test_every_late_import_of_the_core_happens_before_a_fork() -> None:
    alone = [file for file in PACKAGE.glob("*.py") if file.stem not in ("testing", "pytest_plugin", "file_lock")]
    files = [*alone, *(file for folder in CORE for file in (PACKAGE / folder).rglob("*.py"))]
    late = {name for file in files for name in late_imports(file) if find_spec(name)}
    assert len(late) > 20
    # Only the thread of a watch imports `watchfiles`, and a child of a fork does not have that thread; only commands and
    # the studio lock and replace files, which needs the other modules.
    assert late - set(lines_of_child(LIST_MODULES)) == {"watchfiles", "fcntl", "ctypes", "signal"}
