from enum import IntEnum
from typing import Any

import pytest
import yaml

from promptpack.prompt.slots.yaml_text import dump

WORDS = [
    *("a", "yes", "No", "10", "1.5", "2024-01-01", "你好", "null", "~", "<<", "=", "---", "", " lead", "trail "),
    *("a: b", "a:b", "end:", "# no", "a # b", "a#b", "it's", "*x", "&x", "!x", "%x", "@x", "`x`", "- x", "? x"),
    *("a\nb", "\n", "a\tb", "\x07", "\u2028", "\ufeffa", "😀", "\ud800"),
    *("word " * 30 + "end", "长" * 100, "a  b " * 20 + "c"),
]


@pytest.mark.parametrize("sort_keys", [True, False])
@pytest.mark.parametrize("word", WORDS)
def test_any_text_is_written_as_pyyaml_writes_it(word: str, sort_keys: bool) -> None:
    data = {"z": word, "a": [word, [word, {word: [word]}]], "nested": {"deep": {word or "k": word}}, word: {}}
    assert dump(data, sort_keys=sort_keys) == yaml.safe_dump(data, allow_unicode=True, sort_keys=sort_keys)


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        [[], {}, (), [[]], None, True, False],
        {"n": [0, -5, 10**30, 1.5, 1e22, 1e-7, -0.0, float("inf"), float("-inf"), float("nan")]},
        {"set": {"a"}},
        {"k" * 122: 1, "k" * 123: 2, "k" * 130: 3},
        {"": 1},
        {"a\nb": 1},
        "text",
    ],
)
def test_any_structure_is_written_as_pyyaml_writes_it(data: Any) -> None:
    assert dump(data, sort_keys=False) == yaml.safe_dump(data, allow_unicode=True, sort_keys=False)


def test_a_value_without_a_yaml_form_raises_pyyamls_error() -> None:
    class Level(IntEnum):
        LOW = 1

    with pytest.raises(yaml.representer.RepresenterError):
        dump({"a": Level.LOW}, sort_keys=True)
