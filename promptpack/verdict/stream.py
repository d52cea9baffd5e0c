"""A reply that is judged while it arrives: what is certain so far, and the verdict at its end."""

from collections.abc import Mapping
from typing import Any

from promptpack.pack import Pack
from promptpack.reply import Progress, ReplyStream, SchemaCheck
from promptpack.verdict.judge import Options, judge_checked, schema_of, shape_of
from promptpack.verdict.model import Verdict


class VerdictStream:
    """Takes a reply in chunks; the verdict at the end is the one that the whole text gets."""

    def __init__(self, pack: Pack, values: Mapping[str, Any] | None, **options: Any) -> None:
        Options(**options)  # what is wrong with them is told before the reply is there
        self._pack, self._values, self._options = pack, values, options
        schema = schema_of(pack, values)
        self._stream = ReplyStream(shape_of(schema), SchemaCheck(schema))

    def feed(self, chunk: str | bytes) -> Progress:
        """Take in the next piece; an alarm in `violations` is certain, however the object goes on."""
        return self._stream.feed(chunk)

    def close(self, finish_reason: str | None = None) -> Verdict:
        """End the reply and judge it as a whole."""
        return judge_checked(self._pack, self._stream.raw, self._values, finish_reason=finish_reason, **self._options)
