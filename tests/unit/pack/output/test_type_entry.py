from typing import Any

import pytest

from promptpack.pack.output.type_entry import infer_output_format

REPLY = (str, "Reply according the result value")


@pytest.mark.parametrize(
    ("output", "output_format", "expected"),
    [
        (None, None, (None, "markdown")),
        ("text", None, ("text", "markdown")),
        ({"a": int}, None, ({"a": int}, "json")),
        ([int], None, ([int], "json")),
        ((int, "d"), None, ((int, "d"), "json")),
        (str, None, (None, "markdown")),
        (int, None, ({"value": (int,), "reply": REPLY}, "json")),
        (list[str], None, (list[str], "markdown")),
        ({"a": int}, "text", ({"a": int}, "text")),
        (int, "json", (int, "json")),
        (None, 5, (None, "5")),
    ],
)
def test_a_format_is_inferred_only_if_none_is_set(output: Any, output_format: Any, expected: tuple[Any, str]) -> None:
    assert infer_output_format(output, output_format) == expected
