"""`Answer`: the replies of a model to one case in one repetition, as a journal stores it, without secrets."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from promptpack.cycle import Usage

_VERDICT_TYPES: Final = {"ok": bool, "outcome": str, "violations": list, "repairs": list}
# No reply has more tokens, or takes more seconds.
_MAX_NUMBER: Final = 10**12


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
        replies = tuple(_read_reply(one) for one in row["replies"])
        if not replies:
            raise ValueError("an answer without replies")
        _require_type(row["case"], str)
        _require_type(row["repetition"], int)
        if row["verdict"] is not None:
            _require_verdict(row["verdict"])
        return cls(row["case"], row["repetition"], replies, row["verdict"])


def _read_reply(row: Mapping[str, Any]) -> Reply:
    reply = Reply(**{**row, "codes": tuple(row["codes"])})
    for text in (reply.text, reply.finish_reason, *reply.codes):
        _require_type(text, str)
    for count in (reply.input_tokens, reply.output_tokens, reply.cached_tokens):
        _require_type(count, int)
        _require_in_range(count)
    _require_in_range(reply.seconds)
    return reply


def _require_verdict(verdict: Any) -> None:
    for key, kind in _VERDICT_TYPES.items():
        _require_type(verdict[key], kind)
    for one in verdict["violations"]:
        for key in ("code", "path", "message", "rule"):
            _require_type(one[key], str)
    for one in verdict["repairs"]:
        _require_type(one["kind"], str)
    _ = verdict["output" if verdict["ok"] else "data"]


def _require_type(value: Any, kind: type) -> None:
    if type(value) is not kind:
        raise TypeError(f"{value!r:.20} is not of type {kind.__name__!r}")


def _require_in_range(number: float) -> None:
    if not 0 <= number <= _MAX_NUMBER:  # NaN is not
        raise ValueError("a number is out of range")
