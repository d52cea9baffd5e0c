"""Packs, prompts, contracts, libraries and runs can be pickled, copied, compared and hashed, before and after use."""

import copy
import json
import multiprocessing
import pickle
import pickletools
from pathlib import Path
from typing import Any

import pytest

from promptpack import Agent, Library, Pack, Prompt, UsageError, Verdict
from promptpack.cycle import ScriptedProvider
from promptpack.library import pickling
from promptpack.pack.version import Version

PACK = """
promptpack: 1
name: NAME
version: 1.0.0
EXTENDS
inputs:
  KEY: {type: string, secret: true, default: none}
  LEVEL: {$ref: levels.json}
messages:
  - id: MESSAGE
    role: user
    content: '{% include "tone" %} {{ LEVEL }} {{ KEY }}'
reply: {contract: {$ref: reply.json}}
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "_partials").mkdir()
    (tmp_path / "_partials" / "tone.j2").write_text("Be brief.\n\n")
    for name, extends in (("parent", "abstract: true"), ("child", "extends: parent@^1")):
        (tmp_path / name).mkdir()
        text = PACK.replace("NAME", name).replace("EXTENDS", extends).replace("MESSAGE", f"m-{name}")
        (tmp_path / name / "1.0.0.yaml").write_text(text)
        (tmp_path / name / "levels.json").write_text('{"enum": ["low", "high"]}')
        reply = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
        (tmp_path / name / "reply.json").write_text(json.dumps(reply))
    (tmp_path / "child" / "1.0.0.en.yaml").write_text(
        'promptpack: 1\nname: child\nversion: 1.0.0\nlocale: en\nmessages: [{id: m-child, content: "Level {{ LEVEL }}"}]\n'
    )
    return Library.open(str(tmp_path), cache=False)


def copy_of(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 -- our own bytes


@pytest.mark.parametrize("locale", [None, "en"])
@pytest.mark.parametrize("is_used", [False, True])
def test_a_pack_is_built_again_from_its_texts(library: Library, locale: str | None, is_used: bool) -> None:
    pack = library.get("child", locale)
    if is_used:
        pack.render(LEVEL="low").check('{"n": 1}')
    received = copy_of(pack)
    assert received is not pack
    assert received == pack
    assert hash(received) == hash(pack)
    assert received.path == pack.path
    assert received.render(LEVEL="low").messages == pack.render(LEVEL="low").messages
    assert copy_of(received) == pack
    assert copy.deepcopy(pack) is pack


def test_a_pickle_has_no_code_and_needs_no_files(library: Library, tmp_path: Path) -> None:
    data = pickle.dumps(library.get("child"))
    for file in sorted(tmp_path.rglob("*.*")):
        file.unlink()
    names = {str(value) for _, value, _ in pickletools.genops(data) if isinstance(value, str)}
    assert "promptpack.library.pickling" in names
    assert not {
        name for name in names if name.startswith(("promptpack.", "jinja2", "builtins", "types", "marshal"))
    } - {
        "promptpack.library.pickling",
        "promptpack.template.model",
        "builtins",
    }
    received = pickle.loads(data)  # noqa: S301 -- our own bytes
    assert [message.text for message in received.render(LEVEL="low").messages][-1] == "Be brief.\n low none"


def test_another_digest_is_refused(library: Library) -> None:
    pack = library.get("child")
    stored = pickling.store_pack(library, library._find_entry("child"), pack)
    changed = stored._replace(digest="sha256:0")
    with pytest.raises(
        UsageError, match=rf"^PP740 child@1.0.0 has a different digest here: {pack.digest}, not sha256:0\n"
    ):
        changed.restore()
    changes: list[dict[str, Any]] = [{"digest": None}, {"path": "x"}, {"texts": {}}]
    for tampered in changes:
        with pytest.raises(UsageError, match="PP740"):
            stored._replace(**tampered).restore()
    whole = pickling.store_library(library)
    received = whole._replace(digests=dict.fromkeys(whole.digests, "sha256:0")).restore()
    with pytest.raises(UsageError, match="PP740"):
        received.get("child")


def test_a_library_is_opened_again_from_its_texts(library: Library) -> None:
    received = copy_of(library)
    assert received == library
    assert hash(received) == hash(library)
    assert received.list() == library.list()
    assert received.get("child", "en") == library.get("child", "en")
    assert received.reload().library is received
    assert copy.deepcopy(library) is library
    assert received != Library.open()


def test_a_pack_without_a_library_cannot_be_pickled() -> None:
    pack = Pack("made", Version(1, 0, 0), "x")
    with pytest.raises(UsageError) as caught:
        pickle.dumps(pack)
    assert str(caught.value) == (
        "PP741 made@1.0.0 cannot be pickled, because it does not come from a library\n"
        "  hint: get the pack from a Library"
    )
    assert pack != Pack("made", Version(1, 0, 0), "x")


def test_prompts_contracts_and_runs_are_values(library: Library) -> None:
    pack = library.get("child")
    prompt = pack.render(LEVEL="high")
    run = Agent(pack, ScriptedProvider(['{"n": "x"}', '{"n": 1}'])).run_with_transcript(prompt)
    for value in (prompt, pack.contract, run):
        assert copy_of(value) == value
        assert hash(copy_of(value)) == hash(value)
    received = copy_of(prompt)
    assert received.check('{"n": 1}') == prompt.check('{"n": 1}')
    assert copy.deepcopy(prompt) is prompt
    assert copy.deepcopy(run).verdict == run.verdict


def test_a_verdict_on_a_slot_prompt_is_pickled_with_plain_output() -> None:
    pack = Library.open().get("meeting-notes", locale="en")
    verdict = pack.check(json.dumps(pack.tests[0].reply))
    assert copy_of(verdict).output == verdict.data
    assert copy.deepcopy(verdict) is verdict


def render(pack: Pack) -> tuple[str, ...]:
    return tuple(message.text for message in pack.render(LEVEL="low").messages)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_another_process_renders_the_same(library: Library, method: str) -> None:
    pack = library.get("child")
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(render, (pack,)) == render(pack)


def stored(value: Any) -> Any:
    return json.loads(json.dumps(value.to_dict()))


def test_a_stored_prompt_is_restored(library: Library) -> None:
    pack = library.get("child", "en")
    prompt = pack.render(LEVEL="high")
    restored = library.restore(stored(prompt), KEY="none")
    assert restored == prompt
    assert restored.pack.locale == "en"


def test_secrets_are_not_stored(library: Library) -> None:
    prompt = library.get("child").render(LEVEL="high", KEY="hunter2")
    row = stored(prompt)
    assert "hunter2" not in json.dumps(row)
    assert row["secret"] == ["KEY"]
    assert library.restore(row, KEY="hunter2") == prompt
    with pytest.raises(UsageError) as caught:
        library.restore(row)
    assert str(caught.value) == (
        "PP448 the stored prompt has no secret inputs; KEY must be passed again\n"
        "  hint: write library.restore(row, KEY=...)"
    )


def test_an_input_that_repeats_a_secret_is_left_out(library: Library) -> None:
    prompt = library.get("child").render(LEVEL="high", KEY="high")
    row = stored(prompt)
    assert row["context"] == {}
    assert row["secret"] == ["KEY", "LEVEL"]
    assert library.restore(row, KEY="high", LEVEL="high") == prompt


def test_a_stored_run_hides_secrets_in_texts_and_numbers(library: Library) -> None:
    pack = library.get("child")
    replies = ['{"n": "x", "note": 20261}', '{"n": 20261}']
    run = Agent(pack, ScriptedProvider(replies)).run_with_transcript(LEVEL="high", KEY="20261")
    row = stored(run)
    assert "20261" not in json.dumps({**row, "prompt": None})
    assert row["prompt"] == stored(run.prompt)
    assert Verdict.from_dict(row["verdict"]).data == {"n": "***", "note": "***"}


def test_a_prompt_with_other_messages_keeps_them() -> None:
    planner = Library.open().get("planner", locale="en").render(USER_GOAL="x")
    changed = planner.with_messages(planner.messages[:1])
    assert Library.open().restore(stored(changed)).messages == changed.messages


def test_a_prompt_of_another_pack_is_refused(library: Library, tmp_path: Path) -> None:
    row = stored(library.get("child").render(LEVEL="high"))
    (tmp_path / "_partials" / "tone.j2").write_text("Be long.")
    changed = library.reload().library
    with pytest.raises(UsageError, match=r"^PP447 the stored prompt was rendered by a different child@1.0.0: sha256:"):
        changed.restore(row, KEY="none")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], "PP446 a value of type 'list' is not a stored prompt"),
        (
            {"prompt": 1, "pack": "a", "locale": "", "digest": "", "context": {}, "secret": []},
            "PP446 the stored prompt has no valid 'messages'",
        ),
        (
            {"prompt": 2, "pack": "a", "locale": "", "digest": "", "context": {}, "secret": [], "messages": []},
            "PP446 the stored prompt has no valid 'prompt'",
        ),
        (
            {"prompt": 1, "pack": "a", "locale": "", "digest": "", "context": {}, "secret": [1], "messages": []},
            "PP446 the stored prompt has no valid 'secret'",
        ),
    ],
)
def test_other_rows_are_refused(library: Library, row: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        library.restore(row)
    assert str(caught.value) == f"{message}\n  hint: pass what Prompt.to_dict returned"


def test_a_run_is_stored_and_resumed(library: Library) -> None:
    pack = library.get("child")
    provider = ScriptedProvider(['{"n": "hunter2"}', '{"n": "y"}', '{"n": "z"}'])
    run = Agent(pack, provider).run_with_transcript(LEVEL="low", KEY="hunter2")
    row = stored(run)
    assert "hunter2" not in json.dumps(row)
    assert [one["verdict"]["ok"] for one in row["rounds"]] == [False, False, False]
    assert row["stop"] == "rounds"
    prompt = library.restore(row["prompt"], KEY="hunter2")
    assert isinstance(prompt, Prompt)
    assert prompt.check('{"n": 3}', after=Verdict.from_dict(row["verdict"])).ok
