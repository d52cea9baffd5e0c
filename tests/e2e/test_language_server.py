"""`promptpack lsp` as an editor uses it: over stdio, on packs that are being typed."""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.e2e.language_client import DEADLINE, ServerClient, start_pack_server

GREETER = """\
promptpack: 1
name: greeter
version: 1.0.0
extends: base@^1
inputs:
  NAME: {type: string, description: Who is greeted 🙂, trust: untrusted}
messages:
  - role: user
    content: "🙂 {{ NAME | fenced }} {% include 'polite' %}"
tests:
  - {name: greets, context: {NAME: Ann}, expect: {contains: [Ann]}}
"""
BASE = "promptpack: 1\nname: base\nversion: 1.0.0\nabstract: true\npartials:\n  polite: Be polite.\n"


@pytest_asyncio.fixture
async def client() -> AsyncIterator[ServerClient]:
    async with start_pack_server() as started:
        yield started


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    for name, text in (("greeter", GREETER), ("base", BASE)):
        (tmp_path / "packs" / name).mkdir(parents=True)
        (tmp_path / "packs" / name / "1.0.0.yaml").write_text(text, encoding="utf-8")
    return tmp_path / "packs"


def opened(client: ServerClient, packs: Path, text: str) -> types.TextDocumentIdentifier:
    uri = (packs / "greeter" / "1.0.0.yaml").as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return types.TextDocumentIdentifier(uri)


def position(text: str, before: str) -> types.Position:
    """Return the position right after a piece of text, counted in UTF-16 as editors do."""
    offset = text.index(before) + len(before)
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return types.Position(text.count("\n", 0, offset), len(line.encode("utf-16-le")) // 2)


def word(text: str, name: str, before: str = "") -> types.Range:
    start, end = position(text, before) if before else position(text, name), position(text, before + name)
    return types.Range(types.Position(start.line, end.character - len(name)), end)


async def shown(client: ServerClient, uri: str, version: int = 1) -> list[tuple[str | int | None, str, types.Range]]:
    """Return the diagnostics of a version of a document."""
    found = await client.wait_for_diagnostics(uri, lambda published: published.version == version)
    return [(one.code, one.message, one.range) for one in found if one.source == "promptpack"]


@pytest.mark.asyncio
async def test_problems_of_the_flow_are_shown(client: ServerClient, packs: Path) -> None:
    text = "flow: 1\nsteps:\n  greeter: {pack: greeter@^1, inputs: {NAME: given}, next: redaer}\n"
    uri = (packs / "flow.yaml").as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=text))
    )
    assert await shown(client, uri) == [
        ("PP713", "no step named 'redaer'\nhint: did you mean 'greeter'?", word(text, "redaer"))
    ]


@pytest.mark.asyncio
async def test_problems_are_shown_while_typing_and_disappear_when_fixed(client: ServerClient, packs: Path) -> None:
    wrong = GREETER.replace("{{ NAME", "{{ NMAE")
    document = opened(client, packs, wrong)
    message = "template uses undeclared input 'NMAE'\nhint: did you mean 'NAME'?"
    assert ("PP301", message, word(wrong, "NMAE", "🙂 {{ ")) in await shown(client, document.uri)
    changed = types.VersionedTextDocumentIdentifier(uri=document.uri, version=2)
    whole = types.TextDocumentContentChangeWholeDocument(GREETER)
    client.text_document_did_change(types.DidChangeTextDocumentParams(changed, [whole]))
    assert "PP301" not in [code for code, _, _ in await shown(client, document.uri, version=2)]


@pytest.mark.asyncio
async def test_a_file_that_is_not_a_pack_is_ignored(client: ServerClient, packs: Path) -> None:
    document = opened(client, packs, "services: {web: {image: x}}\n")
    assert await shown(client, document.uri) == []


@pytest.mark.asyncio
async def test_half_typed_templates_are_completed(client: ServerClient, packs: Path) -> None:
    opened(client, packs, GREETER)
    half = GREETER.replace("{{ NAME | fenced }}", "{{ NA")
    document = opened(client, packs, half)
    found = await client.text_document_completion_async(types.CompletionParams(document, position(half, "🙂 {{ NA")))
    assert isinstance(found, types.CompletionList)
    first = found.items[0]
    assert (first.label, first.detail) == ("NAME", "string, required, untrusted")
    assert isinstance(first.text_edit, types.TextEdit)
    assert (first.text_edit.range, first.text_edit.new_text) == (word(half, "NA", "🙂 {{ "), "NAME")


@pytest.mark.asyncio
async def test_a_word_is_explained_and_leads_to_its_definition(client: ServerClient, packs: Path) -> None:
    document = opened(client, packs, GREETER)
    hover = await client.text_document_hover_async(types.HoverParams(document, position(GREETER, "🙂 {{ NA")))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.value.endswith("Who is greeted 🙂")
    assert hover.range == word(GREETER, "NAME", "🙂 {{ ")
    there = await client.text_document_definition_async(types.DefinitionParams(document, position(GREETER, "'pol")))
    assert isinstance(there, types.Location)
    assert there.uri == (packs / "base" / "1.0.0.yaml").as_uri()
    assert there.range.start == types.Position(5, 10)


@pytest.mark.asyncio
async def test_names_set_by_a_template_are_completed_explained_and_found(client: ServerClient, packs: Path) -> None:
    people = (
        "  PEOPLE: {type: array, items: {type: object, properties: {first: {type: string, description: As called}}}}\n"
    )
    loop = "{% for one in PEOPLE %}{{ one.first }}{% endfor %}"
    text = GREETER.replace("messages:", people + "messages:").replace("{{ NAME | fenced }}", loop)
    document = opened(client, packs, text)
    found = await client.text_document_completion_async(types.CompletionParams(document, position(text, "{{ one.")))
    assert isinstance(found, types.CompletionList)
    assert [(item.label, item.detail) for item in found.items] == [("first", "string")]
    hover = await client.text_document_hover_async(types.HoverParams(document, position(text, "{{ one.fi")))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.value == "**first** (string)\n\nAs called"
    there = await client.text_document_definition_async(types.DefinitionParams(document, position(text, "{{ one.fi")))
    assert isinstance(there, types.Location)
    assert there.range.start == word(text, "first", "properties: {").start
    parent = await client.text_document_definition_async(
        types.DefinitionParams(document, position(text, "extends: ba"))
    )
    assert isinstance(parent, types.Location)
    assert parent.uri == (packs / "base" / "1.0.0.yaml").as_uri()


@pytest.mark.asyncio
async def test_a_rename_changes_rules_variants_and_partial_files(client: ServerClient, packs: Path) -> None:
    rules = (
        "reply: {rules: [{name: r, require: NAME != reply.thought, message: 'not {{ NAME }}'}], actions: {GO: {}}}\n"
    )
    text = GREETER.replace("{% include 'polite' %}", "{% include 'sign' %}").replace("tests:", rules + "tests:")
    (packs / "_partials").mkdir()
    (packs / "_partials" / "sign.j2").write_text("Yours, {{ NAME | fenced }}\n", encoding="utf-8")
    variant = packs / "greeter" / "1.0.0.de.yaml"
    variant.write_text(text.replace("version: 1.0.0", "version: 1.0.0\nlocale: de"), encoding="utf-8")
    document = opened(client, packs, text)
    edit = await client.text_document_rename_async(types.RenameParams(document, position(text, "🙂 {{ NA"), "WHO"))
    assert edit is not None
    assert edit.changes is not None
    counts = {uri.rpartition("/packs/")[2]: len(changes) for uri, changes in edit.changes.items()}
    assert counts == {"greeter/1.0.0.yaml": 5, "greeter/1.0.0.de.yaml": 5, "_partials/sign.j2": 1}
    (packs / "other.yaml").write_text(text.replace("name: greeter", "name: other"), encoding="utf-8")
    client.text_document_did_save(types.DidSaveTextDocumentParams(document))
    with pytest.raises(JsonRpcException, match="PP924 'NAME' is used in a text that other packs share"):
        await client.text_document_rename_async(types.RenameParams(document, position(text, "🙂 {{ NA"), "WHO"))


@pytest.mark.asyncio
async def test_an_input_is_renamed_everywhere_in_one_edit(client: ServerClient, packs: Path) -> None:
    document = opened(client, packs, GREETER)
    at = position(GREETER, "🙂 {{ NA")
    assert await client.text_document_prepare_rename_async(types.PrepareRenameParams(document, at)) is not None
    edit = await client.text_document_rename_async(types.RenameParams(document, at, "WHO"))
    assert edit is not None
    assert edit.changes is not None
    assert [(one.range, one.new_text) for one in edit.changes[document.uri]] == [
        (word(GREETER, "NAME", "inputs:\n  "), "WHO"),
        (word(GREETER, "NAME", "🙂 {{ "), "WHO"),
        (word(GREETER, "NAME", "context: {"), "WHO"),
    ]
    with pytest.raises(JsonRpcException, match="PP923 'pack' cannot be the name of an input"):
        await client.text_document_rename_async(types.RenameParams(document, at, "pack"))


@pytest.mark.asyncio
async def test_quick_fixes_are_offered_for_the_line_of_a_problem(client: ServerClient, packs: Path) -> None:
    wrong = GREETER.replace("{{ NAME", "{{ NMAE")
    document = opened(client, packs, wrong)
    where = word(wrong, "NMAE", "🙂 {{ ")
    context = types.CodeActionContext(diagnostics=[])
    found = await client.text_document_code_action_async(types.CodeActionParams(document, where, context))
    actions = {action.title: action for action in found or [] if isinstance(action, types.CodeAction)}
    assert {"PP301: replace 'NMAE' with 'NAME'", "PP301: declare the input 'NMAE'"} <= actions.keys()
    edit = actions["PP301: replace 'NMAE' with 'NAME'"].edit
    assert edit is not None
    assert edit.changes == {document.uri: (types.TextEdit(where, "NAME"),)}
    elsewhere = types.CodeActionParams(document, types.Range(types.Position(0, 0), types.Position(0, 0)), context)
    assert not await client.text_document_code_action_async(elsewhere)


@pytest.mark.asyncio
async def test_references_and_the_outline_are_shown(client: ServerClient, packs: Path) -> None:
    document = opened(client, packs, GREETER)
    at = position(GREETER, "🙂 {{ NA")
    context = types.ReferenceContext(include_declaration=True)
    found = await client.text_document_references_async(types.ReferenceParams(context, document, at))
    assert found is not None
    assert types.Location(document.uri, word(GREETER, "NAME", "🙂 {{ ")) in found
    assert types.Location(document.uri, word(GREETER, "NAME", "context: {")) in found
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    (inputs,) = (one for one in symbols or [] if one.name == "inputs" and isinstance(one, types.DocumentSymbol))
    assert [(one.name, one.selection_range) for one in inputs.children or []] == [("NAME", word(GREETER, "NAME"))]


@pytest.mark.asyncio
async def test_tokens_are_relative_to_the_one_before(client: ServerClient, packs: Path) -> None:
    document = opened(client, packs, GREETER)
    found = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    name = word(GREETER, "NAME", "🙂 {{ ").start
    assert found is not None
    first, second = found.data[:5], found.data[5:10]
    assert list(first) == [name.line, name.character, 4, 0, 0]
    assert list(second) == [0, len("NAME | "), len("fenced"), 2, 0]


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from promptpack.cli.commands.lsp import command
    from promptpack.problem import MissingExtraError

    monkeypatch.setitem(sys.modules, "promptpack.editor.server", None)
    result = CliRunner().invoke(command)
    assert isinstance(result.exception, MissingExtraError)
    assert str(result.exception) == (
        "PP920 the language server needs the extra 'lsp'\n"
        "  hint: run: python -m pip install 'promptpack-agents[lsp]', or install pygls"
    )


def test_broken_framing_ends_the_server_with_an_error() -> None:
    command = [sys.executable, "-m", "promptpack", "lsp"]
    result = subprocess.run(
        command, input=b"Content-Length: -5\r\n\r\n{}", capture_output=True, timeout=DEADLINE, check=False
    )
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode() == "PP925 the editor sent a broken header\n  hint: restart the server\n"


@pytest.mark.asyncio
async def test_a_document_that_is_not_open_is_not_read(client: ServerClient) -> None:
    params = types.HoverParams(types.TextDocumentIdentifier("file:///dev/zero"), types.Position(0, 0))
    with pytest.raises(JsonRpcException, match="the document is not open"):
        await client.text_document_hover_async(params)


def test_a_request_with_invalid_parameters_gets_an_error() -> None:
    params = {"textDocument": {"uri": "file:///x.yaml"}, "position": {"line": -1, "character": 0}}
    request = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": params})
    result = subprocess.run(
        [sys.executable, "-m", "promptpack", "lsp"],
        input=f"Content-Length: {len(request)}\r\n\r\n{request}".encode(),
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    answers = [json.loads(part) for part in re.findall(r"\{.*\}", result.stdout.decode())]
    error = {"code": -32602, "message": "Invalid Params"}
    assert {"jsonrpc": "2.0", "id": 7, "error": error} in answers
