"""The requests of editor extensions to `promptpack lsp`, over stdio: a preview of a text, and its tests."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.e2e.language_client import ServerClient, start_pack_server

GREETER = """\
promptpack: 1
name: greeter
version: 1.0.0
inputs:
  NAME: {type: string, trust: untrusted}
  KEY: {type: string, default: k, secret: true}
messages:
  - role: user
    content: "🙂 Hi {{ NAME | fenced }}\\u200b {{ KEY }}"
reply: {actions: {GO: {}}}
tests:
  - {name: greets 🙂, context: {NAME: Ann, KEY: s3cret}, expect: {contains: [Ann]}}
  - {name: 🙂 fails, context: {NAME: Bob}, expect: {contains: [Hi Ann]}}
"""


@pytest_asyncio.fixture
async def client() -> AsyncIterator[ServerClient]:
    async with start_pack_server() as started:
        yield started


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    file = tmp_path / "packs" / "greeter" / "1.0.0.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(GREETER, encoding="utf-8")
    return file


def show(client: ServerClient, file: Path, text: str) -> str:
    item = types.TextDocumentItem(uri=file.as_uri(), language_id="yaml", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return file.as_uri()


async def ask(client: ServerClient, method: str, uri: str, **params: Any) -> Any:
    return await client.ask(f"promptpack/{method}", {"uri": uri, **params})


@pytest.mark.asyncio
async def test_the_text_in_the_editor_is_previewed_with_the_origin_of_each_span(
    client: ServerClient, pack: Path
) -> None:
    uri = show(client, pack, GREETER.replace("Hi", "Hello"))
    found = await ask(client, "preview", uri)
    assert (found.ok, found.pack, found.problems) == (True, "greeter@1.0.0", [])
    (message,) = found.messages
    assert message.role == "user"
    spans = [(span.text, span.kind, span.trust) for span in message.spans]
    assert spans[0] == ("🙂 Hello ", "template", "trusted")
    assert [(kind, trust) for text, kind, trust in spans if "Ann" in text] == [("input", "fenced")]
    hidden = [span.hidden for span in message.spans if hasattr(span, "hidden")]
    assert hidden == ["U+200B"]
    assert "s3cret" not in str(found)
    assert not hasattr(found, "context")


@pytest.mark.asyncio
async def test_a_preview_takes_the_context_of_a_test_or_a_given_one(client: ServerClient, pack: Path) -> None:
    uri = show(client, pack, GREETER)
    assert "Bob" in str((await ask(client, "preview", uri, test="🙂 fails")).messages)
    assert "Eve" in str((await ask(client, "preview", uri, context={"NAME": "Eve"})).messages)
    refused = await ask(client, "preview", uri, context={"NAME": 1})
    assert (refused.ok, [problem.code for problem in refused.problems]) == (False, ["PP416"])


@pytest.mark.asyncio
async def test_a_broken_text_has_problems_instead_of_a_preview(client: ServerClient, pack: Path) -> None:
    uri = show(client, pack, GREETER.replace("{{ NAME", "{{ NMAE"))
    found = await ask(client, "preview", uri)
    assert (found.ok, found.messages) == (False, [])
    assert [(problem.code, problem.line, problem.hint) for problem in found.problems] == [
        ("PP301", 9, "did you mean 'NAME'?")
    ]


@pytest.mark.asyncio
async def test_tests_are_listed_with_their_places(client: ServerClient, pack: Path) -> None:
    uri = show(client, pack, GREETER)
    found = await ask(client, "tests", uri)
    assert (found.pack, found.locale, found.root) == ("greeter@1.0.0", "", str(pack.parents[1]))
    assert [(test.name, test.uri, test.range.start.line) for test in found.tests] == [
        ("greets 🙂", uri, 11),
        ("🙂 fails", uri, 12),
    ]


@pytest.mark.asyncio
async def test_tests_run_on_the_text_in_the_editor(client: ServerClient, pack: Path) -> None:
    uri = show(client, pack, GREETER)
    found = await ask(client, "runTests", uri)
    passed, failed = found.results
    assert (passed.name, passed.failures) == ("greets 🙂", [])
    (failure,) = failed.failures
    assert failure.message == "the prompt does not contain 'Hi Ann'"
    assert (failure.expected, failure.uri) == ("Hi Ann", uri)
    line = GREETER.splitlines()[12]
    column = len(line[: line.index("Hi Ann")].encode("utf-16-le")) // 2
    assert (failure.range.start.line, failure.range.start.character) == (12, column)
    only = await ask(client, "runTests", uri, tests=["greets 🙂"])
    assert [result.name for result in only.results] == ["greets 🙂"]


@pytest.mark.asyncio
async def test_requests_that_cannot_be_answered_have_errors(client: ServerClient, pack: Path) -> None:
    with pytest.raises(JsonRpcException, match="the document is not open"):
        await ask(client, "preview", pack.as_uri())
    uri = show(client, pack, GREETER)
    with pytest.raises(JsonRpcException, match=r"PP910 greeter@1.0.0 has no test named 'greet'"):
        await ask(client, "runTests", uri, tests=["greet"])
    broken = show(client, pack.with_name("2.0.0.yaml"), GREETER.replace("role: user", "role: usr"))
    with pytest.raises(JsonRpcException, match=r"2.0.0.yaml:8:11: PP205"):
        await ask(client, "tests", broken)
    other = show(client, pack.with_name("compose.yaml"), "services: {}\n")
    with pytest.raises(JsonRpcException, match="the document is not a pack"):
        await ask(client, "preview", other)
    with pytest.raises(JsonRpcException, match="Invalid Params"):
        await client.ask("promptpack/preview", {"url": uri})


@pytest.mark.asyncio
async def test_a_run_of_tests_can_be_cancelled(client: ServerClient, pack: Path) -> None:
    # The whole run takes ten seconds, so that a cancellation arrives in time however busy the machine is.
    slow = "{% for a in range(150) %}{% for b in range(200) %}{% endfor %}{% endfor %}Hi"
    many = "".join(f"  - {{name: t{number}, context: {{NAME: Ann{number}}}}}\n" for number in range(500))
    uri = show(client, pack, GREETER.replace("Hi", slow, 1) + many)
    request = asyncio.ensure_future(client.ask("promptpack/runTests", {"uri": uri}, "run"))
    await asyncio.sleep(0)
    client.protocol.notify("$/cancelRequest", types.CancelParams(id="run"))
    with pytest.raises(JsonRpcException, match="is canceled"):
        await request
