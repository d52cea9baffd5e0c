"""`<version>.tests.yaml`: more tests of a pack, in a file next to it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from promptpack import schema
from promptpack.document import Document, parse
from promptpack.pack.pack_schema import find_mismatches, find_misread, read_shipped
from promptpack.pack.placed import Placed, children_at, items_at
from promptpack.pack.sections import Sections
from promptpack.pack.variant_document import complete_variant
from promptpack.problem import PackError, Problem


def read_tests(sections: Sections, files: Sequence[tuple[bytes, str]]) -> Sections:
    """Return the sections with the tests of files; the problems of the files are added to those of the pack.

    A second file belongs to a variant with only texts, and changes the tests of the first one by their names.
    """
    try:
        first, *own = (parse(content, path) for content, path in files)
        document = complete_variant(first, own[0]) if own and isinstance(own[0].data, dict) else first
    except PackError as error:
        return replace(sections, problems=(*sections.problems, *error.problems))
    return _add(sections, document)


def _add(sections: Sections, document: Document) -> Sections:
    problems = [
        Problem("PP759", one.message, (place.locate_key if one.at_key else place.locate)(one.path), one.hint)
        for place, one in find_mismatches(tests_schema(), document)
    ]
    if problems:
        return replace(sections, problems=(*sections.problems, *(find_misread(document) or problems)))
    root = Placed(document.data, document, ())
    tests = tuple(items_at(root, "tests"))
    names = {placed.value["name"] for placed in sections.tests}
    for placed in tests:
        if placed.value["name"] in names:
            message = f"name {placed.value['name']!r} is used twice in 'tests'"
            problems.append(Problem("PP206", message, placed.locate("name"), "use a different name"))
        names.add(placed.value["name"])
    contexts = children_at(root, "contexts")
    for name, context in contexts.items():
        if name in sections.contexts:
            message = f"context {name!r} is also declared in the pack"
            problems.append(context.problem("PP206", message, "use a different name"))
    return replace(
        sections,
        tests=(*sections.tests, *tests),
        contexts={**sections.contexts, **contexts},
        problems=(*sections.problems, *problems),
    )


@cache
def tests_schema() -> schema.Schema:
    """Return the schema of tests; the schema of packs describes one test."""
    file = "tests.schema.json"
    bundled = schema.bundle(read_shipped(file), file, lambda _, name: (name, read_shipped(name)), schema.SchemaMeter())
    return schema.compile(bundled)
