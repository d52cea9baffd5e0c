"""`promptpack schema`: print a JSON Schema for editors and other programs."""

import json

import click

from promptpack import files
from promptpack.cli.options import complete_packs, key_option, locale_option, open_library, packs_option
from promptpack.problem import Problem, UsageError, did_you_mean


@click.command("schema")
@click.argument("name", default="pack")
@click.option(
    "--of",
    "pack",
    shell_complete=complete_packs,
    help="Print the reply contract of this pack, including its actions.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to this file.")
@packs_option
@locale_option
@key_option
def command(
    name: str, pack: str | None, output: str | None, folders: tuple[str, ...], locale: str | None, key: str | None
) -> None:
    """Print or write a JSON Schema: of a file (pack, flow, labels, prices, tests), verdict, agent-output, params/NAME.

    Without a known NAME, all names are listed. Pack authors need 'pack', which is the default.
    """
    text = _contract_of(pack, folders, locale, key) if pack else _shipped(name)
    if output:
        files.write(output, text)
        click.echo(f"wrote {output}", err=True)
    else:
        click.echo(text, nl=False)


def _shipped(name: str) -> str:
    folder = files.shipped("schemas")
    available = [file.removesuffix(".schema.json") for file in folder.find(".schema.json")]
    if name not in available:
        hint = did_you_mean(name, available) or f"available schemas: {', '.join(available)}"
        raise UsageError(Problem("PP903", f"no schema named {name!r}", None, hint))
    return folder.read(f"{name}.schema.json").decode()


def _contract_of(pack: str, folders: tuple[str, ...], locale: str | None, key: str | None) -> str:
    chosen = open_library(folders).get(pack, locale, key=key)
    if chosen.contract is None:
        raise UsageError(Problem("PP530", f"{chosen.label} declares no reply contract"))
    return json.dumps(chosen.contract.json_schema(), ensure_ascii=False, indent=2) + "\n"
