"""`promptpack studio`: see the prompt while you write it, in the browser."""

import webbrowser
from contextlib import suppress
from typing import Any

import click

from promptpack import files
from promptpack.cli.asking import ask_model, practice
from promptpack.cli.model_options import StepProviders, cycle_settings, model_options, read_replies
from promptpack.cycle import Services, Transcript
from promptpack.problem import Location, MissingExtraError, Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.source_names import without_credentials


@click.command("studio")
@click.argument("path", type=click.Path(), default="packs")
@click.option("--port", type=click.IntRange(1, 65_535), help="Listen on this port.  [default: 8765, or a free one]")
@click.option("--no-open", is_flag=True, help="Print the link, and do not open a browser.")
@model_options
def command(path: str, port: int | None, no_open: bool, replies_file: str | None, rounds: int, **model: Any) -> None:
    """See and edit the packs of a folder in the browser: problems, the live prompt, replies, tests and versions.

    PATH is a folder of packs, or a file in one.  [default: ./packs]

    The page is served on 127.0.0.1 only. The link works once; another browser gets a new one in the terminal.
    --provider and --model choose who answers to "Try it", by default a script; the key never reaches the page.
    """
    root = _find_root(path)
    try:
        from promptpack.studio.server import build_app, listen, serve
    except ImportError as error:
        hint = "run: python -m pip install 'promptpack-agents[studio]'"
        raise MissingExtraError(Problem("PP990", "the studio needs the extra 'studio'", None, hint)) from error
    from promptpack.studio.access import Access
    from promptpack.studio.drafts import Drafts
    from promptpack.studio.project import Project
    from promptpack.studio.studio import Studio

    script = read_replies(replies_file) if replies_file else None
    StepProviders(script or {}, **model)  # reports wrong options before the page opens

    def ask(prompt: Prompt, test: str, services: Services) -> Transcript:
        pack = prompt.pack
        models = StepProviders(script or practice(pack, test or None), **model)
        return ask_model(prompt, models, cycle_settings(model["model"], rounds), services)

    words = " ".join(word for word in (model["kind"], model["model"]) if word)
    with listen(port) as listener:
        access = Access(listener.getsockname()[1])

        def show_link() -> None:
            if access.renew():
                click.echo(f"open {access.link} (works once)", err=True)

        app = build_app(Studio(Project(root), Drafts(root), ask, words), access, show_link)
        click.echo(f"promptpack studio of {root}; press Ctrl-C to stop", err=True)
        click.echo(f"open {access.link} (works once)", err=True)
        if not no_open:
            webbrowser.open(access.link)
        with suppress(KeyboardInterrupt):
            serve(app, listener)


def _find_root(path: str) -> str:
    """Return the folder of packs of a path; an archive or a URL cannot be edited."""
    hint = "name a folder of packs, such as: promptpack studio packs"
    place = Location(without_credentials(path))
    if not files.Folder(path).is_there and not files.is_file(path):
        raise UsageError(Problem("PP991", "there is no such folder", place, hint))
    root = files.find_root(path)[0]
    if not files.Folder(root).is_there or (not path.endswith((".yaml", ".yml", ".j2")) and files.is_file(path)):
        raise UsageError(Problem("PP991", "the studio edits a folder of packs", place, hint))
    return root
