"""Templates and expressions that Jinja sees when they are first used: until then, a reading without it is enough."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from promptpack.lazy import cached_property
from promptpack.template.model import Expression, Template
from promptpack.template.reading import Reading, read_expression, read_template
from promptpack.template.script import UnusualError

if TYPE_CHECKING:
    from promptpack.template.bounds import Limits
    from promptpack.template.model import Source
    from promptpack.template.partials import PackTemplate, Trail
    from promptpack.template.script import Script

    Compiled = TypeVar("Compiled", Template, Expression)
    Needs = tuple[frozenset[str], frozenset[str]]
    """The names a template takes from outside, and the partials it includes, directly or through others."""

# A script is for a prompt of everyday size.
_MOST_STEPS: Final = 2_000


class Shelf:
    """The partials that templates of a pack may include, as far as they can be read without Jinja."""

    def __init__(self, partials: Mapping[str, Source], limits: Limits) -> None:
        self._partials = partials
        self._limits = limits
        self._needs: dict[str, Needs | None] = {}

    @cached_property
    def is_clean(self) -> bool:
        """Whether every partial is certain to be fine; where not, Jinja has to tell."""
        try:
            for name in self._partials:
                self._needs_of(name)
        except UnusualError:
            return False
        return True

    def template(self, source: Source, known: Collection[str], make: Callable[[], Template]) -> Template | None:
        """Give a template that uses nothing but known names, to be made on first use; None where Jinja has to tell."""
        try:
            reading = self._read(source)
            names, partials = self._within(reading, known)
        except UnusualError:
            return None

        def load() -> PackTemplate:
            return _settled(late, make()).code

        def run(context: Mapping[str, Any], trail: Trail | None) -> str:
            return _settled(late, make()).render(context, trail)

        late = Template(source, names, partials, load, run, lambda: self._inlined(reading.script))
        return late

    def expression(self, source: Source, known: Collection[str], make: Callable[[], Expression]) -> Expression | None:
        """Give an expression in the same way."""
        try:
            reading = self._fitting(read_expression, source)
            names, _ = self._within(reading, known)
        except UnusualError:
            return None

        def run(context: Mapping[str, Any], _: Trail | None) -> Any:
            return _settled(late, make()).evaluate(context)

        late = Expression(source, names, run, reading.script)
        return late

    def _read(self, source: Source) -> Reading:
        return self._fitting(read_template, source)

    def _fitting(self, read: Callable[[str], Reading | None], source: Source) -> Reading:
        """Read what is written in Jinja's syntax, within the limits."""
        is_usual = source.syntax == "jinja" and len(source.text) <= self._limits.source
        reading = read(source.text) if is_usual else None
        if reading is None or reading.size > self._limits.tokens:
            raise UnusualError
        return reading

    def _within(self, reading: Reading, known: Collection[str]) -> Needs:
        if not self.is_clean:
            raise UnusualError
        names, partials = self._needs_in(reading)
        if not all(name in known for name in names):
            raise UnusualError
        return names, partials

    def _needs_in(self, reading: Reading) -> Needs:
        names, partials = set(reading.names), set()
        for name, scope in reading.includes:
            inner_names, inner_partials = self._needs_of(name)
            names |= inner_names - scope
            partials |= {name, *inner_partials}
        return frozenset(names), frozenset(partials)

    def _needs_of(self, name: str) -> Needs:
        if name not in self._needs:
            if name not in self._partials:
                raise UnusualError
            self._needs[name] = None  # so that a partial which includes itself is seen
            self._needs[name] = self._needs_in(self._read(self._partials[name]))
        needs = self._needs[name]
        if needs is None:
            raise UnusualError
        return needs

    def _inlined(self, script: Script) -> Script | None:
        """Put the partials where they are included; None for a script that grows too long."""
        try:
            return self._replaced(script, iter(range(_MOST_STEPS)))
        except UnusualError:
            return None

    def _replaced(self, script: Script, room: Iterator[int]) -> Script:
        steps: Script = []
        for step in script:
            if next(room, None) is None:
                raise UnusualError
            match step:
                case ["include", name]:
                    steps += self._replaced(self._read(self._partials[name]).script, room)
                case ["if", test, then, otherwise]:
                    steps.append(["if", test, self._replaced(then, room), self._replaced(otherwise, room)])
                case _:
                    steps.append(step)
        return steps


def _settled(late: Compiled, made: Compiled) -> Compiled:
    """Let what was made late be what it was made into, but for its script."""
    vars(late).update({name: value for name, value in vars(made).items() if "script" not in name})
    return late
