"""Whether two expressions mean the same: they have the same syntax tree."""

from __future__ import annotations

from promptpack.template.model import Expression


def means_the_same(old: Expression | None, new: Expression | None) -> bool:
    """Return whether two expressions are equal, apart from white space, quotes and brackets that change nothing."""
    if old is None or new is None:
        return old is new
    if old.source.text == new.source.text:
        return True
    return bool(old.engine.prepare_expression(old.source) == new.engine.prepare_expression(new.source))
