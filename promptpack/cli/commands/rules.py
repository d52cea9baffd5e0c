"""`promptpack rules`: list and explain the lint rules."""

import click

from promptpack.cli.console import print_json
from promptpack.linter.catalogue import RULES, find_rules
from promptpack.linter.lint_settings import unknown_rule
from promptpack.linter.rule import LintRule
from promptpack.linter.rule_pages import body, summary, write_rules_page
from promptpack.problem import UsageError


@click.command("rules")
@click.argument("rule", required=False)
@click.option("--format", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
def command(rule: str | None, format: str) -> None:  # noqa: A002 -- the option's name
    """List the lint rules, or explain some: RULE is a code, a code prefix, or a name."""
    chosen = find_rules(rule) if rule else RULES
    if rule and not chosen:
        raise UsageError(unknown_rule(rule))
    match format:
        case "json":
            print_json([_as_data(one) for one in chosen])
        case "markdown":
            click.echo(write_rules_page(chosen), nl=False)
        case _ if rule:
            click.echo("\n\n".join(_page(one) for one in chosen))
        case _:
            for one in chosen:
                click.echo(f"{click.style(one.CODE, bold=True)} {one.NAME} ({one.SEVERITY}): {summary(one)}")


def _page(rule: LintRule) -> str:
    head = f"{click.style(rule.CODE, bold=True)} {rule.NAME} ({rule.SEVERITY})"
    return f"{head}\n{summary(rule)}\n\n{body(rule)}"


def _as_data(rule: LintRule) -> dict[str, str]:
    return {
        "code": rule.CODE,
        "name": rule.NAME,
        "severity": rule.SEVERITY,
        "summary": summary(rule),
        "explanation": body(rule),
    }
