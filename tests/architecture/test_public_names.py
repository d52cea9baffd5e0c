"""The public names are pinned: a change here changes the public API."""

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import promptpack
import promptpack.cycle
import promptpack.otel
import promptpack.providers
from tests.architecture.api_page import MODULES as PUBLIC_MODULES
from tests.architecture.api_page import public_names

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "decisions"),
    *sorted((ROOT / "examples").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.py")),
]
PYTHON_BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PUBLIC = [
    "Agent", "AgentOutput", "Budget", "BudgetItem", "ContextError", "Contract", "Explanation", "Fit", "InvalidSequenceError",
    "Library", "LintReport", "LintSettings", "LlmCycle", "Location", "MaxDepthReachedError", "Message",
    "MessageChange", "MissingExtraError", "ModelOverlay", "NotAnArrayError", "Pack", "PackError", "PackName", "Part",
    "PartialNotFoundError", "Problem", "Prompt", "PromptComposer", "PromptTemplate", "PromptTemplateRegistry",
    "PromptpackError", "ReloadReport", "RenderContext", "ReplyError", "SlotPrompt", "SlotWarning", "Span", "StreamPart",
    "TemplateContext", "UsageError", "VariableNotFoundError", "Verdict", "VerdictStream", "Violation", "Watch",
    "__version__", "early_summary", "exact_counter", "fit", "fit_items", "fold_repeated", "lint", "lint_text",
    "log_events", "react_records", "react_window", "read_output_schema", "tool_catalog", "user_inputs",
    "validate_messages",
]  # fmt: skip


def test_the_public_names_are_pinned() -> None:
    assert sorted(promptpack.__all__) == PUBLIC


def test_every_public_name_can_be_imported() -> None:
    assert all(getattr(promptpack, name) is not None for name in promptpack.__all__)


def test_importing_promptpack_imports_nothing() -> None:
    code = "import sys; before = set(sys.modules); import promptpack; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['promptpack']\n"


def test_no_two_types_share_a_name() -> None:
    files = sorted(Path(promptpack.__file__).parent.rglob("*.py"))
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    variables = {name for node in nodes for name in type_names(node) if is_type_variable(node)}
    names = [name for node in nodes for name in type_names(node) if not is_type_variable(node)]
    assert [name for name, count in Counter([*names, *variables]).items() if count > 1] == []


def type_names(node: ast.AST) -> list[str]:
    """Return the name that a statement gives to a class, an alias or a type variable, without underscores."""
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets if isinstance(node, ast.Assign) else []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    names += [node.name] if isinstance(node, ast.ClassDef) else []
    return [name.lstrip("_") for name in names if re.match("_?[A-Z][a-z]", name)]


def is_type_variable(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("TypeVar(")


def test_the_layering_exceptions_are_doors() -> None:
    config = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = config.split("ignore_imports = [", 1)[1].split("]", 1)[0]
    doors = re.findall(r'"([\w.]+) -> [\w.]+", # (\w+)\.([a-z]\w*)$', listed, re.MULTILINE)
    assert 10 < len(doors) == listed.count("->")
    for module, owner, method in doors:
        assert callable(getattr(getattr(importlib.import_module(module), owner), method))


def test_the_public_modules_export_their_names() -> None:
    assert promptpack.otel.__all__ == ["DialectName", "instrument"]
    assert set(promptpack.cycle.__all__) - set(promptpack.providers.__all__) == {"Agent", "LlmCycle"}
    assert all(getattr(promptpack.providers, name) is not None for name in promptpack.providers.__all__)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_docs_and_examples_import_only_public_names(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = [text] if page.suffix == ".py" else PYTHON_BLOCK.findall(text)
    assert [name for block in blocks for name in imported_names(block) if not is_public(name)] == []


def test_an_import_of_an_internal_name_is_found() -> None:
    code = "import promptpack.cycle\nfrom promptpack.pack.model import Pack\nfrom promptpack import Pack, files\n"
    found = [name for name in imported_names(code) if not is_public(name)]
    assert found == ["promptpack.cycle", "promptpack.pack.model.Pack", "promptpack.files"]


def imported_names(code: str) -> Iterator[str]:
    """Yield the full names that a block of Python imports from promptpack."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.split(".")[0] == "promptpack")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "promptpack":
            yield from (f"{node.module}.{one.name}" for one in node.names)


def is_public(name: str) -> bool:
    """Return whether a full name is a public module, or one of the public names of such a module."""
    module, _, attribute = name.rpartition(".")
    if name in PUBLIC_MODULES:
        return True
    return module in PUBLIC_MODULES and attribute in public_names(module)


def test_a_misspelled_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="module 'promptpack' has no attribute 'Libary'"):
        _ = promptpack.Libary  # type: ignore[attr-defined]
