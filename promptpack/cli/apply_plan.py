"""Apply a plan for the files of a version, and print each write and removal."""

import click

from promptpack.versions.file_plan import FilePlan


def apply_plan(plan: FilePlan) -> bool:
    """Write and remove the files that are left, and return whether there were any."""
    left = plan.pending()
    left.apply()
    for path in left.writes:
        click.echo(f"{'restored' if path in left.restored else 'wrote'} {left.folder.show(path)}", err=True)
    for path in left.removes:
        click.echo(f"deleted {left.folder.show(path)}", err=True)
    return bool(left.writes or left.removes)
