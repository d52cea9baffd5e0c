"""Judge a reply while it arrives: alarms as soon as they are certain, and a verdict at the end."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from promptpack import hook
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.reply import Fault, Progress, PromptEcho, Reading, ReplyStream
from promptpack.reply.reading import ReadingOutcome
from promptpack.verdict.echo import find_echo
from promptpack.verdict.judge import schema_of, shape_of
from promptpack.verdict.judge_options import DEFAULT_OPTIONS, JudgeOptions
from promptpack.verdict.model import Verdict


class VerdictStream:
    """Comes from `Prompt.stream`; judges a reply in chunks. The final verdict is the same as for the whole text."""

    def __init__(
        self,
        pack: Pack,
        values: Mapping[str, Any] | None,
        prompt: Prompt | None = None,
        options: JudgeOptions = DEFAULT_OPTIONS,
    ) -> None:
        self._pack, self._values, self._prompt, self._options = pack, values, prompt, options
        echo = find_echo(pack, pack.contract, prompt) if pack.contract else PromptEcho()
        self._stream = ReplyStream(shape_of(schema_of(pack, values, prompt)), self._read, echo)
        self._last: tuple[str | bytes, Verdict] | None = None

    def __repr__(self) -> str:
        return f"VerdictStream({self._pack.label})"

    def feed(self, chunk: str | bytes) -> Progress:
        """Read the next `chunk`; an alarm in `violations` is certain, however the reply continues."""
        if not issubclass(type(chunk), str | bytes):
            message = f"a value of type {type(chunk).__name__!r} is not a chunk of a reply"
            raise UsageError(
                Problem("PP533", message, None, "pass text or bytes; 'astream' reads the stream of an SDK")
            )
        return self._stream.feed(chunk)

    def close(self, finish_reason: str | None = None) -> Verdict:
        """End the reply and judge it as a whole; `finish_reason` is why the model stopped."""
        if hook.listeners:
            from promptpack.verdict.observe_check import observe_check

            return observe_check(self._pack, self._values, self._stream.raw, lambda: self._close(finish_reason))
        return self._close(finish_reason)

    def _close(self, finish_reason: str | None) -> Verdict:
        raw, reason = self._stream.raw, finish_reason or self._options.finish_reason
        if reason is None and self._last is not None and self._last[0] == raw:
            return self._last[1]
        return self._judge(raw, reason)

    def _read(self, text: str) -> Reading:
        """Judge the text so far, at the end of an object."""
        verdict = self._judge(text)
        self._last = text, verdict
        faults = (Fault(found.rule, found.path, found.message, found.offset) for found in verdict.violations)
        outcome = cast("ReadingOutcome", verdict.outcome)
        return Reading(outcome, verdict.__dict__["data"], violations=tuple(faults), is_echo=verdict.is_echo)

    def _judge(self, raw: str | bytes, finish_reason: str | None = None) -> Verdict:
        options = self._options
        if options.finish_reason != finish_reason:
            options = replace(options, finish_reason=finish_reason)
        return self._pack._judge(raw, self._values, self._prompt, options)
