"""The texts of a page are bounded, and one that exceeds a limit is never replaced by an older one."""

import pytest

from promptpack.problem import UsageError
from promptpack.studio.open_texts import OpenTexts


def test_a_text_is_kept_until_it_is_forgotten() -> None:
    texts = OpenTexts()
    texts.keep("a.yaml", "a")
    texts.keep("a.yaml", "b")
    assert dict(texts) == {"a.yaml": "b"}
    texts.keep("a.yaml", None)
    assert dict(texts) == {}


def test_a_text_that_is_too_large_is_a_problem_until_it_is_shorter() -> None:
    texts = OpenTexts()
    texts.keep("a.yaml", "a")
    texts.keep("a.yaml", "x" * 1_000_001)
    with pytest.raises(UsageError) as refused:
        texts.get("a.yaml")
    assert str(refused.value) == (
        "a.yaml: PP102 text is larger than 1,000,000 characters, or too many texts are open\n"
        "  hint: shorten it, or save the other texts and reload the page"
    )
    texts.keep("a.yaml", "b")
    assert texts["a.yaml"] == "b"


@pytest.mark.parametrize(("text", "kept"), [("x", 64), ("\U0001f600" + "x" * 999_999, 3)])
def test_all_texts_of_a_page_together_are_bounded(text: str, kept: int) -> None:
    texts = OpenTexts()
    for number in range(1_000):
        texts.keep(f"{number}.yaml", text)
    assert len(texts) == 128
    assert [texts[f"{number}.yaml"] for number in range(kept)] == [text] * kept
    with pytest.raises(UsageError):
        texts[f"{kept}.yaml"]
    texts.keep("0.yaml", None)
    texts.keep("again.yaml", text)
    assert texts["again.yaml"] == text


def test_a_path_that_no_file_can_have_is_not_kept() -> None:
    texts = OpenTexts()
    texts.keep("x" * 501, "a")
    assert len(texts) == 0
