"""The price file: the cost of a million tokens of each model, and of a usage."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from promptpack import files, schema
from promptpack.cycle import Usage
from promptpack.document import parse
from promptpack.pack.pack_schema import find_mismatches, read_shipped
from promptpack.problem import Location, PackError, Problem, UsageError, did_you_mean

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens; `cached` is that of input tokens which the server has in its cache."""

    input: float
    output: float
    cached: float

    def cost(self, usage: Usage) -> float:
        """Return the cost of a usage."""
        new = max(0, usage.input_tokens - usage.cached_tokens)
        total = new * self.input + usage.cached_tokens * self.cached + usage.output_tokens * self.output
        return total / _MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of models, in one currency."""

    path: str
    currency: str
    models: Mapping[str, Price]

    def find(self, model: str) -> Price:
        """Return the price of a model."""
        if model not in self.models:
            hint = did_you_mean(model, self.models) or "add it to the price file"
            raise UsageError(Problem("PP972", f"there is no price for the model {model!r}", Location(self.path), hint))
        return self.models[model]


def read_prices(path: str) -> Prices:
    """Read a price file; raise all its problems."""
    document = parse(files.read(path), path)
    problems = [
        Problem("PP972", one.message, (place.locate_key if one.at_key else place.locate)(one.path), one.hint)
        for place, one in find_mismatches(prices_schema(), document)
    ]
    if problems:
        raise PackError(problems)
    models = {
        name: Price(row["input"], row["output"], row.get("cached", row["input"]))
        for name, row in document.data["prices"].items()
    }
    return Prices(path, document.data.get("currency", "USD"), models)


@cache
def prices_schema() -> schema.Schema:
    """Return the schema of price files; it is read once."""
    return schema.compile(read_shipped("prices.schema.json"))
