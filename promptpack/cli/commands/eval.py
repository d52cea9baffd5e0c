"""`promptpack eval`: run packs on a model over many cases, and decide whether a new version is better."""

from typing import Any

import click

from promptpack import evaluation, files
from promptpack.characters import visible
from promptpack.cli import options
from promptpack.cli.console import print_json, print_problems
from promptpack.cli.evaluation_options import evaluation_options, read_plan
from promptpack.cli.model_options import model_options
from promptpack.cli.options import FiniteRange
from promptpack.cli.progress import track
from promptpack.evaluation.dry_run import estimate
from promptpack.evaluation.report_data import to_data
from promptpack.evaluation.report_text import money, to_text
from promptpack.problem import Problem


@click.command("eval")
@click.argument("packs", nargs=-1, required=True, shell_complete=options.complete_packs, metavar="PACK [PACK]")
@options.packs_option
@options.locale_option
@options.key_option
@model_options
@evaluation_options
@click.option("--dry-run", is_flag=True, help="Estimate tokens and cost without sending anything.")
@click.option("--journal", metavar="FOLDER", help="Where answers are stored.  [default: the user's state folder]")
@click.option("--fresh", is_flag=True, help="Forget the stored answers, and ask again.")
@click.option("--fail-under", type=FiniteRange(0, 100), help="Exit with 1 if a pass rate is below this percentage.")
@click.option("--html", type=click.Path(dir_okay=False), help="Write one page with charts and every failed case.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    dry_run: bool,
    journal: str | None,
    fresh: bool,
    fail_under: float | None,
    html: str | None,
    format: str,  # noqa: A002
    **given: Any,
) -> None:
    """Run one or two versions of a pack on a model over the same cases: pass rates, costs, and which is better.

    Answers are stored as they arrive: the same command continues after an interruption, and asks nothing twice.
    """
    plan = read_plan(**given)
    if dry_run:
        _print_estimate(plan, format)
        return
    if html:
        files.require_writable(html)
    found = _evaluate(plan, evaluation.open_journals(journal), fresh)
    if format == "json":
        print_json(to_data(found))
    else:
        click.echo(visible(to_text(found)))
    if html:
        from promptpack.evaluation.report_page import to_page

        files.write(html, to_page(found))
        click.echo(f"wrote {html}", err=True)
    print_problems(_find_problems(found), err=True)
    ctx.exit(1 if _is_failure(found, fail_under) else 0)


def _evaluate(plan: evaluation.EvaluationPlan, folder: Any, fresh: bool) -> evaluation.Evaluation:
    samples = range(len(plan.subjects) * len(plan.cases) * plan.repeat)
    bar = iter(track(samples, "samples"))
    try:
        return evaluation.evaluate(plan, folder, fresh=fresh, on_done=lambda: next(bar, None))
    except KeyboardInterrupt:
        click.echo(f"stopped; run the same command to continue, the answers so far are in {folder.root}", err=True)
        raise


def _print_estimate(plan: evaluation.EvaluationPlan, format: str) -> None:  # noqa: A002
    found = estimate(plan)
    currency = plan.prices.currency if plan.prices else ""
    if format == "json":
        print_json(
            [
                {
                    "pack": one.label,
                    "requests": one.requests,
                    "tokens": {"input": one.usage.input_tokens, "output": one.usage.output_tokens},
                    "cost": one.cost,
                    "currency": currency,
                }
                for one in found
            ]
        )
        return
    for one in found:
        tokens = f"about {one.usage.input_tokens:,} tokens in, {one.usage.output_tokens:,} out"
        click.echo(f"{one.label}: {one.requests:,} requests, {tokens}, cost {money(one.cost, currency)}")
    click.echo("nothing was sent; corrections, retries and a judge cost extra", err=True)


def _find_problems(found: evaluation.Evaluation) -> list[Problem]:
    problems = []
    for side in found.sides:
        if side.missing:
            first, total = side.missing[0], len(side.missing) + len(side.graded)
            reason = first.reason.partition("\n")[0]
            message = f"{len(side.missing):,} of {total:,} samples of {side.subject.label} have no grade"
            hint = "run the same command again to ask for them"
            problems.append(Problem("PP977", f"{message}; {first.case.id!r}: {reason}", None, hint))
    if found.stop:
        problems.append(
            Problem("PP977", f"the evaluation stopped: {found.stop}", None, "the answers so far are stored")
        )
    return problems


def _is_failure(found: evaluation.Evaluation, fail_under: float | None) -> bool:
    if not found.is_complete or (found.comparison is not None and found.comparison.kind == "worse"):
        return True
    last = found.sides[-1].pass_rate.estimate
    return fail_under is not None and 100 * last < fail_under
