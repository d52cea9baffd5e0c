"""A folder of packs with inputs of every kind, and a client that talks to a server in this process."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from promptpack import Library
from promptpack.mcp.served_packs import ServedPacks
from promptpack.mcp.server import PackMcpServer

TRIP = """\
promptpack: 1
name: plan-trip
version: 1.2.0
description: Plans a trip.
locale: en
inputs:
  CITY: {type: string, minLength: 1, description: Where to go.}
  DAYS: {type: integer, minimum: 1, default: 3, description: How long.}
  PACE: {enum: [slow, steady, fast], default: steady, description: How fast.}
  BY_TRAIN: {type: boolean, default: false, description: Whether to take the train.}
  PEOPLE: {type: array, items: {type: string}, default: [], description: Who goes., examples: [[Ada, Bo]]}
  NOTES: {type: [string, object], default: "", description: Anything else.}
  TOKEN: {type: integer, default: 0, secret: true, description: A booking token., examples: [271828]}
messages:
  - {role: system, content: You plan trips.}
  - {role: user, content: "Plan {{ DAYS }} {{ PACE }} days in {{ CITY }}{% if BY_TRAIN %} by train{% endif %} for {{ PEOPLE | join(' + ') }}, {{ NOTES | tojson }} ({{ TOKEN }})."}
reply:
  contract: {$ref: stops.schema.json}
"""
GERMAN = """\
promptpack: 1
name: plan-trip
version: 1.2.0
description: Plant eine Reise.
locale: de
messages:
  - {role: system, content: Du planst Reisen.}
  - {role: user, content: "Plane {{ DAYS }} Tage in {{ CITY }} {{ PACE }} {{ BY_TRAIN }} {{ PEOPLE }} {{ NOTES }} {{ TOKEN }}."}
"""
OLD = TRIP.replace("1.2.0", "1.0.0").replace("Plans a trip.", "Plans a trip, the old way.")
BASE = "promptpack: 1\nname: base\nversion: 1.0.0\ndescription: Shared parts.\nabstract: true\n"
BROKEN = "promptpack: 1\nname: broken\nversion: 1.0.0\nmessages:\n  - {role: user, content: '{{ NOBODY }}'}\n"
STOPS = """\
{"type": "object", "required": ["stops"], "properties": {"stops": {"type": "array", "items": {"type": "string"}}}}
"""
FILES = {
    "plan-trip/stops.schema.json": STOPS,
    "plan-trip/1.2.0.yaml": TRIP,
    "plan-trip/1.2.0.de.yaml": GERMAN,
    "plan-trip/1.0.0.yaml": OLD,
    "base/1.0.0.yaml": BASE,
    "broken/1.0.0.yaml": BROKEN,
}
Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        path = tmp_path / "packs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "packs"


@pytest.fixture
def packs(folder: Path) -> ServedPacks:
    return ServedPacks(Library.open(folder.name))


@pytest.fixture
def connect(folder: Path) -> Connect:
    """Return a function that connects a client; `mode` is legacy for the protocols before 2026-07-28."""

    @asynccontextmanager
    async def connected(mode: str = "auto", locale: str = "") -> AsyncIterator[Client]:
        server = PackMcpServer(Library.open(folder.name), locale, poll_seconds=0.05)
        async with Client(server, mode=mode) as client:
            yield client

    return connected
