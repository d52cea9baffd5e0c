"""A CSV or JSONL file -> cases: one row each, located at its line."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final, Literal, NamedTuple

from promptpack import strict_json
from promptpack.characters import check_characters, decode_utf8
from promptpack.document import Document, normalize
from promptpack.document.model import Path
from promptpack.files import Folder
from promptpack.pack.cases.sections import SECTIONS, is_input
from promptpack.pack.model import Input
from promptpack.pack.placed import Placed
from promptpack.problem import Location, PackError, Problem, did_you_mean

CellKind = Literal["text", "json"]
_KINDS: Final[tuple[CellKind, ...]] = ("text", "json")
_TEXT_COLUMNS: Final = ("name", "model", "reply", "verdict")
_ENDINGS: Final = (".csv", ".jsonl")


@dataclass(frozen=True)
class RowDocument(Document):
    """One row of a table; everything in it is located at its line."""

    line: int = 1

    def locate(self, path: Path = ()) -> Location:  # noqa: ARG002 -- a row has one location
        """Return the location of the row."""
        return Location(self.path, self.line, 1)

    def locate_key(self, path: Path) -> Location:
        """Return the location of the row."""
        return self.locate(path)

    def locate_inside(self, path: Path, line: int, column: int) -> Location:  # noqa: ARG002 -- as above
        """Return the location of the row."""
        return self.locate(path)

    def entry_span(self, path: Path, *, blocks: bool = False) -> tuple[int, int] | None:  # noqa: ARG002 -- as above
        """Return None: no fix edits a table."""
        return None


class _Column(NamedTuple):
    key: str
    kind: CellKind


def read_table(file: Placed, folder: Folder, owner: str, inputs: Mapping[str, Input]) -> Iterator[Placed]:
    """Yield the rows of the file that a test names, as changes; raise `PackError` at the first mistake."""
    name: str = file.value
    relative = folder.resolve(owner, name)
    if not name.endswith(_ENDINGS):
        raise PackError(file.problem("PP251", f"{name!r} is not a CSV or JSONL file", "name it *.csv or *.jsonl"))
    if relative.startswith(("../", "/")):
        hint = "move the file next to the pack"
        raise PackError(file.problem("PP251", f"{name!r} leads out of the folder of the packs", hint))
    try:
        content = folder.read(relative)
    except PackError as error:
        found = error.problems[0]
        raise PackError(file.problem("PP251", f"{name!r} {found.message}", found.hint)) from error
    path = folder.show(relative)
    text = normalize(decode_utf8(content, path))
    check_characters(text, path, text.encode())
    return _read_csv(text, path, inputs) if name.endswith(".csv") else _read_lines(text, path)


def _read_lines(text: str, path: str) -> Iterator[Placed]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = strict_json.read(line)
        except (ValueError, RecursionError) as error:
            raise _table_error(path, number, f"the line is not JSON: {_reason(error)}") from error
        if not isinstance(value, dict):
            raise _table_error(path, number, "the line is not a JSON object", 'write {"INPUT": "value"}')
        yield _row(path, number, value)


def _read_csv(text: str, path: str, inputs: Mapping[str, Input]) -> Iterator[Placed]:
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    columns: list[_Column] | None = None
    start = 1
    try:
        for cells in reader:
            if cells and columns is None:
                columns = _read_header(cells, path, start, inputs)
            elif cells and columns is not None:
                yield _row(path, start, _read_cells(cells, columns, path, start))
            start = reader.line_num + 1
    except csv.Error as error:
        raise _table_error(path, start, f"the row is not CSV: {error}") from error


def _read_header(cells: Sequence[str], path: str, line: int, inputs: Mapping[str, Input]) -> list[_Column]:
    columns = [_read_column(cell, path, line, inputs) for cell in cells]
    counts = Counter(column.key for column in columns)
    repeated = next((key for key, count in counts.items() if count > 1), None)
    if repeated is not None:
        raise _table_error(path, line, f"column {repeated!r} appears twice")
    return columns


def _read_column(cell: str, path: str, line: int, inputs: Mapping[str, Input]) -> _Column:
    declared = next((kind for kind in _KINDS if cell.endswith(f":{kind}")), None)
    key = cell.removesuffix(f":{declared}") if declared else cell
    if not (key in ("name", *SECTIONS) or key.startswith("/") or is_input(key, inputs)):
        hint = did_you_mean(key, ("name", *inputs)) or f"the inputs are {', '.join(inputs) or 'none'}"
        raise PackError(Problem("PP208", f"the pack has no input {key!r}", Location(path, line, 1), hint))
    kind = declared or ("text" if key in _TEXT_COLUMNS else _kind_of(inputs[key].schema) if key in inputs else None)
    if kind is None:
        message = f"the cells of column {key!r} may be text or JSON"
        raise _table_error(path, line, message, f"write {f'{key}:text'!r} or {f'{key}:json'!r} in the first row")
    return _Column(key, kind)


def _kind_of(schema: Mapping[str, Any]) -> CellKind | None:
    """Return the kind of the cells of an input, if its schema leaves no doubt."""
    types = schema.get("type")
    allowed = {types} if isinstance(types, str) else set(types or ())
    if allowed == {"string"}:
        return "text"
    return "json" if allowed and "string" not in allowed else None


def _read_cells(cells: Sequence[str], columns: Sequence[_Column], path: str, line: int) -> dict[str, Any]:
    if len(cells) != len(columns):
        message = f"the row has {len(cells)} cell(s), but the first row has {len(columns)}"
        raise _table_error(path, line, message, "put a cell that contains a comma in double quotes")
    pairs = zip(columns, cells, strict=True)
    return {column.key: _read_cell(column, cell, path, line) for column, cell in pairs if cell}


def _read_cell(column: _Column, cell: str, path: str, line: int) -> Any:
    if column.kind == "text":
        return cell
    try:
        return strict_json.read(cell)
    except (ValueError, RecursionError) as error:
        message = f"the cell of {column.key!r} is not JSON: {_reason(error)}"
        raise _table_error(
            path, line, message, f"write {f'{column.key}:text'!r} in the first row if it is text"
        ) from error


def _row(path: str, line: int, value: dict[str, Any]) -> Placed:
    return Placed(value, RowDocument(path, "", value, line=line), ())


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _table_error(path: str, line: int, message: str, hint: str = "") -> PackError:
    return PackError(Problem("PP250", message, Location(path, line, 1), hint))
