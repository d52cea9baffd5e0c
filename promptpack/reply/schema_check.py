"""Check values against a JSON Schema: validity is known immediately, the faults are lazy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from promptpack.lazy import cached_property
from promptpack.reply.reading import Fault
from promptpack.schema.validation import Schema

if TYPE_CHECKING:
    from promptpack.schema.explain import NearWords


class SchemaCheck:
    """Checks the values of one reply; `expected` maps the rule and path of a fault to what the schema expects."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.expected: dict[tuple[str, str], Any] = {}

    def __call__(self, value: Any) -> Sequence[Fault]:
        """Return the faults of a value; the sequence is empty for a valid value."""
        return () if self.schema.accepts(value) else _LazyFaults(self, value)

    @cached_property
    def _near(self) -> "NearWords":
        # Imported here, because most replies are valid; one for all candidates, because there may be many.
        from promptpack.schema.explain import NearWords

        return NearWords(of_values=False)

    def explain(self, value: Any) -> list[Fault]:
        """Return the faults of a value, and record what the schema expects."""
        mismatches = self.schema.explain(value, self._near)
        self.expected.update({(found.keyword, found.pointer): found.expected for found in mismatches})
        return [Fault(found.keyword, found.pointer, found.message) for found in mismatches]


class _LazyFaults(Sequence[Fault]):
    """The faults of an invalid value, computed on first use; there is at least one."""

    def __init__(self, check: SchemaCheck, value: Any) -> None:
        self._check, self._value = check, value

    @cached_property
    def _list(self) -> list[Fault]:
        return self._check.explain(self._value)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, index: Any) -> Any:
        return self._list[index]
