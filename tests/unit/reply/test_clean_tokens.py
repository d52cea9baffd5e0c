from unittest.mock import patch

import pytest

from promptpack.reply.clean_tokens import CleanTokenScanner
from promptpack.reply.scan import scan
from promptpack.reply.strings import Lexer
from promptpack.reply.syntax_tree import extract_data


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ('{"a": "b", "c": "d"}', 0),
        ('{"a": ["b", "c"], "d": "e",}', 0),
        ('{"a": [1, {"b": null}, "c"], "d": [-2.5e3, "e"], "f": "g",}', 0),
        ('{"a": "b" "c": "d"}', 1),
        ('{"a": "say “b”", "c": "d"}', 0),
        ('{"a": "say "b", then", "c": "d"}', 1),
        ('{"a": "\\u0062"}', 1),
    ],
)
def test_the_lexer_reads_only_ambiguous_strings(text: str, looks: int) -> None:
    with patch.object(Lexer, "string", autospec=True, side_effect=Lexer.string) as weighed:
        scan(text, 0)
    assert weighed.call_count == looks


def test_clean_members_have_spans() -> None:
    found = scan('{ "a" : "b" , "c": ["d" ] }', 0)
    assert extract_data(found.root).spans == {"": (0, 27), "/a": (8, 11), "/c": (19, 25), "/c/0": (20, 23)}
    assert [(key, start) for key, start, _ in found.root.members] == [("a", 2), ("c", 14)]


def test_an_exhausted_lexer_is_not_bypassed() -> None:
    text = '{"a": "b"}'
    with patch.object(Lexer, "is_exhausted", new=True), patch.object(CleanTokenScanner, "_read_clean_value") as taken:
        scan(text, 0)
    taken.assert_not_called()
