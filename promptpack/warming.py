"""`Library.warm`: import and compile before the first render and check what they would import and compile."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from promptpack.lazy import import_stages
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.template.model import Expression, Template
from promptpack.verdict.judge import Judge


def warm(library: Library) -> None:
    """Import all modules of a library's packs, build the packs, and compile their templates, schemas and rules."""
    import_stages()
    for pack in library.packs():
        _warm_pack(pack)


def _warm_pack(pack: Pack) -> None:
    for compiled in _find_compiled((pack.messages, pack.slots, pack.models, pack.contract)):
        environment: Any = compiled.code.environment
        for name in compiled.partials if isinstance(compiled, Template) else ():
            environment.get_template(name)
    _ = pack.digest
    pack._context_schema.warm()
    if pack.contract is not None:
        judge: Judge = pack._judge.__self__  # type: ignore[attr-defined]  # the method of a judge
        judge.warm()


def _find_compiled(value: Any) -> Iterator[Template | Expression]:
    """Yield the templates and expressions in a part of a pack."""
    if isinstance(value, (Template, Expression)):
        yield value
    elif isinstance(value, Mapping):
        yield from (found for one in value.values() for found in _find_compiled(one))
    elif isinstance(value, (tuple, list)):
        yield from (found for one in value for found in _find_compiled(one))
    elif is_dataclass(value) and not isinstance(value, (type, Pack)):
        yield from (found for one in fields(value) for found in _find_compiled(getattr(value, one.name)))
