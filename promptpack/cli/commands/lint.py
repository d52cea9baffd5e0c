"""`promptpack lint`: every problem in packs, for people, pre-commit and CI."""

import click

from promptpack.cli.output import FORMATS, print_problems
from promptpack.linter import lint


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(exists=True))
@click.option("--format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], format: str) -> None:  # noqa: A002 -- the option's name
    """Find every problem in packs. PATHS are folders of packs or pack files.  [default: packs]"""
    report = lint(paths or ("packs",))
    print_problems(report.problems, format)
    if format == "text":
        count = len(report.problems)
        told = click.style(f"{count} problem(s)", fg="red") if count else click.style("no problems", fg="green")
        click.echo(f"{len(report.files)} pack file(s), {told}", err=True)
    ctx.exit(1 if report.problems else 0)
