"""`promptpack run`: run a flow from its first step to its end, and print every prompt, reply and verdict."""

import sys
from collections.abc import Mapping
from importlib.resources import files as package_files
from typing import Any

import click

from promptpack import document, files, flow
from promptpack.characters import visible
from promptpack.cli.demo.ticket_tool import COUNT_TICKETS, count_tickets
from promptpack.cli.model_options import StepProviders, cycle_settings, model_options, read_replies
from promptpack.cli.options import context_options, key_option, open_library, packs_option, read_values
from promptpack.cli.printing import print_run
from promptpack.cycle import Agent, AgentRun, CycleSettings
from promptpack.flow.model import CallerValue
from promptpack.flow.read_flow import FILE
from promptpack.library import Library


@click.command("run")
@packs_option
@click.option("-l", "--locale", help="The language, such as en or zh-CN.  [default: en for the shipped flow]")
@key_option
@context_options
@model_options
@click.option("--yes", is_flag=True, help="Confirm every step that asks the user.")
@click.option("--full", is_flag=True, help="Show whole messages instead of their first lines.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    context_file: str | None,
    assignments: tuple[str, ...],
    replies_file: str | None,
    rounds: int,
    yes: bool,
    full: bool,
    **model: Any,
) -> None:
    """Run the flow of the packs: render, ask and check each step.

    Without a flow of your own, the six shipped agents work on one task. The default model is a script and needs no
    network; one of its replies is wrong on purpose. --context and --set pass the values that the flow calls `given`.
    """
    library, is_demo = _open(folders)
    script = _script(locale or "en") if is_demo else {"given": {}, "replies": {}}
    opened = library.flow(locale or ("en" if is_demo else None), key=key)
    given = {**script["given"], **read_values("the flow", _schemas(opened), context_file, assignments)}
    models = StepProviders(read_replies(replies_file) if replies_file else script["replies"], **model)
    run = opened.start({**given, **({"AVAILABLE_TOOLS": [COUNT_TICKETS]} if is_demo else {})})
    run = _walk(run, models, cycle_settings(model["model"], rounds), full, yes or is_demo, is_demo)
    if run.problem is not None:
        click.echo(click.style(visible(f"the run stopped: {run.problem.message}"), fg="red"))
    elif run.waits_for_user:
        click.echo(click.style("the run stopped: it waits for the user; --yes confirms every step", fg="red"))
    elif run.limited_step:
        message = f"every reply meets its contract; the run ended at the limit of step {run.limited_step!r}"
        click.echo(click.style(message, fg="yellow"))
    else:
        click.echo(click.style("every reply meets its contract", fg="green"))
    ctx.exit(0 if run.ended and run.problem is None else 1)


def _walk(
    run: flow.FlowRun, models: StepProviders, settings: CycleSettings, full: bool, yes: bool, is_demo: bool
) -> flow.FlowRun:
    number = 0
    while (step := run.next()) is not None:
        number += 1
        rounds = models.settings_for(step.name, settings)
        done = Agent(step.pack, models.provider_for(step.name), rounds).run_with_transcript(step.context)
        result = _call_tool(done) if is_demo else {}
        print_run(f"{number}. {step.pack.agent or step.pack.name}: {step.title}", done, full, result.get("result"))
        run = run.took(done.verdict, result)
        if run.waits_for_user:
            answer = yes or _ask(done)
            if answer is None:
                return run
            run = run.answered(answer)
    return run


def _open(folders: tuple[str, ...]) -> tuple[Library, bool]:
    """Open these folders, else ./packs if it has a flow, else the shipped packs; return whether the flow is shipped."""
    shipped = files.shipped("packs")
    if not folders and not files.Folder("packs").exists(FILE):
        return Library.open(), True
    library = open_library(folders)
    return library, any(folder.exists(FILE) and folder.read(FILE) == shipped.read(FILE) for folder in library.folders)


def _ask(done: AgentRun) -> bool | None:
    """Ask the user; return None if there is no terminal to ask on."""
    question = getattr(done.verdict.output, "user_message", None) or "Continue?"
    return click.confirm(visible(question), err=True) if sys.stdin.isatty() else None


def _script(locale: str) -> dict[str, Any]:
    name = "script.zh-CN.yaml" if locale.startswith("zh") else "script.en.yaml"
    text = (package_files("promptpack.cli.demo") / name).read_bytes()
    script: dict[str, Any] = document.parse(text, name).data
    return script


def _schemas(opened: flow.Flow) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of the given values; a value that is only part of an input has none."""
    schemas: dict[str, Mapping[str, Any]] = {name: {} for name in opened.given_names}
    for step in opened.file.steps.values():
        for name, value in step.inputs.items():
            if isinstance(value, CallerValue) and not value.pointer:
                schemas[value.name] = opened.packs[step.name].inputs[name].schema
    return schemas


def _call_tool(done: AgentRun) -> dict[str, Any]:
    """Call the tool of the demo; return its result and the next phase, as values for the flow."""
    output = done.verdict.output
    if output is None or output.action != COUNT_TICKETS["name"]:
        return {}
    state = {"phase": "executing", "phases": ["planning", "executing", "reporting"], "now": "2026-11-16T09:00:00Z"}
    return {"result": count_tickets(**output.params), "SYSTEM_STATE": state}
