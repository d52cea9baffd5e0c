"""Tests as they are written -> tests as they run: `like`, `with`, shared contexts and tables of cases."""

from promptpack.pack.cases.checking import check_tests
from promptpack.pack.cases.expansion import TestScope, expand_tests

__all__ = ["TestScope", "check_tests", "expand_tests"]
