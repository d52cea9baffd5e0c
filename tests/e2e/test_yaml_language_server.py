"""An editor with only the JSON Schema of packs: the real yaml-language-server, over stdio."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.e2e.language_client import ServerClient, start_server

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).parent / "node"
SERVER = Path(sys.prefix) / "editor" / "node_modules" / ".bin" / "yaml-language-server"
PLANNER = (ROOT / "packs" / "planner" / "1.0.0.en.yaml").read_text(encoding="utf-8")
SETTINGS = {"yaml": {"validate": True, "hover": True, "completion": True, "schemaStore": {"enable": False}}}
CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(configuration=True),
    text_document=types.TextDocumentClientCapabilities(
        completion=types.CompletionClientCapabilities(
            completion_item=types.ClientCompletionItemOptions(
                snippet_support=True,
                documentation_format=[types.MarkupKind.Markdown],
                tag_support=types.CompletionItemTagOptions(value_set=[]),
            )
        ),
        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
    ),
)


@pytest_asyncio.fixture
async def client() -> AsyncIterator[ServerClient]:
    params = types.InitializeParams(capabilities=CAPABILITIES, process_id=None, root_uri=ROOT.as_uri())
    async with start_server([str(NODE), str(SERVER), "--stdio"], params, SETTINGS) as started:
        yield started


def opened(client: ServerClient, text: str, name: str) -> str:
    """Open a text as if it were a file next to the planner, so that its modeline finds the schema."""
    uri = (ROOT / "packs" / "planner" / name).as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=text))
    )
    return uri


def position(text: str, before: str) -> types.Position:
    """Return the position right after a piece of text."""
    offset = text.index(before) + len(before)
    return types.Position(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def at(uri: str, text: str, before: str) -> tuple[types.TextDocumentIdentifier, types.Position]:
    return types.TextDocumentIdentifier(uri), position(text, before)


@pytest.mark.asyncio
async def test_a_shipped_pack_has_no_diagnostics(client: ServerClient) -> None:
    uri = opened(client, PLANNER, "clean.yaml")
    assert await client.wait_for_diagnostics(uri) == []


@pytest.mark.asyncio
async def test_a_misspelled_key_and_a_wrong_word_are_shown_at_their_positions(client: ServerClient) -> None:
    text = PLANNER.replace("version: 1.0.0", "verison: 1.0.0").replace("role: system", "role: sytem")
    uri = opened(client, text, "wrong.yaml")
    found = await client.wait_for_diagnostics(uri, lambda published: len(published.diagnostics) > 0)
    lines = {text.split("\n")[one.range.start.line].strip(): one for one in found}
    assert "verison" in lines["verison: 1.0.0"].message
    assert "system" in lines["role: sytem"].message
    assert lines["role: sytem"].range.start == position(text, "role: ")


@pytest.mark.asyncio
async def test_keys_are_completed_with_their_meaning(client: ServerClient) -> None:
    text = PLANNER.replace("locale: en\n", "locale: en\nab\n")
    uri = opened(client, text, "keys.yaml")
    found = await client.text_document_completion_async(types.CompletionParams(*at(uri, text, "\nab")))
    items = found.items if isinstance(found, types.CompletionList) else found or []
    documented = {item.label: item.documentation for item in items}
    assert documented["abstract"]
    assert "syntax" in documented


@pytest.mark.asyncio
async def test_the_words_of_an_enum_are_completed(client: ServerClient) -> None:
    text = PLANNER.replace("role: user", "role: ", 1)
    uri = opened(client, text, "enum.yaml")
    found = await client.text_document_completion_async(
        types.CompletionParams(*at(uri, text, "- id: task\n    role: "))
    )
    items = found.items if isinstance(found, types.CompletionList) else found or []
    assert {"system", "developer", "user", "assistant", "tool"} <= {item.label for item in items}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("before", "explanation"),
    [("\nexten", "this pack extends"), ("trust: untr", "untrusted"), ("    role: sys", "role of the speaker")],
)
async def test_a_word_is_explained(client: ServerClient, before: str, explanation: str) -> None:
    uri = opened(client, PLANNER, "hover.yaml")
    found = await client.text_document_hover_async(types.HoverParams(*at(uri, PLANNER, before)))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert explanation in found.contents.value.lower()
