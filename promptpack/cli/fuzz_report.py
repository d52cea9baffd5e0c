"""Run `promptpack test --fuzz` and print what generated cases break, each with a test to paste."""

from collections.abc import Iterable, Sequence
from typing import Any

import click

from promptpack.characters import visible
from promptpack.cli.console import print_json
from promptpack.cli.new_files import dump
from promptpack.cli.progress import track
from promptpack.pack.model import Pack
from promptpack.trial.fuzz import Finding, FuzzReport, fuzz


def run_fuzz(packs: Sequence[Pack], count: int, seed: int, format: str) -> bool:  # noqa: A002 -- the option's name
    """Fuzz packs and print the findings; return whether there are none."""
    usable = [pack for pack in packs if not pack.abstract]
    reports = [fuzz(pack, count, seed) for pack in track(usable, "packs")]
    if format == "json":
        print_json([_as_data(report) for report in reports])
    else:
        _print(reports)
        found = sum(len(report.findings) for report in reports)
        click.echo(f"{len(reports)} pack(s) fuzzed with seed {seed}, {found} finding(s)", err=True)
    return not any(report.findings for report in reports)


def _print(reports: Iterable[FuzzReport]) -> None:
    for report in reports:
        click.echo(visible(f"{report.pack} {report.locale}: {_summary(report)}"))
        for finding in report.findings:
            times = f" ({finding.count} cases)" if finding.count > 1 else ""
            click.echo(visible(f"  {finding.location}: {finding.kind}: {finding.message}{times}"))
            click.echo("".join(f"    {line}\n" for line in _test_text(finding).splitlines()), nl=False)


def _summary(report: FuzzReport) -> str:
    counts = f"{report.contexts} contexts"
    if not report.replies:
        return counts
    refused = f" ({report.refused_by_rules} refused by rules, {report.satisfied} of them corrected)"
    rules = refused if report.refused_by_rules else ""
    return f"{counts}, {report.replies} replies{rules}, {report.near_replies} near replies"


def _test_text(finding: Finding) -> str:
    """Return the test as YAML, to paste below `tests:`."""
    return dump([dict(finding.test)]) if finding.test else ""


def _as_data(report: FuzzReport) -> dict[str, Any]:
    return {
        "pack": report.pack,
        "locale": report.locale,
        "contexts": report.contexts,
        "replies": report.replies,
        "near_replies": report.near_replies,
        "refused_by_rules": report.refused_by_rules,
        "satisfied": report.satisfied,
        "findings": [
            {
                "kind": finding.kind,
                "message": finding.message,
                "location": str(finding.location),
                "count": finding.count,
                "test": dict(finding.test),
            }
            for finding in report.findings
        ],
    }
