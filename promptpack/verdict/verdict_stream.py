"""Judge a reply while it arrives: alarms as soon as they are certain, and a verdict at the end."""

from collections.abc import Mapping
from typing import Any

from promptpack.pack.model import Pack
from promptpack.prompt.prompt import Prompt
from promptpack.reply import Progress, PromptEcho, ReplyStream, SchemaCheck
from promptpack.verdict.echo import find_echo
from promptpack.verdict.judge import JudgeOptions, schema_of, shape_of
from promptpack.verdict.model import Verdict


class VerdictStream:
    """Judges a reply in chunks; the final verdict is the same as for the whole text."""

    def __init__(
        self, pack: Pack, values: Mapping[str, Any] | None, prompt: Prompt | None = None, **options: Any
    ) -> None:
        JudgeOptions(**options)  # raises before the reply arrives if an option is invalid
        self._pack, self._values, self._prompt, self._options = pack, values, prompt, options
        schema = schema_of(pack, values)
        echo = find_echo(pack, pack.contract, prompt) if pack.contract else PromptEcho()
        self._stream = ReplyStream(shape_of(schema), SchemaCheck(schema), echo)

    def feed(self, chunk: str | bytes) -> Progress:
        """Read the next chunk; an alarm in `violations` is certain, however the reply continues."""
        return self._stream.feed(chunk)

    def close(self, finish_reason: str | None = None) -> Verdict:
        """End the reply and judge it as a whole."""
        options = {**self._options, "finish_reason": finish_reason}
        return self._pack.judge(self._stream.raw, self._values, self._prompt, **options)
