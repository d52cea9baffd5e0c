"""The `promptpack` command: find the subcommand, print problems and set the exit code."""

import errno
import os
import sys
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword

import click

from promptpack import __version__
from promptpack.cli.console import print_problems
from promptpack.problem import Problem, PromptpackError, UsageError, did_you_mean

GROUPS = {
    "Write": {
        "new": "create a pack that lints clean and passes its tests",
        "show": "show a pack's inputs, messages, actions and digest",
        "render": "render a pack's prompt with a context",
        "studio": "see the prompt while you write it: an editor with live preview in the browser",
        "lsp": "start the language server: problems, completion, hover, definitions and renaming",
        "schema": "print or write a JSON Schema",
        "rules": "list and explain the lint rules",
    },
    "Check": {
        "lint": "find every problem in packs",
        "test": "run the tests in packs",
        "check": "check a model's reply against a pack's contract",
        "eval": "run packs on a model over many cases: pass rates, cost, and which version is better",
    },
    "Run": {
        "run": "run your flow, or the six agents on one task: render, ask and check each step",
        "try": "run one pack on a model: show the prompt, the reply as it streams, the verdict",
        "batch": "render, ask, check and correct millions of rows, and continue after any interruption",
        "mcp": "serve packs to MCP clients: prompts, completion and tools",
    },
    "Version": {
        "list": "list packs, versions and locales",
        "diff": "show what changed between versions, and the version bump it needs",
        "log": "list the versions of a pack with the class of each change",
        "bump": "copy a pack to its next version, or move an edited release there",
        "release": "turn a draft into a release, and lock it",
        "lock": "write the digests of releases to packs.lock, or compare them with it",
        "label": "list, set and delete labels such as planner@production",
    },
    "Exchange": {
        "stubs": "write a typed Python module for each pack",
        "graph": "draw the order of the agents and the data they pass on",
    },
}
COMMANDS = {name: about for commands in GROUPS.values() for name, about in commands.items()}

EXIT_PROBLEMS = 1
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
EXIT_USAGE = 2
EXIT_BUG = 3


class _Commands(click.Group):
    """Import a command only when it is called, so that the others cost no time."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = (
            f"promptpack.cli.commands.{cmd_name}_pack" if iskeyword(cmd_name) else f"promptpack.cli.commands.{cmd_name}"
        )
        command: click.Command = import_module(module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = did_you_mean(args[0], COMMANDS) if args else ""
            raise click.UsageError(f"{error.message} {hint[:1].upper()}{hint[1:]}".strip(), ctx) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="promptpack")
def main() -> None:
    """Render versioned YAML prompt packs and check the replies of models.

    Exit codes: 0 clean, 1 problems found, 2 invalid usage, 3 bug in promptpack.
    """


def run() -> None:
    """Run the command with the arguments of the process, and exit."""
    try:
        sys.exit(main(standalone_mode=False, prog_name="promptpack"))
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_USAGE)
    except click.Abort:
        click.echo("aborted", err=True)
        sys.exit(130)
    except PromptpackError as error:
        print_problems(error.problems, err=True)
        sys.exit(EXIT_USAGE if isinstance(error, UsageError) else EXIT_PROBLEMS)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(EXIT_PROBLEMS)
    except Exception as error:  # noqa: BLE001 -- any other error is a bug, reported with exit code 3
        if isinstance(error, OSError) and error.errno in _NO_SPACE:
            _report_full_disk(error)
            sys.exit(EXIT_PROBLEMS)
        import traceback

        traceback.print_exception(error)
        click.echo("this is a bug in promptpack; please report it with the lines above", err=True)
        sys.exit(EXIT_BUG)


def _report_full_disk(error: OSError) -> None:
    """Say that the output cannot be written, and discard the rest of it."""
    with suppress(OSError):
        print_problems([Problem("PP126", f"the output cannot be written: {error.strerror}")], err=True)
    # Python would write it again at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
