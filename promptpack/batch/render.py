"""Rows with contexts -> request records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptpack.batch.requests import RequestSettings, ShapeName
from promptpack.batch.rows import identify, read_context
from promptpack.batch.summary import BatchSummary
from promptpack.batch.worker import Row
from promptpack.pack.model import Pack
from promptpack.problem import ContextError, PromptpackError
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import Secrets


@dataclass(frozen=True, slots=True)
class RenderRows:
    """Renders the context of each row, and writes the request."""

    pack: Pack
    settings: RequestSettings
    is_table: bool = False

    def identify(self, row: Row) -> str:
        """Return the id of a row, or one computed from its context."""
        return identify(row)

    def join(self, ids: Sequence[str]) -> "RenderRows":  # noqa: ARG002 -- as in RowHandler
        """Return itself: nothing is needed from other files."""
        return self

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:  # noqa: ARG002 -- as in RowHandler
        """Return the request of a row."""
        prompt = render_row(self.pack, read_context(self.pack, row, self.is_table) or {})
        return self.settings.write(identifier, prompt)


def render_row(pack: Pack, context: Mapping[str, Any]) -> Prompt:
    """Render a context; problems show no secrets."""
    try:
        return pack.render(context)
    except ContextError as error:
        hidden = Secrets(pack, context).hide_error(error)
        if hidden is error:
            raise
        raise hidden from None  # the error itself shows them


def render_batch(
    pack: Pack,
    rows: Iterable[Mapping[str, Any]],
    *,
    shape: ShapeName = "messages",
    model: str = "",
    params: Mapping[str, Any] | None = None,
    strict: bool | None = None,
) -> list[dict[str, Any]]:
    """Return one request for each row, in order, in plain data.

    Each of the `rows` has an `id`, and its inputs in `context` or as further keys; a missing id is computed from
    the context. A row that cannot be rendered gives `{"id": ..., "problems": [...]}` in its place. `shape` is the form
    of a line in a request file: of `openai`, `anthropic` or `vllm`, which need a `model` and take `params` and `strict`
    (the schema of the reply in the strict form of the provider), or `messages`, with the keys `id` and `messages`. The
    `pack` gets its overlay for the model.
    """
    chosen = pack if pack.overlay else pack.for_model(model)
    return run_rows(RenderRows(chosen, RequestSettings(shape, model, params or {}, strict)), list(rows))


def run_rows(handler: Any, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the record of each row, or its problems."""
    summary = BatchSummary()
    records: list[dict[str, Any]] = []
    for row in rows:
        identifier = ""
        try:
            identifier = handler.identify(row)
            records.append(handler.handle(identifier, row, summary))
        except PromptpackError as error:
            problems = [{"code": one.code, "message": one.message, "hint": one.hint} for one in error.problems]
            records.append({"id": identifier, "problems": problems})
    return records
