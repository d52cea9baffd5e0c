"""One line -> a row: its id, and the context in it."""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final

from promptpack import document, strict_json
from promptpack.batch.lines import Line
from promptpack.evaluation.cases import hash_context
from promptpack.pack.model import Pack
from promptpack.problem import PackError, Problem, UsageError

_ID: Final = "id"
_CONTEXT: Final = "context"
_MAX_ID: Final = 512


def parse_line(line: Line) -> dict[str, Any]:
    """Return the object of a line; raise a `UsageError` if there is none. Messages never show the content."""
    if line.problem:
        raise row_error(line.problem)
    try:
        row = strict_json.read(line.data.decode())
    except UnicodeDecodeError as error:
        raise row_error(f"the line is not UTF-8: byte {error.start + 1}") from error
    except json.JSONDecodeError as error:
        raise row_error(f"invalid JSON at character {error.pos + 1}: {error.msg}") from error
    except RecursionError as error:
        raise row_error("the line is nested too deeply") from error
    except ValueError as error:
        raise row_error("invalid JSON: a key appears twice, or a number is too long or not finite") from error
    if not isinstance(row, dict):
        raise row_error("the line is not a JSON object")
    return row


def read_id(row: Mapping[str, Any]) -> str | None:
    """Return the id of a row, if it has one."""
    found = row.get(_ID)
    if found is None or found == "":
        return None
    if isinstance(found, bool) or not isinstance(found, str | int):
        raise row_error("'id' is neither text nor a whole number")
    text = str(found)
    if len(text) > _MAX_ID or not text.isprintable():
        raise row_error(f"'id' has more than {_MAX_ID} characters, or one that cannot be printed")
    return text


def identify(row: Mapping[str, Any]) -> str:
    """Return the id of a row; without one, it is computed from the context, so that it is the same in every run."""
    return read_id(row) or hash_context(row[_CONTEXT] if isinstance(row.get(_CONTEXT), dict) else row)


def read_context(
    pack: Pack, row: Mapping[str, Any], is_table: bool, others: Collection[str] = ()
) -> Mapping[str, Any] | None:
    """Return the `context` of a row, or its keys besides the id and `others`, which are inputs then; None without any.

    In a table, an empty cell leaves an input out, and the text of a cell is YAML if its input is not text.
    """
    found = row.get(_CONTEXT)
    if isinstance(found, dict):
        return found
    if not is_table and _CONTEXT in row:
        raise row_error("'context' is not an object with the inputs", 'write {"context": {"NAME": value}}')
    columns = {name: value for name, value in row.items() if name != _ID and name not in others}
    if not is_table:
        return columns or None
    return {name: _parse_cell(pack, name, cell) for name, cell in columns.items() if not _is_empty(pack, name, cell)}


def _is_empty(pack: Pack, name: str, cell: Any) -> bool:
    is_required = name in pack.inputs and pack.inputs[name].required
    return cell is None or (cell == "" and not is_required)


def _parse_cell(pack: Pack, name: str, cell: Any) -> Any:
    declared = pack.inputs.get(name)
    if not isinstance(cell, str) or declared is None or declared.schema.get("type") == "string":
        return cell
    try:
        return document.parse(cell, name).data
    except PackError as error:
        raise row_error(f"the cell {name!r} is not YAML") from error


def row_error(message: str, hint: str = "") -> UsageError:
    """Return the error of a row that cannot be used; the record of the error has its place."""
    return UsageError(Problem("PP980", message, None, hint))
