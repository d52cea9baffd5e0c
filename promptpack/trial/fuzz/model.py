"""A `Finding`: a failure with generated data, and the test that shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from promptpack.problem import Location

BreakageKind = Literal["generate", "render", "fence", "order", "budget", "rule", "refused", "accepted"]


class Breakage(NamedTuple):
    """What is wrong with one context or reply; breakages with the same kind and cause are one finding.

    `expect` is what a test of the context, or the verdict on a reply, should be instead.
    """

    kind: BreakageKind
    cause: str
    message: str
    context: Mapping[str, Any]
    expect: Any
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that breaks, shrunk; `count` is how many cases broke in this way, `test` shows it in YAML terms."""

    kind: BreakageKind
    message: str
    location: Location
    count: int = 1
    test: Mapping[str, Any] = field(default_factory=dict)
