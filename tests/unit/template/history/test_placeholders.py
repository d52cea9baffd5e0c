from promptpack.template.history.placeholders import fill


def test_placeholders_are_filled_in_one_pass() -> None:
    assert fill("{count}: {tools}", {"count": "{tools}", "tools": "a"}) == "{tools}: a"


def test_other_text_in_braces_is_kept() -> None:
    assert fill("{} {unknown} {count.__class__} {{count}}", {"count": "1"}) == "{} {unknown} {count.__class__} {1}"
