"""`promptpack lock`: write the digests of releases to packs.lock, or compare them with it."""

import click

from promptpack import files
from promptpack.cache import Cache
from promptpack.cli.console import print_problems
from promptpack.file_lock import exclusive
from promptpack.files import Folder
from promptpack.library import Library
from promptpack.library.contents import LOCK, read_contents
from promptpack.library.locking import find_differences, renew_lock
from promptpack.library.pinned_sources import open_sources
from promptpack.problem import Problem, UsageError
from promptpack.sources.memory_folder import MemoryFolder


@click.command("lock")
@click.argument("folders", nargs=-1)
@click.option("--check", is_flag=True, help="Compare only: exit with 1 and report what changed.")
@click.option(
    "--update",
    multiple=True,
    metavar="PACK",
    help="Lock this changed release again: NAME@VERSION or NAME; or a source.",
)
@click.option("--rendering", is_flag=True, help="Accept the rendering rules of this version of promptpack.")
@click.option("--sign", metavar="KEY", type=click.Path(exists=True, dir_okay=False), help="Sign with this SSH key.")
@click.option(
    "--verify", metavar="SIGNERS", type=click.Path(exists=True, dir_okay=False),
    help="Only verify the signature, with a file of allowed signers, then compare.",
)  # fmt: skip
@click.option("--identity", help="The required signer.  [default: any allowed signer]")
@click.pass_context
def command(
    ctx: click.Context,
    folders: tuple[str, ...],
    check: bool,
    update: tuple[str, ...],
    rendering: bool,
    sign: str | None,
    verify: str | None,
    identity: str | None,
) -> None:
    """Write the digests of releases to packs.lock in each of the FOLDERS.  [default: packs]

    Archives, git revisions, packages and URLs among the FOLDERS are recorded with their digests.
    A library with a lock uses the locked versions of parents. A locked release that changed is not locked again
    without --update.
    """
    given = folders or ("packs",)
    library = Library.open(*given) if check or verify else _open(given, update)
    own = [folder for folder in library.folders if not isinstance(folder, MemoryFolder)]
    if not own:
        files.require_writable(library.folders[0].show(LOCK))
    for folder in own:
        if verify:
            _require_lock(folder)
            path, content = folder.show(LOCK), library._contents.locks[folder.root]  # what is compared below
            from promptpack.cli import ssh_signatures

            click.echo(f"{path} is signed by {ssh_signatures.verify(path, content, verify, identity)}")
        if not (check or verify):
            with exclusive(folder.root):
                _write(_open(given, update), folder, update, rendering, sign)
    if check or verify:
        found = [problem for folder in library.folders for problem in find_differences(library, folder)]
        problems = list(dict.fromkeys([*library.problems, *found]))
        print_problems(problems)
        ctx.exit(1 if problems else 0)


def _open(given: tuple[str, ...], update: tuple[str, ...]) -> Library:
    """Open a library as it is now; sources of `update` may differ from the lock."""
    cache = Cache.open()
    return Library(read_contents(open_sources(given, cache, update), cache), None, cache)


def _require_lock(folder: Folder) -> None:
    if not folder.exists(LOCK):
        raise UsageError(
            Problem("PP758", f"there is no {folder.show(LOCK)}", None, f"run: promptpack lock {folder.root}")
        )


def _write(library: Library, folder: Folder, update: tuple[str, ...], rendering: bool, key: str | None) -> None:
    path = folder.show(LOCK)
    text = renew_lock(library, folder, update, rendering=rendering)
    is_new = not folder.is_occupied(LOCK) or folder.read(LOCK).decode() != text
    if is_new:
        files.write(path, text)
        click.echo(f"wrote {path}", err=True)
    if key:
        from promptpack.cli import ssh_signatures

        click.echo(f"wrote {ssh_signatures.sign(path, key)}", err=True)
    elif is_new and folder.exists(f"{LOCK}.sig"):
        click.echo(f"{path}.sig no longer matches; sign it again: promptpack lock {folder.root} --sign KEY", err=True)
