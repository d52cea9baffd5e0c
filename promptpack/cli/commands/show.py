"""`promptpack show`: show the parts of one pack."""

from typing import Any

import click

from promptpack.characters import visible
from promptpack.cli.console import print_json
from promptpack.cli.options import locale_option, open_library, pack_argument, packs_option
from promptpack.pack.model import Pack


@click.command("show")
@pack_argument
@packs_option
@locale_option
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(pack: str, folders: tuple[str, ...], locale: str | None, format: str) -> None:  # noqa: A002
    """Show a pack's inputs, messages, actions and digest. PACK is a name, or name@range."""
    facts = _facts(open_library(folders).get(pack, locale))
    if format == "json":
        print_json(facts)
        return
    for key in ("name", "version", "agent", "locale", "description", "path", "digest"):
        if facts[key]:
            click.echo(f"{click.style(key, bold=True)}: {visible(str(facts[key]))}")
    _section("inputs", [_input_line(entry) for entry in facts["inputs"]])
    _section("messages", [_message_line(entry) for entry in facts["messages"]])
    for key in ("slots", "actions", "rules", "tests"):
        _section(key, facts[key])


def _facts(pack: Pack) -> dict[str, Any]:
    contract = pack.contract
    return {
        "name": pack.name,
        "version": str(pack.version),
        "agent": pack.agent,
        "locale": pack.locale,
        "description": pack.description,
        "path": pack.path,
        "digest": pack.digest,
        "abstract": pack.abstract,
        "inputs": [
            {
                "name": declared.name,
                "type": declared.schema.get("type", "any"),
                "required": declared.required,
                "untrusted": not declared.trusted,
                "secret": declared.secret,
                "description": declared.description,
            }
            for declared in pack.inputs.values()
        ],
        "messages": [
            {"id": message.id, "role": message.role, "history": message.history, "when": str(message.when or "")}
            for message in pack.messages
        ],
        "slots": list(pack.slots),
        "contract": contract.name if contract else None,
        "actions": list(contract.actions) if contract else [],
        "tools": contract.tools_input if contract else "",
        "rules": [rule.name for rule in contract.rules] if contract else [],
        "tests": [test.name for test in pack.tests],
    }


def _section(title: str, lines: list[str]) -> None:
    if lines:
        click.echo(click.style(f"{title}:", bold=True))
        for line in lines:
            click.echo(visible(f"  {line}"))


def _input_line(entry: dict[str, Any]) -> str:
    flags = [flag for flag in ("untrusted", "secret") if entry[flag]]
    kind = "|".join(entry["type"]) if isinstance(entry["type"], list) else entry["type"]
    facts = ", ".join([kind, "required" if entry["required"] else "optional", *flags])
    return f"{entry['name']} ({facts}): {entry['description']}".rstrip(": ")


def _message_line(entry: dict[str, Any]) -> str:
    what = f"history {entry['history']}" if entry["history"] else f"{entry['role']} {entry['id']}".strip()
    return f"{what} when {entry['when']}" if entry["when"] else what
