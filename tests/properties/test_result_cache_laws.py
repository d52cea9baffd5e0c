"""After any edits in a folder, lint reports the same problems with and without the cache, in the same order."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_report import LintReport

PARAGRAPH = "Nobody may answer before every source was read twice and named with its page. " * 3
BASE = """\
promptpack: 1
name: base
version: 1.0.0
abstract: true
inputs:
  GOAL: {type: string, description: What to reach., examples: [tea]}
partials:
  rules: Be short.
"""
DEMO = f"""\
promptpack: 1
name: demo
version: 1.0.0
extends: base@^1
inputs:
  KIND: {{$ref: ../kinds.json, description: Its kind.}}
messages:
  - role: system
    content: |
      {{% include "rules" %}} {{% include "end" %}} Call the `search` tool.

      {PARAGRAPH}
  - {{role: user, content: "{{{{ GOAL }}}} {{{{ KIND }}}}"}}
"""
END = "{# promptpack: ignore=PL001 #}The end."
OTHER_BASE = DEMO.replace("base@", "german@").replace(" {{ KIND }}", "")
FLOW = "flow: 1\ntools: [search]\nsteps:\n  only: {pack: demo}\n"
# The possible contents of each file; the first is the initial one, and None means that the file does not exist.
TEXTS: dict[str, tuple[str | None, ...]] = {
    "packs/base/1.0.0.yaml": (BASE, BASE.replace("GOAL", "AIM"), BASE.replace("Be short.", "Call `search`."), None),
    "packs/base/1.1.0.yaml": (None, BASE.replace("1.0.0", "1.1.0").replace("short", "brief {{ UNDECLARED }}")),
    "packs/demo/1.0.0.yaml": (
        DEMO,
        DEMO.replace(" {{ KIND }}", ""),
        DEMO.replace("GOAL", "GAOL"),
        "a: [",
        None,
        OTHER_BASE,
    ),
    "packs/german/1.0.0.yaml": (None, BASE.replace("base", "german")),
    "packs/demo/1.0.0.de.yaml": (
        DEMO.replace("extends", "locale: de\nextends"),
        DEMO.replace("extends", "locale: de\nextends").replace("KIND", "ART"),
        DEMO,
        None,
    ),
    "packs/other/1.0.0.yaml": (
        DEMO.replace("demo", "other"),
        DEMO.replace("demo", "other").replace("twice", "once"),
        DEMO.replace("demo", "other").replace("  - {role", "  # promptpack: ignore=PL001\n  - {role"),
        None,
    ),
    "packs/renamed.yaml": (None, DEMO.replace("demo", "other"), DEMO),
    "packs/_partials/end.j2": (END, "The end.", "{{ UNDECLARED }}", "{% if %}", None),
    "packs/_partials/more.j2": (None, "More."),
    "packs/kinds.json": ('{"type": "string"}', '{"type": "strin"}', '{"type": "integer", "examples": ["a"]}', None),
    "packs/flow.yaml": (None, FLOW, FLOW.replace("search", "find"), FLOW.replace("demo", "demi")),
    "promptpack.toml": (None, '[lint]\nignore = ["PL021"]\n', '[lint.severity]\nPL021 = "error"\n'),
}
EDITS = st.sampled_from([(file, number) for file, texts in TEXTS.items() for number in range(len(texts))])


def write(folder: Path, file: str, number: int) -> None:
    text = TEXTS[file][number]
    if text is None:
        (folder / file).unlink(missing_ok=True)
        return
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text, "utf-8")


@dataclass(frozen=True)
class Workplace:
    """A folder that each example finds as it was before: its files, and a cache that knows them."""

    folder: Path
    uncached: dict[tuple[int, ...], tuple[object, ...]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    @property
    def packs(self) -> str:
        return str(self.folder / "packs")

    def reset(self) -> None:
        for file in TEXTS:
            self.write(file, 0)
        first = self.folder / "first-cache"
        if not first.exists():
            lint([self.packs], cache=str(first))
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        shutil.copytree(first, self.folder / "cache")

    def write(self, file: str, number: int) -> None:
        write(self.folder, file, number)
        self.numbers[file] = number

    def report(self) -> tuple[object, ...]:
        return contents(lint([self.packs], cache=str(self.folder / "cache")))

    def report_without_cache(self) -> tuple[object, ...]:
        """Lint without the cache; the same files are linted only once."""
        state = tuple(self.numbers.values())
        if state not in self.uncached:
            self.uncached[state] = contents(lint([self.packs], cache=False))
        return self.uncached[state]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Workplace(tmp_path / "work")


def contents(report: LintReport) -> tuple[object, ...]:
    return report.files, report.problems, list(report.fixes.items())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(EDITS, min_size=1, max_size=6))
@example(edits=[("packs/base/1.1.0.yaml", 1), ("packs/base/1.1.0.yaml", 0)])
@example(edits=[("packs/demo/1.0.0.yaml", 4), ("packs/renamed.yaml", 2), ("packs/demo/1.0.0.yaml", 0)])
@example(edits=[("packs/_partials/end.j2", 1), ("packs/other/1.0.0.yaml", 1), ("packs/_partials/end.j2", 0)])
@example(edits=[("packs/demo/1.0.0.de.yaml", 1), ("packs/kinds.json", 2), ("packs/kinds.json", 0)])
@example(edits=[("packs/demo/1.0.0.yaml", 5), ("packs/german/1.0.0.yaml", 1)])
@example(edits=[("packs/flow.yaml", 1), ("packs/flow.yaml", 2), ("promptpack.toml", 1), ("promptpack.toml", 2)])
def test_a_report_after_any_edits_is_the_same_from_the_cache(
    workplace: Workplace, edits: list[tuple[str, int]]
) -> None:
    workplace.reset()
    for file, number in edits:
        workplace.write(file, number)
        assert workplace.report() == workplace.report_without_cache()
