"""`promptpack check`: check a model's reply."""

import sys
from typing import Any

import click

from promptpack import files
from promptpack.cli.console import print_json, visible
from promptpack.cli.options import (
    context_options,
    locale_option,
    open_library,
    pack_argument,
    packs_option,
    read_context,
)
from promptpack.verdict import Verdict


@click.command("check")
@pack_argument
@click.argument("reply", type=click.Path(exists=True, allow_dash=True, dir_okay=False), default="-")
@packs_option
@locale_option
@context_options
@click.option("--strict", is_flag=True, help="Accept only replies that match the contract exactly; repair nothing.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(
    ctx: click.Context,
    pack: str,
    reply: str,
    folders: tuple[str, ...],
    locale: str | None,
    context_file: str | None,
    assignments: tuple[str, ...],
    strict: bool,
    format: str,  # noqa: A002 -- the option's name
) -> None:
    """Check a reply against a pack's contract. REPLY is a file, or - for standard input.

    With a context, rules that use inputs and schemas of tools are checked too.
    """
    chosen = open_library(folders).get(pack, locale)
    context = read_context(chosen, context_file, assignments)
    raw = sys.stdin.buffer.read() if reply == "-" else files.read(reply)
    verdict = chosen.check(raw, context or None, strict=strict)
    if format == "json":
        print_json(_as_data(verdict))
    else:
        _print(verdict)
    ctx.exit(0 if verdict.ok else 1)


def _as_data(verdict: Verdict) -> dict[str, Any]:
    return {
        "ok": verdict.ok,
        "outcome": verdict.outcome,
        "output": verdict.data if verdict.ok else None,
        "violations": [
            {
                "code": violation.code,
                "path": violation.path,
                "rule": violation.rule,
                "message": violation.message,
                "offset": violation.offset,
            }
            for violation in verdict.violations
        ],
        "repairs": [
            {
                "kind": repair.kind,
                "path": repair.path,
                "span": list(repair.span),
                "before": repair.before,
                "after": repair.after,
                "risk": repair.risk,
            }
            for repair in verdict.repairs
        ],
        "extras": list(verdict.extras),
        "unchecked": list(verdict.unchecked),
        "correction": verdict.correction,
    }


def _print(verdict: Verdict) -> None:
    click.echo(click.style(verdict.outcome, fg="green" if verdict.ok else "red", bold=True))
    for repair in verdict.repairs:
        click.echo(visible(f"  repaired {repair.kind} at {repair.path or '(reply)'}"))
    for path in verdict.extras:
        click.echo(visible(f"  kept {path}, which is not in the contract"))
    for violation in verdict.violations:
        click.echo(visible(f"  {violation}"))
    for rule in verdict.unchecked:
        click.echo(f"  rule {rule!r} was not checked because it needs the context")
    if verdict.correction:
        click.echo(click.style("correction:", bold=True))
        click.echo(visible(verdict.correction))
