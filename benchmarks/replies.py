"""Reading costs little: clean replies against pydantic, the mixed corpus against json-repair with its contract check.

json-repair lives in a virtual environment of its own: `python -m venv .cache/bench/replies` and
`.cache/bench/replies/bin/pip install json-repair`.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
sys.path += [str(path) for path in (ROOT / ".cache" / "bench" / "replies").glob("lib/python3*/site-packages")]

from json_repair import repair_json  # type: ignore[import-not-found] # noqa: E402
from jsonschema import Draft202012Validator  # noqa: E402
from pydantic import BaseModel, Field  # noqa: E402

from promptpack import Pack  # noqa: E402
from promptpack.pack import Contract, Version  # noqa: E402
from promptpack.reply import Finding, Shape, read  # noqa: E402
from promptpack.schema import compile as compile_schema  # noqa: E402

ROUNDS = 30
FOLDER = ROOT / "tests" / "conformance" / "replies"
CONTRACTS = json.loads((FOLDER / "contract.json").read_text("utf-8"))
SHAPES = {agent: Shape.of(schema) for agent, schema in CONTRACTS.items()}
SCHEMAS = {agent: compile_schema(schema) for agent, schema in CONTRACTS.items()}
PACKS = {
    agent: Pack(agent, Version(1, 0, 0), "contract.json", "", contract=Contract(agent, schema))
    for agent, schema in CONTRACTS.items()
}
VALIDATORS = {agent: Draft202012Validator(schema) for agent, schema in CONTRACTS.items()}
ROWS = [json.loads(line) for line in (FOLDER / "corpus.jsonl").read_text("utf-8").split("\n") if line]

Row = dict[str, Any]


class Risk(BaseModel):
    """The risk of an AgentOutput."""

    level: Literal["low", "medium", "high"]
    description: str
    mitigation: str | None = None


class AgentOutput(BaseModel):
    """The contract as a pydantic model, with the params left free."""

    thought: str
    action: str
    params: dict[str, Any]
    expectedOutcome: str  # noqa: N815 -- the contract's own name
    risk: Risk
    confidence: float = Field(ge=0, le=100)
    alternativeActions: list[str] | None = None  # noqa: N815
    requiresUserConfirmation: bool | None = None  # noqa: N815
    userMessage: str | None = None  # noqa: N815


def main() -> None:
    """Print both claims as ratios."""
    clean = [row for row in ROWS if row["verdict"] == "valid"]
    for row in clean:
        assert read(row["raw"], SHAPES[row["agent"]], by_model).value == json.loads(row["raw"])
    ours, whole, theirs = measure(clean, [read_by_model, judge_whole, validate_json])
    print(f"clean replies   read {ours:8.1f} us   model_validate_json    {theirs:8.1f} us   ratio {ours / theirs:.2f}")
    for row in (row for row in ROWS if row["verdict"] == "recoverable"):
        assert read_by_schema(row) in [row["expect"], *row.get("alts", [])] or "empty" in str(row["tags"])
    print(f"               check {whole:8.1f} us                                    ratio {whole / theirs:.2f}")
    ours, whole, theirs = measure(ROWS, [read_by_schema, judge_whole, repair_and_check])
    print(f"mixed corpus    read {ours:8.1f} us   json-repair and check  {theirs:8.1f} us   ratio {ours / theirs:.2f}")
    print(f"               check {whole:8.1f} us                                    ratio {whole / theirs:.2f}")
    print(f"recovered       read {recovered(read_by_schema)}          json-repair {recovered(repair_and_check)}")


def measure(rows: Sequence[Row], runs: Sequence[Callable[[Row], object]]) -> list[float]:
    """Take the best time of every reply, the contenders interleaved, and give the mean in microseconds."""
    best = [[float("inf")] * len(rows) for _ in runs]
    for _ in range(ROUNDS):
        for index, row in enumerate(rows):
            for contender, run in enumerate(runs):
                started = time.perf_counter()
                run(row)
                best[contender][index] = min(best[contender][index], time.perf_counter() - started)
    return [sum(times) / len(rows) * 1e6 for times in best]


def by_model(value: Any) -> Sequence[Finding]:
    AgentOutput.model_validate(value)
    return ()


def read_by_model(row: Row) -> object:
    return read(row["raw"], SHAPES[row["agent"]], by_model).value


def validate_json(row: Row) -> object:
    return AgentOutput.model_validate_json(row["raw"])


def read_by_schema(row: Row) -> object:
    schema = SCHEMAS[row["agent"]]

    def check(value: Any) -> Sequence[Finding]:
        return [Finding(one.rule, one.pointer, one.message) for one in schema.check(value)]

    return read(row["raw"], SHAPES[row["agent"]], check).value


def judge_whole(row: Row) -> object:
    return PACKS[row["agent"]].check(row["raw"])


def repair_and_check(row: Row) -> object:
    value = repair_json(row["raw"], return_objects=True)
    errors = list(VALIDATORS[row["agent"]].iter_errors(value))
    return None if errors else value


def recovered(run: Callable[[Row], object]) -> int:
    """Count the recoverable replies that come out as the object that was meant."""
    rows = [row for row in ROWS if row["verdict"] == "recoverable"]
    return sum(run(row) in [row["expect"], *row.get("alts", [])] for row in rows)


if __name__ == "__main__":
    main()
