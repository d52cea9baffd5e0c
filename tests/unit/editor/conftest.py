from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack.editor import Buffer, Workspace

OpenBuffer = Callable[..., tuple[Buffer, int]]

PACK = """\
promptpack: 1
name: demo
version: 1.0.0
extends: base@^1
inputs:
  GOAL: {type: string, description: What is wanted, trust: untrusted}
  TASK:
    type: object
    default: {}
    description: The task.
    properties:
      owner: {type: object, description: Whose it is, properties: {name: {type: string}}}
      level: {enum: [low, high]}
partials:
  rules: |
    Follow {{ GOAL }}.
messages:
  - role: system
    content: |
      {% include "rules" %}
      {% include "greeting" %}
      {% for step in TASK.steps %}{{ step }}{% endfor %}
  - history: HISTORY
  - role: user
    when: GOAL
    content: "{{ GOAL | fenced }}¦"
reply:
  actions:
    DONE: {params: {type: object, properties: {note: {type: string, description: A remark}}}}
  rules:
    - name: short
      require: reply.params.note | length < 10 or GOAL == ""
      message: "{{ reply.params.note }} is too long for {{ GOAL }}"
tests:
  - name: a
    context: {GOAL: write}
"""
BASE = """\
promptpack: 1
name: base
version: 1.2.0
description: What others share.
abstract: true
inputs:
  HISTORY: {type: array, default: [], description: What was said.}
partials:
  greeting: Hello.
"""


@pytest.fixture
def open_buffer(tmp_path: Path) -> OpenBuffer:
    """Open a pack next to its parent; the bar in the text marks the cursor."""
    for name, text in (("base/1.2.0.yaml", BASE), ("demo/1.0.0.yaml", PACK.replace("¦", ""))):
        path = tmp_path / "packs" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    workspace = Workspace()
    file = str(tmp_path / "packs" / "demo" / "1.0.0.yaml")

    def opened(text: str = PACK) -> tuple[Buffer, int]:
        workspace.open(file, PACK.replace("¦", ""))
        return workspace.open(file, text.replace("¦", "")), text.index("¦")

    return opened


def typed(before: str, after: str = "") -> str:
    """Put a half-typed text at the end of the user's message, with the cursor after it."""
    return PACK.replace('"{{ GOAL | fenced }}¦"', f"'{before}¦{after}'")
