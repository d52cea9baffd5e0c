"""An example that fails its own schema.

`reply_format` shows the example to the model: one that breaks the contract teaches it to fail. The example of an
action must have that action, and every value under the `examples` of an input, of params or of a schema inside of them
must be one that the schema takes. Rules are not worked out here; `promptpack test` does that.

Bad: an example with `confidence: 150`, or the example of `TASK_PLAN` with `action: PLAN`.
Good: an example that could be sent as it stands.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack import schema
from promptpack.linter.rule import Advice
from promptpack.linter.shapes import walk
from promptpack.linter.subject import Subject
from promptpack.pack import Contract
from promptpack.pack.placed import Placed
from promptpack.problem import Severity

CODE: Final = "PL008"
NAME: Final = "broken-example"
SEVERITY: Final[Severity] = "error"


def check(subject: Subject) -> Iterator[Advice]:
    """Check the examples of actions, of the reply, and of inputs."""
    contract = subject.contract
    # A template with a problem leaves the contract as it is; another problem may be one of its schemas.
    if contract is not None and all(problem.code.startswith("PP3") for problem in subject.sketch.problems):
        yield from _replies(subject, contract)
    for name, placed in subject.parts.inputs.items():
        if subject.owns(placed):
            yield from _inside(name, placed, subject.inputs[name].schema)
    for name, placed in subject.parts.actions.items():
        params = contract.actions[name].params if contract else None
        if subject.owns(placed) and params is not None:
            yield from _inside(f"params of {name}", placed.child("params"), params)


def _inside(what: str, placed: Placed, bundled: Mapping[str, Any]) -> Iterator[Advice]:
    """Check the examples of a schema and of the schemas inside of it, each against its own."""
    for path, written in walk(placed.value):
        if not isinstance(written.get("examples"), list):
            continue
        node: Any = bundled
        for step in path:
            node = node[step]
        checked = schema.compile({**node, "$defs": bundled.get("$defs", {})})
        named = next((step for step in reversed(path) if isinstance(step, str)), what)
        for index in range(len(written["examples"])):
            yield from _told(f"example of {named!r}", placed.child(*path, "examples", index), checked)


def _replies(subject: Subject, contract: Contract) -> Iterator[Advice]:
    for name, placed in subject.parts.actions.items():
        if "example" not in placed.value or not subject.owns(placed):
            continue
        example = placed.child("example")
        yield from _told(f"example of {name}", example, contract.schema)
        taken = example.value.get("action", name)
        if taken != name and taken in (contract.action_names() or (taken,)):
            hint = f"write 'action: {name}'"
            yield Advice(f"example of {name} has the action {taken!r}", example.locate("action"), hint)
    whole = subject.parts.reply.get("example")
    if whole is not None and subject.owns(whole):
        yield from _told("example of the reply", whole, contract.schema)


def _told(what: str, example: Placed, checked: schema.Schema) -> Iterator[Advice]:
    for finding in checked.check(example.value):
        where = f" (in {finding.pointer})" if finding.pointer else ""
        place = example.locate_key(*finding.path) if finding.at_key else example.locate(*finding.path)
        yield Advice(f"{what}: {finding.message}{where}", place, finding.hint)
