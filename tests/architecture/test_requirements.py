"""All dependencies are pinned with hashes, and the oldest supported versions are the lower bounds of the package."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("requirements", "benchmarks/requirements", "tests/sdks/requirements")
FILES = sorted(path for folder in FOLDERS for path in ROOT.glob(f"{folder}/*.txt"))


def test_minimum_versions_are_the_lower_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]
    # MCP needs a newer pydantic than everything else; Ray has its own environment; the SDK of OpenTelemetry, for tests, has the version of its API.
    wanted = [requirement for requirement in wanted if not requirement.startswith(("mcp", "ray"))]
    wanted += [f"opentelemetry-{part}>=1.30" for part in ("exporter-otlp-proto-http", "sdk")]
    bounds = [re.sub(r"^([\w-]+)>=([\d.]+)(,<\d+)?$", r"\1==\2", requirement) for requirement in wanted]
    lines = (ROOT / "requirements" / "minimum.in").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == sorted(bounds)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_requirement_is_pinned_with_hashes(path: Path) -> None:
    text = path.read_text("utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    pinned = re.compile(r"[\w.-]+==[\w.]+( ; [\w .'=<>!()]+?)?( +--hash=sha256:[0-9a-f]{64})+")
    assert lines
    assert [line for line in lines if not pinned.fullmatch(line.rstrip())] == []


def test_every_installation_from_a_file_checks_hashes() -> None:
    commands = re.findall(r"pip install .*", (ROOT / "Makefile").read_text("utf-8"))
    assert commands
    assert [command for command in commands if " -r " in command and "--require-hashes" not in command] == []


def test_the_actions_of_the_workflow_example_are_pinned_by_commit() -> None:
    actions = re.findall(r"uses: (.*)", (ROOT / "docs/how-to/ci.md").read_text("utf-8"))
    assert actions
    assert [action for action in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", action)] == []
