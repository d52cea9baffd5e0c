"""`promptpack mcp`: serve packs to MCP clients."""

import sys
from contextlib import suppress

import click

from promptpack.cli.options import locale_option, open_library
from promptpack.problem import MissingExtraError, Problem


@click.command("mcp")
@click.argument("folders", nargs=-1, type=click.Path())
@locale_option
@click.option("--http", metavar="HOST:PORT", help="Serve over streamable HTTP at this address, such as 127.0.0.1:8000.")
@click.option(
    "--allow-host", "allowed_hosts", multiple=True, metavar="HOST",
    help="Answer HTTP requests for this host name too, and allow addresses that other machines can reach; repeatable.",
)  # fmt: skip
def command(folders: tuple[str, ...], locale: str | None, http: str | None, allowed_hosts: tuple[str, ...]) -> None:
    """Serve packs to MCP clients: as prompts, and with tools to list, render, check and lint.

    FOLDERS are folders of packs or other sources.  [default: ./packs, or the shipped packs]

    Without --http, the client starts this command and talks to it over standard input and output.
    """
    try:
        from promptpack.mcp.server import PackMcpServer
    except ImportError as error:
        hint = "run: python -m pip install 'promptpack-agents[mcp]', or install 'mcp>=2.3'"
        raise MissingExtraError(Problem("PP650", "the MCP server needs the extra 'mcp'", None, hint)) from error
    from promptpack.mcp.addresses import listen, parse_address
    from promptpack.mcp.serve import PATH, serve_http, serve_stdio

    if allowed_hosts and http is None:
        raise click.UsageError("--allow-host needs --http")
    address = None if http is None else parse_address(http, allowed_hosts)
    server = PackMcpServer(open_library(folders), locale or "")
    server.packs.report_problems()
    # Ctrl-C is the usual way to stop a server.
    with suppress(KeyboardInterrupt):
        if address is None:
            if sys.stdin.isatty():
                click.echo("waiting for an MCP client on standard input; --http serves over HTTP", err=True)
            serve_stdio(server)
            return
        with listen(address) as listener:
            url = f"http://{address.with_port(listener.getsockname()[1])}{PATH}"
            click.echo(f"serving {', '.join(server.packs.folders)} at {url}", err=True)
            serve_http(server, listener, allowed_hosts)
