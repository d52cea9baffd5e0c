"""Replies, joined with their contexts -> verdict records, or requests for corrections."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from promptpack import strict_json
from promptpack.adapters.correcting import answer_to
from promptpack.batch.index import CONTEXTS, FoundRows, IndexReader
from promptpack.batch.provider_results import AFTER, KEYS, BatchReply, RequestFailure, find_id, read_result
from promptpack.batch.render import render_row, run_rows
from promptpack.batch.requests import RequestSettings
from promptpack.batch.rows import identify, read_context, row_error
from promptpack.batch.summary import BatchSummary
from promptpack.batch.worker import Row
from promptpack.cycle import Completion, Usage
from promptpack.cycle.stored_run import write_verdict
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import Secrets
from promptpack.prompt.stored_prompt import hide_all
from promptpack.verdict import Verdict

COLUMNS: Final = ("id", "ok", "outcome", "rounds", "usage", "failure", "verdict")
_MISSING: Final = RequestFailure("missing", "no file has a reply with this id")


class CheckedReply(NamedTuple):
    """One reply to a prompt and the verdict on it."""

    completion: Completion
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Replies:
    """Reads the replies of a row: the first one, and those to corrections, until one is accepted."""

    pack: Pack
    index: IndexReader | None = None
    is_table: bool = False
    contexts_are_table: bool = False
    is_missing: bool = False
    """Whether the rows are contexts without a reply."""
    joined: FoundRows = field(default_factory=dict)

    def join(self, ids: Sequence[str]) -> "Replies":
        """Find the contexts and corrections of some rows."""
        return self if self.index is None else replace(self, joined=self.index.find(ids))

    def identify(self, row: Row) -> str:
        """Return the id of the request that a row answers."""
        found = find_id(row)
        if found is None and self.index is not None:
            raise row_error("the line has no 'id' or 'custom_id', so its context cannot be found")
        return found or identify(row)

    def read_context(self, identifier: str, row: Row) -> Mapping[str, Any] | None:
        """Return the context of a reply: from the index, or from its own row; None if there is none."""
        if self.index is None or not self.index.has_contexts:
            is_delivered = "custom_id" in row and "context" not in row
            return None if is_delivered else read_context(self.pack, row, self.is_table, KEYS)
        found = self.joined.get((CONTEXTS, identifier))
        if found is None:
            message = f"no context has the id {identifier!r}"
            raise UsageError(Problem("PP981", message, None, "pass the file that the requests were rendered from"))
        return read_context(self.pack, json.loads(found), self.contexts_are_table) or {}

    def read(self, identifier: str, row: Row) -> Iterator[BatchReply]:
        """Yield the reply of a row, then those to its corrections."""
        yield BatchReply(None, _MISSING) if self.is_missing else read_result(row)
        rounds = self.index.corrections if self.index else 0
        for place in range(CONTEXTS + 1, CONTEXTS + 1 + rounds):
            found = self.joined.get((place, identifier))
            if found is not None:
                yield read_result(json.loads(found))

    def judge(
        self, prompt: Prompt | None, replies: Iterable[BatchReply], after: Verdict | None = None
    ) -> tuple[list[CheckedReply], RequestFailure | None, Usage]:
        """Check replies until one is accepted; also return why the last request has no answer, and all tokens."""
        judged: list[CheckedReply] = []
        failure: RequestFailure | None = None
        usage = Usage()
        for reply in replies:
            failure = reply.failure
            if reply.completion is None:
                continue
            usage += reply.completion.usage
            verdict = (prompt or self.pack).check(reply.completion, after=after)
            judged.append(CheckedReply(reply.completion, verdict))
            after = verdict
            if verdict.ok:
                break
        return judged, failure, usage


@dataclass(frozen=True, slots=True)
class CheckRows:
    """Checks the replies of each row, and writes the verdict."""

    replies: Replies

    def identify(self, row: Row) -> str:
        """Return the id of the request that a row answers."""
        return self.replies.identify(row)

    def join(self, ids: Sequence[str]) -> "CheckRows":
        """Find the contexts and corrections of some rows."""
        return CheckRows(self.replies.join(ids))

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:
        """Return the verdict on the replies of a row."""
        replies = self.replies
        context = replies.read_context(identifier, row)
        prompt = None if context is None else render_row(replies.pack, context)
        judged, failure, usage = replies.judge(prompt, replies.read(identifier, row), _read_after(row))
        secrets = Secrets(replies.pack, prompt.context if prompt else None)
        if judged:
            record = verdict_record(identifier, judged[-1].verdict, len(judged), usage, secrets)
        else:
            record = failure_record(identifier, failure or _MISSING, secrets)
        summary.count(record)
        return record


@dataclass(frozen=True, slots=True)
class FixRows:
    """Writes a request for each row without an accepted reply: the correction, or the first request again."""

    replies: Replies
    settings: RequestSettings

    def identify(self, row: Row) -> str:
        """Return the id of the request that a row answers."""
        return self.replies.identify(row)

    def join(self, ids: Sequence[str]) -> "FixRows":
        """Find the contexts and corrections of some rows."""
        return FixRows(self.replies.join(ids), self.settings)

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:
        """Return the request that corrects a row; None if its reply is accepted."""
        replies = self.replies
        prompt = render_row(replies.pack, replies.read_context(identifier, row) or {})
        judged, failure, _ = replies.judge(prompt, replies.read(identifier, row))
        outcome = judged[-1].verdict.outcome if judged else outcome_of(failure or _MISSING)
        summary.outcomes[outcome] += 1
        if judged and judged[-1].verdict.ok:
            return None
        return self.settings.write(identifier, prompt.with_messages(_follow_up(prompt, judged)) if judged else prompt)


def _read_after(row: Row) -> Verdict | None:
    """Return the verdict whose correction a row answers; it may be JSON, for engines with flat columns."""
    given = row.get(AFTER)
    try:
        read = strict_json.read(given) if isinstance(given, str) else given
    except (ValueError, RecursionError) as error:
        raise row_error("'after' is not the JSON of a verdict") from error
    return None if read is None else Verdict.from_dict(read)


def _follow_up(prompt: Prompt, judged: Iterable[CheckedReply]) -> tuple[Message, ...]:
    """Return the messages of the conversation so far, with the last correction at the end."""
    messages = prompt.messages
    for completion, verdict in judged:
        messages = (*messages, completion.message, *answer_to(completion, verdict))
    return messages


def verdict_record(identifier: str, verdict: Verdict, rounds: int, usage: Usage, secrets: Secrets) -> dict[str, Any]:
    """Return the record of a verdict, without secrets."""
    return {
        "id": identifier,
        "ok": verdict.ok,
        "outcome": verdict.outcome,
        "rounds": rounds,
        "usage": {"input": usage.input_tokens, "output": usage.output_tokens, "cached": usage.cached_tokens},
        "failure": None,
        "verdict": write_verdict(verdict, secrets) if secrets.key else verdict.to_dict(),
    }


def failure_record(identifier: str, failure: RequestFailure, secrets: Secrets) -> dict[str, Any]:
    """Return the record of a request without any reply."""
    return {
        "id": identifier,
        "ok": False,
        "outcome": outcome_of(failure),
        "rounds": 0,
        "usage": None,
        "failure": hide_all(failure.to_dict(), secrets),
        "verdict": None,
    }


def outcome_of(failure: RequestFailure) -> str:
    """Return the outcome of a request without a reply."""
    return "missing" if failure.kind == _MISSING.kind else "failed"


def check_batch(pack: Pack, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one record with a verdict for each row, in order, in plain data.

    Each of the `rows` has a `reply`, an `id`, and its inputs in `context` or as further keys; or it is a line of a
    result file of OpenAI, Anthropic or vLLM. A record has `id`, `ok`, `outcome`, `rounds`, `usage`, `failure` (why the
    provider gave no answer) and `verdict`, which `Verdict.from_dict` reads. A row that cannot be read gives
    `{"id": ..., "problems": [...]}` in its place. A row whose reply answers a correction has the verdict before it in
    `after`. Without inputs, rules of the `pack` that read inputs are not checked.
    """
    return run_rows(CheckRows(Replies(pack)), list(rows))
