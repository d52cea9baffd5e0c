"""Options that several commands use: the packs and the context."""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from promptpack import document, files, strict_json
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.problem import Location, PackError, Problem, PromptpackError, UsageError, did_you_mean
from promptpack.trial.find_test import find_test

_MAX_CONTEXT_BYTES = 20_000_000
Command = TypeVar("Command", bound=Callable[..., Any])


class FiniteRange(click.FloatRange):
    """A number in a range; NaN is in none, although it is not outside either."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or fail."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def pack_argument(command: Command) -> Command:
    """Add the argument PACK, with shell completion."""
    return click.argument("pack", shell_complete=complete_packs)(command)


def complete_packs(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of packs that start with the incomplete word."""
    try:
        listed = open_library(tuple(ctx.params.get("folders") or ())).list()
    except PromptpackError:
        return []  # the command reports the problems when it runs
    return sorted({entry.name for entry in listed if entry.name.startswith(incomplete)})


def packs_option(command: Command) -> Command:
    """Add `--packs`."""
    return click.option(
        "-p", "--packs", "folders", multiple=True, metavar="SOURCE", type=click.Path(),
        help="A folder, or another source such as packs.zip; repeatable.  [default: ./packs, or the shipped packs]",
    )(command)  # fmt: skip


def locale_option(command: Command) -> Command:
    """Add `--locale`."""
    return click.option("-l", "--locale", help="The language, such as en or zh-CN.")(command)


def key_option(command: Command) -> Command:
    """Add `--key`."""
    return click.option("--key", help="Chooses the version of a label that is a trial, such as a user id.")(command)


def context_options(command: Command) -> Command:
    """Add `--context` and `--set`."""
    command = click.option(
        "-s", "--set", "assignments", multiple=True, metavar="NAME=VALUE",
        help="Set one input. VALUE is text for a text input, else YAML; @FILE reads it from a file.",
    )(command)  # fmt: skip
    return click.option(
        "-c", "--context", "context_file", type=click.Path(exists=True, dir_okay=False),
        help="A JSON or YAML file with the inputs.",
    )(command)  # fmt: skip


def test_option(command: Command) -> Command:
    """Add `--test`."""
    return click.option("--test", metavar="NAME", help="Use the context of this test of the pack.")(command)


def open_library(folders: tuple[str, ...]) -> Library:
    """Open these folders, else ./packs, else the shipped packs."""
    if not folders and files.Folder("packs").is_there:
        folders = ("packs",)
    return Library.open(*folders)


def read_context(
    pack: Pack, file: str | None, assignments: tuple[str, ...], test: str | None = None
) -> Mapping[str, Any]:
    """Return the context of a test, from a file and from assignments; the later ones override the earlier ones."""
    schemas = {name: one.schema for name, one in pack.inputs.items()}
    tested = find_test(pack, test).context if test else {}
    return {**tested, **read_values(pack.label, schemas, file, assignments)}


def read_values(
    label: str, schemas: Mapping[str, Mapping[str, Any]], file: str | None, assignments: tuple[str, ...]
) -> Mapping[str, Any]:
    """Return values from a file and from assignments; their schemas decide which values are text."""
    context: dict[str, Any] = {}
    if file:
        context.update(read_mapping(file))
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise UsageError(Problem("PP901", f"invalid assignment {assignment!r}", None, "write NAME=VALUE"))
        if name not in schemas:
            hint = did_you_mean(name, schemas) or f"its inputs are {', '.join(schemas) or 'none'}"
            raise UsageError(Problem("PP414", f"{label} has no input {name!r}", None, hint))
        context[name] = _value(schemas[name], name, value)
    return context


def read_mapping(file: str) -> Mapping[str, Any]:
    """Read a YAML or JSON file that contains a mapping."""
    data = _read_json(file) if file.endswith(".json") else document.parse(files.read(file), file).data
    if not isinstance(data, dict):
        raise UsageError(Problem("PP902", f"{file} is not a mapping of inputs"))
    return data


def _value(schema: Mapping[str, Any], name: str, text: str) -> Any:
    is_text = schema.get("type") == "string"
    if text.startswith("@"):
        if not is_text and text.endswith(".json"):
            return _read_json(text[1:])
        text = files.read_text(text[1:]).removesuffix("\n")
    if is_text:
        return text
    return document.parse(text, f"--set {name}").data if text else None


def _read_json(file: str) -> Any:
    """Parse JSON with a JSON parser: not all JSON is YAML, and a context may be larger than a pack."""
    text = files.read_text(file, limit=_MAX_CONTEXT_BYTES).removeprefix("\ufeff")
    try:
        return strict_json.read(text)
    except json.JSONDecodeError as error:
        place = Location(file, error.lineno, error.colno)
        raise PackError(Problem("PP909", f"invalid JSON: {error.msg}", place)) from error
    except (ValueError, RecursionError) as error:
        raise PackError(Problem("PP909", f"invalid JSON: {error}", Location(file))) from error
