"""An example that fails its own schema.

`reply_format` shows the example to the model: an example that breaks the contract teaches the model to break it too.
The example of an action must have that action, and every value under `examples` of an input, of params or of a
subschema must match that schema. Rules of the contract are not checked here; `promptpack test` checks them.

Bad: an example with `confidence: 150`, or the example of `TASK_PLAN` with `action: PLAN`.
Good: an example that would be a valid reply.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from promptpack import schema
from promptpack.linter.rule import LintProblem
from promptpack.linter.schema_lookup import is_contradictory, place_mismatch
from promptpack.linter.subject import Subject
from promptpack.pack.contract import Contract
from promptpack.pack.placed import Placed
from promptpack.schema.safety import iterate_schemas

CODE: Final = "PL008"
NAME: Final = "broken-example"
SEVERITY: Final = "error"

_MAX_PROBLEMS: Final = 200


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check the examples of the reply, of actions and of inputs."""
    return islice(_find_broken(subject), _MAX_PROBLEMS)


def _find_broken(subject: Subject) -> Iterator[LintProblem]:
    contract = subject.contract
    # Template problems (PP3..) do not affect the contract; other problems may be in its schemas.
    if contract is not None and all(problem.code.startswith("PP3") for problem in subject.compiled.problems):
        yield from _check_replies(subject, contract)
    for name, placed in subject.sections.inputs.items():
        if subject.owns(placed):
            yield from _check_schema_examples(name, placed, subject.inputs[name].schema)
    for name, placed in subject.sections.actions.items():
        params = contract.actions[name].params if contract else None
        if subject.owns(placed) and params is not None:
            yield from _check_schema_examples(f"params of {name}", placed.child("params"), params)


def _check_schema_examples(what: str, placed: Placed, bundled: Mapping[str, Any]) -> Iterator[LintProblem]:
    """Check the examples of a schema and of its subschemas, each against its own schema."""
    for path, written in iterate_schemas(placed.value):
        if not isinstance(written.get("examples"), list) or is_contradictory(written):
            continue
        node: Any = bundled
        for step in path:
            node = node[step]
        compiled = schema.compile({**node, "$defs": bundled.get("$defs", {})})
        name = next((step for step in reversed(path) if isinstance(step, str)), what)
        found = (
            problem
            for index in range(len(written["examples"]))
            for problem in _check_example(f"example of {name!r}", placed.child(*path, "examples", index), compiled)
        )
        # Several examples with the same mistake, such as a list without its brackets, are one problem.
        yield from {problem.message: problem for problem in reversed(list(found))}.values()


def _check_replies(subject: Subject, contract: Contract) -> Iterator[LintProblem]:
    for name, placed in subject.sections.actions.items():
        if "example" not in placed.value or not subject.owns(placed):
            continue
        example = placed.child("example")
        if not is_contradictory(contract.actions[name].params or {}):
            yield from _check_example(f"example of {name}", example, contract.schema)
        action = example.value.get("action", name)
        if action != name and action in (contract.action_names() or (action,)):
            hint = f"write 'action: {name}'"
            yield LintProblem(f"example of {name} has the action {action!r}", example.locate("action"), hint)
    whole = subject.sections.reply.get("example")
    if whole is not None and subject.owns(whole):
        yield from _check_example("example of the reply", whole, contract.schema)


def _check_example(what: str, example: Placed, compiled: schema.Schema) -> Iterator[LintProblem]:
    for mismatch in schema.keep_misspelled(compiled.check(example.value)):
        where = f" (in {mismatch.pointer})" if mismatch.pointer else ""
        location, hint = place_mismatch(example, mismatch)
        yield LintProblem(f"{what}: {mismatch.message}{where}", location, hint)
