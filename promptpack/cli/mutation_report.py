"""The changes of packs that no test detects, for people, programs and GitHub."""

from collections.abc import Iterable

import click

from promptpack.cli.console import on_one_line, print_json, print_problems
from promptpack.cli.reports.github import write_problem
from promptpack.pack.model import Pack
from promptpack.problem import as_data
from promptpack.trial.mutation import Mutation, Score, run_mutants


def report_mutations(packs: Iterable[Pack], format: str) -> Score:  # noqa: A002 -- the option's name
    """Try the changes of each pack, print those that survive, and return the score of all packs."""
    found: list[Mutation] = []
    rows: list[dict[str, object]] = []
    for pack in packs:
        mutations = list(run_mutants(pack))
        found += mutations
        rows.append(_as_row(pack, mutations))
        if format != "json":
            _print(mutations, format)
            click.echo(on_one_line(f"{pack.label}{pack.locale and f' {pack.locale}'}: {Score.of(mutations)}"), err=True)
    score = Score.of(found)
    if format == "json":
        print_json({"detected": score.detected, "total": score.total, "refused": score.refused, "packs": rows})
    click.echo(f"all packs: {score}", err=True)
    if score.detected < score.total:
        click.echo("hint: add an expectation that fails after the change, such as 'snapshot: true'", err=True)
    return score


def _print(mutations: list[Mutation], format: str) -> None:  # noqa: A002
    survived = [one.problem for one in mutations if one.result == "survived"]
    if format == "github":
        for problem in survived:
            click.echo(write_problem(problem))
    else:
        print_problems(survived)


def _as_row(pack: Pack, mutations: list[Mutation]) -> dict[str, object]:
    score = Score.of(mutations)
    survived = [as_data(one.problem) for one in mutations if one.result == "survived"]
    counts = {"detected": score.detected, "total": score.total, "refused": score.refused}
    return {"pack": pack.label, "locale": pack.locale, **counts, "survived": survived}
