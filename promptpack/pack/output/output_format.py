"""Which format an output asks for, where the prompt does not say it."""

from collections.abc import Mapping, Sequence
from typing import Any


def infer_output_format(output: Any, output_format: Any) -> tuple[Any, Any]:
    """Derive the format of an output that has none; a given format leaves the output alone."""
    if output_format is not None:
        return output, output_format if isinstance(output_format, str) else str(output_format)
    if isinstance(output, Mapping | Sequence) and not isinstance(output, str):
        return output, "json"
    if not isinstance(output, type):
        return output, "markdown"
    if output is str:
        return None, "markdown"
    return {"value": (output,), "reply": (str, "Reply according the result value")}, "json"
