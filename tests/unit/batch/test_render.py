"""`promptpack batch render`: contexts in, request files out."""

import gzip
import json
import stat
from pathlib import Path

import pytest

from promptpack.batch import requests
from tests.unit.batch.conftest import Batch, read_lines, write_contexts, write_lines

OPENAI = ("--shape", "openai", "--model", "m")


def test_each_context_becomes_a_request_line(folder: Path, batch: Batch) -> None:
    write_contexts(folder, 3)
    done = batch("render", "contexts.jsonl", "-o", "requests.jsonl", *OPENAI, "--param", "temperature=0.5")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "rows     3\nrecords  3\nfiles    requests.jsonl\n"
    rows = read_lines(folder / "requests.jsonl")
    assert [row["custom_id"] for row in rows] == ["r0", "r1", "r2"]
    assert rows[1]["body"]["temperature"] == 0.5
    assert sorted(path.name for path in folder.iterdir()) == ["contexts.jsonl", "packs", "requests.jsonl"]


def test_bad_lines_become_error_records_and_the_rest_continues(folder: Path, batch: Batch) -> None:
    good = b'{"id":"%d","context":{"TEXT":"t"}}'
    lines = [
        good % 1,
        b"\xff\xfe",
        b'{"id":"n","context":{"TEXT":"\x00"}}',
        b"[" * 100_000,
        b'{"id":"big","context":{"TEXT":"' + b"x" * 10_000_000 + b'"}}',
        b"",
        b'{"id":"twice","context":{"TEXT":"a","TEXT":"b"}}',
        b"[1]",
        b'{"id":"wrong","context":{"TEXT":7,"TOKEN":["hunter2"]}}',
        b'{"id":"1","context":{"TEXT":"again"}}',
        b'{"id":"half","context":{"TEXT":"\\ud800"}}',
        good % 12,
    ]
    (folder / "contexts.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines))
    done = batch("render", "contexts.jsonl", "-o", "out.jsonl")
    assert done.returncode == 1
    assert [row["id"] for row in read_lines(folder / "out.jsonl")] == ["1", "12"]
    errors = read_lines(folder / "out.errors.jsonl")
    found = [(row["line"], row.get("id"), row["problems"][0]["code"], row["problems"][0]["message"]) for row in errors]
    assert found[:7] == [
        (2, None, "PP980", "the line is not UTF-8: byte 1"),
        (3, None, "PP980", "invalid JSON at character 30: Invalid control character at"),
        (4, None, "PP980", "the line is nested too deeply"),
        (5, None, "PP980", "the line is longer than 8,000,000 bytes"),
        (7, None, "PP980", "invalid JSON: a key appears twice, or a number is too long or not finite"),
        (8, None, "PP980", "the line is not a JSON object"),
        (9, "wrong", "PP416", "input 'TEXT': expected text, not a number"),
    ]
    assert found[7] == (10, "1", "PP981", "the id '1' is used twice, first in contexts.jsonl:1")
    assert errors[7]["problems"][0]["hint"] == "give every row a unique id"
    assert {row["file"] for row in errors} == {"contexts.jsonl"}
    assert "hunter2" not in (folder / "out.errors.jsonl").read_text()


def test_strict_stops_at_the_first_bad_line_and_keeps_what_is_written(folder: Path, batch: Batch) -> None:
    name = write_contexts(folder, 300)
    with (folder / name).open("a") as stream:
        stream.write("nonsense\n")
    done = batch("render", name, "-o", "out.jsonl", "--strict")
    assert done.returncode == 1
    assert done.stderr == "contexts.jsonl:301:1: PP980 invalid JSON at character 1: Expecting value\n"
    assert not (folder / "out.jsonl").exists()
    text = (folder / name).read_text().replace("nonsense", '{"id": "r300", "context": {"TEXT": "t"}}')
    (folder / name).write_text(text)
    done = batch("render", name, "-o", "out.jsonl", "--strict", "--resume")
    assert (done.returncode, len(read_lines(folder / "out.jsonl"))) == (0, 301)


def test_files_end_at_the_limits_of_the_provider(folder: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {
        "openai": requests.FileLimits(50_000, 200_000_000),
        "anthropic": requests.FileLimits(100_000, 256_000_000),
    } == requests.LIMITS
    monkeypatch.setattr(
        requests, "LIMITS", {"openai": requests.FileLimits(500), "anthropic": requests.FileLimits(None, 50_000)}
    )
    write_contexts(folder, 1100)
    done = batch("render", "contexts.jsonl", "-o", "requests.jsonl", *OPENAI)
    names = [f"requests-{number:05}.jsonl" for number in (1, 2, 3)]
    assert done.stdout.splitlines()[2:] == [f"files    {names[0]}", f"         {names[1]}", f"         {names[2]}"]
    assert [len(read_lines(folder / name)) for name in names] == [500, 500, 100]
    rows = [row["custom_id"] for name in names for row in read_lines(folder / name)]
    assert rows == [f"r{number}" for number in range(1100)]
    batch("render", "contexts.jsonl", "-o", "small.jsonl", "--shape", "anthropic", "--model", "m")
    sizes = [path.stat().st_size for path in sorted(folder.glob("small-*.jsonl"))]
    assert len(sizes) > 2
    assert max(sizes) <= 50_000
    assert not (folder / "requests.jsonl").exists()


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst", ".csv", ".csv.gz", ".parquet"])
def test_all_formats_are_written_and_read(folder: Path, batch: Batch, suffix: str) -> None:
    write_contexts(folder, 600)
    assert batch("render", "contexts.jsonl", "-o", f"out{suffix}").returncode == 0
    # What is written has the columns `id` and `messages`; the second is not an input, which shows that it was read.
    done = batch("render", f"out{suffix}", "-o", "again.jsonl")
    assert (done.returncode, done.stdout.splitlines()[:2]) == (1, ["rows     600", "records  0"])
    errors = read_lines(folder / "again.errors.jsonl")
    assert [row["id"] for row in errors] == [f"r{number}" for number in range(600)]
    assert errors[0]["problems"][0]["message"] == "grader@1.0.0 has no input 'messages'"


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_cells_of_csv_are_text_or_yaml(folder: Path, batch: Batch, suffix: str) -> None:
    text = 'id,TEXT,LIMIT,TOKEN\na,7,7,\nb,"two\nlines",,\nc,x,"[",\nd,x\ne,,3,\n'
    (folder / "plain.csv").write_text(text)
    if suffix == ".gz":
        (folder / "rows.csv.gz").write_bytes(gzip.compress(text.encode()))
    elif suffix:
        zstandard = pytest.importorskip("zstandard")
        (folder / "rows.csv.zst").write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    else:
        (folder / "rows.csv").write_text(text)
    batch("render", f"rows.csv{suffix}", "-o", "out.jsonl")
    rows = {row["id"]: row["messages"][0]["content"] for row in read_lines(folder / "out.jsonl")}
    assert set(rows) == {"a", "b"}
    assert "7" in rows["a"]
    assert "two\nlines" in rows["b"]
    errors = [(row["line"], row["problems"][0]["message"]) for row in read_lines(folder / "out.errors.jsonl")]
    assert errors[:2] == [(5, "the cell 'LIMIT' is not YAML"), (6, "the row has 2 cells, but the header has 4")]
    assert errors[2][0] == 7


def test_columns_of_parquet_have_types(folder: Path, batch: Batch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"id": ["a", "b"], "TEXT": ["x", "y"], "LIMIT": [3, None], "TOKEN": [b"1", None]})
    parquet.write_table(table, folder / "rows.parquet")
    batch("render", "rows.parquet", "-o", "out.jsonl")
    assert [row["id"] for row in read_lines(folder / "out.jsonl")] == ["b"]
    (error,) = read_lines(folder / "out.errors.jsonl")
    assert error["problems"][0]["message"] == "a value of type 'bytes' is not plain data"


def test_a_pipe_has_the_same_records_as_a_file(folder: Path, batch: Batch) -> None:
    name = write_contexts(folder, 3)
    batch("render", name, "-o", "out.jsonl")
    done = batch("render", "-", "-o", "-", stdin=(folder / name).read_text() + "nonsense\n")
    assert (done.returncode, done.stdout) == (1, (folder / "out.jsonl").read_text())
    assert json.loads(done.stderr.splitlines()[0])["file"] == "(standard input)"
    assert "errors   PP980 1" in done.stderr


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_files_with_secrets_are_private(folder: Path, batch: Batch, suffix: str) -> None:
    write_lines(folder / "contexts.jsonl", [{"id": "a", "context": {"TEXT": "x", "TOKEN": "hunter2"}}])
    batch("render", "contexts.jsonl", "-o", f"out{suffix}")
    content = (folder / f"out{suffix}").read_bytes()
    assert suffix != ".jsonl" or b"hunter2" in content, "the model needs what the prompt has"
    assert stat.S_IMODE((folder / f"out{suffix}").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--address", "auto"), "PP988 --address needs --engine ray\n"),
        (
            ("--engine", "ray", "-o", "-"),
            "PP988 --engine ray needs an output file, which all nodes of the cluster see\n",
        ),
        (
            ("--engine", "ray"),
            "PP983 --engine ray needs the extra 'ray'\n  hint: install it: pip install 'promptpack-agents[ray]'\n",
        ),
    ],
)
def test_an_engine_that_cannot_work_leaves_nothing(
    folder: Path, batch: Batch, words: tuple[str, ...], text: str
) -> None:
    write_contexts(folder, 1)
    done = batch("render", "contexts.jsonl", "-o", "out.jsonl", *words)
    assert (done.returncode != 0, done.stderr) == (True, text)
    assert sorted(path.name for path in folder.iterdir()) == ["contexts.jsonl", "packs"]


def test_a_report_is_one_page(folder: Path, batch: Batch) -> None:
    write_contexts(folder, 3)
    done = batch("render", "contexts.jsonl", "-o", "out.jsonl", "--report", "page.html")
    assert done.stderr == "wrote page.html\n"
    assert "<strong>3 rows, 0 errors</strong>" in (folder / "page.html").read_text()
