"""`promptpack graph`: the flow of the agents as a picture."""

import click

from promptpack import files, flow
from promptpack.cli.options import open_library, packs_option
from promptpack.problem import Problem, UsageError

_WRITERS = {"mermaid": flow.to_mermaid, "svg": flow.to_svg}


@click.command("graph")
@packs_option
@click.option("--format", type=click.Choice(sorted(_WRITERS)), default="mermaid", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write it to this file.")
def command(folders: tuple[str, ...], format: str, output: str | None) -> None:  # noqa: A002 -- the option's name
    """Draw which agent follows which, and what each is fed with, from `flow.yaml` beside the packs."""
    library = open_library(folders)
    found = next((one for folder in library.folders if (one := flow.find(folder)) is not None), None)
    if found is None:
        raise UsageError(Problem("PP907", "there is no flow.yaml", None, "write one beside the packs"))
    text = _WRITERS[format](found)
    if output:
        files.write(output, text)
        click.echo(f"wrote {output}", err=True)
    else:
        click.echo(text, nl=False)
