"""`promptpack batch check` and `fix`: result files and contexts in, verdicts and corrections out."""

import json
from pathlib import Path

import pytest

from tests.unit.batch.conftest import Batch, anthropic_line, openai_line, read_lines, write_contexts, write_lines
from tests.unit.evaluation.conftest import BAD, good

EXPIRED = {"custom_id": "r3", "response": None, "error": {"code": "batch_expired", "message": "too late"}}
CHECK = ("check", "out.jsonl", "err.jsonl", "--contexts", "contexts.jsonl")


@pytest.fixture
def results(folder: Path) -> None:
    """The results of six requests, in another order: two good, one bad, one expired, one unknown, one twice, two missing."""
    write_contexts(folder, 6)
    lines = [openai_line("r2", good()), openai_line("r0", good(confidence=95)), openai_line("r1", BAD)]
    write_lines(folder / "out.jsonl", [*lines, openai_line("r9", good()), openai_line("r0", good())])
    write_lines(folder / "err.jsonl", [EXPIRED])


@pytest.mark.usefixtures("results")
def test_results_are_joined_with_their_contexts(folder: Path, batch: Batch) -> None:
    done = batch(*CHECK, "-o", "verdicts.jsonl", "--format", "json")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert data["outcomes"] == {"valid": 2, "missing": 2, "failed": 1, "invalid": 1}
    assert (data["rows"], data["violations"], data["errors"]) == (8, {"PP513": 1}, {"PP981": 2})
    assert (data["confidence"], data["rounds"]) == ({"80": 1, "90": 1}, {"1": 3})
    assert data["tokens"] == {"cached": 6, "input": 30, "output": 15}
    rows = read_lines(folder / "verdicts.jsonl")
    assert [(row["id"], row["outcome"]) for row in rows] == [
        ("r2", "valid"), ("r0", "valid"), ("r1", "invalid"), ("r3", "failed"), ("r4", "missing"), ("r5", "missing"),
    ]  # fmt: skip
    errors = [row["problems"][0] for row in read_lines(folder / "verdicts.errors.jsonl")]
    assert [one["message"] for one in errors] == [
        "no context has the id 'r9'",
        "the id 'r0' is used twice, first in out.jsonl:2",
    ]
    assert errors[0]["hint"] == "pass the file that the requests were rendered from"
    assert not [path for path in folder.iterdir() if "index" in path.name or "ids" in path.name]


@pytest.mark.usefixtures("results")
def test_a_second_file_finishes_the_job(folder: Path, batch: Batch) -> None:
    done = batch("fix", *CHECK[1:], "-o", "again.jsonl", "--shape", "openai", "--model", "m", "--errors", "e.jsonl")
    assert done.returncode == 1, "the unknown and the repeated line are errors again"
    requests = {row["custom_id"]: row["body"]["messages"] for row in read_lines(folder / "again.jsonl")}
    assert list(requests) == ["r1", "r3", "r4", "r5"]
    assert [message["role"] for message in requests["r1"]] == ["user", "assistant", "user"]
    assert "/confidence" in requests["r1"][-1]["content"]
    assert len(requests["r3"]) == 1
    answers = [openai_line("r1", {"confidence": 80}), openai_line("r5", BAD), openai_line("r4", good())]
    write_lines(folder / "second.jsonl", [*answers, {**EXPIRED, "custom_id": "r3"}])
    batch(*CHECK, "--corrections", "second.jsonl", "-o", "verdicts.jsonl")
    rows = {row["id"]: row for row in read_lines(folder / "verdicts.jsonl")}
    assert {name: row["outcome"] for name, row in rows.items()} == {
        "r0": "valid", "r1": "recovered", "r2": "valid", "r3": "failed", "r4": "valid", "r5": "invalid",
    }  # fmt: skip
    assert (rows["r1"]["rounds"], rows["r1"]["usage"]["input"]) == (2, 20)
    batch("fix", *CHECK[1:], "--corrections", "second.jsonl", "-o", "third.jsonl")
    third = {row["id"]: row["messages"] for row in read_lines(folder / "third.jsonl")}
    assert {name: len(messages) for name, messages in third.items()} == {"r3": 1, "r5": 3}


def test_a_result_without_id_has_no_context(folder: Path, batch: Batch) -> None:
    write_contexts(folder, 1)
    write_lines(folder / "replies.jsonl", [{"reply": "{}"}])
    batch("check", "replies.jsonl", "--contexts", "contexts.jsonl", "-o", "verdicts.jsonl")
    (error,) = read_lines(folder / "verdicts.errors.jsonl")
    assert error["problems"] == [
        {
            "code": "PP980",
            "message": "the line has no 'id' or 'custom_id', so its context cannot be found",
            "hint": "",
        }
    ]


def test_contexts_may_be_a_table_and_replies_one_too(folder: Path, batch: Batch) -> None:
    (folder / "contexts.csv").write_text("id,TEXT,LIMIT\na,x,3\nb,y,\n")
    reply = json.dumps(good()).replace('"', '""')
    (folder / "replies.csv").write_text(f'id,reply\nb,"{reply}"\na,"{reply}"\n')
    done = batch("check", "replies.csv", "--contexts", "contexts.csv", "-o", "verdicts.csv")
    assert done.returncode == 0
    lines = (folder / "verdicts.csv").read_text().splitlines()
    assert lines[0] == "id,ok,outcome,rounds,usage,failure,verdict"
    assert [line[:15] for line in lines[1:]] == ["b,true,valid,1,", "a,true,valid,1,"]


def test_contexts_with_an_id_twice_are_reported_once(folder: Path, batch: Batch) -> None:
    row = {"id": "a", "context": {"TEXT": "x"}}
    write_lines(folder / "contexts.jsonl", [row, {"id": "a", "context": {"TEXT": "y"}}])
    write_lines(folder / "replies.jsonl", [anthropic_line("a", good())])
    done = batch("check", "replies.jsonl", "--contexts", "contexts.jsonl", "-o", "verdicts.jsonl")
    assert (done.returncode, len(read_lines(folder / "verdicts.jsonl"))) == (1, 1)
    (error,) = read_lines(folder / "verdicts.errors.jsonl")
    assert (error["file"], error["line"]) == ("contexts.jsonl", 2)


def test_without_contexts_replies_are_checked_alone(folder: Path, batch: Batch) -> None:
    write_lines(folder / "replies.jsonl", [openai_line("a", good()), {"id": "b", "TEXT": "x", "reply": good()}])
    assert batch("check", "replies.jsonl", "-o", "verdicts.jsonl").returncode == 0


def test_a_failure_shows_no_secret(folder: Path, batch: Batch) -> None:
    write_lines(folder / "contexts.jsonl", [{"id": "a", "context": {"TEXT": "x", "TOKEN": "hunter2-key"}}])
    line = {"custom_id": "a", "response": None, "error": {"code": "bad", "message": "cannot read hunter2-key"}}
    write_lines(folder / "replies.jsonl", [line])
    batch("check", "replies.jsonl", "--contexts", "contexts.jsonl", "-o", "verdicts.jsonl")
    assert read_lines(folder / "verdicts.jsonl")[0]["failure"]["message"] == "bad cannot read ***"


def test_the_page_has_charts_of_the_counts(folder: Path, batch: Batch) -> None:
    write_contexts(folder, 3)
    write_lines(folder / "out.jsonl", [openai_line("r0", good()), openai_line("r1", BAD), openai_line("r2", BAD)])
    batch("check", "out.jsonl", "--contexts", "contexts.jsonl", "-o", "v.jsonl", "--report", "page.html")
    page = (folder / "page.html").read_text()
    assert "<strong>3 rows, 33.3 % accepted, 0 errors</strong>" in page
    assert 'aria-label="invalid: 2; valid: 1"' in page
    assert 'aria-label="80 to 89: 1; 90 to 100: 0"' in page
    assert "PP513 minimum, maximum, ...: 2" in page


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            (*CHECK, "-o", "contexts.jsonl", "--overwrite"),
            "PP988 'contexts.jsonl' is an input too\n  hint: write to another file\n",
        ),
        (
            ("check", "out.jsonl", "--report", "./out.jsonl", "-o", "verdicts.jsonl"),
            "PP988 './out.jsonl' is an input too\n  hint: write to another file\n",
        ),
        (
            (*CHECK, "-o", "verdicts.jsonl", "--errors", "./verdicts.jsonl"),
            "PP988 './verdicts.jsonl' is another output too\n  hint: write to another file\n",
        ),
        (
            (*CHECK, "-o", "verdicts.jsonl", "--errors", "e.jsonl", "--report", "e.jsonl"),
            "PP988 'e.jsonl' is another output too\n  hint: write to another file\n",
        ),
        (
            (*CHECK, "-o", "verdicts.jsonl", "--errors", "verdicts.jsonl.journal"),
            "PP988 'verdicts.jsonl.journal' is a file of the unfinished batch too\n  hint: write to another file\n",
        ),
        (("check", "-", "--contexts", "-", "-o", "verdicts.jsonl"), "PP988 standard input can be read only once\n"),
    ],
)
def test_no_file_is_used_twice(folder: Path, batch: Batch, words: tuple[str, ...], text: str) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    done = batch(*words)
    assert (done.returncode, done.stderr) == (2, text)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
