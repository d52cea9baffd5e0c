"""`Answer`: what a model replied to one case in one repetition, as a journal stores it, without secrets."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from promptpack.cycle import Usage


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: its text, the kinds of its violations, its tokens and how long the server took.

    A kind is a code, or a code and the name of a rule.
    """

    text: str
    finish_reason: str
    codes: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """All replies to a case in one repetition; each after the first follows a correction.

    `verdict` is that on the last reply, as plain data; None for a pack without a contract.
    """

    case: str
    repetition: int
    replies: tuple[Reply, ...]
    verdict: Mapping[str, Any] | None

    @property
    def text(self) -> str:
        """The text of the last reply."""
        return self.replies[-1].text

    @property
    def ok(self) -> bool:
        """Whether the last reply meets the contract; true without a contract."""
        return self.verdict is None or bool(self.verdict["ok"])

    @property
    def outcome(self) -> str:
        """The outcome of the last verdict; empty without a contract."""
        return "" if self.verdict is None else str(self.verdict["outcome"])

    @property
    def data(self) -> Any:
        """The last reply as plain data; None if it could not be read."""
        if self.verdict is None:
            return None
        return self.verdict["output"] if self.ok else self.verdict["data"]

    @property
    def violations(self) -> tuple[Mapping[str, Any], ...]:
        """The violations of the last reply."""
        return () if self.verdict is None else tuple(self.verdict["violations"])

    @property
    def repairs(self) -> tuple[str, ...]:
        """The kinds of the repairs that were necessary to read the last reply."""
        return () if self.verdict is None else tuple(one["kind"] for one in self.verdict["repairs"])

    @property
    def seconds(self) -> float:
        """How long the server took for all replies together."""
        return sum(reply.seconds for reply in self.replies)

    @property
    def usage(self) -> Usage:
        """The tokens of all replies together."""
        return sum(
            (Usage(reply.input_tokens, reply.output_tokens, reply.cached_tokens) for reply in self.replies), Usage()
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> "Answer":
        """Return the answer that `to_dict` wrote; raise `KeyError`, `TypeError` or `ValueError` for other data."""
        replies = tuple(Reply(**{**one, "codes": tuple(one["codes"])}) for one in row["replies"])
        if not replies:
            raise ValueError("an answer without replies")
        return cls(str(row["case"]), int(row["repetition"]), replies, row["verdict"])
