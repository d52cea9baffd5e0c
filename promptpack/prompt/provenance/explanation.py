"""`Explanation` and `Span`: the text of a prompt in spans, each with its origin and its trust."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from promptpack.problem import Location

SpanKind = Literal["template", "input", "expression", "reply_format", "history", "layout", "budget", "added"]
Trust = Literal["trusted", "untrusted", "fenced", "secret"]
TRUSTS: Final[tuple[Trust, ...]] = ("trusted", "untrusted", "fenced", "secret")

_WORDS: Final[dict[SpanKind, str]] = {
    "template": "template text",
    "input": "input",
    "expression": "expression",
    "reply_format": "reply_format",
    "history": "history",
    "layout": "text form",
    "budget": "budget",
    "added": "added after rendering",
}


@dataclass(frozen=True)
class Span:
    """A part of the text of a prompt that has one origin.

    `start` and `end` are its offsets in the text of the explanation, and `text` is what is between them. `kind` says
    what it comes from: the `template` itself, one `input`, an `expression`, the `reply_format`, a `history` entry, the
    `layout` of the text form (role lines and blank lines), the `budget` that has cut a message, or a message that was
    `added` after rendering.

    `trust` is `secret` if a secret input is involved, else `untrusted` if the text contains an untrusted input outside
    a fence, else `fenced` if it contains a fence, else `trusted`.

    `location` is the place in the pack or partial that printed it. `inputs` are all inputs that it may depend on, with
    their paths, such as `TASK_CONTEXT.goal`; `defaults` are those whose values are their defaults. `partials` are the
    includes around it, the outermost first. `overlay` is the glob of the overlay that it comes from, `entry` the number
    of the history entry, and `message` the number of the message; entries and messages count from 0.
    """

    start: int
    end: int
    text: str = field(repr=False)
    kind: SpanKind
    trust: Trust
    location: Location | None = None
    inputs: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()
    partials: tuple[str, ...] = ()
    overlay: str = ""
    entry: int | None = None
    message: int | None = None

    def describe(self) -> str:
        """Return the origin in words, such as `input USER_GOAL at packs/planner/1.0.0.yaml:12:9`."""
        names = ", ".join(f"{name} (default)" if name in self.defaults else name for name in self.inputs)
        words = [_WORDS[self.kind]]
        words += (
            [f"entry {self.entry + 1} of {names}" if self.entry is not None else self._naming(names)] if names else []
        )
        words += [f"in partial {' > '.join(self.partials)}"] if self.partials else []
        words += [f"in overlay {self.overlay}"] if self.overlay else []
        words += [f"at {self.location}"] if self.location else []
        return " ".join(words)

    def _naming(self, names: str) -> str:
        return names if self.kind == "input" else f"of {names}"

    def to_dict(self) -> dict[str, Any]:
        """Return the span as plain data for JSON."""
        place = self.location
        return {
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "kind": self.kind,
            "trust": self.trust,
            "location": {"path": place.path, "line": place.line, "column": place.column} if place else None,
            "inputs": list(self.inputs),
            "defaults": list(self.defaults),
            "partials": list(self.partials),
            "overlay": self.overlay,
            "entry": self.entry,
            "message": self.message,
        }


@dataclass(frozen=True)
class Explanation:
    """The text of a prompt, and the spans that cover it exactly once, in order.

    `pack` is the pack as `name@version`. `text` is that of `Prompt.to_text`, except that secrets are hidden, and
    `spans` are its parts.
    """

    pack: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data for JSON."""
        return {"pack": self.pack, "text": self.text, "spans": [span.to_dict() for span in self.spans]}
