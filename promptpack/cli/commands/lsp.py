"""`promptpack lsp`: start the language server for an editor."""

import click

from promptpack.problem import MissingExtraError, Problem


@click.command("lsp")
def command() -> None:
    """Serve an editor over standard input and output with the Language Server Protocol."""
    try:
        from promptpack.editor.server import PackServer
    except ImportError as error:
        hint = "run: python -m pip install 'promptpack-agents[lsp]', or install pygls"
        raise MissingExtraError(Problem("PP920", "the language server needs the extra 'lsp'", None, hint)) from error
    PackServer().run()
