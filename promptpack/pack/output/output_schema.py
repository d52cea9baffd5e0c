"""Output schema in YAML or JSON -> Python types: `{$type: str, $desc: ...}` becomes `(str, "...")`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from promptpack.pack.output.sanitize import sanitize
from promptpack.pack.output.type_entry import BareTuple, TypeEntry
from promptpack.pack.output.type_names import TypeNameError, known_words, parse_type
from promptpack.problem import Location, PackError, Problem, did_you_mean
from promptpack.schema.pointers import ValuePath

LocatePath = Callable[[ValuePath], Location | None]
_ENTRY_KEYS: Final = ("$type", "$desc")


def read_output_schema(data: Any, *, locate: LocatePath | None = None, texts: tuple[type, ...] = (str,)) -> Any:
    """Read the `output` of a pack as Python types; every unknown type is a problem.

    `data` is the output as plain data. `locate` returns the location of a path of keys and indexes in the file; `texts`
    are the classes that count as text, such as templates, which stay unchanged.
    """
    return _read(data, _OutputReader(strict=True, locate=locate or _no_location, texts=texts))


def restore_output_schema(data: Any) -> Any:
    """Read an exported `output` as Python types; text that is not a type name stays text."""
    return _read(data, _OutputReader(strict=False, locate=_no_location))


@dataclass(slots=True)
class _OutputReader:
    """The options for reading a schema, and the problems found."""

    strict: bool
    locate: LocatePath
    texts: tuple[type, ...] = (str,)
    problems: list[Problem] = field(default_factory=list)

    def report(self, code: str, path: ValuePath, message: str, hint: str = "") -> None:
        """Add a problem at a path below `output`."""
        where = ".".join(["output", *map(str, path)])
        self.problems.append(Problem(code, f"{where}: {message}", self.locate(path), hint))


def _no_location(_: ValuePath) -> None:
    return None


def _read(data: Any, reader: _OutputReader) -> Any:
    try:
        schema = _schema(data, (), reader)
    except RecursionError as error:
        raise PackError(Problem("PP465", "output: the schema is nested too deeply")) from error
    if reader.problems:
        raise PackError(reader.problems)
    return schema


def _schema(data: Any, path: ValuePath, reader: _OutputReader) -> Any:
    if isinstance(data, dict):
        if any(key in data for key in _ENTRY_KEYS) or (reader.strict and any(str(key)[:1] == "$" for key in data)):
            return _entry(data, path, reader)
        return {key: _schema(item, (*path, key), reader) for key, item in data.items()}
    if isinstance(data, list):
        return [_schema(item, (*path, index), reader) for index, item in enumerate(data)]
    if isinstance(data, tuple):
        return BareTuple([_schema(item, (*path, index), reader) for index, item in enumerate(data)])
    return _bare(data, reader) if isinstance(data, str) else data


def _bare(text: str, reader: _OutputReader) -> Any:
    """Read a text outside `$type`: the name of a type, or else a description."""
    try:
        kind = parse_type(text)
    except TypeNameError:
        return text
    # an export must read back unchanged, so a type name that is exported under another name stays text
    return kind if reader.strict or sanitize(kind) == text else text


def _entry(data: dict[Any, Any], path: ValuePath, reader: _OutputReader) -> Any:
    unknown = [key for key in data if key not in _ENTRY_KEYS]
    for key in unknown:
        hint = did_you_mean(str(key), _ENTRY_KEYS)
        reader.report("PP465", path, f"unknown key {key!r} next to '$type' and '$desc'", hint)
    if "$type" not in data and unknown:
        return data
    if "$type" not in data:
        reader.report("PP465", path, "'$desc' without '$type'", "add `$type: Any` if any value is allowed")
        return data
    description = data.get("$desc", "")
    if not isinstance(description, reader.texts):
        reader.report("PP465", (*path, "$desc"), f"must be text, not {type(description).__name__}")
    kind = data["$type"]
    items = [_entry_type(kind, (*path, "$type"), reader), *([description] if "$desc" in data else [])]
    return TypeEntry(items, kind if isinstance(kind, str) else None)


def _entry_type(kind: Any, path: ValuePath, reader: _OutputReader) -> Any:
    if isinstance(kind, dict | list):
        return _schema(kind, path, reader)
    if not isinstance(kind, str):
        if reader.strict and not isinstance(kind, reader.texts):
            reader.report("PP465", path, f"must be a type name or a structure, not {kind!r}")
        return kind
    try:
        return parse_type(kind)
    except TypeNameError as error:
        if reader.strict:
            word = _OTHER_LANGUAGES.get(error.word, error.word)
            reader.report("PP464", path, str(error), did_you_mean(word, known_words()) if word else "")
        return kind


_OTHER_LANGUAGES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
