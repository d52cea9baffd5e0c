"""Schemas + templates -> type problems: infer the type of every expression, from the schemas of its inputs."""

from promptpack.linter.types.packs import CleanTemplates, TypeCheck, check_pack, names_set_before

__all__ = ["CleanTemplates", "TypeCheck", "check_pack", "names_set_before"]
