"""Decide whether one JSON Schema accepts every value that another accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from promptpack.schema.inclusion.step_meter import MAX_STEPS, StepMeter, UndecidedError
from promptpack.schema.keywords import LIMIT
from promptpack.schema.pointers import Mismatch, pointer
from promptpack.schema.safety import SchemaMeter, find_unsafe, iterate_schemas
from promptpack.schema.supported_keywords import StepLimitError
from promptpack.schema.validation import Schema

_FALSE: Final[Mapping[str, Any]] = {"not": {}}
# Rules that mean that a value was not validated.
_UNDECIDED_KEYWORDS: Final = (LIMIT, "depth", "$ref")
_MAX_SUBSCHEMAS: Final = 20_000
# The steps to read two small schemas, and to confirm a counterexample.
_STEPS_TO_START: Final = 30


@dataclass(frozen=True)
class Inclusion:
    """Whether every value of the narrow schema is a value of the wide one; only "no" has a `counterexample`.

    `reason` explains the answer. `path` is the JSON pointer of the keyword in the wide schema that refuses the
    counterexample, without the references on the way.
    """

    answer: Literal["yes", "no", "unknown"]
    reason: str = ""
    path: str = ""
    counterexample: Any = None


def includes(
    wide: Mapping[str, Any] | bool, narrow: Mapping[str, Any] | bool, shared: StepMeter | None = None
) -> Inclusion:
    """Return whether the schema `wide` accepts every JSON value that the schema `narrow` accepts.

    Both may only have local references. "yes" is proven; the counterexample of a "no" is validated with both schemas.
    The answer takes its steps from the `shared` meter of several decisions, if there is one, and at most half of them.
    """
    given = MAX_STEPS if shared is None else max(shared.remaining // 2, 0)
    meter = StepMeter(given)
    try:
        meter.spend(_STEPS_TO_START)
        return _decide(Schema(_read(wide)), Schema(_read(narrow)), meter)
    except UndecidedError as error:
        return Inclusion("unknown", str(error))
    except (RecursionError, StepLimitError):
        return Inclusion("unknown", "the schemas are too complex to decide")
    finally:
        if shared is not None:
            shared.remaining -= given - meter.remaining


def _read(schema: Mapping[str, Any] | bool) -> Mapping[str, Any]:
    if isinstance(schema, bool):
        return {} if schema else _FALSE
    source = {key: value for key, value in schema.items() if key not in ("$id", "$schema")}
    # Aliases in YAML can repeat a subschema, so a short text can have very many.
    if sum(1 for _ in islice(iterate_schemas(source), _MAX_SUBSCHEMAS + 1)) > _MAX_SUBSCHEMAS:
        raise UndecidedError(f"the schema has more than {_MAX_SUBSCHEMAS:,} subschemas")
    for unsafe in find_unsafe(source, SchemaMeter()):
        raise UndecidedError(unsafe.message)
    return source


def _decide(wide: Schema, narrow: Schema, meter: StepMeter) -> Inclusion:
    from promptpack.schema.inclusion.nodes import Literal as NodeLiteral
    from promptpack.schema.inclusion.nodes import SchemaDocument, SchemaNodes
    from promptpack.schema.inclusion.searching import Search
    from promptpack.schema.inclusion.unevaluated import rewrite

    nodes = SchemaNodes(meter)
    literals = []
    for schema, holds in ((narrow, True), (wide, False)):
        root = rewrite(schema.source, meter)
        literals.append(NodeLiteral(nodes.make(root, SchemaDocument(root, meter)), holds))
    result = Search(nodes, meter).solve(frozenset(literals))
    if result.is_empty:
        return Inclusion("yes", "every value of the narrow schema is valid for the wide one")
    if not result.values:
        return Inclusion("unknown", "neither a proof nor a counterexample was found")
    return _confirm(wide, narrow, result.values[0])


def _confirm(wide: Schema, narrow: Schema, value: Any) -> Inclusion:
    """Return "no" if the validator accepts the value for the narrow schema and refuses it for the wide one."""
    mismatches = wide.check(value)
    if not narrow.accepts(value) or not mismatches or any(one.keyword in _UNDECIDED_KEYWORDS for one in mismatches):
        return Inclusion("unknown", "a counterexample could not be confirmed")
    return Inclusion("no", _explain(mismatches[0]), _find_path(wide, value), value)


def _explain(mismatch: Mismatch) -> str:
    where = f"{mismatch.pointer!r} " if mismatch.path else ""
    return f"the wide schema refuses a value of the narrow one: {where}{mismatch.message}"


def _find_path(wide: Schema, value: Any) -> str:
    errors, _ = wide.find_errors(value)
    return pointer(errors[0].absolute_schema_path) if errors else ""
