"""The command `promptpack studio` and its server: hostile requests, its address, its links, its messages, its bundle."""

import asyncio
import filecmp
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from promptpack.cli.commands.studio import command
from promptpack.problem import MissingExtraError
from promptpack.studio.session import MAX_MESSAGE_BYTES, describe_bug
from tests.e2e.conftest import run

ROOT = Path(__file__).parents[2]
WEB = ROOT / "promptpack" / "studio" / "web"
STATIC = ROOT / "promptpack" / "studio" / "static"
MODULES = Path(sys.prefix) / "studio" / "node_modules"
REQUESTS = json.loads((Path(__file__).parent / "studio_requests.json").read_text("utf-8"))
PACK = "promptpack: 1\nname: greeter\nversion: 1.0.0-dev\nmessages:\n  - {role: user, content: Hello.}\n"
PATH = "greeter/1.0.0-dev.yaml"


UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


class Running:
    """A studio in its own process, and the cookie of a browser that opened it."""

    def __init__(self, folder: Path, *words: str) -> None:
        environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
        arguments = [sys.executable, "-m", "promptpack", "studio", "packs", "--no-open", *words]
        self.process = subprocess.Popen(arguments, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
        self.link = self.read_link()
        self.port = int(re.findall(r":(\d+)/", self.link)[0])
        self.cookie = re.findall(
            r"(?i)set-cookie: ([^;]+)", self.send(f"GET {self.target} HTTP/1.1\nHost: {self.host}\n")
        )[0]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def target(self) -> str:
        return self.link.partition(self.host)[2]

    def read_link(self) -> str:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.match(r"open (\S+) \(works once\)", line):
                return found[1]
        raise AssertionError("the studio did not start")

    def send(self, request: str) -> str:
        head, _, body = request.partition("\n\n")
        raw = head.strip("\n").replace("\n", "\r\n") + "\r\n\r\n" + body.replace("\n", "\r\n")
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(raw.encode())
            return connection.recv(65_536).decode("utf-8", "replace")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=30)
        assert "Traceback" not in said
        assert self.process.returncode == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("studio")
    (found / "packs" / "greeter").mkdir(parents=True)
    (found / "packs" / PATH).write_text(PACK, "utf-8")
    return found


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[Running]:
    running = Running(folder)
    yield running
    running.stop()


@asynccontextmanager
async def connected(studio: Running) -> AsyncIterator[ClientConnection]:
    headers = {"Cookie": studio.cookie}
    origin: Any = f"http://{studio.host}"
    async with connect(f"ws://{studio.host}/ws", origin=origin, additional_headers=headers, max_size=None) as client:
        yield client


async def ask(client: ClientConnection, word: str, **fields: Any) -> dict[str, Any]:
    await client.send(json.dumps({"id": 1, "do": word, **fields}))
    while True:
        answer: dict[str, Any] = json.loads(await client.recv())
        if answer.get("id") == 1:
            return answer


@pytest.mark.parametrize("case", REQUESTS, ids=[case["id"] for case in REQUESTS])
def test_a_request_gets_its_answer(studio: Running, folder: Path, case: dict[str, Any]) -> None:
    before = sorted(folder.rglob("*"))
    request = case["request"].replace("{port}", str(studio.port)).replace("{cookie}", f"Cookie: {studio.cookie}\n")
    answer = studio.send(request)
    assert int(answer.split()[1]) in case["status"]
    assert "alert(1)" not in answer
    assert "access-control" not in answer.lower()
    assert sorted(folder.rglob("*")) == before


def test_it_listens_on_the_loopback_address_only(studio: Running) -> None:
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("utf-8").splitlines()[1:]]
    listening = {
        row[1].partition(":")[0] for row in rows if row[3] == "0A" and int(row[1].partition(":")[2], 16) == studio.port
    }
    assert listening == {"0100007F"}


def test_a_link_is_renewed_only_after_get_used_it(studio: Running) -> None:
    assert studio.send(f"GET {studio.target} HTTP/1.1\nHost: {studio.host}\n").startswith("HTTP/1.1 403")
    renewed = studio.read_link()
    assert renewed != studio.link
    target = renewed.partition(studio.host)[2]
    assert studio.send(f"HEAD {target} HTTP/1.1\nHost: {studio.host}\n").startswith("HTTP/1.1 403")
    answer = studio.send(f"GET {target} HTTP/1.1\nHost: {studio.host}\n")
    assert answer.startswith("HTTP/1.1 303")
    assert "\r\nlocation: /\r\n" in answer
    assert re.search(r"set-cookie: promptpack-studio-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=/\r\n", answer)


@pytest.mark.asyncio
async def test_unknown_words_and_paths_are_answered_with_problems(studio: Running) -> None:
    async with connected(studio) as client:
        answer = await ask(client, "nothing")
        assert answer["problems"][0]["message"] == "unknown message 'nothing'"
        answer = await ask(client, "open", path="../../etc/passwd.yaml")
        assert answer["problems"][0]["code"] == "PP993"
        assert (await ask(client, "open", path=PATH))["ok"]["text"] == PACK


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "message", ["", "[]", "{", '{"id": "1", "do": "packs"}', '{"id": true, "do": "packs"}', '{"id": 1}', "[" * 5000]
)
async def test_an_invalid_message_ends_the_connection(studio: Running, message: str) -> None:
    async with connected(studio) as client:
        await client.send(message)
        await client.wait_closed()
    assert client.close_code == 1008


@pytest.mark.asyncio
async def test_too_large_and_too_many_messages_end_the_connection(studio: Running) -> None:
    async with connected(studio) as client:
        with suppress(ConnectionClosed):
            await client.send(json.dumps({"id": 1, "do": "type", "path": PATH, "text": "x" * MAX_MESSAGE_BYTES}))
        await client.wait_closed()
        assert client.close_code == 1009
    async with connected(studio) as client:
        with suppress(ConnectionClosed):
            for number in range(2_000):
                await client.send(json.dumps({"id": number, "do": "type", "path": PATH, "text": ""}))
        await client.wait_closed()
        assert client.close_code == 1008
    async with connected(studio) as client:
        assert "ok" in await ask(client, "packs")


@pytest.mark.asyncio
async def test_a_message_with_many_values_is_refused_before_it_is_parsed(studio: Running) -> None:
    async with connected(studio) as client:
        answer = await ask(client, "preview", path=PATH, context={"WHO": [[]] * 100_000})
        assert answer["problems"][0]["message"] == "the message has more than 100,000 values"
        answer = await ask(client, "preview", path=PATH, context={"WHO": ",[{" * 100_000})
        assert answer["ok"]["problems"][0]["message"] == "greeter@1.0.0-dev has no input 'WHO'"


def test_connections_without_a_request_take_no_place_from_a_page(studio: Running) -> None:
    with ExitStack() as idle:
        for _ in range(300):
            idle.enter_context(socket.create_connection(("127.0.0.1", studio.port)))
        answer = studio.send(f"GET / HTTP/1.1\nHost: {studio.host}\nCookie: {studio.cookie}\n")
    assert answer.startswith("HTTP/1.1 200")


@pytest.mark.asyncio
async def test_a_tab_too_many_is_told_why(studio: Running) -> None:
    async with AsyncExitStack() as tabs:
        clients = [await tabs.enter_async_context(connected(studio)) for _ in range(33)]
        assert "ok" in await ask(clients[0], "packs")
        await clients[-1].wait_closed()
    assert (clients[-1].close_code, clients[-1].close_reason) == (1013, "too many tabs")


@pytest.mark.asyncio
async def test_a_tab_that_does_not_read_delays_no_other(studio: Running, folder: Path) -> None:
    (folder / "packs" / "large.j2").write_text("x" * 900_000, "utf-8")
    with socket.create_connection(("127.0.0.1", studio.port)) as deaf:
        head = f"GET /ws HTTP/1.1\r\nHost: {studio.host}\r\nOrigin: http://{studio.host}\r\nCookie: {studio.cookie}\r\n"
        deaf.sendall(f"{head}{UPGRADE}\r\n".encode())
        assert deaf.recv(1) == b"H"
        for number in range(60):  # more than the buffers between both processes hold
            message = json.dumps({"id": number, "do": "open", "path": "large.j2"})
            deaf.sendall(Frame(Opcode.TEXT, message.encode()).serialize(mask=True))
            await asyncio.sleep(0.02)
        await hear_of_a_new_file(studio, folder)


async def hear_of_a_new_file(studio: Running, folder: Path) -> None:
    async with connected(studio) as other:
        (folder / "packs" / "new.j2").write_text("new", "utf-8")
        async with asyncio.timeout(30):
            while "new.j2" not in (json.loads(await other.recv()).get("files") or {}):
                pass
    for name in ("large.j2", "new.j2"):
        (folder / "packs" / name).unlink()


@pytest.mark.asyncio
async def test_a_change_on_disk_and_results_of_checks_are_announced(studio: Running, folder: Path) -> None:
    heard: dict[str, Any] = {}
    async with connected(studio) as client:
        assert "ok" in await ask(client, "packs")
        (folder / "packs" / PATH).write_text(PACK.replace("Hello.", "{{ NOBODY }}"), "utf-8")
        async with asyncio.timeout(60):
            while heard.get("status", {}).get(PATH, {}).get("errors") != 1:
                message = json.loads(await client.recv())
                heard[message["event"]] = message.get("files") or message.get("status")
    assert PATH in heard["files"]
    (folder / "packs" / PATH).write_text(PACK, "utf-8")


def test_a_path_that_is_not_a_folder_of_packs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "packs.zip").write_bytes(b"PK")
    missing = run(tmp_path, "studio", "--no-open")
    assert (missing.returncode, missing.stderr) == (
        2,
        "packs: PP991 there is no such folder\n  hint: name a folder of packs, such as: promptpack studio packs\n",
    )
    archive = run(tmp_path, "studio", "packs.zip", "--no-open")
    assert (archive.returncode, archive.stderr) == (
        2,
        "packs.zip: PP991 the studio edits a folder of packs\n"
        "  hint: name a folder of packs, such as: promptpack studio packs\n",
    )


def test_a_port_in_use_is_refused_if_it_was_named(tmp_path: Path, studio: Running) -> None:
    (tmp_path / "packs").mkdir()
    done = run(tmp_path, "studio", "--no-open", "--port", str(studio.port))
    assert (done.returncode, done.stderr) == (
        2,
        f"PP992 port {studio.port} cannot be used: Address already in use\n"
        "  hint: choose another one with --port, or leave it out\n",
    )


def test_a_model_without_a_name_is_refused_before_the_page_opens(tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir()
    done = run(tmp_path, "studio", "--no-open", "--provider", "openai")
    assert done.returncode == 2
    assert done.stderr.startswith("PP906 ")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "promptpack.studio.server", None)
    with pytest.raises(MissingExtraError) as missing:
        command.main(["packs"], standalone_mode=False)
    assert str(missing.value) == (
        "PP990 the studio needs the extra 'studio'\n  hint: run: python -m pip install 'promptpack-agents[studio]'"
    )


def test_a_bug_is_reported_without_its_text() -> None:
    found = describe_bug(KeyError("x"))
    assert (found["code"], found["message"], found["hint"]) == (
        "PP995",
        "this is a bug in promptpack: KeyError",
        "please report it, with the lines in the terminal",
    )


@pytest.mark.skipif(not MODULES.is_dir(), reason="run 'make .venv/studio.stamp' first")
def test_the_bundle_is_built_from_its_sources(tmp_path: Path) -> None:
    shutil.copytree(WEB, tmp_path / "web", ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "web" / "node_modules").symlink_to(MODULES)
    node = Path(sys.executable).parent / "node"
    checked = subprocess.run(
        [node, MODULES / ".bin" / "tsc", "-p", tmp_path / "web"], capture_output=True, text=True, check=False
    )
    assert checked.stdout == ""
    (tmp_path / "built").mkdir()
    subprocess.run([node, tmp_path / "web" / "build.mjs", tmp_path / "built"], check=True)
    names = sorted(path.name for path in STATIC.iterdir())
    assert sorted(path.name for path in (tmp_path / "built").iterdir()) == names
    assert filecmp.cmpfiles(STATIC, tmp_path / "built", names, shallow=False) == (names, [], [])


def test_the_lock_file_names_no_host() -> None:
    text = (WEB / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in text
