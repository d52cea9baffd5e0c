"""Packs at URLs, from a real server on loopback."""

import hashlib
import http.server
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from promptpack import Library
from promptpack.cache import Cache
from promptpack.problem import MissingExtraError, PromptpackError, UsageError
from promptpack.sources import fetching, remote
from promptpack.sources.remote import RemoteAddress, open_url
from tests.e2e.conftest import run
from tests.unit.sources.test_archive import PACK, PATH, make_zip

CONTENT = make_zip({PATH: PACK % "remote"})
DIGEST = hashlib.sha256(CONTENT).hexdigest()
HINT = "check the address and the network; a URL with #sha256= works offline once it was fetched"
Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


def send(status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def drip(handler: http.server.BaseHTTPRequestHandler) -> None:
    send(200, b"", {"Content-Length": "100"})(handler)
    time.sleep(3)


class Handler(http.server.BaseHTTPRequestHandler):
    answers: ClassVar[dict[str, Answer]] = {}
    requests: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.requests.append((path, self.headers.get("Authorization", "")))
        self.answers[path](self)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    Handler.requests.clear()
    Handler.answers.update({
        "/packs.zip": send(200, CONTENT),
        "/gone.zip": send(404),
        "/denied.zip": send(403),
        "/broken.zip": send(500),
        "/cut.zip": send(200, CONTENT[:-30], {"Content-Length": str(len(CONTENT))}),
        "/short.zip": send(200, CONTENT[:-30]),
        "/moved.zip": send(302, b"", {"Location": "/packs.zip"}),
        "/file.zip": send(302, b"", {"Location": "file:///etc/passwd"}),
        "/loop.zip": send(302, b"", {"Location": "/loop.zip"}),
        "/slow.zip": drip,
    })  # fmt: skip
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Cache.open(str(tmp_path / "cache"))


def stored(tmp_path: Path) -> list[str]:
    return [path.name for path in (tmp_path / "cache" / "sources").iterdir()]


def message_of(source: str, cache: Cache) -> str:
    with pytest.raises(PromptpackError) as raised:
        open_url(source, cache)
    shown: BaseException | None = raised.value
    while shown is not None:  # neither the error nor its causes contain credentials
        assert "secret" not in repr(shown) + str(shown)
        shown = shown.__cause__ or shown.__context__
    return str(raised.value)


def test_packs_at_a_url(server: str, tmp_path: Path, cache: Cache) -> None:
    library = Library.open(f"{server}/packs.zip", cache=str(tmp_path / "cache"))
    assert library.get("demo").render().messages[0].content == "remote"
    assert [entry.path for entry in library.list()] == [f"{server}/packs.zip/{PATH}"]
    assert stored(tmp_path) == [DIGEST]
    assert cache.is_on
    assert library.reload().library is library
    assert len(Handler.requests) == 1


def test_a_url_with_a_digest_is_fetched_once(server: str, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"{server}/packs.zip#sha256={DIGEST}"
    assert list(open_url(source, cache).find(".yaml")) == ["demo/1.0.0.yaml"]
    monkeypatch.setattr(fetching, "fetch", None)
    assert list(open_url(source, cache).find(".yaml")) == ["demo/1.0.0.yaml"]
    assert len(Handler.requests) == 1


def test_a_damaged_file_of_the_cache_is_fetched_again(server: str, tmp_path: Path, cache: Cache) -> None:
    source = f"{server}/packs.zip#sha256={DIGEST}"
    open_url(source, cache)
    file = tmp_path / "cache" / "sources" / DIGEST
    for damaged in (make_zip({PATH: PACK % "evil"}), b"", CONTENT[:-1]):
        file.write_bytes(damaged)
        assert open_url(source, cache).texts[PATH.removeprefix("packs/")] == (PACK % "remote").encode()
        assert file.read_bytes() == CONTENT


def test_another_digest_is_refused_and_nothing_is_stored(server: str, tmp_path: Path, cache: Cache) -> None:
    other = "0" * 64
    assert message_of(f"{server}/packs.zip#sha256={other}", cache) == (
        f"{server}/packs.zip: PP782 the content has the digest {DIGEST}, not {other}\n"
        "  hint: it was replaced or damaged; if the change is intended, use the new digest"
    )
    assert stored(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/gone.zip", "there is no such file"),
        ("/denied.zip", "the server answered with status 403"),
        ("/broken.zip", "the server answered with status 500"),
        ("/cut.zip", "the download was cut off"),
        ("/file.zip", "the server redirects to another protocol"),
        ("/loop.zip", "the server redirects too often"),
    ],
)
def test_what_cannot_be_fetched(server: str, tmp_path: Path, cache: Cache, path: str, reason: str) -> None:
    host = server.removeprefix("http://")
    found = message_of(f"http://user:secret@{host}{path}?token=secret", cache)
    assert found == f"{server}{path}: PP781 cannot be fetched: {reason}\n  hint: {HINT}"
    assert stored(tmp_path) == []


def test_a_truncated_archive_is_not_stored(server: str, tmp_path: Path, cache: Cache) -> None:
    assert message_of(f"{server}/short.zip", cache).startswith(f"{server}/short.zip: PP776 is not a zip file")
    assert stored(tmp_path) == []


def test_a_slow_server(server: str, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_SILENT_SECONDS", 0.2)
    assert message_of(f"{server}/slow.zip", cache) == (
        f"{server}/slow.zip: PP781 cannot be fetched: the server did not answer in time\n  hint: {HINT}"
    )


def test_no_server(cache: Cache) -> None:
    source = "http://127.0.0.1:9/packs.zip"
    assert (
        message_of(source, cache) == f"{source}: PP781 cannot be fetched: the server cannot be reached\n  hint: {HINT}"
    )


def test_a_large_body_is_not_read(server: str, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "MAX_ARCHIVE_BYTES", 100)
    assert message_of(f"{server}/packs.zip", cache) == (
        f"{server}/packs.zip: PP775 has more than 100 bytes\n  hint: use a source with packs only"
    )


def test_a_redirect_is_followed(server: str, cache: Cache) -> None:
    assert list(open_url(f"{server}/moved.zip", cache).find(".yaml")) == ["demo/1.0.0.yaml"]


def test_credentials_are_sent_but_never_shown(server: str, cache: Cache) -> None:
    host = server.removeprefix("http://")
    folder = open_url(f"http://user:secret@{host}/packs.zip?token=secret", cache)
    assert Handler.requests == [("/packs.zip", "Basic dXNlcjpzZWNyZXQ=")]
    assert "secret" not in repr(folder)
    assert folder.root == f"{server}/packs.zip/packs"


def test_a_folder_inside_an_archive(server: str, cache: Cache) -> None:
    Handler.answers["/nested.zip"] = send(200, make_zip({f"repo-1.0/{PATH}": PACK % "nested"}))
    folder = open_url(f"zip://repo-1.0/packs::{server}/nested.zip", cache)
    assert list(folder.find(".yaml")) == ["demo/1.0.0.yaml"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("file:///etc/packs.zip", "packs are not read with 'file'"),
        ("memory://packs.zip", "packs are not read with 'memory'"),
        ("simplecache::https://h/packs.zip", "only 'zip' may precede '::'"),
        ("zip::simplecache::https://h/packs.zip", "only 'zip' may precede '::'"),
        ("zip::file:///etc/packs.zip", "packs are not read with 'file'"),
        ("https://h/packs.zip#sha256=12", "the part after '#' is not a digest"),
        ("https://u:secret@[h/packs.zip", "the URL is not valid"),
        ("https://h/packs", "the URL names neither an archive nor a folder"),
        ("https://h/packs/", "a web server does not list folders"),
        ("http://h.example/packs.zip", "http does not protect packs in transit"),
    ],
)
def test_urls_that_are_not_used(source: str, message: str) -> None:
    with pytest.raises(UsageError, match=r"PP783") as raised:
        RemoteAddress.parse(source)
    assert raised.value.problems[0].message == message
    assert raised.value.problems[0].hint


def test_http_with_a_digest_is_used() -> None:
    assert RemoteAddress.parse(f"http://h.example/packs.zip#sha256={DIGEST}").digest == DIGEST


def test_without_the_extra(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError) as raised:
        open_url("https://h.example/packs.zip", cache)
    assert str(raised.value) == (
        "PP785 reading packs from https://h.example/packs.zip needs the extra 'remote'\n"
        "  hint: run: python -m pip install 'promptpack-agents[remote]'"
    )


def test_a_protocol_whose_package_is_missing(cache: Cache) -> None:
    with pytest.raises(MissingExtraError) as raised:
        open_url("s3://bucket/packs.zip", cache)
    assert str(raised.value).endswith("hint: run: python -m pip install 'promptpack-agents[remote]', and install s3fs")


def test_https_is_not_left() -> None:
    from yarl import URL

    refuses = fetching.leaves_https
    assert refuses(URL("https://a/x"), "http://a/y")
    assert refuses(URL("https://a/x"), "file:///etc/passwd")
    assert not refuses(URL("https://a/x"), "/y")
    assert not refuses(URL("https://a/x"), "https://b/y")
    assert not refuses(URL("http://127.0.0.1/x"), "http://b/y")


def test_a_lock_pins_a_url_which_then_works_offline(
    server: str, tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.is_on
    packs = tmp_path / "packs"
    (packs / "own").mkdir(parents=True)
    (packs / "own" / "1.0.0.yaml").write_text((PACK % "own").replace("demo", "own"))
    monkeypatch.setenv("PROMPTPACK_CACHE", str(tmp_path / "cache"))
    source = f"{server.replace('//', '//user:secret@')}/packs.zip?key=secret"
    assert run(tmp_path, "lock", "packs", source).returncode == 0
    lock = (packs / "packs.lock").read_text()
    assert f'  "{server}/packs.zip": sha256:{DIGEST}\n' in lock
    assert "secret" not in lock
    Handler.requests.clear()
    Handler.answers["/packs.zip"] = send(200, make_zip({PATH: PACK % "evil"}))
    library = Library.open(str(packs), source, frozen=True)
    assert library.get("demo").render().messages[0].text == "remote"
    assert Handler.requests == []
    (tmp_path / "cache" / "sources" / DIGEST).unlink()
    with pytest.raises(UsageError, match=f"PP782 the content has the digest .*, not {DIGEST}"):
        Library.open(str(packs), source)
