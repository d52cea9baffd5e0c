"""The options that all batch commands share, and how a batch is run and reported."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from promptpack import files
from promptpack.batch.extras import require_extra
from promptpack.batch.jobs import BatchOptions
from promptpack.batch.pool import ChunkEngine, ProcessEngine
from promptpack.batch.process import BatchPlan, BatchReport, run
from promptpack.batch.report_text import to_text
from promptpack.batch.requests import SHAPES, RequestSettings
from promptpack.batch.sources import STANDARD, RowSource
from promptpack.cli import options
from promptpack.cli.batch_progress import BatchProgress
from promptpack.cli.console import print_json
from promptpack.cli.model_options import read_params
from promptpack.cli.options import Command
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError

_FILE = click.Path(dir_okay=False)
_OPTIONS: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (
        ("-o", "--output"),
        "Where the records go: .jsonl, .csv, .parquet, or - for standard output.",
        {"required": True, "type": _FILE},
    ),
    (("--errors",), "Where rows that cannot be used go.  [default: OUTPUT.errors.jsonl]", {"type": _FILE}),
    (("--strict",), "Stop at the first row that cannot be used.", {"is_flag": True}),
    (("--resume",), "Continue an interrupted batch.", {"is_flag": True}),
    (("--overwrite",), "Replace existing files, and forget an interrupted batch.", {"is_flag": True}),
    (("--report",), "Write one page with charts.", {"type": _FILE}),
    (("--format",), "The format of the printed counts.", {"type": click.Choice(["text", "json"]), "default": "text"}),
)
_ENGINE: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (
        ("--processes",),
        "The number of worker processes.  [default: one per core, at least 2]",
        {"type": click.IntRange(1, 512)},
    ),
    (("--engine",), "Where the workers run.", {"type": click.Choice(["local", "ray"]), "default": "local"}),
    (("--address",), "The Ray cluster to use.  [default: one is started on this machine]", {}),
)
_REQUESTS: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (("--shape",), "The form of the requests.", {"type": click.Choice(SHAPES), "default": "messages"}),
    (("--model",), "The model of the requests; the pack's overlay for it is applied.", {"default": ""}),
    (
        ("--param", "params"),
        "A parameter of the requests, such as temperature=0; repeatable.",
        {"multiple": True, "metavar": "NAME=VALUE"},
    ),
    (("--strict-schema",), "Ask for the strict schema of the provider.", {"is_flag": True}),
)


def batch_options(command: Command) -> Command:
    """Add the options for the pack, the output and the reports."""
    for add in (options.key_option, options.locale_option, options.packs_option):
        command = add(command)
    return _add(_OPTIONS, command)


def engine_options(command: Command) -> Command:
    """Add `--processes`, `--engine` and `--address`."""
    return _add(_ENGINE, command)


def request_options(command: Command) -> Command:
    """Add the options for the form of requests."""
    return _add(_REQUESTS, command)


def open_pack(name: str, folders: tuple[str, ...], locale: str | None, key: str | None, model: str = "") -> Pack:
    """Open the pack of a batch, with its overlay for the model."""
    return options.open_library(folders).get(name, locale, key=key).for_model(model)


def read_settings(shape: Any, model: str, params: tuple[str, ...], strict_schema: bool) -> RequestSettings:
    """Return the settings of requests."""
    return RequestSettings(shape, model, read_params(params), strict_schema or None)


def run_batch(
    ctx: click.Context,
    sources: Sequence[RowSource],
    make: Callable[[BatchOptions], BatchPlan],
    given: Mapping[str, Any],
) -> None:
    """Run a batch, show how far it is, print its counts, and exit with 1 if some rows were refused."""
    output, report = given["output"], given["report"]
    _require_different([source.path for source in sources], output, [given["errors"], report])
    if given["resume"] and (given["overwrite"] or output == STANDARD):
        raise UsageError(Problem("PP988", "--resume needs an output file, and excludes --overwrite"))
    if report:
        files.require_writable(report)
    progress = BatchProgress(sources)
    plan = make(
        BatchOptions(
            output,
            given["errors"] or "",
            _open_engine(given),
            given["strict"],
            given["resume"],
            given["overwrite"],
            progress.show,
        )
    )
    try:
        done = run(plan)
    except KeyboardInterrupt:
        progress.clear()
        click.echo("stopped; continue with --resume" if output != STANDARD else "stopped", err=True)
        raise
    finally:
        progress.clear()
    _print(done, given["format"], output == STANDARD)
    if report:
        from promptpack.batch.report_page import to_page

        files.write(report, to_page(f"{plan.about['job']} {plan.about['pack'].split(' ')[0]}", done))
        click.echo(f"wrote {report}", err=True)
    is_fix = plan.about["job"] == "fix"
    ctx.exit(1 if done.summary.errors or (done.summary.failed and not is_fix) else 0)


def _require_different(inputs: Sequence[str], output: str, others: Iterable[str | None]) -> None:
    """Refuse to write a file that is read or written already, and to read standard input twice."""
    if inputs.count(STANDARD) > 1:
        raise UsageError(Problem("PP988", "standard input can be read only once"))
    uses = {os.path.realpath(path): "an input" for path in inputs if path != STANDARD}
    for path in (output, *others):
        if not path or path == STANDARD:
            continue
        place = os.path.realpath(path)
        use = uses.get(place) or (
            "a file of the unfinished batch" if place.startswith(f"{os.path.realpath(output)}.") else ""
        )
        if use:
            raise UsageError(Problem("PP988", f"{path!r} is {use} too", None, "write to another file"))
        uses[place] = "another output"


def _print(done: BatchReport, form: str, is_pipe: bool) -> None:
    if form == "json" and not is_pipe:
        print_json({**done.summary.to_dict(), "files": list(done.files)})
    else:
        click.echo(to_text(done), err=is_pipe)


def _open_engine(given: Mapping[str, Any]) -> ChunkEngine:
    processes = given.get("processes") or max(2, os.cpu_count() or 1)
    if given.get("engine") != "ray":
        if given.get("address"):
            raise UsageError(Problem("PP988", "--address needs --engine ray"))
        return ProcessEngine(processes)
    if given["output"] == STANDARD:
        raise UsageError(Problem("PP988", "--engine ray needs an output file, which all nodes of the cluster see"))
    require_extra("ray")
    from promptpack.batch.ray_engine import RayEngine

    return RayEngine(processes, given["address"] or "", f"{given['output']}.chunks")


def _add(rows: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...], command: Command) -> Command:
    for names, text, settings in reversed(rows):
        command = click.option(*names, help=text, show_default="default" in settings, **settings)(command)
    return command
