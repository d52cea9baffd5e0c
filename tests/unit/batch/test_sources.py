"""Files that cannot be read, and packages that are missing."""

import csv
import gzip
import sys
from pathlib import Path
from typing import Any

import pytest

from promptpack.batch import sources
from promptpack.batch.sources import FileKind, RowSource
from promptpack.problem import MissingExtraError, UsageError
from tests.unit.batch.conftest import Batch, read_lines, write_contexts


def write_parquet(path: Path, columns: dict[str, Any]) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(columns), path)


@pytest.mark.parametrize("name", ["rows.txt", "rows.parquet.gz", "rows"])
def test_the_name_shows_the_format(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        FileKind.of(name)
    assert str(caught.value) == (
        f"{name}: PP982 the file name does not show the format\n"
        "  hint: use .jsonl, .csv or .parquet; .jsonl and .csv also with .gz or .zst"
    )


def test_a_missing_file_is_reported(folder: Path, batch: Batch) -> None:
    done = batch("render", "none.jsonl", "-o", "out.jsonl")
    assert (done.returncode, done.stderr) == (2, "none.jsonl: PP982 there is no such file\n")
    assert [path.name for path in folder.iterdir()] == ["packs"]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_damaged_file_keeps_what_was_read(folder: Path, batch: Batch, suffix: str) -> None:
    batch("render", write_contexts(folder, 2000), "-o", f"all.jsonl{suffix}")
    path = folder / f"all.jsonl{suffix}"
    path.write_bytes(path.read_bytes()[:-500])
    done = batch("render", path.name, "-o", "out.jsonl")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path.name}: PP982 cannot be read completely: ")
    assert done.stderr.endswith("  hint: write or download it again\n")


def test_a_damaged_parquet_file_is_reported(folder: Path, batch: Batch) -> None:
    (folder / "rows.parquet").write_bytes(b"PAR1 nonsense PAR1")
    done = batch("render", "rows.parquet", "-o", "out.jsonl")
    assert (done.returncode, done.stderr.split(":")[1][:30]) == (1, " PP982 cannot be read complete")


def test_columns_must_differ(folder: Path, batch: Batch) -> None:
    (folder / "rows.csv").write_text("id,TEXT,TEXT\n")
    done = batch("render", "rows.csv", "-o", "out.jsonl")
    assert (done.returncode, done.stderr) == (1, "rows.csv:1:1: PP982 the column 'TEXT' appears twice\n")


@pytest.mark.parametrize("cell", ["x" * 2000, '"' + "x\n" * 1000, '"' + '","'.join(["x"] * 1000)])
def test_a_row_of_csv_that_is_too_long_ends_the_file(
    folder: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch, cell: str
) -> None:
    monkeypatch.setattr(sources, "MAX_LINE", 1000)
    (folder / "rows.csv").write_text(f"id,TEXT\na,x\nb,{cell}\n")
    done = batch("render", "rows.csv", "-o", "out.jsonl")
    assert (done.returncode, done.stderr) == (
        1,
        "rows.csv: PP982 a row is longer than 1,000 bytes\n  hint: close the quotes of the cells\n",
    )


def test_a_cell_of_csv_may_be_long(folder: Path, batch: Batch) -> None:
    text = "x" * 200_000
    (folder / "rows.csv").write_text(f"id,TEXT\na,{text}\n")
    assert batch("render", "rows.csv", "-o", "out.jsonl").returncode == 0
    assert text in (folder / "out.jsonl").read_text()
    assert csv.field_size_limit() == 131_072  # of the whole process


def test_a_header_that_is_not_csv_is_reported(folder: Path, batch: Batch) -> None:
    (folder / "rows.csv").write_bytes(b"id,TEXT\ra,x\r")
    done = batch("render", "rows.csv", "-o", "out.jsonl")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "rows.csv:1:1: PP982 the header is not CSV: new-line character seen in unquoted field"
    )


def test_a_cell_of_parquet_that_is_no_json_is_an_error_of_its_row(folder: Path, batch: Batch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    times = pyarrow.array([0, 2**62, 0], pyarrow.timestamp("us"))
    write_parquet(folder / "rows.parquet", {"id": ["a", "b", "c"], "TEXT": times})
    assert batch("render", "rows.parquet", "-o", "out.jsonl").returncode == 1
    assert [row["id"] for row in read_lines(folder / "out.jsonl")] == ["a", "c"]
    (error,) = read_lines(folder / "out.errors.jsonl")
    assert (error["line"], error["problems"][0]["code"]) == (2, "PP980")
    assert error["problems"][0]["message"].startswith("a cell has no form in JSON: ")


def test_a_row_of_parquet_that_is_too_long_is_an_error(
    folder: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_LINE", 1000)
    write_parquet(folder / "rows.parquet", {"id": ["a", "b"], "TEXT": ["x" * 2000, "y"]})
    assert batch("render", "rows.parquet", "-o", "out.jsonl").returncode == 1
    assert [row["id"] for row in read_lines(folder / "out.jsonl")] == ["b"]


def test_a_line_that_is_too_long_is_never_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    with gzip.open(path, "wb", 1) as stream:
        for _ in range(50):
            stream.write(b"x" * 1_000_000)
        stream.write(b'\n{"a": 1}')
    found = list(RowSource(str(path)).lines())
    assert [(line.number, line.data, bool(line.problem)) for line in found] == [(1, b"", True), (2, b'{"a": 1}', False)]


@pytest.mark.parametrize(
    ("package", "suffix", "text"),
    [
        ("zstandard", ".jsonl.zst", "reading and writing .zst files needs the extra 'batch'"),
        ("pyarrow", ".parquet", "reading and writing .parquet files needs the extra 'batch'"),
    ],
)
def test_a_missing_package_says_how_to_install_it(
    folder: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch, package: str, suffix: str, text: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    (folder / f"rows{suffix}").write_bytes(b"")
    with pytest.raises(MissingExtraError) as caught:
        RowSource(f"rows{suffix}")
    assert str(caught.value) == f"PP983 {text}\n  hint: install it: pip install 'promptpack-agents[batch]'"
    write_contexts(folder, 1)
    assert text in batch("render", "contexts.jsonl", "-o", f"out{suffix}").stderr
    assert not (folder / f"out{suffix}.journal").exists()
