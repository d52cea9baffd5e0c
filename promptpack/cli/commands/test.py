"""`promptpack test`: run the tests in packs."""

import click

from promptpack import trial
from promptpack.characters import visible
from promptpack.cli.console import print_json, print_problems
from promptpack.cli.options import complete_packs, open_library, packs_option
from promptpack.cli.progress import track
from promptpack.trial import Trial


@click.command("test")
@click.argument("names", nargs=-1, shell_complete=complete_packs)
@packs_option
@click.option("--update", is_flag=True, help="Write snapshots instead of comparing them.")
@click.option("--fuzz", type=click.IntRange(min=1), metavar="N", help="Try N generated contexts and replies per pack.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of --fuzz.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    folders: tuple[str, ...],
    update: bool,
    fuzz: int | None,
    seed: int,
    format: str,  # noqa: A002
) -> None:
    """Run the tests in packs. NAMES are names or name@range, all packs by default."""
    chosen, problems = open_library(folders).select(*names)
    if fuzz:
        from promptpack.cli.fuzz_report import run_fuzz

        is_clean = run_fuzz(chosen, fuzz, seed, format)
        print_problems(problems, err=True)
        ctx.exit(0 if is_clean and not problems else 1)
    trials = [one for pack in track(chosen, "packs") for one in trial.run([pack], update=update)]
    failed = [one for one in trials if not one.passed]
    if format == "json":
        print_json([_as_data(one) for one in trials])
    else:
        for one in trials:
            _print(one)
        broken = len({problem.location.path for problem in problems if problem.location})
        others = f", {broken} file(s) could not be loaded" if broken else ""
        click.echo(f"{len(trials) - len(failed)} passed, {len(failed)} failed{others}", err=True)
    print_problems(problems, err=True)
    ctx.exit(1 if failed or problems else 0)


def _as_data(one: Trial) -> dict[str, object]:
    return {
        "pack": one.pack,
        "locale": one.locale,
        "name": one.name,
        "location": str(one.location),
        "passed": one.passed,
        "failures": [{"message": found.message, "location": str(found.location)} for found in one.failures],
    }


def _print(one: Trial) -> None:
    result = click.style("ok", fg="green") if one.passed else click.style("FAILED", fg="red")
    click.echo(visible(f"{one.pack} {one.locale} {one.name}: ") + result)
    for failure in one.failures:
        click.echo(visible(f"  {failure.location}: {failure.message}"))
