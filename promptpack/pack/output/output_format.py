"""The format of an output whose prompt does not set `output_format`."""

from collections.abc import Mapping, Sequence
from typing import Any


def infer_output_format(output: Any, output_format: Any) -> tuple[Any, Any]:
    """Return the output and its format; without a format, infer it and describe a bare type as a reply."""
    if output_format is not None:
        return output, output_format if isinstance(output_format, str) else str(output_format)
    if isinstance(output, Mapping | Sequence) and not isinstance(output, str):
        return output, "json"
    if not isinstance(output, type):
        return output, "markdown"
    if output is str:
        return None, "markdown"
    return {"value": (output,), "reply": (str, "Reply according the result value")}, "json"
