"""Run `promptpack test --fuzz` and print its findings, each with a test to paste."""

from collections.abc import Sequence
from typing import Any

import click

from promptpack import document
from promptpack.characters import visible
from promptpack.cli.console import print_json
from promptpack.cli.progress import track
from promptpack.document.dumping import dump
from promptpack.pack.model import Pack
from promptpack.problem import PackError
from promptpack.trial.fuzz import Finding, FuzzReport, fuzz


def run_fuzz(packs: Sequence[Pack], count: int, seed: int, format: str) -> bool:  # noqa: A002 -- the option's name
    """Fuzz packs and print the findings; return whether there are none."""
    reports = []
    for pack in track([pack for pack in packs if not pack.abstract], "packs"):
        reports.append(fuzz(pack, count, seed))
        if format == "text":
            _print(reports[-1])
    if format == "json":
        print_json([_as_data(report) for report in reports])
    found = sum(len(report.findings) for report in reports)
    click.echo(f"{len(reports)} pack(s) fuzzed with seed {seed}, {found} finding(s)", err=True)
    return not found


def _print(report: FuzzReport) -> None:
    click.echo(visible(f"{' '.join(filter(None, (report.pack, report.locale)))}: {_summary(report)}"))
    for finding in report.findings:
        times = f" ({finding.count} cases)" if finding.count > 1 else ""
        click.echo(visible(f"  {finding.location}: {finding.kind}: {finding.message}{times}"))
        for line in write_test(finding).split("\n"):
            click.echo(f"    {line}" if line else "")


def _summary(report: FuzzReport) -> str:
    counts = f"{report.contexts} contexts"
    if not report.replies:
        return counts
    refused = f" ({report.refused_by_rules} refused by rules, {report.satisfied} of them corrected)"
    rules = refused if report.refused_by_rules else ""
    return f"{counts}, {report.replies} replies{rules}, {report.near_replies} near replies"


def write_test(finding: Finding) -> str:
    """Return the test as YAML, to paste below `tests:`; characters are escaped if a terminal or a pack forbids them."""
    if not finding.test:
        return ""
    text = dump([dict(finding.test)])
    return dump([dict(finding.test)], ascii_only=True) if visible(text) != text or _has_hidden(text) else text


def _has_hidden(text: str) -> bool:
    try:
        document.parse(text, "")
    except PackError:
        return True
    return False


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
