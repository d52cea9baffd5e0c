"""Batches of planner records, from file to file in one process, compared with plain loops over the same files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import records
from benchmarks.environments import scratch_folder
from benchmarks.measuring import Job
from benchmarks.shipped import _pack, _twin
from benchmarks.sides import Side, Table

AGENT = "planner"
ROWS = 10_000
NAMES = ("contexts.jsonl", "replies.jsonl", "out.jsonl")


def rendered(rows: int) -> Job:
    """Render contexts to request lines as `promptpack batch render` does."""
    from promptpack.batch.jobs import BatchOptions, plan_render
    from promptpack.batch.process import run
    from promptpack.batch.requests import RequestSettings
    from promptpack.batch.sources import RowSource

    contexts, _, output = write_files(scratch_folder(), rows)
    options = BatchOptions(str(output), overwrite=True)
    settings = RequestSettings("openai", "m")
    return _job(lambda: run(plan_render(_pack(AGENT), RowSource(str(contexts)), settings, options)), output, _request)


def rendered_in_a_loop(rows: int) -> Job:
    """Render contexts in a loop."""
    pack = _pack(AGENT)
    return _render(rows, lambda context: pack.render(context).to("openai"))


def rendered_with_stock(rows: int) -> Job:
    """Validate contexts with jsonschema and render them with stock Jinja, in a loop."""
    twin = _twin(AGENT)
    validate = twin.validator()

    def render(context: Any) -> dict[str, Any]:
        validate(context)
        return {"messages": twin.render(context), "response_format": {"type": "json_object"}}

    return _render(rows, render)


def checked(rows: int) -> Job:
    """Check replies as `promptpack batch check` does, joined with their contexts by an index on disk."""
    from promptpack.batch.jobs import BatchOptions, JoinedReplies, plan_check
    from promptpack.batch.process import run
    from promptpack.batch.sources import RowSource

    contexts, replies, output = write_files(scratch_folder(), rows)
    joined = JoinedReplies((RowSource(str(replies)),), RowSource(str(contexts)))
    options = BatchOptions(str(output), overwrite=True)
    return _job(lambda: run(plan_check(_pack(AGENT), joined, options)), output, _verdict)


def checked_in_a_loop(rows: int) -> Job:
    """Check replies in a loop, with all contexts in memory."""
    pack = _pack(AGENT)

    def check(context: Any, reply: str) -> dict[str, Any]:
        verdict = pack.render(context).check(reply)
        return {"ok": verdict.ok, "verdict": verdict.to_dict()}

    return _check(rows, check)


def checked_with_stock(rows: int) -> Job:
    """Render with stock Jinja, check with jsonschema and pydantic, in a loop; no rules, no corrections."""
    from jsonschema import Draft202012Validator

    twin, pack = _twin(AGENT), _pack(AGENT)
    validate = twin.validator()
    accepts = Draft202012Validator(json.loads(json.dumps(dict(pack.contract.schema.source)))).is_valid
    model = records.make_model(AGENT)

    def check(context: Any, reply: str) -> dict[str, Any]:
        validate(context)
        twin.render(context)
        return {"ok": accepts(json.loads(reply)), "verdict": model.model_validate_json(reply).model_dump()}

    return _check(rows, check)


def write_files(folder: Path, rows: int) -> tuple[Path, Path, Path]:
    """Write contexts and their replies, in another order; return their paths, and that of the output."""
    contexts, replies, output = (folder / name for name in NAMES)
    with contexts.open("w", encoding="utf-8") as first, replies.open("w", encoding="utf-8") as second:
        for number in range(rows):
            context = records.make_context(AGENT, number)
            first.write(json.dumps({"id": f"r{number}", "context": context}, ensure_ascii=False) + "\n")
            reply = json.dumps(records.make_reply(AGENT, rows - 1 - number), ensure_ascii=False)
            second.write(json.dumps({"id": f"r{rows - 1 - number}", "reply": reply}, ensure_ascii=False) + "\n")
    return contexts, replies, output


def _render(rows: int, render: Callable[[Any], dict[str, Any]]) -> Job:
    contexts, _, output = write_files(scratch_folder(), rows)

    def run() -> None:
        with contexts.open("rb") as source, output.open("wb") as target:
            for line in source:
                row = json.loads(line)
                body = {"model": "m", **render(row["context"])}
                request = {"custom_id": row["id"], "method": "POST", "url": "/v1/chat/completions", "body": body}
                target.write(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    return _job(run, output, _request)


def _check(rows: int, check: Callable[[Any, str], dict[str, Any]]) -> Job:
    contexts, replies, output = write_files(scratch_folder(), rows)

    def run() -> None:
        with contexts.open("rb") as source:
            known = {row["id"]: row["context"] for row in map(json.loads, source)}
        with replies.open("rb") as source, output.open("wb") as target:
            for row in map(json.loads, source):
                record = {"id": row["id"], **check(known[row["id"]], row["reply"])}
                target.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    return _job(run, output, _verdict)


def _job(run: Callable[[], object], output: Path, read: Callable[[Any], Any]) -> Job:
    def result() -> list[Any]:
        run()
        with output.open("rb") as stream:
            return [read(json.loads(line)) for line in stream][::100]

    return Job(run, result)


def _request(row: Any) -> Any:
    return [row["custom_id"], [message["content"] for message in row["body"]["messages"]]]


def _verdict(row: Any) -> Any:
    return [row["id"], row["ok"]]


def tables() -> tuple[Table, ...]:
    return (
        _table(
            "batch-render",
            "Rendering a file of contexts, per record",
            rendered,
            rendered_in_a_loop,
            rendered_with_stock,
        ),
        _table("batch-check", "Checking a file of replies, per record", checked, checked_in_a_loop, checked_with_stock),
    )


def _table(
    name: str, title: str, ours: Callable[[int], Job], plain: Callable[[int], Job], stock: Callable[[int], Job]
) -> Table:
    over, packages = "loop, stock", ("jinja2", "jsonschema", "pydantic")
    sides = (
        Side(over, stock, (ROWS,), packages=packages, units=ROWS, note="no rules, no limits"),
        Side("loop, promptpack", plain, (ROWS,), over=over, units=ROWS, note="all contexts in memory"),
        Side("promptpack batch", ours, (ROWS,), over=over, units=ROWS, note="one process, with its journal"),
    )
    return Table(name, title, sides, rounds=3)
