import json
from enum import IntEnum
from typing import Any

import pytest

from promptpack.prompt.slots.json_text import dump


class Level(IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        {"a": {"b": [1, (2,), [], {}], "c": None}, "d": [True, False, 1.5, 1e22, -0.0, 10**30]},
        {"text": '你好 " \\ / \x00 \u2028 😀 \ud800'},
        {"odd": [float("nan"), float("inf"), float("-inf")]},
        {1: "number", None: "none"},
        {"level": Level.LOW},
        "text",
    ],
)
def test_data_is_written_as_the_standard_library_writes_it(data: Any) -> None:
    assert dump(data) == json.dumps(data, indent=2, ensure_ascii=False)


def test_a_value_without_a_json_form_raises_the_standard_error() -> None:
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        dump({"a": {1}})
