"""The output schema as YAML and JSON write it: `{$type: str, $desc: ...}` becomes the live `(str, "...")`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from promptpack.pack.output.sanitize import sanitize
from promptpack.pack.output.type_entry import BareTuple, TypeEntry
from promptpack.pack.output.type_names import TypeNameError, known_words, parse_type
from promptpack.problem import Location, PackError, Problem, did_you_mean

Path = tuple[str | int, ...]
Locate = Callable[[Path], Location | None]
_ENTRY_KEYS: Final = ("$type", "$desc")


def read_output_schema(data: Any, *, locate: Locate | None = None, texts: tuple[type, ...] = (str,)) -> Any:
    """Make the live schema of a pack's `output`; every unknown type is a problem.

    `locate` gives the place of a path of keys and indexes in the file; `texts` are the classes that stand for text,
    such as templates, which are left as they are.
    """
    return _read(data, _Reading(strict=True, locate=locate or _nowhere, texts=texts))


def restore_output_schema(data: Any) -> Any:
    """Make the live schema of an exported `output`; what names no type stays the text it is."""
    return _read(data, _Reading(strict=False, locate=_nowhere))


@dataclass(slots=True)
class _Reading:
    """How a schema is read, and what was found wrong with it."""

    strict: bool
    locate: Locate
    texts: tuple[type, ...] = (str,)
    problems: list[Problem] = field(default_factory=list)

    def report(self, code: str, path: Path, message: str, hint: str = "") -> None:
        """Note a problem at a path below `output`."""
        where = ".".join(["output", *map(str, path)])
        self.problems.append(Problem(code, f"{where}: {message}", self.locate(path), hint))


def _nowhere(_: Path) -> None:
    return None


def _read(data: Any, reading: _Reading) -> Any:
    try:
        schema = _schema(data, (), reading)
    except RecursionError as error:
        raise PackError(Problem("PP465", "output: the schema is nested too deeply")) from error
    if reading.problems:
        raise PackError(reading.problems)
    return schema


def _schema(data: Any, path: Path, reading: _Reading) -> Any:
    if isinstance(data, dict):
        if any(key in data for key in _ENTRY_KEYS) or (reading.strict and any(map(_is_marked, data))):
            return _entry(data, path, reading)
        return {key: _schema(item, (*path, key), reading) for key, item in data.items()}
    if isinstance(data, list):
        return [_schema(item, (*path, index), reading) for index, item in enumerate(data)]
    if isinstance(data, tuple):
        return BareTuple([_schema(item, (*path, index), reading) for index, item in enumerate(data)])
    return _bare(data, reading) if isinstance(data, str) else data


def _is_marked(key: Any) -> bool:
    return isinstance(key, str) and key.startswith("$")


def _bare(text: str, reading: _Reading) -> Any:
    """Read a text that stands for itself: the name of a type, or else a description."""
    try:
        kind = parse_type(text)
    except TypeNameError:
        return text
    # an export must come back the same: a name that another name is written for stays text
    return kind if reading.strict or sanitize(kind) == text else text


def _entry(data: dict[Any, Any], path: Path, reading: _Reading) -> Any:
    strange = [key for key in data if key not in _ENTRY_KEYS]
    for key in strange:
        hint = did_you_mean(str(key), _ENTRY_KEYS)
        reading.report("PP465", path, f"unknown key {key!r} beside '$type' and '$desc'", hint)
    if "$type" not in data and strange:
        return data
    if "$type" not in data:
        reading.report("PP465", path, "'$desc' without '$type'", "for text of any kind write `$type: Any`")
        return data
    description = data.get("$desc", "")
    if not isinstance(description, reading.texts):
        reading.report("PP465", (*path, "$desc"), f"must be text, not {type(description).__name__}")
    kind = data["$type"]
    items = [_entry_type(kind, (*path, "$type"), reading), *([description] if "$desc" in data else [])]
    return TypeEntry(items, kind if isinstance(kind, str) else None)


def _entry_type(kind: Any, path: Path, reading: _Reading) -> Any:
    if isinstance(kind, dict | list):
        return _schema(kind, path, reading)
    if not isinstance(kind, str):
        if reading.strict and not isinstance(kind, reading.texts):
            reading.report("PP465", path, f"must be the name of a type or a structure, not {kind!r}")
        return kind
    try:
        return parse_type(kind)
    except TypeNameError as error:
        if reading.strict:
            reading.report("PP464", path, str(error), _nearest_words(error.word))
        return kind


def _nearest_words(word: str) -> str:
    return did_you_mean(_OTHER_LANGUAGES.get(word, word), known_words()) if word else ""


_OTHER_LANGUAGES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
