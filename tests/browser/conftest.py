"""Chromium and the real command: every test has its own packs, and ends with an empty console and no outside request."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium")
# As root there is no sandbox; without a network, Chromium must not ask its maker for anything.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DEADLINE = 30_000
PACK = """\
promptpack: 1
name: greeter
version: 1.0.0-dev
description: Greets someone.
inputs:
  WHO: {type: string, trust: untrusted, minLength: 1, description: Whom to greet.}
  TONE: {enum: [warm, dry], default: warm, description: How.}
  KEY: {type: string, default: "", secret: true, description: A key.}
messages:
  - role: system
    content: |
      You greet people, in a {{ TONE }} tone. Key {{ KEY }}.
      {{ reply_format }}
  - role: user
    content: "Greet {{ WHO }}."
reply:
  actions:
    GREET:
      params: {type: object, required: [text], properties: {text: {type: string}}}
      example:
        thought: A greeting is enough.
        action: GREET
        params: {text: Hello Ada}
        expectedOutcome: Ada is greeted
        risk: {level: low, description: none}
        confidence: 90
tests:
  - name: greets Ada
    context: {WHO: Ada}
    expect: {contains: [Greet Ada]}
  - name: fails
    context: {WHO: Bob}
    expect: {contains: [Goodbye]}
"""
Start = Callable[..., "Running"]


class Running:
    """A studio in its own process, and the link that opens it."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "promptpack", "studio", "packs", "--no-open", *words]
        environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": str(folder / "cache")}
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
        self.links = [self.read_link()]

    def read_link(self) -> str:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.match(r"open (http://127\.0\.0\.1:\d+/\?token=\S+)", line):
                return found[1]
        raise AssertionError("the studio did not start")

    @property
    def link(self) -> str:
        return self.links[-1]

    @property
    def address(self) -> str:
        return self.link.partition("?")[0]

    def read(self, path: str) -> str:
        return (self.folder / "packs" / path).read_text("utf-8")

    def write(self, path: str, text: str) -> None:
        target = self.folder / "packs" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> str:
        """End the process as Ctrl-C does, and return what it still printed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=30)[1]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the studio on a folder with these files; the pack `greeter` by default."""
    started: list[Running] = []

    def run(files: dict[str, str] | None = None, words: tuple[str, ...] = (), *, again: bool = False) -> Running:
        if not again:
            for path, text in (files or {"greeter/1.0.0-dev.yaml": PACK}).items():
                (tmp_path / "packs" / path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / "packs" / path).write_text(text, "utf-8")
        started.append(Running(tmp_path, *words))
        return started[-1]

    yield run
    for one in started:
        assert "Traceback" not in one.stop()


# One browser for a module: the synchronous API keeps a loop running, which asynchronous tests of other modules need.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: run 'make browser'")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US") as found:
        found.set_default_timeout(DEADLINE)
        yield found


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose console stays empty, and which asks only 127.0.0.1."""
    expect.set_options(timeout=DEADLINE)
    said: list[str] = []
    asked: set[str] = set()
    context.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    context.on("weberror", lambda error: said.append(f"error: {error.error}"))
    context.on("request", lambda request: asked.add(re.sub(r"^\w+://([^/:]+).*", r"\1", request.url)))
    yield context.new_page()
    assert not said, "\n".join(said)
    assert asked <= {"127.0.0.1"}


def open_pack(page: Page, studio: Running, path: str = "greeter/1.0.0-dev.yaml") -> None:
    """Open the studio at a file, and wait for its prompt."""
    page.goto(f"{studio.link}#{path}")
    expect(page.get_by_test_id("prompt")).to_be_visible()


def set_text(page: Page, text: str) -> None:
    """Type a whole text into the editor."""
    page.locator(".host .cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
