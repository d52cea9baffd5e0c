"""`promptpack render`: print the prompt that a model would get."""

import click

from promptpack.characters import visible
from promptpack.cli import options
from promptpack.cli.console import print_json


@click.command("render")
@options.pack_argument
@options.packs_option
@options.locale_option
@options.context_options
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    pack: str,
    folders: tuple[str, ...],
    locale: str | None,
    context_file: str | None,
    assignments: tuple[str, ...],
    format: str,  # noqa: A002 -- the option's name
) -> None:
    """Render a pack's prompt with a context. PACK is a name, or name@range."""
    chosen = options.open_library(folders).get(pack, locale)
    prompt = chosen.render(options.read_context(chosen, context_file, assignments))
    if format == "json":
        print_json(prompt.to_dicts())
    else:
        click.echo(visible(prompt.to_text()))
