"""The public names are pinned: a change here changes the public API."""

import promptpack

PUBLIC = [
    "Agent", "AgentOutput", "ContextError", "Library", "LlmCycle", "Location", "Message", "MissingExtraError", "Pack",
    "PackError", "Problem", "Prompt", "PromptComposer", "PromptTemplate", "PromptTemplateRegistry", "PromptpackError",
    "RenderContext", "ReplyError", "SlotPrompt", "TemplateContext", "UsageError", "Verdict", "Violation", "__version__",
    "validate_messages",
]  # fmt: skip


def test_the_public_names_are_pinned() -> None:
    assert sorted(promptpack.__all__) == PUBLIC


def test_every_public_name_can_be_imported() -> None:
    assert all(getattr(promptpack, name) is not None for name in promptpack.__all__)


def test_importing_promptpack_imports_nothing_heavy() -> None:
    import subprocess
    import sys

    code = "import sys, promptpack; print(sorted({'jinja2','yaml','jsonschema','pydantic','click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
