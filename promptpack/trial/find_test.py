"""Find a test of a pack by its name."""

from promptpack.pack.model import Pack, PackTest
from promptpack.problem import Problem, UsageError, did_you_mean


def find_test(pack: Pack, name: str) -> PackTest:
    """Return a test of a pack by its name."""
    names = [test.name for test in pack.tests]
    if name not in names:
        hint = did_you_mean(name, names) or (f"its tests are {', '.join(map(repr, names))}" if names else "it has none")
        raise UsageError(Problem("PP910", f"{pack.label} has no test named {name!r}", None, hint))
    return pack.tests[names.index(name)]
