"""The check of a reader against a JSON Schema: whether a value is right is said at once, what is wrong on demand."""

from collections.abc import Sequence
from typing import Any

from promptpack.lazy import cached_property
from promptpack.reply.reading import Finding
from promptpack.schema import Schema


class SchemaCheck:
    """Asks a schema about one reply; `expected` is what it asked for where something was found."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.expected: dict[tuple[str, str], Any] = {}

    def __call__(self, value: Any) -> Sequence[Finding]:
        """Find what breaks the schema."""
        return () if self.schema.accepts(value) else _Findings(self, value)

    def explain(self, value: Any) -> list[Finding]:
        """Say what is wrong with a value."""
        findings = self.schema.explain(value)
        self.expected.update({(found.rule, found.pointer): found.expected for found in findings})
        return [Finding(found.rule, found.pointer, found.message) for found in findings]


class _Findings(Sequence[Finding]):
    """What is wrong with a value, at least one thing: which, is worked out when somebody looks."""

    def __init__(self, check: SchemaCheck, value: Any) -> None:
        self._check, self._value = check, value

    @cached_property
    def _list(self) -> list[Finding]:
        return self._check.explain(self._value)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, index: Any) -> Any:
        return self._list[index]
