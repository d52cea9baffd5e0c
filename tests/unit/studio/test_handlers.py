"""The answers to the messages of a page."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptpack import UsageError
from promptpack.cycle.services import Cancellation
from promptpack.studio.handlers.replies import try_model
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio
from tests.unit.studio.conftest import PACK, PATH, REPLY, Ask

FLOW = "flow: 1\nsteps:\n  greet:\n    pack: greeter@1.0.0-dev\n    inputs: {WHO: given}\n    next: end\n"


def test_packs_are_listed_with_labels_and_other_files(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "packs" / "flow.yaml").write_text(FLOW, "utf-8")
    (tmp_path / "packs" / "labels.yaml").write_text("labels: {greeter: {next: 1.0.0-dev}}\n", "utf-8")
    found = ask("packs")
    (row,) = found["packs"]
    assert (row["name"], row["labels"]) == ("greeter", [{"name": "next", "target": "1.0.0-dev"}])
    assert row["files"] == [
        {
            "path": PATH, "version": "1.0.0-dev", "is_draft": True, "locale": "", "is_default": True, "is_broken": False,
            "has_draft": False,
        }
    ]  # fmt: skip
    assert (found["files"], found["model"]) == (["flow.yaml", "labels.yaml"], "scripted")


@pytest.mark.parametrize(
    ("words", "hits"), [("greeter", 1), ("WHOM to", 1), ("who greet", 1), ("nothing", 0), (" ", 0)]
)
def test_search_finds_names_texts_and_inputs(ask: Ask, words: str, hits: int) -> None:
    assert len(ask("search", words=words)["found"]) == hits


def test_uses_are_children_and_steps(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "packs" / "flow.yaml").write_text(FLOW, "utf-8")
    child = "promptpack: 1\nname: child\nversion: 1.0.0\nextends: greeter@1.0.0-dev\n"
    (tmp_path / "packs" / "child.yaml").write_text(child, "utf-8")
    found = ask("uses", name="greeter")
    assert [one["label"] for one in found["extended_by"]] == ["child@1.0.0"]
    assert found["steps"] == ["greet"]
    assert ask("uses", name="child")["extends"] == ["greeter@1.0.0-dev"]


def test_a_text_is_checked_as_it_is_typed(ask: Ask) -> None:
    texts = {PATH: PACK.replace("{{ WHO }}", "{{ WOH }}")}
    (first, *_) = [one for one in ask("problems", texts)["problems"] if one["severity"] == "error"]
    assert (first["code"], first["path"], first["line"], first["column"], first["end_column"]) == (
        "PP301",
        PATH,
        10,
        24,
        27,
    )
    assert ask("fixes", texts, line=10)["fixes"][0] == {
        "code": "PP301",
        "title": "replace 'WOH' with 'WHO'",
        "edits": [{"line": 10, "column": 24, "end_line": 10, "end_column": 27, "insert": "WHO"}],
    }


def test_names_are_proposed_and_explained_by_line_and_column(ask: Ask) -> None:
    found = ask("complete", {PATH: PACK.replace("{{ WHO }}", "{{ W")}, line=10, column=25)
    assert (found["length"], found["names"][0]["name"]) == (1, "WHO")
    explained = ask("explain", line=10, column=25)
    assert explained["text"] == "**WHO** (string, required, untrusted)\n\nWhom to greet."
    assert (explained["column"], explained["end_column"], explained["definition"]) == (
        24,
        27,
        {"path": PATH, "line": 6},
    )
    assert ask("explain", line=1, column=1) == {"text": ""}


def test_a_draft_is_offered_until_it_is_saved_or_dropped(ask: Ask) -> None:
    base = ask("open")["digest"]
    ask("keep", {PATH: "half"}, base=base)
    assert ask("open")["draft"] is None
    assert ask("open", take_draft=True)["draft"] == {"text": "half", "base": base}
    assert ask("save", text=f"{PACK}# x\n", base=base)["saved"]["text"] == f"{PACK}# x\n"
    assert ask("open", take_draft=True)["draft"] is None
    ask("keep", {PATH: f"{PACK}# x\n"}, base=base)
    assert ask("open", take_draft=True)["draft"] is None


def test_two_tabs_keep_a_draft_each_and_know_of_the_other(ask: Ask, studio: Studio) -> None:
    base = ask("open")["digest"]
    studio.tabs.update(["one", "two"])
    assert ask("keep", {PATH: "of one"}, base=base) == {"kept": True, "is_elsewhere": False, "is_left": False}
    assert ask("keep", {PATH: "of two"}, tab="two", base=base)["is_elsewhere"]
    assert ask("open", tab="three", take_draft=True)["draft"] is None
    studio.tabs.clear()
    found = ask("open", tab="three", take_draft=True)
    assert (found["draft"]["text"], found["is_left"]) == ("of two", True)
    studio.tabs.update(["three"])
    found = ask("open", tab="four", take_draft=True)
    assert (found["draft"]["text"], found["is_elsewhere"], found["is_left"]) == ("of one", True, False)


def test_a_changed_file_is_returned_and_not_overwritten(ask: Ask, tmp_path: Path) -> None:
    base = ask("open")["digest"]
    (tmp_path / "packs" / PATH).write_text("other", "utf-8")
    found = ask("save", text=PACK, base=base)
    assert found["conflict"]["text"] == "other"
    assert (tmp_path / "packs" / PATH).read_text("utf-8") == "other"


def test_a_release_becomes_a_new_draft(ask: Ask, tmp_path: Path) -> None:
    release, path = PACK.replace("1.0.0-dev", "1.0.0"), "greeter/1.0.0.yaml"
    (tmp_path / "packs" / path).write_text(release, "utf-8")
    changed = release.replace("Greet {{ WHO }}", "Hail {{ WHO }}")
    found = ask("save", path=path, text=changed, base=ask("open", path=path)["digest"])["release"]
    assert found == {
        "label": "greeter@1.0.0", "is_locked": False, "needed": "patch",
        "targets": {"patch": "1.0.1-dev", "minor": "1.1.0-dev", "major": "2.0.0-dev"},
    }  # fmt: skip
    made = ask("bump", {path: changed}, path=path, level="patch")
    assert made == {"path": "greeter/1.0.1-dev.yaml", "version": "1.0.1-dev", "written": ["greeter/1.0.1-dev.yaml"]}
    assert (tmp_path / "packs" / path).read_text("utf-8") == release
    assert (tmp_path / "packs" / made["path"]).read_text("utf-8") == changed.replace("1.0.0", "1.0.1-dev")
    assert ask("new_versions", path=path, is_restored=True)["targets"]["patch"] == "1.0.2-dev"
    over = ask("save", path=path, text=changed, base=ask("open", path=path)["digest"], over_release=True)
    assert over["saved"]["text"] == changed


def test_a_locked_release_is_never_overwritten(ask: Ask, studio: Studio, tmp_path: Path) -> None:
    release, path = PACK.replace("1.0.0-dev", "1.0.0"), "greeter/1.0.0.yaml"
    (tmp_path / "packs" / path).write_text(release, "utf-8")
    from tests.e2e.conftest import run

    assert run(tmp_path, "lock", "packs").returncode == 0
    studio.project.refresh()
    found = ask("save", path=path, text="x", base=ask("open", path=path)["digest"], over_release=True)
    assert found["release"]["is_locked"] is True
    lock = tmp_path / "packs" / "packs.lock"
    lock.write_text(f"<<<<<<< HEAD\n{lock.read_text('utf-8')}", "utf-8")
    studio.project.refresh()
    found = ask("save", path=path, text="x", base=ask("open", path=path)["digest"], over_release=True)
    assert found["release"]["is_locked"] is True
    assert (tmp_path / "packs" / path).read_text("utf-8") == release


def test_a_context_is_kept_without_secrets(ask: Ask) -> None:
    kept = ask("keep_context", name="mine", context={"WHO": "Lin", "KEY": "hunter2"})
    assert kept == {"kept": {"mine": {"WHO": "Lin"}}, "on_disk": True}
    assert ask("context")["kept"] == {"mine": {"WHO": "Lin"}}
    assert ask("keep_context", name="mine", context=None)["kept"] == {}


@pytest.mark.parametrize(
    "recorded",
    [
        {"WHO": "Lin", "OTHER": 1},
        {"prompt": {"context": {"WHO": "Lin"}, "pack": "greeter@0.1.0"}, "rounds": []},
        [{"name": "x"}, {"row": {"context": {"WHO": "Lin"}}}],
    ],
)
def test_a_recorded_call_is_found_in_any_json(ask: Ask, recorded: Any) -> None:
    assert ask("trace", trace=json.dumps(recorded))["context"] == {"WHO": "Lin"}


def test_a_run_is_loaded_with_its_reply(ask: Ask) -> None:
    rounds = [{"completion": {"text": REPLY, "finish_reason": "stop"}}]
    found = ask("trace", trace=json.dumps({"prompt": {"context": {"WHO": "Lin"}}, "rounds": rounds}))
    assert found == {"context": {"WHO": "Lin"}, "missing": [], "left_out": [], "reply": REPLY}


def test_a_call_without_a_context_is_refused(ask: Ask) -> None:
    with pytest.raises(UsageError) as refused:
        ask("trace", trace='{"a": 1}')
    assert str(refused.value) == (
        "PP996 the JSON has no context for greeter@1.0.0-dev\n"
        "  hint: paste what Prompt.to_dict or AgentRun.to_dict wrote, or an object with the inputs of the pack"
    )


@pytest.mark.parametrize("form", ["json", "curl", "python"])
def test_copies_have_no_secrets(ask: Ask, form: str) -> None:
    text = ask("copy", form=form, context={"WHO": "O'Hara", "KEY": "hunter2-hunter2"})["text"]
    assert "Hara" in text
    assert "hunter2" not in text


def test_secrets_that_a_filter_changes_are_not_shown(ask: Ask) -> None:
    texts = {PATH: PACK.replace("{{ WHO }}", "{{ WHO }} {{ KEY | upper }}")}
    context = {"WHO": "Ada", "KEY": "hunter2-hunter2"}
    shown = [
        ask("copy", texts, form="json", context=context),
        ask("compare", texts, old="saved", new="draft", context=context),
    ]
    assert "Ada" in str(shown[0])
    assert "Ada" in str(shown[1])
    assert "hunter2" not in str(shown).casefold()


def test_a_search_has_a_limit_of_words(ask: Ask) -> None:
    with pytest.raises(UsageError) as refused:
        ask("search", words="x " * 21)
    assert str(refused.value) == "PP994 a search has at most 20 words\n  hint: search for fewer words"


def test_the_prompt_is_previewed(ask: Ask) -> None:
    found = ask("preview", test="greets Ada")
    assert (found["ok"], found["messages"][0]["spans"][0]["path"]) == (True, PATH)
    broken = ask("preview", {PATH: "messages: ["})
    assert (broken["ok"], broken["problems"][0]["path"]) == (False, PATH)


def test_repairs_and_violations_are_marked_in_the_reply(ask: Ask) -> None:
    reply = "Sure: " + REPLY.replace("90", "150")
    found = ask("check", reply=reply)
    assert "".join(piece["text"] for piece in found["pieces"]) == reply
    kinds = {piece["text"]: [found["marks"][mark]["kind"] for mark in piece["marks"]] for piece in found["pieces"]}
    assert kinds["150"] == ["violation"]
    assert (found["ok"], bool(found["correction"])) == (False, True)
    assert ask("check", reply=REPLY)["ok"] is True
    recovered = ask("check", reply=f"Sure: {REPLY}")
    assert recovered["pieces"][0] == {"text": "Sure: ", "marks": [0]}


def test_a_pack_without_a_contract_checks_nothing(ask: Ask) -> None:
    with pytest.raises(UsageError) as refused:
        ask("check", {PATH: PACK.partition("reply:")[0]}, reply="x")
    assert str(refused.value) == (
        "PP997 greeter@1.0.0-dev has no reply contract\n  hint: add 'reply:' with actions to the pack"
    )


def test_a_model_is_tried_with_its_words_and_verdicts(studio: Studio) -> None:
    heard: list[dict[str, Any]] = []
    request = PageRequest({"path": PATH, "context": {"WHO": "Lin"}}, {}, "one", lambda data: heard.append(dict(data)))
    done = try_model(studio, request, Cancellation())
    assert (done["reply"], done["rounds"], done["verdict"]["ok"]) == (REPLY, 2, True)
    assert "".join(one["text"] for one in heard if one["event"] == "words") == f"no json{REPLY}"
    assert [(one["round"], one["verdict"]["ok"]) for one in heard if one["event"] == "judged"] == [
        (1, False),
        (2, True),
    ]


def test_tests_and_coverage_are_of_the_text_as_typed(ask: Ask) -> None:
    found = ask("tests", {PATH: PACK.replace("[Greet Ada]", "[Goodbye]")})
    assert (found["failed"], found["tests"][0]["failures"][0]["line"]) == (1, 17)
    covered = ask("coverage")
    assert covered["points"] > 0
    assert all(len(row) == 3 for row in covered["lines"])


def test_two_sides_are_compared(ask: Ask) -> None:
    texts = {
        PATH: PACK.replace("Greet {{ WHO }}", "Hail {{ WHO }}").replace(
            "WHO: {type: string", "WHO: {type: string, maxLength: 9"
        )
    }
    found = ask("compare", texts, old="saved", new="draft", context={"WHO": "Lin"})
    pieces = found["messages"][0]["pieces"]
    assert [piece["text"] for piece in pieces if piece["kind"] == "removed"] == ["Greet"]
    assert {one["class"] for one in found["changes"]} >= {"breaking"}
    assert found["bump"] == "major"
    broken = ask("compare", {PATH: "x: ["}, old="saved", new="draft")
    assert broken["messages"] is None
    assert broken["problems"]


def test_the_flow_is_drawn_with_the_files_of_its_steps(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "packs" / "flow.yaml").write_text(FLOW, "utf-8")
    found = ask("flow")
    assert found["drawing"]["tag"] == "svg"
    assert found["steps"] == [{"name": "greet", "pack": "greeter@1.0.0-dev", "path": PATH}]


def test_a_missing_flow_is_a_problem(ask: Ask) -> None:
    with pytest.raises(UsageError) as refused:
        ask("flow")
    assert refused.value.problems[0].code == "PP907"


@pytest.mark.parametrize(
    ("word", "fields"), [("search", {}), ("fixes", {"line": "1"}), ("save", {"text": 1, "base": ""})]
)
def test_a_message_with_wrong_fields_is_refused(ask: Ask, word: str, fields: dict[str, Any]) -> None:
    name = {"search": "words", "fixes": "line", "save": "text"}[word]
    with pytest.raises(UsageError) as refused:
        ask(word, **fields)
    assert str(refused.value) == (
        f"PP994 the message has no valid {name!r}\n  hint: reload the page; it may be older than the server"
    )
