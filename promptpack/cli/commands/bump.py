"""`promptpack bump`: copy a pack to its next version, or move an edited release there."""

import click

from promptpack.cli.apply_plan import apply_plan
from promptpack.cli.console import on_one_line
from promptpack.cli.options import open_library, pack_argument, packs_option
from promptpack.versions.bumping import LEVELS, BumpLevel, VersionBump, plan_bump


@click.command("bump")
@pack_argument
@click.argument("level", type=click.Choice(LEVELS))
@packs_option
@click.option("--pre", default="", metavar="WORD", help="Create a draft, such as 1.1.0-dev with --pre dev.")
def command(pack: str, level: BumpLevel, folders: tuple[str, ...], pre: str) -> None:
    """Copy the newest version of PACK, or name@version, to the next version, with its variants, tests and snapshots.

    Only the version line changes. A release that was edited since the last commit is moved: the new version gets the
    edit, and the release is restored. With auto, the changes decide which part of the version is raised.
    """
    bump = plan_bump(open_library(folders), pack, level, pre)
    _explain(bump)
    if not apply_plan(bump.plan) and not bump.is_enough:
        click.echo(f"{bump.target} is already a copy of {bump.source}; edit it now", err=True)
    click.echo(bump.target)


def _explain(bump: VersionBump) -> None:
    """Print the changes that need the largest bump, and whether the version is large enough for them."""
    comparison = bump.comparison
    for change in comparison.changes if comparison else ():
        if comparison and change.bump == comparison.bump != "none":
            click.echo(on_one_line(f"{change} ({change.bump})"), err=True)
    if bump.is_enough:
        since = f" for its changes since {comparison.old}" if comparison else ""
        click.echo(f"{bump.source} is large enough{since}; nothing was written", err=True)
