"""`promptpack check`: check a model's reply."""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click

from promptpack import files
from promptpack.characters import visible
from promptpack.cli import options
from promptpack.cli.console import on_one_line, print_json
from promptpack.reply import Repair
from promptpack.reply.charset import decode_reply
from promptpack.verdict import Verdict

_MAX_SHOWN = 60


@click.command("check")
@options.pack_argument
@click.argument("reply", type=click.Path(exists=True, allow_dash=True, dir_okay=False), default="-")
@options.packs_option
@options.locale_option
@options.key_option
@options.context_options
@click.option("--strict", is_flag=True, help="Accept only replies that match the contract exactly; repair nothing.")
@click.option("--finish-reason", metavar="REASON", help="Why the model stopped, as its server reports it: length ...")
@click.option("--refuse", multiple=True, metavar="KIND", help="Refuse a kind of repair or a risk; repeatable.")
@click.option("--explain", is_flag=True, help="Show every repair: where it is, the text before and after, its risk.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(
    ctx: click.Context,
    pack: str,
    reply: str,
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    context_file: str | None,
    assignments: tuple[str, ...],
    strict: bool,
    finish_reason: str | None,
    refuse: tuple[str, ...],
    explain: bool,
    format: str,  # noqa: A002 -- the option's name
) -> None:
    """Check a reply against a pack's contract. REPLY is a file, or - for standard input.

    With a context, rules that use inputs and schemas of tools are checked too.
    """
    chosen = options.open_library(folders).get(pack, locale, key=key)
    context = options.read_context(chosen, context_file, assignments)
    raw = sys.stdin.buffer.read() if reply == "-" else files.read(reply)
    verdict = chosen.check(raw, context or None, strict=strict, refuse=refuse, finish_reason=finish_reason)
    if format == "json":
        print_json(verdict.to_dict())
    else:
        lines = (line for repair in verdict.repairs for line in _explain(repair, decode_reply(raw)))
        _print(verdict, lines if explain else None)
    ctx.exit(0 if verdict.ok else 1)


def _print(verdict: Verdict, explained: Iterable[str] | None) -> None:
    click.echo(click.style(verdict.outcome, fg="green" if verdict.ok else "red", bold=True))
    for line in (f"repaired {found}" for found in verdict.summary) if explained is None else explained:
        click.echo(f"  {line}")
    if verdict.is_echo:
        click.echo("  the reply repeats an example of the prompt")
    for path in verdict.extras:
        click.echo(visible(f"  kept {path}, which is not in the contract"))
    for violation in verdict.violations:
        click.echo(visible(f"  {violation}"))
    for rule in verdict.unchecked:
        click.echo(f"  rule {rule!r} was not checked because it needs the context")
    if verdict.correction:
        click.echo(click.style("correction:", bold=True))
        click.echo(visible(verdict.correction))


def _explain(repair: Repair, text: str) -> Iterator[str]:
    """Yield the lines that explain a repair: where, what, how risky, and what the reply may have lost."""
    start = repair.span[0]
    place = f"{text.count(chr(10), 0, start) + 1}:{start - text.rfind(chr(10), 0, start)}"
    change = f"{_shorten(repair.before)} -> {_shorten(repair.after)}"
    path = f" at {on_one_line(repair.path)}" if repair.path else ""
    yield f"{place} {repair.kind}{path} (risk {repair.risk}): {change}"
    if repair.missing:
        yield f"  may be missing: {on_one_line(', '.join(repair.missing))}"


def _shorten(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN // 2]} … {text[-_MAX_SHOWN // 2 :]}"
    return f"`{on_one_line(shown)}`" if text else "nothing"
