"""Types through templates: what a schema says about values, followed through every expression and statement."""

from promptpack.linter.types.check import Checked, check_expression, check_template
from promptpack.linter.types.packs import check_pack, rendering_env
from promptpack.linter.types.schemas import from_schema
from promptpack.linter.types.scope import env_at

__all__ = ["Checked", "check_expression", "check_pack", "check_template", "env_at", "from_schema", "rendering_env"]
