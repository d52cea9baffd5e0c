import pytest

from promptpack.reply.layers import peel


@pytest.mark.parametrize(
    ("raw", "text", "kind"),
    [
        ("{&quot;a&quot;: 1}", '{"a": 1}', "html-entity"),
        ('> {"a":\n> 1}', '{"a":\n1}', "block-quote"),
        ('{\\"a\\": 1}', '{"a": 1}', "escaped"),
    ],
)
def test_a_coating_comes_off_and_places_lead_back(raw: str, text: str, kind: str) -> None:
    layer = peel(raw)
    assert layer.text == text
    assert {edit.kind for edit in layer.edits()} == {kind}
    assert raw[layer.raw(text.index("1"))] == "1"


def test_a_plain_reply_has_no_coating() -> None:
    assert not peel('{"a": "x &amp; y > z"}').is_coated
