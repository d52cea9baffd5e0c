"""`promptpack show`: show the parts of one pack."""

import json
from collections.abc import Iterable
from typing import Any

import click

from promptpack.characters import visible
from promptpack.cli.console import print_json
from promptpack.cli.options import key_option, locale_option, open_library, pack_argument, packs_option
from promptpack.library.building import ancestors
from promptpack.pack.model import Pack
from promptpack.pack.placed import Placed
from promptpack.pack.resolved_pack import ResolvedPart, resolve_parts, to_data, write_yaml
from promptpack.pack.sections import Sections
from promptpack.schema import pointer


@click.command("show")
@pack_argument
@packs_option
@locale_option
@key_option
@click.option(
    "--resolved", is_flag=True, help="Print the merged pack as YAML; comments show where its parts come from."
)
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    pack: str,
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    resolved: bool,
    format: str,  # noqa: A002 -- the option's name
) -> None:
    """Show a pack's inputs, messages, actions and digest. PACK is a name, or name@range.

    Every part that another file provides, through extends or as the default of a locale variant, is shown with
    that file.
    """
    library = open_library(folders)
    chosen = library.get(pack, locale, key=key)
    entry = next(one for one in library.entries if one.path == chosen.path)
    if resolved:
        documents = [one.document for _, _, one in ancestors(library, entry) if one.document is not None]
        _print_resolved(resolve_parts(library._compile_sections(entry), documents), format)
        return
    facts = _facts(chosen, library._compile_sections(entry).sections)
    if format == "json":
        print_json(facts)
        return
    for key in ("name", "version", "agent", "locale", "description", "path", "digest"):
        if facts[key]:
            click.echo(f"{click.style(key, bold=True)}: {visible(str(facts[key]))}")
    _section("inputs", [_with_origin(_input_line(one), one["from"]) for one in facts["inputs"]])
    _section("messages", [_with_origin(_message_line(one), one["from"]) for one in facts["messages"]])
    _section("models", [_with_origin(_model_line(one), one["from"]) for one in facts["models"]])
    for key in ("slots", "partials", "actions", "rules", "tests"):
        _section(key, [_with_origin(name, facts["inherited"].get(f"{key}/{name}", "")) for name in facts[key]])


def _print_resolved(parts: list[ResolvedPart], format: str) -> None:  # noqa: A002 -- the option's name
    if format == "text":
        click.echo(visible(write_yaml(parts)), nl=False)
        return
    located = [(part.path, part.location) for part in parts if part.location is not None]
    origins = {pointer(path): {"path": one.path, "line": one.line, "column": one.column} for path, one in located}
    print_json({"pack": to_data(parts), "origins": origins})


def _find_origins(sections: Sections, path: str) -> dict[str, str]:
    """Return the file and line of each inherited part, by section and name; messages by index."""
    named: dict[str, Iterable[tuple[Any, Placed]]] = {
        "inputs": sections.inputs.items(),
        "partials": ((name, placed) for name, (placed, _) in sections.partials.items()),
        "messages": enumerate(sections.messages),
        "slots": sections.slots.items(),
        "models": sections.models.items(),
        "actions": sections.actions.items(),
        "rules": sections.rules.items(),
        "tests": ((placed.value["name"], placed) for placed in sections.tests),
    }
    return {
        f"{key}/{name}": f"{location.path}:{location.line}"
        for key, items in named.items()
        for name, placed in items
        if (location := placed.locate_key()).path != path
        and not (placed.document.path == path and placed.document.owns(placed.path))
    }


def _with_origin(line: str, origin: str) -> str:
    return f"{line}  (from {origin})" if origin else line


def _facts(pack: Pack, sections: Sections) -> dict[str, Any]:
    contract, origins = pack.contract, _find_origins(sections, pack.path)
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
                "from": origins.get(f"inputs/{declared.name}", ""),
            }
            for declared in pack.inputs.values()
        ],
        "messages": [
            {
                "id": message.id,
                "role": message.role,
                "history": message.history,
                "when": str(message.when or ""),
                "from": origins.get(f"messages/{index}", ""),
            }
            for index, message in enumerate(pack.messages)
        ],
        "models": [
            {**placed.value, "glob": glob, "from": origins.get(f"models/{glob}", "")}
            for glob, placed in sections.models.items()
        ],
        "slots": list(pack.slots),
        "partials": list(sections.partials),
        "contract": contract.name if contract else None,
        "actions": list(contract.actions) if contract else [],
        "tools": contract.tools_input if contract else "",
        "rules": [rule.name for rule in contract.rules] if contract else [],
        "tests": [test.name for test in pack.tests],
        "inherited": origins,
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


def _model_line(entry: dict[str, Any]) -> str:
    facts = [f"{old} -> {new}" for old, new in entry.get("roles", {}).items()]
    facts += (key for key in ("prefix", "suffix") if key in entry)
    facts += (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in entry.get("parameters", {}).items())
    facts += [f"strict={json.dumps(entry['strict'])}"] if "strict" in entry else []
    return f"{entry['glob']}: {', '.join(facts) or 'no changes'}"


def _message_line(entry: dict[str, Any]) -> str:
    what = f"history {entry['history']}" if entry["history"] else f"{entry['role']} {entry['id']}".strip()
    return f"{what} when {entry['when']}" if entry["when"] else what
