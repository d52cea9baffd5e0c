import pytest

from promptpack.reply.escapes import decode


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("plain", "plain"),
        ("a\\nb", "a\nb"),
        ("\\u4e2d", "中"),
        ("\\ud83d\\ude00", "😀"),
        ("snake\\_case", "snake_case"),
        ("it\\'s", "it's"),
        ("\\q", "\\q"),
        ("C:\\Windows\\new", "C:\\Windows\\new"),
        ("10\\xa0km caf\\xe9", "10\xa0km café"),
        ("\\U0001f600 \\u{1F600}", "😀 😀"),
        ("\\U00110000 \\xg1", "\\U00110000 \\xg1"),
        ("C:\\xab\\yes", "C:\\xab\\yes"),
        ("\\alpha \\frac{1}{2}", "\\alpha \\frac{1}{2}"),
    ],
)
def test_escapes_are_decoded_as_meant(body: str, text: str) -> None:
    assert decode(body) == text
