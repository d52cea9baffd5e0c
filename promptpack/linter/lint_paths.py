"""Paths -> `LintReport`: from the cache, or by checking the packs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from promptpack import files
from promptpack.cache import Cache
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings, find_settings
from promptpack.linter.report_cache import get_or_compute

if TYPE_CHECKING:
    from promptpack.linter.result_cache import ResultCache


def lint(
    paths: Iterable[str],
    settings: LintSettings | None = None,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    cache: str | bool | None = None,
) -> LintReport:
    """Lint folders of packs and single pack files; a file is linted together with the packs of its root folder.

    Without `settings`, the nearest `promptpack.toml` or `pyproject.toml` applies; `select` and `ignore` override
    either. Results are cached until a dependency of the pack changes: see `Cache.open` for the values of `cache`.
    """
    stored = Cache.open(cache)

    def lint_root(root: str, wanted: Collection[str]) -> LintReport:
        chosen = (settings or find_settings(root)).narrowed(select, ignore)

        def compute() -> tuple[LintReport, ResultCache]:
            from promptpack.library import Library
            from promptpack.linter.checking import lint_library
            from promptpack.linter.result_cache import ResultCache

            results = ResultCache.open(stored, root, chosen)
            return lint_library(Library.open(root, cache=cache), chosen, wanted, results), results

        return get_or_compute(stored, root, chosen, wanted, compute)

    return LintReport.join(lint_root(root, wanted) for root, wanted in files.group_by_root(paths).items())
