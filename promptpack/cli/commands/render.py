"""`promptpack render`: print the prompt that a model would get."""

from collections.abc import Iterable

import click

from promptpack.characters import visible
from promptpack.cli import options
from promptpack.cli.console import print_json, print_problems
from promptpack.problem import MissingExtraError, PromptpackError
from promptpack.prompt.budget.counters import Counter, describe, estimate_tokens, exact_counter
from promptpack.prompt.prompt import Prompt
from promptpack.watching import changes


@click.command("render")
@options.pack_argument
@options.packs_option
@options.locale_option
@options.key_option
@options.context_options
@options.test_option
@click.option("--model", default="", help="Apply the pack's overlay for this model.")
@click.option("--tokens", is_flag=True, help="Count the tokens of each message: exactly with the extra tokens.")
@click.option(
    "--diff", is_flag=False, flag_value="", default=None, metavar="[VERSION]",
    help="Show a word diff against the prompt in git's HEAD, or against another version or label.",
)  # fmt: skip
@click.option("--watch", is_flag=True, help="Render again whenever a file changes.")
@click.option("--explain", is_flag=True, help="Show where each part comes from; secrets are hidden.")
@click.option(
    "--format", type=click.Choice(["text", "json", "html"]), default="text", show_default=True,
    help="html needs --explain.",
)  # fmt: skip
def command(
    pack: str,
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    context_file: str | None,
    assignments: tuple[str, ...],
    test: str | None,
    model: str,
    tokens: bool,
    diff: str | None,
    watch: bool,
    explain: bool,
    format: str,  # noqa: A002 -- the option's name
) -> None:
    """Render a pack's prompt with a context. PACK is a name, or name@range."""
    if format == "html" and not explain:
        raise click.UsageError("--format html needs --explain")
    if explain and diff is not None:
        raise click.UsageError("--explain and --diff exclude each other")

    def render() -> tuple[Prompt, Prompt | None]:
        library = options.open_library(folders)
        chosen = library.get(pack, locale, key=key).for_model(model)
        context = options.read_context(chosen, context_file, assignments, test)
        prompt = chosen.render(context)
        if diff is None:
            return prompt, None
        from promptpack.cli.render_diff import find_other
        from promptpack.versions.prompt_diff import render_other

        other = find_other(library, chosen, diff, locale, key).for_model(model)
        return prompt, render_other(other, context, chosen)

    last: tuple[Prompt, Prompt | None] | None = None
    for _ in _changes(folders) if watch else (None,):
        try:
            last, problem = render(), None
        except PromptpackError as error:
            if not watch:
                raise
            problem = error
        if watch:
            click.clear()
        if last is not None:
            _show(*last, format, explain, tokens)
        if problem is not None:
            # The next change may fix an unfinished edit; until then, the last good prompt stays.
            print_problems(problem.problems, err=True)


def _show(prompt: Prompt, other: Prompt | None, form: str, explain: bool, tokens: bool) -> None:
    if other is not None:
        from promptpack.cli.render_diff import print_diff

        print_diff(other, prompt, form)
    else:
        (_print_explanation if explain else _print_prompt)(prompt, form)
    if tokens:
        _print_tokens(prompt)


def _print_prompt(prompt: Prompt, form: str) -> None:
    if form == "json":
        print_json(prompt.to_dicts())
    else:
        click.echo(visible(prompt.to_text()))


def _print_explanation(prompt: Prompt, form: str) -> None:
    explanation = prompt.explain()
    if form == "json":
        print_json(explanation.to_dict())
    elif form == "html":
        from promptpack.cli.explain_html import write_html

        click.echo(write_html(explanation), nl=False)
    else:
        from promptpack.cli.explain_text import write_text

        click.echo(write_text(explanation))


def _changes(folders: tuple[str, ...]) -> Iterable[None]:
    yield
    yield from changes(folders or tuple(folder.root for folder in options.open_library(()).folders))


def _print_tokens(prompt: Prompt) -> None:
    counter = _counter()
    counts = [(message.role, counter(message.text)) for message in prompt.messages]
    for role, count in (*counts, ("total", sum(count for _, count in counts))):
        click.echo(f"{count:>8}  {role}", err=True)
    click.echo(f"          {describe(counter)}", err=True)


def _counter() -> Counter:
    try:
        return exact_counter()
    except MissingExtraError:
        return estimate_tokens
