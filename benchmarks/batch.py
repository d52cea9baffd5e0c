"""Batches of planner records, from file to file in one process, compared with plain loops over the same files."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import records
from benchmarks.environments import scratch_folder
from benchmarks.measuring import Job
from benchmarks.shipped import _pack, _twin
from benchmarks.sides import Side, Table

AGENT = "planner"
ROWS = 10_000
STOCK = "loop, stock"
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
    return _check(rows, _check_one, _join_in_memory)


def checked_in_a_loop_with_flat_memory(rows: int) -> Job:
    """Check replies in a loop, with the contexts in SQLite, so that memory does not grow with the rows."""
    return _check(rows, _check_one, _join_on_disk)


def _check_one(context: Any, reply: str) -> dict[str, Any]:
    verdict = _pack(AGENT).render(context).check(reply)
    return {"ok": verdict.ok, "verdict": verdict.to_dict()}


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

    return _check(rows, check, _join_in_memory)


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


Join = Callable[[Iterable[bytes], Iterable[bytes]], Iterator[tuple[str, Any, str]]]
"""Lines of contexts and replies -> the id, the context and the reply of each record."""


def _join_in_memory(contexts: Iterable[bytes], replies: Iterable[bytes]) -> Iterator[tuple[str, Any, str]]:
    known = {row["id"]: row["context"] for row in map(json.loads, contexts)}
    for row in map(json.loads, replies):
        yield row["id"], known[row["id"]], row["reply"]


def _join_on_disk(contexts: Iterable[bytes], replies: Iterable[bytes]) -> Iterator[tuple[str, Any, str]]:
    table = sqlite3.connect(scratch_folder() / "contexts.db")
    table.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;")
    table.execute("CREATE TABLE contexts (id TEXT PRIMARY KEY, line BLOB)")
    table.executemany("INSERT INTO contexts VALUES (?, ?)", ((json.loads(line)["id"], line) for line in contexts))
    for row in map(json.loads, replies):
        [line] = table.execute("SELECT line FROM contexts WHERE id = ?", (row["id"],)).fetchone()
        yield row["id"], json.loads(line)["context"], row["reply"]
    table.close()


def _check(rows: int, check: Callable[[Any, str], dict[str, Any]], join: Join) -> Job:
    contexts, replies, output = write_files(scratch_folder(), rows)

    def run() -> None:
        with contexts.open("rb") as first, replies.open("rb") as second, output.open("wb") as target:
            for identifier, context, reply in join(first, second):
                record = {"id": identifier, **check(context, reply)}
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
        Table("batch-render", "Rendering a file of contexts, per record", tuple(_rendering()), rounds=3),
        Table("batch-check", "Checking a file of replies, per record", tuple(_checking()), rounds=3),
    )


def _rendering() -> Iterator[Side]:
    yield _stock(rendered_with_stock)
    yield _side("loop, promptpack", rendered_in_a_loop, "")
    yield _side("promptpack batch", rendered, "one process, with its journal")


def _checking() -> Iterator[Side]:
    yield _stock(checked_with_stock)
    yield _side("loop, promptpack", checked_in_a_loop, "all contexts in memory")
    yield _side("loop, promptpack, flat memory", checked_in_a_loop_with_flat_memory, "contexts in SQLite")
    yield _side("promptpack batch", checked, "one process, with its journal; contexts in SQLite")


def _stock(job: Callable[[int], Job]) -> Side:
    packages = ("jinja2", "jsonschema", "pydantic")
    return Side(STOCK, job, (ROWS,), packages=packages, units=ROWS, note="no rules, no limits")


def _side(name: str, job: Callable[[int], Job], note: str) -> Side:
    return Side(name, job, (ROWS,), over=STOCK, units=ROWS, note=note)
