"""Renders and checks do not depend on earlier renders and checks."""

from pathlib import Path
from typing import Any

import pytest

from promptpack import ContextError, Library, Pack, PackError

TESTS = Path(__file__).parents[2]
# Each file by itself: fixtures of the linter share names.
FIXTURES = sorted((TESTS / "linter").glob("**/*.yaml"))
SHIPPED = [
    (f"{entry.name}@{entry.version}", entry.locale)
    for entry in Library.open().entries
    if entry.document and not entry.document.data.get("abstract")
]


def outcome(pack: Pack, context: dict[str, Any]) -> object:
    try:
        prompt = pack.render(context)
    except ContextError as error:
        return str(error)
    return prompt.to_dicts(), dict(prompt.context), prompt.origins, prompt.to_text(), prompt.warnings


def verdict(pack: Pack, context: dict[str, Any], reply: Any) -> object:
    try:
        found = pack.check(reply, context)
    except ContextError as error:
        return str(error)
    return found.outcome, found.data, found.violations, found.repairs, found.output, found.extras, found.correction


def contexts(pack: Pack) -> list[dict[str, Any]]:
    return [{}, *(dict(test.context) for test in pack.tests)]


def runs(pack: Pack) -> list[object]:
    """Render every context of the pack's tests and check every reply, once."""
    found = [outcome(pack, context) for context in contexts(pack)]
    if pack.contract is not None:
        found += (verdict(pack, dict(t.context), t.reply) for t in pack.tests if isinstance(t.reply, str))
        found += (verdict(pack, {}, reply) for reply in ("{}", "no JSON", ""))
    return found


def assert_repeatable(pack: Pack, fresh: Pack) -> None:
    once, again, third = runs(pack), runs(pack), runs(pack)
    assert once == again == third
    assert once == runs(fresh)


@pytest.fixture(scope="module")
def libraries() -> tuple[Library, Library]:
    return Library.open(cache=False), Library.open(cache=False)


@pytest.mark.parametrize(("reference", "locale"), SHIPPED, ids=lambda value: value)
def test_a_shipped_pack_renders_the_same_three_times(
    libraries: tuple[Library, Library], reference: str, locale: str
) -> None:
    used, fresh = (library.get(reference, locale) for library in libraries)
    assert_repeatable(used, fresh)


@pytest.mark.parametrize("file", FIXTURES, ids=lambda path: str(path.relative_to(TESTS)))
def test_a_fixture_pack_renders_the_same_three_times(file: Path) -> None:
    def build() -> Pack | None:
        library = Library.open(str(file.parent), cache=False)
        entry = next((item for item in library.entries if item.path.endswith(f"/{file.name}")), None)
        try:
            return None if entry is None else library._build_entry(entry)
        except PackError:
            return None

    used, fresh = build(), build()
    if used is not None and fresh is not None and not used.abstract:
        assert_repeatable(used, fresh)
