"""Fixtures for all tests: folders of packs, written to a temporary folder."""

import gc
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pydantic
import pytest
from hypothesis import HealthCheck, settings

from promptpack import Library, Pack

# `make sdks` runs the others, each in the environment of its SDK.
collect_ignore = [
    str(path)
    for path in (Path(__file__).parent / "sdks").glob("test_*.py")
    if path.stem not in ("test_openai", "test_openai_responses", "test_anthropic")
]
# MCP needs this version, the rest of the product an older one.
if tuple(map(int, pydantic.VERSION.split(".")[:2])) < (2, 12):
    collect_ignore += [str(Path(__file__).parent / path) for path in ("unit/mcp", "e2e/test_mcp.py")]

# Tests compute every result; tests of the cache set up their own.
os.environ["PROMPTPACK_CACHE"] = "off"

# A shell that starts the tests in the background makes them and all their processes ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The time of an example depends more on the machine than on the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# CI always draws the same examples: a new one that fails is found by developers, not by a change it has nothing to do with.
settings.register_profile("ci", settings.get_profile("untimed"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "untimed")


def pytest_collection_finish() -> None:
    """Collect garbage less often, and without going through the thousands of collected tests each time."""
    gc.set_threshold(10_000, 20, 100)
    gc.collect()
    gc.freeze()


WritePack = Callable[..., Path]


@pytest.fixture
def write_pack(tmp_path: Path) -> WritePack:
    """Write a pack file; `body` is added to the three required keys."""

    def write(name: str = "demo", version: str = "1.0.0", body: str = "", locale: str = "", file: str = "") -> Path:
        path = tmp_path / "packs" / name / (file or f"{version}{'.' + locale if locale else ''}.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        head = f"promptpack: 1\nname: {name}\nversion: {version}\n" + (f"locale: {locale}\n" if locale else "")
        path.write_text(head + (body or "messages:\n  - {role: user, content: hi}\n"), encoding="utf-8")
        return path

    return write


@pytest.fixture
def open_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Library]:
    """Open the written packs, with paths relative to the folder above them."""

    def opened(**options: Any) -> Library:
        monkeypatch.chdir(tmp_path)
        return Library.open("packs", **options)

    return opened


@pytest.fixture
def make_pack(write_pack: WritePack, open_packs: Callable[[], Library]) -> Callable[[str], Pack]:
    """Write one pack, and return it built."""

    def make(body: str) -> Pack:
        write_pack(body=body)
        return open_packs().get("demo")

    return make


@pytest.fixture
def problems_of(write_pack: WritePack, open_packs: Callable[[], Library]) -> Callable[[str], str]:
    """Write one broken pack, and return its problems as text."""

    def report(body: str) -> str:
        write_pack(body=body)
        return "\n".join(str(problem) for problem in open_packs().problems)

    return report
