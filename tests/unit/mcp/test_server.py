"""The server, asked by a client in this process, with the protocol of today and with an older one."""

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, types
from mcp.server.subscriptions import PromptsListChanged

from promptpack import Library
from promptpack.mcp.served_packs import ServedPacks
from promptpack.mcp.server import PackMcpServer
from promptpack.mcp.tools import TOOLS
from promptpack.schema import compile as compile_schema
from tests.unit.mcp.conftest import TRIP, Connect

pytestmark = pytest.mark.asyncio
DEADLINE = 20
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])
REF = types.PromptReference(name="plan-trip")


async def failure(client: Client, name: str, arguments: dict[str, str]) -> MCPError:
    with pytest.raises(MCPError) as caught:
        await client.get_prompt(name, arguments)
    return caught.value


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@MODES
async def test_a_prompt_is_the_newest_release_of_a_pack(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        (prompt,) = (await client.list_prompts()).prompts
    assert (prompt.name, prompt.title, prompt.description) == ("plan-trip", "Plan trip", "Plans a trip.")
    digest = Library.open("packs").get("plan-trip").digest
    assert prompt.meta == {
        "promptpack/version": "1.2.0", "promptpack/digest": digest, "promptpack/locale": "en",
    }  # fmt: skip
    assert prompt.arguments is not None
    assert [(one.name, one.required) for one in prompt.arguments][:2] == [("CITY", True), ("DAYS", False)]
    assert prompt.arguments[-1].description == "The language of the prompt: de, en (default en)"


@MODES
async def test_a_prompt_is_rendered_with_typed_arguments(connect: Connect, mode: str) -> None:
    given = {"CITY": "Oslo", "DAYS": "2", "BY_TRAIN": "true", "PEOPLE": '["Ada", "Bo"]'}
    async with connect(mode) as client:
        result = await client.get_prompt("plan-trip", given)
    assert [(one.role, one.content.text) for one in result.messages if isinstance(one.content, types.TextContent)] == [
        ("user", 'You plan trips.\n\nPlan 2 steady days in Oslo by train for Ada + Bo, "" (0).')
    ]
    assert result.meta is not None
    assert result.meta["promptpack/version"] == "1.2.0"


async def test_the_locale_is_an_argument_and_a_setting_of_the_server(connect: Connect) -> None:
    async with connect() as client:
        chosen = await client.get_prompt("plan-trip", {"CITY": "Oslo", "locale": "de"})
        default = await client.get_prompt("plan-trip", {"CITY": "Oslo", "locale": ""})
    async with connect(locale="de") as client:
        (prompt,) = (await client.list_prompts()).prompts
        english = await client.get_prompt("plan-trip", {"CITY": "Oslo", "locale": "en"})
    assert [one.description for one in (chosen, default, prompt, english)] == [
        "Plant eine Reise.", "Plans a trip.", "Plant eine Reise.", "Plans a trip.",
    ]  # fmt: skip


async def test_an_older_release_is_found_by_its_range(connect: Connect) -> None:
    async with connect() as client:
        assert (await client.get_prompt("plan-trip@1.0", {"CITY": "Oslo"})).description == "Plans a trip, the old way."


@MODES
async def test_errors_name_the_input_and_have_a_hint(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        missing = await failure(client, "plan-trip", {})
        wrong = await failure(client, "plan-trip", {"CITY": "Oslo", "DAYS": "0"})
        misspelled = await failure(client, "plan-trip", {"CITY": "Oslo", "DAYZ": "1"})
        unknown = await failure(client, "plan-tripp", {})
        abstract = await failure(client, "base", {})
        locale = await failure(client, "plan-trip", {"CITY": "Oslo", "locale": "fr"})
    found = (missing, wrong, misspelled, unknown, abstract, locale)
    assert {error.code for error in found} == {types.INVALID_PARAMS}
    assert missing.message == "PP415 input 'CITY' is missing\n  hint: Where to go."
    assert missing.data == {
        "problems": [{"code": "PP415", "message": "input 'CITY' is missing", "hint": "Where to go."}]
    }
    assert wrong.message.startswith("PP416 input 'DAYS': ")
    assert misspelled.message == "PP414 plan-trip@1.2.0 has no input 'DAYZ'\n  hint: did you mean 'DAYS'?"
    assert unknown.message == "PP701 no pack named 'plan-tripp'\n  hint: did you mean 'plan-trip'?"
    assert abstract.message.startswith("PP418 base@1.0.0 is abstract")
    assert locale.message.endswith("hint: its locales are de, en")


async def test_a_broken_pack_is_an_error_of_the_server(connect: Connect) -> None:
    async with connect() as client:
        error = await failure(client, "broken", {})
    assert error.code == types.INTERNAL_ERROR
    assert "undeclared input 'NOBODY'" in error.message


async def test_a_secret_is_in_no_error(connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with connect() as client:
        for text in ("hunter2", '"hunter2"', "{hunter2", '{"hunter2": 1}'):
            error = await failure(client, "plan-trip", {"CITY": "Oslo", "TOKEN": text})
            assert "'TOKEN'" in error.message
            assert "hunter2" not in f"{error.message} {error.data}"
        result = await client.call_tool(
            "render", {"pack": "plan-trip", "context": {"CITY": "Oslo", "TOKEN": "hunter2"}}
        )
    assert result.is_error
    assert text_of(result) == "PP416 input 'TOKEN' does not meet its schema (the value is secret)"
    assert not [
        record for record in caplog.records if record.name.startswith("promptpack") and "hunter2" in record.message
    ]


@MODES
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
async def test_an_argument_that_is_not_text_is_named(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        params = types.GetPromptRequestParams.model_construct(name="plan-trip", arguments={"DAYS": 5})
        with pytest.raises(MCPError) as caught:
            await client.session.send_request(
                types.GetPromptRequest.model_construct(method="prompts/get", params=params), types.GetPromptResult
            )
    assert caught.value.message == (
        "PP651 argument 'DAYS' is not text\n"
        "  hint: MCP arguments are text: write numbers, objects and arrays as JSON text"
    )


@MODES
async def test_words_of_an_argument_are_completed(connect: Connect, mode: str) -> None:
    async def values(client: Client, name: str, value: str) -> list[str]:
        return (await client.complete(REF, {"name": name, "value": value})).completion.values

    async with connect(mode) as client:
        assert await values(client, "PACE", "S") == ["slow", "steady"]
        assert await values(client, "BY_TRAIN", "") == ["true", "false"]
        assert await values(client, "locale", "d") == ["de"]
        assert await values(client, "CITY", "O") == []
        with pytest.raises(
            MCPError, match=r"PP414 plan-trip@1\.2\.0 has no input 'PAGE'\n  hint: did you mean 'PACE'\?"
        ):
            await values(client, "PAGE", "")
        resource = types.ResourceTemplateReference(uri="file:///{path}")
        found = await client.complete(resource, {"name": "path", "value": ""})
    assert found.completion.values == []


@MODES
async def test_every_tool_has_schemas_and_changes_nothing(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["list_packs", "render", "check_reply", "lint"]
    for tool in tools:
        assert tool.output_schema is not None
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint


@MODES
async def test_results_meet_their_schema_in_both_forms(connect: Connect, mode: str) -> None:
    context = {"CITY": "Oslo"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list_packs", {}),
        ("list_packs", {"pack": "plan-trip", "locale": "de"}),
        ("render", {"pack": "plan-trip", "context": context}),
        ("check_reply", {"pack": "plan-trip", "reply": '{"stops": ["Fjord"]}', "context": context}),
        ("check_reply", {"pack": "plan-trip", "reply": "Sure!", "finish_reason": "stop"}),
        ("lint", {}),
    ]
    async with connect(mode) as client:
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            assert not result.is_error
            assert compile_schema(TOOLS[name].output_schema).check(result.structured_content) == ()
            assert json.loads(text_of(result)) == result.structured_content


async def test_packs_are_listed_with_the_schema_of_their_context_and_broken_files(connect: Connect) -> None:
    async with connect() as client:
        listed = (await client.call_tool("list_packs", {})).structured_content
    (facts,) = listed["packs"]
    assert (facts["version"], facts["versions"], facts["locales"]) == ("1.2.0", ["1.0.0", "1.2.0"], ["de", "en"])
    assert facts["context"]["required"] == ["CITY"]
    assert "examples" in facts["context"]["$defs"]["PEOPLE"]
    assert {"default", "examples"}.isdisjoint(facts["context"]["$defs"]["TOKEN"])
    assert list(listed["broken"]) == ["packs/broken/1.0.0.yaml"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such file names")
async def test_a_file_name_that_is_not_unicode_can_be_sent(connect: Connect, folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/base/\xff.yaml")).write_text(
        "promptpack: 1\nname: odd\n", encoding="utf-8"
    )
    async with connect("legacy") as client:
        listed = await client.call_tool("list_packs", {})
        linted = await client.call_tool("lint", {})
        error = await failure(client, "odd", {})
    assert len(listed.structured_content["broken"]) == 2
    assert "packs/base/?.yaml" in linted.structured_content["files"]
    assert error.message.startswith("packs/base/?.yaml:1:1: ")


async def test_a_refused_reply_has_violations_and_a_correction(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("check_reply", {"pack": "plan-trip", "reply": "{}"})
    assert not result.is_error
    verdict = result.structured_content
    assert (verdict["ok"], verdict["outcome"], verdict["violations"][0]["path"]) == (False, "invalid", "/stops")
    assert "/stops" in verdict["correction"]


async def test_lint_shows_the_problems_of_one_pack_or_of_all(connect: Connect) -> None:
    async with connect() as client:
        everything = (await client.call_tool("lint", {})).structured_content
        broken = (await client.call_tool("lint", {"pack": "broken"})).structured_content
    assert not broken["ok"]
    assert broken["files"] == ["packs/broken/1.0.0.yaml"]
    assert {found["path"] for found in broken["problems"]} == {"packs/broken/1.0.0.yaml"}
    assert len(everything["files"]) == 5


@pytest.mark.parametrize("path", ["/etc/passwd", "../other", "packs/broken/1.0.0.yaml", "file:///etc"])
async def test_lint_reads_no_other_path(connect: Connect, path: str) -> None:
    async with connect() as client:
        by_name = await client.call_tool("lint", {"pack": path})
        by_path = await client.call_tool("lint", {"path": path})
    assert by_name.is_error
    assert text_of(by_name).startswith("PP703 invalid pack reference")
    assert by_path.is_error
    assert text_of(by_path) == "PP651 lint has no argument 'path'\n  hint: its arguments are pack"


async def test_wrong_arguments_of_a_tool_are_named_in_its_result(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("check_reply", {"pak": "plan-trip", "reply": 5})
        with pytest.raises(MCPError) as caught:
            await client.call_tool("lnt", {})
    assert result.is_error
    assert text_of(result).splitlines() == [
        "PP651 argument 'pack' is missing",
        "  hint: The name of a pack, or name@range such as planner@^1.",
        "PP651 check_reply has no argument 'pak'",
        "  hint: did you mean 'pack'?",
        "PP651 argument 'reply': expected text, not a number",
        "  hint: write it in quotes",
    ]
    assert caught.value.message == "PP651 no tool named 'lnt'\n  hint: did you mean 'lint'?"


async def test_a_client_that_listens_hears_of_changed_prompts(connect: Connect, folder: Path) -> None:
    async with connect() as client:
        with anyio.fail_after(DEADLINE):
            async with client.listen(prompts_list_changed=True) as changes:
                (folder / "plan-trip/1.3.0.yaml").write_text(TRIP.replace("1.2.0", "1.3.0"), encoding="utf-8")
                assert await anext(aiter(changes)) == PromptsListChanged()
        (prompt,) = (await client.list_prompts()).prompts
    assert prompt.meta is not None
    assert prompt.meta["promptpack/version"] == "1.3.0"


async def test_an_older_client_hears_of_changed_prompts_in_its_session(folder: Path) -> None:
    heard = anyio.Event()

    async def hear(message: object) -> None:
        if isinstance(message, types.PromptListChangedNotification):
            heard.set()

    server = PackMcpServer(Library.open(folder.name), poll_seconds=0.05)
    async with Client(server, mode="legacy", message_handler=hear) as client:
        assert client.server_capabilities.prompts == types.PromptsCapability(list_changed=True)
        with anyio.fail_after(DEADLINE):
            (folder / "plan-trip/1.3.0.yaml").write_text(TRIP.replace("1.2.0", "1.3.0"), encoding="utf-8")
            await heard.wait()
    assert server._bus._listeners == {}


async def test_a_broken_edit_keeps_the_last_good_prompt_and_is_logged_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    packs = ServedPacks(Library.open(folder.name))
    packs.report_problems()
    caplog.clear()
    (folder / "plan-trip/1.2.0.yaml").write_text(TRIP.replace("{{ CITY }}", "{{ CTIY }}"), encoding="utf-8")
    packs.reload()
    packs.reload()
    assert packs.get("plan-trip").description == "Plans a trip."
    assert [
        record.message.splitlines()[-1] for record in caplog.records if "plan-trip/1.2.0.yaml" in record.message
    ] == ["  hint: did you mean 'CITY'?"]
