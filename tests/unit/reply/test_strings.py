import pytest

from promptpack.reply.strings import Lexer


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ('"a", "b": 1', "a", ""),
        ("'a'}", "a", "quotes"),
        ("“a”}", "a", "quotes"),
        ('"say "x" to"}', 'say "x" to', "inner-quotes"),
        ('"""a"""}', "a", "quotes"),
    ],
)
def test_a_string_ends_where_structure_follows(text: str, value: str, kind: str) -> None:
    token = Lexer(text).string(0, array=False, bare=False)
    assert (token.value, token.kind) == (value, kind)


def test_an_unterminated_string_has_no_end() -> None:
    for text in ('"a', '"say “x”', "'say ‘x’"):
        assert Lexer(text).string(0, array=False, bare=False).end == -1


def test_keys_are_recognized_by_their_colon() -> None:
    assert Lexer('"a": 1').key_at(0, bare=False)
    assert Lexer("a: 1").key_at(0, bare=True)
    assert not Lexer("a: 1").key_at(0, bare=False)
    assert not Lexer('"a", ').key_at(0, bare=True)


def test_an_opening_quote_without_a_partner_does_not_swallow_the_next_key() -> None:
    text = "“a “b”, “c”: “d”}"
    assert Lexer(text).string(0, array=False, bare=False).value == "a “b"
    last = "“a „”}, “c”: 1"
    assert Lexer(last).string(0, array=False, bare=False).value == "a „"
    whole = "“a “b”, c”}"
    assert Lexer(whole).string(0, array=False, bare=False).value == "a “b”, c"
