"""`BatchSummary`: counts of rows by their outcome; the summaries of parts can be added."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

BINS: Final = 10
"""The number of bins of confidence, and the width of each in points."""
ACCEPTED: Final = ("valid", "recovered", "tool_call")


@dataclass(slots=True)
class BatchSummary:
    """Counts of rows by their outcome; `add` and the `count_` methods increase them."""

    rows: int = 0
    records: int = 0
    bytes: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    """Rows that could not be used, by the code of their first problem."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """Replies by the outcome of their verdict; `failed` if there is none, `missing` if no file has one."""
    violations: Counter[str] = field(default_factory=Counter)
    """Replies by the codes of their violations."""
    repairs: Counter[str] = field(default_factory=Counter)
    """Replies by the kinds of repairs that they needed."""
    rounds: Counter[str] = field(default_factory=Counter)
    """Replies by how often the model was asked."""
    confidence: Counter[str] = field(default_factory=Counter)
    """Accepted replies by their confidence: `0` for 0 to 9, `90` for 90 to 100."""
    tokens: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> int:
        """Requests without an accepted reply."""
        return sum(count for outcome, count in self.outcomes.items() if outcome not in ACCEPTED)

    def count(self, record: Mapping[str, Any]) -> None:
        """Count the record of a reply: its outcome, its verdict and its tokens."""
        self.outcomes[record["outcome"]] += 1
        for name, count in (record["usage"] or {}).items():
            if count:
                self.tokens[name] += count
        verdict = record["verdict"]
        if verdict is None:
            return
        self.rounds[str(record["rounds"])] += 1
        for code in {found["code"] for found in verdict["violations"]}:
            self.violations[code] += 1
        for kind in {repair["kind"] for repair in verdict["repairs"]}:
            self.repairs[kind] += 1
        output = verdict["output"]
        confidence = output.get("confidence") if isinstance(output, Mapping) else None
        if isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 100:
            self.confidence[str(min(int(confidence // BINS), BINS - 1) * BINS)] += 1

    def add(self, other: "BatchSummary") -> None:
        """Add the counts of another part."""
        for one in fields(self):
            mine, more = getattr(self, one.name), getattr(other, one.name)
            setattr(self, one.name, mine + more)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain data, the most frequent first."""
        data: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            data[one.name] = value if isinstance(value, int) else _in_order(value, one.name)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "BatchSummary":
        """Return the summary that `to_dict` wrote."""
        read: dict[str, Any] = {
            name: value if isinstance(value, int) else Counter(value) for name, value in data.items()
        }
        return cls(**read)


def _in_order(counts: Counter[str], name: str) -> dict[str, int]:
    by_key = name in ("rounds", "confidence", "tokens")
    return dict(sorted(counts.items(), key=lambda item: (0 if by_key else -item[1], len(item[0]), item[0])))
