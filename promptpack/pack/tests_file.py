"""`<version>.tests.yaml`: more tests of a pack, in a file next to it."""

from dataclasses import replace
from functools import cache

from promptpack import schema
from promptpack.document import parse
from promptpack.pack.pack_schema import find_mismatches, find_misread, read_shipped
from promptpack.pack.placed import Placed, items_at
from promptpack.pack.sections import Sections
from promptpack.problem import PackError, Problem


def read_tests(sections: Sections, content: bytes, path: str) -> Sections:
    """Return the sections with the tests of a file; the problems of the file are added to those of the pack."""
    try:
        document = parse(content, path)
    except PackError as error:
        return replace(sections, problems=(*sections.problems, *error.problems))
    problems = [
        Problem("PP759", one.message, (place.locate_key if one.at_key else place.locate)(one.path), one.hint)
        for place, one in find_mismatches(tests_schema(), document)
    ]
    if problems:
        return replace(sections, problems=(*sections.problems, *(find_misread(document) or problems)))
    tests = tuple(items_at(Placed(document.data, document, ()), "tests"))
    names = {placed.value["name"] for placed in sections.tests}
    for placed in tests:
        if placed.value["name"] in names:
            message = f"name {placed.value['name']!r} is used twice in 'tests'"
            problems.append(Problem("PP206", message, placed.locate("name"), "use a different name"))
        names.add(placed.value["name"])
    return replace(sections, tests=(*sections.tests, *tests), problems=(*sections.problems, *problems))


@cache
def tests_schema() -> schema.Schema:
    """Return the schema of tests; the schema of packs describes one test."""
    file = "tests.schema.json"
    bundled = schema.bundle(read_shipped(file), file, lambda _, name: (name, read_shipped(name)), schema.SchemaMeter())
    return schema.compile(bundled)
