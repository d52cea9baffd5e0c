"""The public names are pinned: a change here changes the public API."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import promptpack
import promptpack.cycle
import promptpack.otel
import promptpack.providers

PUBLIC = [
    "Agent", "AgentOutput", "ContextError", "Contract", "Library", "LlmCycle", "Location", "Message",
    "MissingExtraError", "Pack", "PackError", "PackName", "Problem", "Prompt", "PromptComposer", "PromptTemplate",
    "PromptTemplateRegistry", "PromptpackError", "ReloadReport", "RenderContext", "ReplyError", "SlotPrompt",
    "StreamPart", "TemplateContext", "UsageError", "Verdict", "VerdictStream", "Violation", "Watch", "__version__",
    "log_events", "validate_messages",
]  # fmt: skip


def test_the_public_names_are_pinned() -> None:
    assert sorted(promptpack.__all__) == PUBLIC


def test_every_public_name_can_be_imported() -> None:
    assert all(getattr(promptpack, name) is not None for name in promptpack.__all__)


def test_importing_promptpack_imports_nothing() -> None:
    code = "import sys; before = set(sys.modules); import promptpack; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['promptpack']\n"


def test_no_two_public_classes_share_a_name() -> None:
    package = Path(promptpack.__file__).parent
    names = [
        node.name
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_the_public_modules_export_their_names() -> None:
    assert promptpack.otel.__all__ == ["DialectName", "instrument"]
    assert set(promptpack.cycle.__all__) - set(promptpack.providers.__all__) == {"Agent", "LlmCycle"}
    assert all(getattr(promptpack.providers, name) is not None for name in promptpack.providers.__all__)


def test_the_docs_do_not_import_the_cycle() -> None:
    root = Path(__file__).parents[2]
    pages = [root / "README.md", *(path for path in (root / "docs").rglob("*.md") if path.parent.name != "decisions")]
    assert [page.name for page in pages if "promptpack.cycle" in page.read_text(encoding="utf-8")] == []


def test_a_misspelled_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="module 'promptpack' has no attribute 'Libary'"):
        _ = promptpack.Libary  # type: ignore[attr-defined]
