"""A studio on a folder with one pack, and a function that answers messages as the server does."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from promptpack.cycle import Agent, ScriptedProvider, Services, Transcript
from promptpack.prompt.prompt import Prompt
from promptpack.studio.drafts import Drafts
from promptpack.studio.handlers.catalogue import HANDLERS
from promptpack.studio.project import Project
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio

Ask = Callable[..., dict[str, Any]]
PATH = "greeter/1.0.0-dev.yaml"
PACK = """\
promptpack: 1
name: greeter
version: 1.0.0-dev
description: Greets someone.
inputs:
  WHO: {type: string, trust: untrusted, description: Whom to greet.}
  KEY: {type: string, default: "", secret: true, description: A key.}
messages:
  - role: user
    content: "Greet {{ WHO }}. {{ KEY }}"
reply:
  actions:
    GREET: {params: {type: object, required: [text], properties: {text: {type: string}}}}
tests:
  - name: greets Ada
    context: {WHO: Ada}
    expect: {contains: [Greet Ada]}
"""
REPLY = (
    '{"thought": "x", "action": "GREET", "params": {"text": "Hi"}, "expectedOutcome": "y", '
    '"risk": {"level": "low", "description": "z"}, "confidence": 90}'
)


def _ask_script(prompt: Prompt, test: str, services: Services) -> Transcript:
    agent = Agent(prompt.pack, ScriptedProvider([test or "no json", REPLY]))
    ran = agent.run_with_transcript(prompt, on_event=services.on_event, on_delta=services.on_delta)
    return ran.transcript


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Studio:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs" / "greeter").mkdir(parents=True)
    (tmp_path / "packs" / PATH).write_text(PACK, "utf-8")
    return Studio(Project("packs"), Drafts("packs"), _ask_script, "scripted")


@pytest.fixture
def ask(studio: Studio) -> Ask:
    def answer(word: str, texts: Mapping[str, str] | None = None, tab: str = "one", **fields: Any) -> dict[str, Any]:
        return HANDLERS[word].run(studio, PageRequest({"path": PATH, **fields}, texts or {}, tab))

    return answer
