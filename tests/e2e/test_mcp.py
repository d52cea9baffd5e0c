"""The command `promptpack mcp` with the official client: over standard input and output, and over HTTP on loopback."""

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import pytest
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.server.subscriptions import PromptsListChanged

from promptpack.cli.commands.mcp import command
from promptpack.problem import MissingExtraError
from tests.e2e.conftest import run

ROOT = Path(__file__).parents[2]
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
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"test","version":"1"}}}\n'
)
MODES = pytest.mark.parametrize(("mode", "protocol"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "packs" / "greeter").mkdir(parents=True)
    release(tmp_path, "1.0.0")
    return tmp_path


def release(folder: Path, version: str) -> None:
    text = GREETER.replace("1.0.0", version)
    (folder / "packs" / "greeter" / f"{version}.yaml").write_text(text, encoding="utf-8")


class Hearing:
    """Notes whether an older client was told that the prompts have changed."""

    def __init__(self) -> None:
        self.changed = anyio.Event()

    async def __call__(self, message: object) -> None:
        if isinstance(message, types.PromptListChangedNotification):
            self.changed.set()


@asynccontextmanager
async def over_stdio(folder: Path, mode: str, hearing: Hearing) -> AsyncIterator[Client]:
    words = ["-m", "promptpack", "mcp", "packs"]
    server = StdioServerParameters(command=sys.executable, args=words, cwd=folder, env={"PYTHONPATH": str(ROOT)})
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        async with Client(stdio_client(server, log), mode=mode, message_handler=hearing) as client:
            yield client


@contextmanager
def http_server(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command on a free port; yield the process and its URL."""
    words = [sys.executable, "-m", "promptpack", "mcp", "packs", "--http", "127.0.0.1:0", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            started = process.stderr.readline()
            assert started.startswith("serving packs at http://127.0.0.1:"), started
            yield process, started.split()[-1]
        finally:
            process.kill()


def post(url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """Send one request; unlike other clients, `http.client` sends the Host that it is told."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=DEADLINE)
    accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    try:
        connection.request("POST", urlsplit(url).path, body, {**accepted, **headers})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


async def try_everything(client: Client, protocol: str) -> None:
    """Use every part of the protocol that the server answers."""
    assert client.protocol_version == protocol
    (prompt,) = (await client.list_prompts()).prompts
    assert (prompt.name, prompt.description) == ("greeter", "Greets someone.")
    result = await client.get_prompt("greeter", {"WHO": "Ada"})
    (message,) = result.messages
    assert message.content == types.TextContent(type="text", text="You greet people.\n\nGreet Ada, warm.")
    assert result.meta is not None
    assert result.meta["promptpack/version"] == "1.0.0"
    with pytest.raises(MCPError, match=r"PP415 input 'WHO' is missing\n  hint: Whom to greet\.") as caught:
        await client.get_prompt("greeter")
    assert caught.value.code == types.INVALID_PARAMS
    ref = types.PromptReference(name="greeter")
    assert (await client.complete(ref, {"name": "TONE", "value": "d"})).completion.values == ["dry"]
    assert [tool.name for tool in (await client.list_tools()).tools] == ["list_packs", "render", "check_reply", "lint"]
    rendered = await client.call_tool("render", {"pack": "greeter", "context": {"WHO": "Bo", "TONE": "dry"}})
    assert rendered.structured_content["messages"][1] == {"role": "user", "content": "Greet Bo, dry."}
    linted = await client.call_tool("lint", {})
    assert linted.structured_content["files"] == ["packs/greeter/1.0.0.yaml"]


async def expect_announcement(client: Client, folder: Path, hearing: Hearing) -> None:
    """Release a new version, and wait until the server announces it."""
    if client.protocol_version == "2026-07-28":
        async with client.listen(prompts_list_changed=True) as changes:
            release(folder, "2.0.0")
            assert await anext(aiter(changes)) == PromptsListChanged()
    else:
        release(folder, "2.0.0")
        await hearing.changed.wait()
    (prompt,) = (await client.list_prompts()).prompts
    assert prompt.meta is not None
    assert prompt.meta["promptpack/version"] == "2.0.0"


@pytest.mark.asyncio
@MODES
async def test_a_client_uses_the_packs_over_stdio(folder: Path, mode: str, protocol: str) -> None:
    hearing = Hearing()
    with anyio.fail_after(DEADLINE):
        async with over_stdio(folder, mode, hearing) as client:
            await try_everything(client, protocol)
            await expect_announcement(client, folder, hearing)
    assert (folder / "log.txt").read_text(encoding="utf-8") == ""


@pytest.mark.asyncio
@pytest.mark.usefixtures("no_certificates")
async def test_clients_of_both_protocols_use_the_packs_over_http_until_ctrl_c(folder: Path) -> None:
    with http_server(folder) as (process, url), anyio.fail_after(DEADLINE):
        hearing = Hearing()
        async with Client(url, mode="legacy", message_handler=hearing) as older, Client(url) as newer:
            await try_everything(older, "2025-11-25")
            await try_everything(newer, "2026-07-28")
            await expect_announcement(newer, folder, hearing)
            await hearing.changed.wait()
            async with newer.listen(prompts_list_changed=True) as changes:
                process.send_signal(signal.SIGINT)
                assert [change async for change in changes] == []
            assert await anyio.to_thread.run_sync(process.wait) == 0
            assert process.stderr is not None
            assert process.stderr.read() == ""


def test_http_refuses_other_hosts_and_origins(folder: Path) -> None:
    with http_server(folder, "--allow-host", "prompts.example.org") as (_, url):
        refused = {
            "Origin": ["http://evil.example", "null", "http://localhost.evil.example", "http://evil.example:8000"],
            "Host": ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example"],
        }
        for name, values in refused.items():
            for value in values:
                status, body = post(url, INITIALIZE, {name: value})
                assert (status, body) == (403 if name == "Origin" else 421, f"Invalid {name} header".encode())
        for headers in ({}, {"Origin": "http://localhost:6274"}, {"Host": "prompts.example.org"}):
            assert post(url, INITIALIZE, headers)[0] == 200
        assert post(url, b"", {"Content-Length": "5000000"}) == (413, b"Request body too large")
        assert post(url, b"{", {})[0] == 400
        assert post(url, INITIALIZE, {"Content-Type": "text/plain"})[0] == 400
        assert post(url.replace("/mcp", "/packs"), INITIALIZE, {})[0] == 404


def start(folder: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "promptpack", "mcp", "packs"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(words, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)


def test_stdio_ends_when_the_input_is_closed_and_prints_only_the_protocol(folder: Path) -> None:
    with start(folder) as process:
        out, err = process.communicate(b"not json\n" + INITIALIZE, timeout=DEADLINE)
    assert (process.returncode, err) == (0, b"")
    (line,) = out.splitlines()
    assert line.startswith(b'{"jsonrpc":"2.0","id":1,"result":')


def test_stdio_ends_with_ctrl_c_while_it_waits_for_input(folder: Path) -> None:
    with start(folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(INITIALIZE)
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"jsonrpc"')
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_a_message_without_end_closes_the_connection(folder: Path) -> None:
    with start(folder) as process:
        out, err = process.communicate(b"x" * 4_000_001, timeout=DEADLINE)
    assert (process.returncode, out) == (0, b"")
    assert err == b"a message is larger than 4000000 bytes; the connection ends\n"


def test_wrong_addresses_are_refused_before_anything_starts(folder: Path) -> None:
    remote = run(folder, "mcp", "packs", "--http", "192.0.2.1:8000")
    wrong = run(folder, "mcp", "packs", "--http", "here")
    alone = run(folder, "mcp", "packs", "--allow-host", "example.org")
    assert (remote.returncode, wrong.returncode, alone.returncode) == (2, 2, 2)
    assert "--allow-host needs --http" in alone.stderr
    assert remote.stderr.startswith("PP653 other machines could connect to '192.0.2.1:8000'\n")
    assert wrong.stderr.startswith("PP652 'here' is not an address\n")


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    monkeypatch.setitem(sys.modules, "promptpack.mcp.server", None)
    result = CliRunner().invoke(command)
    assert isinstance(result.exception, MissingExtraError)
    assert str(result.exception) == (
        "PP650 the MCP server needs the extra 'mcp'\n"
        "  hint: run: python -m pip install 'promptpack-agents[mcp]', or install 'mcp>=2.3'"
    )
