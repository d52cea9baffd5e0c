"""`promptpack graph`: draw the flow of the agents."""

import click

from promptpack import files
from promptpack.cli.options import open_library, packs_option
from promptpack.flow import read_flow
from promptpack.flow.draw import to_svg
from promptpack.flow.mermaid import to_mermaid
from promptpack.problem import Problem, UsageError

_WRITERS = {"mermaid": to_mermaid, "svg": to_svg}


@click.command("graph")
@packs_option
@click.option("--format", type=click.Choice(sorted(_WRITERS)), default="mermaid", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to this file.")
def command(folders: tuple[str, ...], format: str, output: str | None) -> None:  # noqa: A002 -- the option's name
    """Draw the order of the agents and the data they pass on, from `flow.yaml` next to the packs."""
    library = open_library(folders)
    found = next((one for folder in library.folders if (one := read_flow.find(folder)) is not None), None)
    if found is None:
        raise UsageError(Problem("PP907", "there is no flow.yaml", None, "create one next to the packs"))
    text = _WRITERS[format](found)
    if output:
        files.write(output, text)
        click.echo(f"wrote {output}", err=True)
    else:
        click.echo(text, nl=False)
