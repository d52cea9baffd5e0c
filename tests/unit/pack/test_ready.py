"""The functions of the pack schema that were written beforehand."""

from pathlib import Path
from typing import Any

from promptpack import Library, schema
from promptpack.pack import ready
from promptpack.pack.checking import pack_schema, schema_schema, write_ready

LIBRARY = Library.open(cache=False)


def test_they_are_those_of_the_schema() -> None:
    written = Path(ready.__file__).read_text("utf-8")
    assert written == write_ready(), "the pack schema or what writes functions has changed: run `make ready`"


def test_they_say_what_functions_made_now_say() -> None:
    made = schema.compile(pack_schema().source)
    for entry in LIBRARY.entries:
        assert entry.document is not None
        data = entry.document.data
        broken = [{**data, "name": "-"}, {**data, "inputs": []}, {**data, "messages": [{}]}, {**data, "unknown": 1}]
        assert [pack_schema().accepts(one) for one in (data, *broken)] == [True, False, False, False, False]
        assert [made.accepts(one) for one in (data, *broken)] == [True, False, False, False, False]


def test_the_part_about_schemas_is_among_them() -> None:
    made = schema.compile(schema_schema().source)
    good = {"type": "object", "properties": {"a": {"pattern": "^a"}}}
    values: list[Any] = [good, {"type": "thing"}, {"properties": 1}, []]
    for given in values:
        assert schema_schema().check(given) == made.check(given)
