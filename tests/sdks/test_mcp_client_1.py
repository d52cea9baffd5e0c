"""`promptpack mcp` with the official client 1.x, which cannot share an environment with the server: see `make mcp-1`."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
import pytest

if not version("mcp").startswith("1."):
    pytest.skip("needs the environment of `make mcp-1`", allow_module_level=True)

# Of another version than the one that types are checked with.
mcp: Any = import_module("mcp")
http_client: Any = import_module("mcp.client.streamable_http").streamable_http_client
ROOT = Path(__file__).parents[2]
SERVER = os.environ.get("PROMPTPACK_SERVER", sys.executable)
DEADLINE = 120
GREETER = """\
promptpack: 1
name: greeter
version: 1.0.0
description: Greets someone.
inputs:
  WHO: {type: string, minLength: 1, description: Whom to greet.}
  TONE: {enum: [warm, dry], default: warm, description: How.}
messages:
  - {role: system, content: You greet people.}
  - {role: user, content: "Greet {{ WHO }}, {{ TONE }}."}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "packs" / "greeter").mkdir(parents=True)
    release(tmp_path, "1.0.0")
    return tmp_path


def release(folder: Path, version: str) -> None:
    text = GREETER.replace("1.0.0", version)
    (folder / "packs" / "greeter" / f"{version}.yaml").write_text(text, encoding="utf-8")


@asynccontextmanager
async def over_stdio(folder: Path) -> AsyncIterator[tuple[Any, Any]]:
    words = ["-m", "promptpack", "mcp", "packs"]
    server = mcp.StdioServerParameters(command=SERVER, args=words, cwd=folder, env={"PYTHONPATH": str(ROOT)})
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        async with mcp.stdio_client(server, log) as streams:
            yield streams


@contextmanager
def http_server(folder: Path) -> Iterator[str]:
    words = [SERVER, "-m", "promptpack", "mcp", "packs", "--http", "127.0.0.1:0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            yield process.stderr.readline().split()[-1]
        finally:
            process.kill()


async def try_everything(incoming: Any, outgoing: Any, folder: Path) -> None:
    heard = anyio.Event()

    async def hear(message: Any) -> None:
        if getattr(getattr(message, "root", None), "method", "") == "notifications/prompts/list_changed":
            heard.set()

    async with mcp.ClientSession(incoming, outgoing, message_handler=hear) as session:
        started = await session.initialize()
        assert started.protocolVersion == "2025-11-25"
        assert started.capabilities.prompts.listChanged
        (prompt,) = (await session.list_prompts()).prompts
        assert [(one.name, one.required) for one in prompt.arguments] == [("WHO", True), ("TONE", False)]
        result = await session.get_prompt("greeter", {"WHO": "Ada"})
        assert [one.content.text for one in result.messages] == ["You greet people.\n\nGreet Ada, warm."]
        assert result.meta["promptpack/version"] == "1.0.0"
        with pytest.raises(mcp.McpError, match=r"PP415 input 'WHO' is missing\n  hint: Whom to greet\."):
            await session.get_prompt("greeter", {})
        found = await session.complete(
            mcp.types.PromptReference(type="ref/prompt", name="greeter"), {"name": "TONE", "value": "d"}
        )
        assert found.completion.values == ["dry"]
        # The client checks the structured result against the output schema.
        await session.list_tools()
        checked = await session.call_tool("lint", {})
        assert checked.structuredContent["files"] == ["packs/greeter/1.0.0.yaml"]
        refused = await session.call_tool("render", {"pack": "greeter", "context": {}})
        assert refused.isError
        assert refused.content[0].text == "PP415 input 'WHO' is missing\n  hint: Whom to greet."
        release(folder, "2.0.0")
        await heard.wait()
        (prompt,) = (await session.list_prompts()).prompts
        assert prompt.meta["promptpack/version"] == "2.0.0"


def test_a_client_1_uses_the_packs_over_stdio(folder: Path) -> None:
    async def use() -> None:
        with anyio.fail_after(DEADLINE):
            async with over_stdio(folder) as (incoming, outgoing):
                await try_everything(incoming, outgoing, folder)

    anyio.run(use)
    assert (folder / "log.txt").read_text(encoding="utf-8") == ""


def test_a_client_1_uses_the_packs_over_http(folder: Path) -> None:
    async def use(url: str) -> None:
        with anyio.fail_after(DEADLINE):
            async with http_client(url) as (incoming, outgoing, _):
                await try_everything(incoming, outgoing, folder)

    with http_server(folder) as url:
        anyio.run(use, url)
