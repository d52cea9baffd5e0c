"""`promptpack try`: run one pack on a model, and print the prompt, the reply, the verdict and the cost."""

import time
from typing import Any

import click

from promptpack import files
from promptpack.characters import visible
from promptpack.cli import options
from promptpack.cli.asking import ask_model, practice
from promptpack.cli.model_options import StepProviders, cycle_settings, model_options, read_replies
from promptpack.cli.printing import print_correction, print_message, print_verdict
from promptpack.cli.saved_tests import check_test, save_test
from promptpack.cycle import ReplyJudged, RetryPlanned, Services, Transcript
from promptpack.cycle.events import Event
from promptpack.prompt.prompt import Prompt


@click.command("try")
@options.pack_argument
@options.packs_option
@options.locale_option
@options.key_option
@options.context_options
@options.test_option
@model_options
@click.option("--save", metavar="NAME", help="Add the reply to the pack as a test with this name.")
@click.option("--full", is_flag=True, help="Show whole messages instead of their first lines.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    pack: str,
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    context_file: str | None,
    assignments: tuple[str, ...],
    test: str | None,
    replies_file: str | None,
    rounds: int,
    save: str | None,
    full: bool,
    **model: Any,
) -> None:
    """Run a pack on a model: show the prompt, the reply as it streams, the verdict and corrections.

    The default model is a script for practice: it answers with the reply of --test, or with the example of the pack's
    first action, or with --replies FILE.
    """
    chosen = options.open_library(folders).get(pack, locale, key=key).for_model(model["model"] or "")
    context = options.read_context(chosen, context_file, assignments, test)
    prompt = chosen.render(context)
    click.echo(click.style(f"{chosen.label} {chosen.locale} {chosen.digest[:19]}", dim=True))
    for message in prompt.messages:
        print_message(message, full)
    if save:
        check_test(chosen, save, context, is_shipped=not folders and not files.Folder("packs").is_there)
    script = read_replies(replies_file) if replies_file else practice(chosen, test)
    models = StepProviders(script, **model)
    started = time.perf_counter()
    transcript = _ask(prompt, models, rounds, model["model"], full)
    _print_cost(transcript, time.perf_counter() - started)
    if save:
        save_test(chosen, prompt, save, context, transcript.text)
        click.echo(f"added the test {save!r} to {chosen.path}", err=True)
    ctx.exit(0 if transcript.verdict is None or transcript.verdict.ok else 1)


def _ask(prompt: Prompt, models: StepProviders, rounds: int, model: str | None, full: bool) -> Transcript:
    shown = _Live(full)
    services = Services(on_event=shown.on_event, on_delta=shown.on_delta)
    transcript = ask_model(prompt, models, cycle_settings(model, rounds), services)
    shown.end_line()
    return transcript


class _Live:
    """Prints a reply while it streams, and every verdict."""

    def __init__(self, full: bool) -> None:
        self._full = full
        self._is_open = False

    def on_delta(self, piece: str) -> None:
        """Print a piece of the reply."""
        if not self._is_open:
            click.echo(click.style("reply      ", fg="yellow"), nl=False)
            self._is_open = True
        click.echo(visible(piece).replace("\n", "\n           "), nl=False)

    def on_event(self, event: Event) -> None:
        """Print a verdict, or that a request is sent again."""
        if isinstance(event, RetryPlanned):
            self.end_line()
            click.echo(visible(f"retry      in {event.seconds:.0f} s: {event.error}"), err=True)
        if isinstance(event, ReplyJudged):
            self.end_line()
            print_verdict(event.verdict)
            if not event.last and event.verdict.correction:
                print_correction(event.verdict.correction, self._full)

    def end_line(self) -> None:
        """End the line of a reply."""
        if self._is_open:
            click.echo()
        self._is_open = False


def _print_cost(transcript: Transcript, seconds: float) -> None:
    usage, count = transcript.usage, len(transcript.rounds)
    tokens = f"{usage.input_tokens} tokens in, {usage.output_tokens} out" if usage.total_tokens else "no token counts"
    click.echo(click.style(f"{count} {'reply' if count == 1 else 'replies'}, {tokens}, {seconds:.1f} s", dim=True))
