"""Run the tests of a pack on a counted copy of it, and collect the points that they reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.pack.model import Pack, PackTest
from promptpack.problem import ContextError, Location
from promptpack.prompt.prompt import Prompt
from promptpack.template.tracing.counting import CountedPart, CountingEngine
from promptpack.trial.coverage.counted_pack import count_pack
from promptpack.trial.coverage.model import Coverage, Point
from promptpack.trial.coverage.schema_words import WordFinder, find_words
from promptpack.trial.verdict_checks import write_reply

_WAYS: Final = {
    "branch": {"true": "the branch is taken", "false": "the branch is not taken"},
    "condition": {"true": "the condition holds", "false": "the condition does not hold"},
    "rule": {"true": "a reply satisfies the rule", "false": "a reply violates the rule"},
    "loop": {
        "no item": "the loop has no item",
        "one item": "the loop has one item",
        "several items": "the loop has several items",
    },
    "include": {"included": "the partial is included"},
}


def measure(pack: Pack) -> Coverage:
    """Return the coverage of the tests of a pack."""
    run = _CoverageRun(pack)
    for test in pack.tests:
        run.run(test)
    return Coverage(run.hits)


class _CoverageRun:
    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self.hits: dict[Point, int] = {}
        compiled = pack._compiled
        engine = CountingEngine(compiled.compiler.engine, self._record)
        self._counted = count_pack(pack, engine)
        for part in engine.parts:
            self.hits.update((_point_of(part, way), 0) for way in part.ways)
        self._words: dict[tuple[int, int], Point] = {}
        sections = compiled.sections
        self._inputs = {
            name: self._add(placed.locate(), f"the input {name!r} is given") for name, placed in sections.inputs.items()
        }
        self._actions = {
            name: self._add(placed.document.locate_key(placed.path), f"a reply has the action {name!r}")
            for name, placed in sections.actions.items()
        }
        schemas = [
            *sections.inputs.values(),
            *(placed.child("params") for placed in sections.actions.values() if "params" in placed.value),
        ]
        for placed in schemas:
            for words, index, location in find_words(placed, compiled.references):
                self._words[id(words), index] = self._add(location, f"the word {words[index]!r} occurs")
        self._finders = {id(source): WordFinder(source) for source in self._sources()}

    def run(self, test: PackTest) -> None:
        """Run a test; its expectations do not matter here."""
        for name in test.context:
            if name in self._inputs:
                self._hit(self._inputs[name])
                self._find(self._pack.inputs[name].schema, test.context[name])
        try:
            prompt = (self._counted.for_model(test.model) if test.model else self._counted).render(test.context)
            if test.reply is not None:
                self._check(prompt, write_reply(test.reply))
        except ContextError:
            pass  # a test may expect it

    def _check(self, prompt: Prompt, reply: str) -> None:
        verdict = prompt.check(reply)
        action = getattr(verdict.output, "action", None)
        if verdict.ok and isinstance(action, str) and action in self._actions and self._pack.contract:
            self._hit(self._actions[action])
            self._find(self._pack.contract.actions[action].params, getattr(verdict.output, "params", None))

    def _sources(self) -> Iterator[Mapping[str, Any]]:
        yield from (declared.schema for declared in self._pack.inputs.values())
        actions = self._pack.contract.actions.values() if self._pack.contract else ()
        yield from (action.params for action in actions if action.params is not None)

    def _find(self, source: Mapping[str, Any] | None, value: Any) -> None:
        for key in self._finders[id(source)].find(value) if source is not None else ():
            if key in self._words:
                self._hit(self._words[key])

    def _record(self, part: CountedPart, way: str) -> None:
        self._hit(_point_of(part, way))

    def _add(self, location: Location, what: str) -> Point:
        point = Point(location.path, location.line, location.column, what)
        self.hits.setdefault(point, 0)
        return point

    def _hit(self, point: Point) -> None:
        self.hits[point] = self.hits.get(point, 0) + 1


def _point_of(part: CountedPart, way: str) -> Point:
    place = part.location
    return Point(place.path, place.line, place.column, _WAYS[part.kind][way])
