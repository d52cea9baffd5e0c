"""Reading replies is cheap: clean ones compared with pydantic, broken ones with json-repair plus a contract check."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

from benchmarks.measuring import Job
from benchmarks.sides import Side, Table

FOLDER = Path(__file__).parents[1] / "tests" / "conformance" / "replies"

Row = dict[str, Any]


def reader(part: str) -> Job:
    """Read replies and check them against their schemas."""
    from promptpack.reply import SchemaCheck, Shape, read
    from promptpack.schema.validation import compile as compile_schema

    shapes = {agent: Shape.of(schema) for agent, schema in contracts().items()}
    schemas = {agent: compile_schema(schema) for agent, schema in contracts().items()}

    def read_one(row: Row) -> object:
        return read(row["raw"], shapes[row["agent"]], SchemaCheck(schemas[row["agent"]])).value

    return _reading(part, read_one)


def whole_check(part: str) -> Job:
    """Read and check replies; each gives typed output or a correction."""
    from promptpack import Pack
    from promptpack.pack.contract import Contract
    from promptpack.pack.version import Version

    packs = {
        agent: Pack(agent, Version(1, 0, 0), "contract.json", contract=Contract(agent, schema))
        for agent, schema in contracts().items()
    }
    return _reading(part, lambda row: packs[row["agent"]].check(row["raw"]), lambda verdict: verdict.data)


def model_validate_json(part: str) -> Job:
    """Validate replies with a model that does not check the params."""
    validate = _agent_output().model_validate_json
    return _reading(part, lambda row: validate(row["raw"]), lambda output: output.model_dump(exclude_unset=True))


def json_repair(part: str) -> Job:
    """Repair replies with json-repair, and check the results with jsonschema."""
    from json_repair import repair_json
    from jsonschema import Draft202012Validator

    validators = {agent: Draft202012Validator(schema) for agent, schema in contracts().items()}

    def repair(row: Row) -> object:
        value = repair_json(row["raw"], return_objects=True)
        return None if list(validators[row["agent"]].iter_errors(value)) else value

    return _reading(part, repair)


def _reading(part: str, read: Callable[[Row], Any], view: Callable[[Any], Any] = lambda value: value) -> Job:
    """Read all replies of a part; the results of the clean ones are compared."""
    clean = [row for row in corpus() if row["verdict"] == "valid"]
    rows = clean if part == "clean" else corpus()

    def run() -> None:
        for row in rows:
            read(row)

    return Job(run, lambda: [view(read(row)) for row in clean])


def _agent_output() -> Any:
    from pydantic import BaseModel, Field

    class Risk(BaseModel):
        """The risk of an AgentOutput."""

        level: Literal["low", "medium", "high"]
        description: str
        mitigation: str | None = None

    class AgentOutput(BaseModel):
        """The contract as a pydantic model that does not check the params."""

        thought: str
        action: str
        params: dict[str, Any]
        expectedOutcome: str  # noqa: N815 -- the contract's own name
        risk: Risk
        confidence: float = Field(ge=0, le=100)
        alternativeActions: list[str] | None = None  # noqa: N815
        requiresUserConfirmation: bool | None = None  # noqa: N815
        userMessage: str | None = None  # noqa: N815

    return AgentOutput


@cache
def contracts() -> dict[str, Any]:
    return dict(json.loads((FOLDER / "contract.json").read_text("utf-8")))


@cache
def corpus() -> list[Row]:
    return [json.loads(line) for line in (FOLDER / "corpus.jsonl").read_text("utf-8").split("\n") if line]


def tables() -> tuple[Table, ...]:
    size = {"clean": sum(row["verdict"] == "valid" for row in corpus()), "mixed": len(corpus())}
    model, repair = "`model_validate_json`", "json-repair, jsonschema"
    return (
        Table(
            "replies-clean",
            "Checking the texts of clean replies",
            (
                Side(
                    model,
                    model_validate_json,
                    ("clean",),
                    packages=("pydantic",),
                    units=size["clean"],
                    note="params not checked",
                ),
                Side("promptpack, read and schema", reader, ("clean",), over=model, units=size["clean"]),
                Side("promptpack, `pack.check`", whole_check, ("clean",), over=model, units=size["clean"]),
            ),
        ),
        Table(
            "replies-mixed",
            "Checking the texts of mixed replies, most of them broken",
            (
                Side(
                    repair,
                    json_repair,
                    ("mixed",),
                    environment="json-repair",
                    packages=("json-repair", "jsonschema"),
                    units=size["mixed"],
                ),
                Side("promptpack, read and schema", reader, ("mixed",), over=repair, units=size["mixed"]),
                Side("promptpack, `pack.check`", whole_check, ("mixed",), over=repair, units=size["mixed"]),
            ),
        ),
    )
