import pytest

from promptpack.reply.lookahead import is_bare_key, is_colonless_key, is_half_key, is_paired_key, is_quoted_key


@pytest.mark.parametrize("text", ['"a": 1', "“a” ：", "'a' => ", "`a` = ", '"a\\"b": ', '"“a”": '])
def test_a_quoted_key_is_recognized(text: str) -> None:
    assert is_quoted_key(text)


@pytest.mark.parametrize("text", ['"a", ', '"a', '"a" == ', "“““", '"a\n": ', f'"{"a" * 301}": '])
def test_other_quoted_text_is_not_a_key(text: str) -> None:
    assert not is_quoted_key(text)


def test_other_keys_are_recognized() -> None:
    assert is_half_key('a": ')
    assert is_half_key('"a: ')
    assert is_bare_key("a-b: ")
    assert is_paired_key("「a」：")
    assert not is_paired_key('"a": ')


@pytest.mark.parametrize("text", ['"a" "b"', '"a" 5', '"a" -5', '"a" true', '"a"{', "'a' ["])
def test_a_key_without_a_colon_is_recognized_by_the_value_after_it(text: str) -> None:
    assert is_colonless_key(text)


@pytest.mark.parametrize("text", ['"a": "b"', '"a", "b"', '"a""b"', '"a"\n"b"', '"5" "b"', '"a" and'])
def test_other_text_is_not_a_key_without_a_colon(text: str) -> None:
    assert not is_colonless_key(text)
