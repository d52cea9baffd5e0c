"""`promptpack run`: run the six agents on one task, and print every prompt, reply and verdict."""

import json
from collections.abc import Callable
from importlib.resources import files as package_files
from typing import Any

import click

from promptpack import document, files, flow
from promptpack.characters import visible
from promptpack.cli.options import open_library, packs_option
from promptpack.cli.walk import Turn, walk
from promptpack.cycle import CycleSettings, OpenAIProvider, Provider, Round, ScriptedProvider
from promptpack.library import Library
from promptpack.problem import Problem, UsageError

_MESSAGE_LINES = 6
_REPLY_LINES = 14


@click.command("run")
@packs_option
@click.option("-l", "--locale", default="en", show_default=True, type=click.Choice(["en", "zh-CN"]))
@click.option("--provider", "kind", default="scripted", show_default=True, type=click.Choice(["scripted", "openai"]))
@click.option("--base-url", help="The address of an OpenAI-compatible server.")
@click.option("--model", help="The model to ask.")
@click.option("--api-key", envvar="OPENAI_API_KEY", default="none", help="The API key.  [env: OPENAI_API_KEY]")
@click.option("--rounds", default=3, show_default=True, help="How many replies of an agent are checked.")
@click.option("--full", is_flag=True, help="Show whole messages instead of their first lines.")
@click.pass_context
def command(
    ctx: click.Context, /, folders: tuple[str, ...], locale: str, rounds: int, full: bool, **model: Any
) -> None:
    """Run the six agents on one task: render, ask and check each.

    The default model is a script and needs no network; one of its replies is wrong on purpose. With --provider openai,
    the official `openai` package sends the prompts to any OpenAI-compatible server.
    """
    script = _script(locale)
    provider_for, settings = _model(script, rounds, **model)
    stopped = ""
    for number, turn in enumerate(walk(_library(folders), provider_for, settings, script["user_text"], locale), 1):
        _print_turn(number, turn, full)
        stopped = turn.stopped
    if stopped:
        click.echo(click.style(visible(f"the run stopped: {stopped}"), fg="red"))
    else:
        click.echo(click.style("every reply meets its contract", fg="green"))
    ctx.exit(1 if stopped else 0)


def _library(folders: tuple[str, ...]) -> Library:
    """Open these folders, else ./packs if it has a flow, else the shipped packs."""
    is_shipped = not folders and not files.Folder("packs").exists(flow.FILE)
    return Library.open() if is_shipped else open_library(folders)


def _script(locale: str) -> dict[str, Any]:
    name = f"script.{locale}.yaml"
    text = (package_files("promptpack.cli.walk") / name).read_bytes()
    script: dict[str, Any] = document.parse(text, name).data
    return script


def _model(
    script: dict[str, Any], rounds: int, kind: str, base_url: str | None, model: str | None, api_key: str
) -> tuple[Callable[[str], Provider], CycleSettings]:
    if kind == "scripted":
        return lambda step: _scripted(script["replies"], step), CycleSettings(rounds=rounds)
    if not model:
        raise UsageError(Problem("PP906", "--provider openai needs a model", None, "add --model NAME"))
    provider = OpenAIProvider(base_url=base_url, api_key=api_key)
    return lambda _: provider, CycleSettings(model=model, rounds=rounds)


def _scripted(replies: dict[str, Any], step: str) -> Provider:
    if step not in replies:
        hint = "use a real model: --provider openai --model NAME"
        raise UsageError(Problem("PP908", f"the scripted model has no reply for the step {step!r}", None, hint))
    return ScriptedProvider(replies[step])


def _print_turn(number: int, turn: Turn, full: bool) -> None:
    pack = turn.run.prompt.pack
    title = f" {number}. {pack.agent}: {turn.title} "
    click.echo(click.style(title.center(96, "─"), bold=True))
    click.echo(click.style(f"{pack.label} {pack.locale} {pack.digest[:19]}", dim=True))
    for message in turn.run.prompt.messages:
        click.echo(click.style(f"{message.role:<11}", fg="blue") + _block(message.text, full))
    for done in turn.run.transcript.rounds:
        _print_round(done, full)
    if turn.tool_result is not None:
        click.echo(click.style("tool       ", fg="magenta") + visible(json.dumps(turn.tool_result, ensure_ascii=False)))
    click.echo()


def _print_round(done: Round, full: bool) -> None:
    click.echo(click.style("reply      ", fg="yellow") + _block(_readable(done.completion.text), full, _REPLY_LINES))
    verdict = done.verdict
    if verdict is None:
        return
    outcome = click.style(verdict.outcome, fg="green" if verdict.ok else "red")
    click.echo(click.style("verdict    ", fg="cyan") + outcome)
    for repair in verdict.repairs:
        click.echo(f"           repaired {visible(f'{repair.kind} {repair.path}')}".rstrip())
    for path in verdict.extras:
        click.echo(f"           kept {visible(path)}, which is not in the contract")
    for violation in verdict.violations:
        click.echo(f"           {visible(str(violation))}")
    for answer in done.answers:
        click.echo(click.style("correction ", fg="red") + _block(answer.text, full))


def _readable(reply: str) -> str:
    """Return a JSON object as one line per key; return any other reply unchanged."""
    try:
        return "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in json.loads(reply).items())
    except (ValueError, AttributeError):
        return reply


def _block(text: str, full: bool, brief: int = _MESSAGE_LINES) -> str:
    lines = visible(text).split("\n")
    shown = lines if full or len(lines) <= brief + 1 else [*lines[:brief], f"... ({len(lines) - brief} more lines)"]
    return "\n           ".join(line if full or len(line) <= 160 else line[:157] + "..." for line in shown)
