"""Print the conversation with a model: messages, replies, verdicts and corrections."""

import json
from typing import Any

import click

from promptpack.characters import visible
from promptpack.cycle import AgentRun, Round
from promptpack.prompt.message import Message
from promptpack.verdict import Verdict

_MESSAGE_LINES = 6
_REPLY_LINES = 14


def print_run(title: str, run: AgentRun, full: bool, tool_result: Any = None) -> None:
    """Print the prompt and every round of an agent; without `full`, only the first lines of messages."""
    pack = run.prompt.pack
    click.echo(click.style(f" {visible(title)} ".center(96, "─"), bold=True))
    click.echo(click.style(f"{pack.label} {pack.locale} {pack.digest[:19]}", dim=True))
    for message in run.prompt.messages:
        print_message(message, full)
    for done in run.transcript.rounds:
        print_round(done, full)
    if tool_result is not None:
        click.echo(click.style("tool       ", fg="magenta") + visible(json.dumps(tool_result, ensure_ascii=False)))
    click.echo()


def print_message(message: Message, full: bool) -> None:
    """Print a message of a prompt."""
    click.echo(click.style(f"{message.role:<11}", fg="blue") + _block(message.text, full))


def print_round(done: Round, full: bool) -> None:
    """Print a reply, its verdict and its correction."""
    click.echo(click.style("reply      ", fg="yellow") + _block(_readable(done.completion.text), full, _REPLY_LINES))
    if done.verdict is not None:
        print_verdict(done.verdict)
    for answer in done.answers if done.verdict is not None else ():
        print_correction(answer.text, full)


def print_verdict(verdict: Verdict) -> None:
    """Print an outcome, the repairs, the extra keys and the violations."""
    outcome = click.style(verdict.outcome, fg="green" if verdict.ok else "red")
    click.echo(click.style("verdict    ", fg="cyan") + outcome)
    for repair in verdict.repairs:
        click.echo(f"           repaired {visible(f'{repair.kind} {repair.path}')}".rstrip())
    for path in verdict.extras:
        click.echo(f"           kept {visible(path)}, which is not in the contract")
    for violation in verdict.violations:
        click.echo(f"           {visible(str(violation))}")


def print_correction(text: str, full: bool) -> None:
    """Print the message that asks the model to correct its reply."""
    click.echo(click.style("correction ", fg="red") + _block(text, full))


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
