"""Packs in an object store: a server on 127.0.0.1 that speaks the API of S3, and the real client."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from promptpack import Library, PackError
from promptpack.library.locking import renew_lock
from promptpack.problem import PromptpackError

PATH = "packs/demo/1.0.0.yaml"
SECRET = "the-secret-of-the-store"  # noqa: S105 -- the server accepts any
HINT = "check the address and the network; a URL with #sha256= works offline once it was fetched"
PACK = """promptpack: 1
name: demo
version: 1.0.0
inputs: {WHO: {$ref: ../../schemas/who.schema.json, default: you}}
messages:
  - {role: user, content: '%s {%% include "shared" %%} {{ WHO }}'}
"""
FILES = {
    PATH: PACK % "hi",
    "packs/_partials/shared.j2": "to",
    "packs/demo/photo.png": "not a file of a pack",
    "schemas/who.schema.json": '{"type": "string"}',
    "packs-old/demo/0.1.0.yaml": "not in the folder",
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadedMotoServer]:
    running = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    yield running
    running.stop()


@pytest.fixture
def store(server: ThreadedMotoServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of a bucket with packs, as files and as an archive."""
    assert server
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PROMPTPACK_CACHE", str(tmp_path / "cache"))
    client = boto3.client("s3")
    client.create_bucket(Bucket="bucket")
    for key, text in FILES.items():
        put(client, key, text)
    put(client, "packs.zip", make_zip(FILES))
    return client


def put(client: Any, key: str, content: str | bytes) -> None:
    client.put_object(Bucket="bucket", Key=key, Body=content)


def make_zip(files: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def text_of(library: Library) -> str:
    return library.get("demo").render().messages[0].text


def message_of(source: str) -> str:
    with pytest.raises(PromptpackError) as raised:
        Library.open(source)
    assert SECRET not in repr(raised.value) + str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("source", ["s3://bucket/packs/", "s3://bucket/packs.zip"])
def test_a_lock_pins_what_a_store_has_and_it_then_works_offline(
    source: str, store: Any, server: ThreadedMotoServer, tmp_path: Path
) -> None:
    (tmp_path / "packs").mkdir()
    library = Library.open("packs", source)
    assert text_of(library) == "hi to you"
    with pytest.raises(PackError, match=f"PP786 {source} is not locked"):
        Library.open("packs", source, frozen=True)
    (tmp_path / "packs" / "packs.lock").write_text(renew_lock(library, library.folders[0]))
    put(store, PATH, PACK % "bye")
    put(store, "packs.zip", make_zip({**FILES, PATH: PACK % "bye"}))
    assert text_of(Library.open(source)) == "bye to you"
    server.stop()
    assert text_of(Library.open("packs", source, frozen=True)) == "hi to you"


@pytest.mark.parametrize("source", ["s3://bucket/packs/", "s3://bucket/packs.zip"])
def test_another_digest_is_refused(source: str, store: Any) -> None:
    other = "0" * 64
    assert store
    assert f"{source}: PP782 the content has the digest " in message_of(f"{source}#sha256={other}")


def test_files_of_other_folders_do_not_count(store: Any) -> None:
    source = Library.open("s3://bucket/packs/").folders[0]
    put(store, "other/x.yaml", "a: 1")
    put(store, "packs/demo/photo.png", "another photo")
    assert store
    assert Library.open("s3://bucket/packs/").folders[0].source_digest == source.source_digest  # type: ignore[attr-defined]
    put(store, "schemas/who.schema.json", '{"type": "string", "minLength": 1}')
    assert Library.open("s3://bucket/packs/").folders[0].source_digest != source.source_digest  # type: ignore[attr-defined]


def test_a_bucket_of_packs_only(store: Any) -> None:
    store.create_bucket(Bucket="only")
    store.put_object(Bucket="only", Key="demo/1.0.0.yaml", Body=FILES[PATH].split("inputs")[0] + "messages: []\n")
    assert [str(one.path) for one in Library.open("s3://only/").entries] == ["s3://only/demo/1.0.0.yaml"]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("s3://bucket/none.zip", "PP781 cannot be fetched: there is no such file\n  hint: " + HINT),
        ("s3://nothing/packs.zip", "PP781 cannot be fetched: there is no such file\n  hint: " + HINT),
        ("s3://nothing/packs/", "PP781 cannot be fetched: there is no such file\n  hint: " + HINT),
        (
            "s3://bucket/none/",
            "PP778 the folder has no packs\n  hint: check its path; a pack is FOLDER/<name>/<version>.yaml",
        ),
    ],
)
def test_what_a_store_does_not_have(source: str, problem: str, store: Any, tmp_path: Path) -> None:
    assert store
    assert message_of(source) == f"{source}: {problem}"
    assert not list((tmp_path / "cache").rglob("sources/*"))


def test_a_store_that_cannot_be_reached(server: ThreadedMotoServer) -> None:
    server.stop()
    found = message_of("s3://bucket/packs.zip")
    assert found == f"s3://bucket/packs.zip: PP781 cannot be fetched: the server cannot be reached\n  hint: {HINT}"


def test_a_large_file_is_not_read(store: Any) -> None:
    put(store, "packs/demo/2.0.0.yaml", "#" * 1_000_001)
    found = message_of("s3://bucket/packs/")
    assert found.startswith("s3://bucket/packs/demo/2.0.0.yaml: PP775 has more than 1,000,000 bytes\n")
