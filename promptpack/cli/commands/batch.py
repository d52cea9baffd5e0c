"""`promptpack batch`: render, ask, check and correct files of rows."""

from typing import Any

import click

from promptpack.batch.jobs import JoinedReplies, plan_check, plan_fix, plan_render, plan_run
from promptpack.batch.send import SendSettings
from promptpack.batch.sources import RowSource
from promptpack.cli import options
from promptpack.cli.batch_options import (
    batch_options,
    engine_options,
    open_pack,
    read_settings,
    request_options,
    run_batch,
)
from promptpack.cli.evaluation_options import PATIENT, SubjectProviders
from promptpack.cli.model_options import model_options, read_params
from promptpack.cycle import CycleSettings

_MORE_THAN_0 = click.FloatRange(0, min_open=True)
_JOINED = "A file with the contexts that the requests were rendered from, to join with the replies by id."


@click.group("batch")
def command() -> None:
    """Render, ask, check and correct files of rows.

    Rows are JSONL, CSV or Parquet, also compressed as .gz or .zst; - is a pipe. Memory does not grow with the rows,
    and an interrupted batch continues with --resume.
    """


@command.command("render")
@options.pack_argument
@click.argument("contexts")
@batch_options
@engine_options
@request_options
@click.pass_context
def render(
    ctx: click.Context,
    /,
    pack: str,
    contexts: str,
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    shape: str,
    model: str,
    params: tuple[str, ...],
    strict_schema: bool,
    **given: Any,
) -> None:
    """Write one request for each row of CONTEXTS.

    A new file starts at the limits of the provider.
    """
    chosen, source = open_pack(pack, folders, locale, key, model), RowSource(contexts)
    settings = read_settings(shape, model, params, strict_schema)
    run_batch(ctx, (source,), lambda found: plan_render(chosen, source, settings, found), given)


@command.command("check")
@options.pack_argument
@click.argument("replies", nargs=-1, required=True)
@click.option("--contexts", help=_JOINED)
@click.option("--corrections", multiple=True, help="A file with the replies to 'batch fix', one per round; repeatable.")
@click.option("--model", default="", help="Apply the pack's overlay for this model.")
@batch_options
@engine_options
@click.pass_context
def check(
    ctx: click.Context,
    /,
    pack: str,
    replies: tuple[str, ...],
    contexts: str | None,
    corrections: tuple[str, ...],
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    model: str,
    **given: Any,
) -> None:
    """Write one verdict for each reply.

    REPLIES are result files of a provider, or lines with id and reply.
    """
    chosen, joined = open_pack(pack, folders, locale, key, model), _join(replies, contexts, corrections)
    run_batch(ctx, joined.sources, lambda found: plan_check(chosen, joined, found), given)


@command.command("run")
@options.pack_argument
@click.argument("contexts")
@model_options
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the requests, such as temperature=0; repeatable.",
)
@click.option(
    "--concurrency", default=8, show_default=True, type=click.IntRange(1, 1024), help="How many requests run at a time."
)
@click.option("--requests-per-minute", type=_MORE_THAN_0, help="The maximum number of requests per minute.")
@click.option("--tokens-per-minute", type=_MORE_THAN_0, help="The maximum number of tokens per minute.")
@click.option("--retries", default=5, show_default=True, help="The maximum number of retries of a request.")
@click.option("--timeout", default=120.0, show_default=True, help="How long the server may be silent, in seconds.")
@batch_options
@click.pass_context
def run(
    ctx: click.Context,
    /,
    pack: str,
    contexts: str,
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    kind: str,
    model: str | None,
    base_url: str | None,
    api_key: str | None,
    replies_file: str | None,
    rounds: int,
    params: tuple[str, ...],
    concurrency: int,
    requests_per_minute: float | None,
    tokens_per_minute: float | None,
    retries: int,
    timeout: float,
    **given: Any,
) -> None:
    """Ask a model about each row of CONTEXTS.

    Replies are checked and corrected, and their verdicts are written.
    """
    chosen, source = open_pack(pack, folders, locale, key, model or ""), RowSource(contexts)
    settings = CycleSettings(
        model or "", params=read_params(params), rounds=rounds, retries=retries, backoff=PATIENT, timeout=timeout
    )
    subject = SubjectProviders(kind, model, base_url, api_key, replies_file).subject(chosen, settings)
    at_a_time = concurrency if kind != "scripted" else 1
    sending = SendSettings(
        subject.provider, settings, subject.service, at_a_time, requests_per_minute, tokens_per_minute
    )  # fmt: skip
    run_batch(ctx, (source,), lambda found: plan_run(chosen, source, sending, found), given)


@command.command("fix")
@options.pack_argument
@click.argument("replies", nargs=-1, required=True)
@click.option("--contexts", required=True, help=_JOINED)
@click.option("--corrections", multiple=True, help="A file with the replies to earlier corrections; repeatable.")
@batch_options
@engine_options
@request_options
@click.pass_context
def fix(
    ctx: click.Context,
    /,
    pack: str,
    replies: tuple[str, ...],
    contexts: str,
    corrections: tuple[str, ...],
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    shape: str,
    model: str,
    params: tuple[str, ...],
    strict_schema: bool,
    **given: Any,
) -> None:
    """Write a new request for each row without an accepted reply.

    It sends the correction of the last reply or, without a reply, the first request again.
    """
    chosen, joined = open_pack(pack, folders, locale, key, model), _join(replies, contexts, corrections)
    settings = read_settings(shape, model, params, strict_schema)
    run_batch(ctx, joined.sources, lambda found: plan_fix(chosen, joined, settings, found), given)


def _join(replies: tuple[str, ...], contexts: str | None, corrections: tuple[str, ...]) -> JoinedReplies:
    return JoinedReplies(
        tuple(map(RowSource, replies)), RowSource(contexts) if contexts else None, tuple(map(RowSource, corrections))
    )
