from promptpack.template.history.wording import fill


def test_places_are_filled_in_one_pass() -> None:
    assert fill("{count}: {tools}", {"count": "{tools}", "tools": "a"}) == "{tools}: a"


def test_what_is_no_place_stays() -> None:
    assert fill("{} {unknown} {count.__class__} {{count}}", {"count": "1"}) == "{} {unknown} {count.__class__} {1}"
