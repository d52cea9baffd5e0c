"""Add a test to the file of a pack, without changing anything else in it."""

import re
from collections.abc import Mapping
from typing import Any

from promptpack import document, files
from promptpack.document.dumping import dump
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.verdict import Violation

_BLOCK_KEY = re.compile(r"tests:\s*(?:#.*)?")
_INDENT = "  "


def check_test(pack: Pack, name: str, context: Mapping[str, Any], *, is_shipped: bool) -> None:
    """Raise a problem if no test with this name and context can be added to a pack."""
    if is_shipped:
        hint = f"copy it first: promptpack new my-{pack.name} --from {pack.name}"
        raise UsageError(Problem("PP915", "a test cannot be added to a shipped pack", None, hint))
    files.require_writable(pack.path)
    if any(test.name == name for test in pack.tests):
        message = f"{pack.label} already has a test named {name!r}"
        raise UsageError(Problem("PP915", message, None, "choose another name"))
    secret = [one for one in context if one in pack.inputs and pack.inputs[one].secret]
    if secret:
        message = f"the test would contain the secret input {secret[0]!r}"
        raise UsageError(Problem("PP915", message, None, "write the test by hand, with a placeholder"))


def save_test(pack: Pack, prompt: Prompt, name: str, context: Mapping[str, Any], reply: str) -> None:
    """Add a test with a context, a reply and its verdict to the pack's own file."""
    text = files.read_text(pack.path)
    test = {"name": name, "context": dict(context), "reply": reply, "verdict": _verdict(prompt, reply)}
    added = add_test(text, pack.path, test)
    if added is None:
        hint = "write 'tests:' alone on its line, and each test below it"
        raise UsageError(Problem("PP915", f"no test can be added to {pack.path}", None, hint))
    files.write(pack.path, added)


def add_test(text: str, path: str, test: Mapping[str, Any]) -> str | None:
    """Return the text of a pack with one more test; None if it does not have the tests as a block."""
    before = document.parse(text, path)
    tests: list[Any] = before.data.get("tests") or []
    lines = text.splitlines(keepends=True)
    if "tests" in before.data:
        first = before.locate_key(("tests",)).line
        later = [line for key in before.data if (line := before.locate_key((key,)).line) > first]
        end = _end_of_block(lines, min(later, default=len(lines) + 1) - 1)
        indent = lines[before.locate(("tests", 0)).line - 1].partition("-")[0] if tests else _INDENT
        is_block = _BLOCK_KEY.fullmatch(lines[first - 1].rstrip()) is not None
    else:
        end, indent, is_block = len(lines), _INDENT, True
        lines.append("tests:\n" if text.endswith("\n") else "\ntests:\n")
        end += 1
    item = "".join(f"{indent}{line}" if line.strip() else line for line in dump([dict(test)]).splitlines(keepends=True))
    lines.insert(end, item if end == 0 or lines[end - 1].endswith("\n") else f"\n{item}")
    added = "".join(lines)
    return added if is_block and document.parse(added, path).data == {**before.data, "tests": [*tests, test]} else None


def _end_of_block(lines: list[str], end: int) -> int:
    """Return the number of lines up to the end of a block, without the blank lines and comments after it."""
    while end > 0 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return end


def _verdict(prompt: Prompt, reply: str) -> Any:
    verdict = prompt.check(reply)
    if verdict.ok:
        return verdict.outcome
    # The name of a rule says more than the code that all rules share.
    rules = [rule.name for rule in prompt.pack.contract.rules] if prompt.pack.contract else []
    return {"violations": [_violation(found, found.rule in rules) for found in verdict.violations]}


def _violation(found: Violation, is_rule: bool) -> dict[str, str]:
    return {"rule": found.rule, "path": found.path} if is_rule else {"code": found.code, "path": found.path}
