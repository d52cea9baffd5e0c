"""`promptpack lsp`: the language server that editors start."""

import click

from promptpack.problem import MissingExtraError, Problem


@click.command("lsp")
def command() -> None:
    """Serve an editor over standard input and output, as the Language Server Protocol says."""
    try:
        from promptpack.editor.server import PackServer
    except ImportError as error:
        hint = "run: python -m pip install 'promptpack-agents[lsp]', or pygls beside it"
        raise MissingExtraError(Problem("PP920", "the language server needs the extra 'lsp'", None, hint)) from error
    PackServer().run()
