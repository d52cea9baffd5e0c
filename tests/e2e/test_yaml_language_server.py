"""What an editor shows for a pack by its JSON Schema alone: the real yaml-language-server, over stdio."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

ROOT = Path(__file__).parents[2]
SERVER = ROOT / ".venv" / "editor" / "node_modules" / ".bin" / "yaml-language-server"
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


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=ClientServerConfig(server_command=[str(Path(sys.executable).parent / "node"), str(SERVER), "--stdio"])
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    lsp_client.set_configuration(SETTINGS)
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=CAPABILITIES, process_id=None, root_uri=ROOT.as_uri())
    )
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, text: str, name: str) -> str:
    """Open a text as if it were a file beside the planner, so that its modeline finds the schema."""
    uri = (ROOT / "packs" / "planner" / name).as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=text))
    )
    return uri


def place(text: str, before: str) -> types.Position:
    """Give the place right after a piece of text."""
    offset = text.index(before) + len(before)
    return types.Position(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def at(uri: str, text: str, before: str) -> tuple[types.TextDocumentIdentifier, types.Position]:
    return types.TextDocumentIdentifier(uri), place(text, before)


async def diagnostics_of(client: LanguageClient, uri: str) -> list[types.Diagnostic]:
    while uri not in client.diagnostics:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return list(client.diagnostics[uri])


@pytest.mark.asyncio
async def test_a_shipped_pack_has_no_diagnostics(client: LanguageClient) -> None:
    assert await diagnostics_of(client, opened(client, PLANNER, "clean.yaml")) == []


@pytest.mark.asyncio
async def test_a_misspelt_key_and_a_wrong_word_are_shown_at_their_places(client: LanguageClient) -> None:
    text = PLANNER.replace("version: 1.0.0", "verison: 1.0.0").replace("role: system", "role: sytem")
    found = await diagnostics_of(client, opened(client, text, "wrong.yaml"))
    lines = {text.split("\n")[one.range.start.line].strip(): one for one in found}
    assert "verison" in lines["verison: 1.0.0"].message
    assert "system" in lines["role: sytem"].message
    assert lines["role: sytem"].range.start == place(text, "role: ")


@pytest.mark.asyncio
async def test_keys_are_completed_with_what_they_mean(client: LanguageClient) -> None:
    text = PLANNER.replace("locale: en\n", "locale: en\nab\n")
    uri = opened(client, text, "keys.yaml")
    found = await client.text_document_completion_async(types.CompletionParams(*at(uri, text, "\nab")))
    items = found.items if isinstance(found, types.CompletionList) else found or []
    documented = {item.label: item.documentation for item in items}
    assert documented["abstract"]
    assert "syntax" in documented


@pytest.mark.asyncio
async def test_the_words_of_an_enum_are_completed(client: LanguageClient) -> None:
    text = PLANNER.replace("role: user", "role: ", 1)
    uri = opened(client, text, "enum.yaml")
    found = await client.text_document_completion_async(
        types.CompletionParams(*at(uri, text, "- id: task\n    role: "))
    )
    items = found.items if isinstance(found, types.CompletionList) else found or []
    assert {"system", "developer", "user", "assistant", "tool"} <= {item.label for item in items}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("before", "told"),
    [("\nexten", "this pack extends"), ("trust: untr", "untrusted"), ("    role: sys", "role of the speaker")],
)
async def test_hovering_explains(client: LanguageClient, before: str, told: str) -> None:
    uri = opened(client, PLANNER, "hover.yaml")
    found = await client.text_document_hover_async(types.HoverParams(*at(uri, PLANNER, before)))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert told in found.contents.value.lower()
