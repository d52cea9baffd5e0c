"""Schemas + templates -> type problems: infer the type of every expression, from the schemas of its inputs."""

from promptpack.linter.types.check import check_expression, check_template
from promptpack.linter.types.packs import check_pack, rendering_scope
from promptpack.linter.types.probe import scope_at
from promptpack.linter.types.schemas import from_schema

__all__ = ["check_expression", "check_pack", "check_template", "from_schema", "rendering_scope", "scope_at"]
