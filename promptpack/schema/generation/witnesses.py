"""Values found by the search that decides inclusion: for goals that random choices do not meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from promptpack.schema.inclusion.nodes import Literal, SchemaDocument, SchemaNodes
from promptpack.schema.inclusion.searching import Search
from promptpack.schema.inclusion.step_meter import StepMeter, UndecidedError
from promptpack.schema.supported_keywords import StepLimitError

_WANTED: Final = 4
_STEPS: Final = 20_000
# All searches of one generator together.
_ALL_STEPS: Final = 200_000


class Witnesses(NamedTuple):
    """Values that meet a goal; without any, `reason` says why, and `is_proven` that there are none."""

    values: tuple[Any, ...]
    reason: str = ""
    is_proven: bool = False


class WitnessSearch:
    """Searches values for goals in one schema; each goal is searched once."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._cache: dict[tuple[int, ...], tuple[Sequence[Any], Witnesses]] = {}
        self._remaining = _ALL_STEPS
        self._start()

    def _start(self) -> None:
        self._meter = StepMeter(_STEPS)
        self._nodes = SchemaNodes(self._meter)
        self._document = SchemaDocument(self._root, self._meter)
        self._search = Search(self._nodes, self._meter)

    def find(self, schemas: Sequence[Any]) -> Witnesses:
        """Return values that meet all schemas, which may refer into the root."""
        key = tuple(sorted({id(schema) for schema in schemas}))
        if key not in self._cache:
            # The schemas are stored too, so that their ids cannot be reused.
            self._cache[key] = (schemas, self._find(schemas))
        return self._cache[key][1]

    def _find(self, schemas: Sequence[Any]) -> Witnesses:
        if self._remaining <= 0:
            return Witnesses((), "the schema is too complex")
        self._meter.remaining = steps = min(_STEPS, self._remaining)
        try:
            goal = frozenset(Literal(self._nodes.make(one, self._document), holds=True) for one in schemas)
            result = self._search.solve(goal, _WANTED)
        except (UndecidedError, RecursionError, StepLimitError) as error:
            self._remaining -= steps
            self._start()  # the cached results of an interrupted search are not certain
            return Witnesses((), str(error) if isinstance(error, UndecidedError) else "the schema is too complex")
        self._remaining -= steps - self._meter.remaining
        if result.is_empty:
            return Witnesses((), "no value meets the schema", is_proven=True)
        return Witnesses(result.values, "" if result.values else "no value was found")
