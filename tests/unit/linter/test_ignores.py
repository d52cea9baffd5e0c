from promptpack import document
from promptpack.document.edits import apply_edits
from promptpack.linter.ignores import Ignore, find_ignores


def ignores(text: str) -> list[Ignore]:
    read = document.parse(text, "a.yaml")
    return list(find_ignores(read.text, "a.yaml", read))


def without(text: str, code: str) -> str | None:
    (found,) = [ignore for ignore in ignores(text) if ignore.code == code]
    return apply_edits(text, [found.removal]) if found.removal else None


def test_codes_and_names_are_found_with_their_locations() -> None:
    found = ignores("a: 1 # promptpack: ignore=PL001, unused-input because\nb: | #promptpack:ignore = PL002\n  c\n")
    assert [(ignore.code, str(ignore.location)) for ignore in found] == [
        ("PL001", "a.yaml:1:27"),
        ("unused-input", "a.yaml:1:34"),
        ("PL002", "a.yaml:2:27"),
    ]


def test_text_that_only_looks_like_a_comment_is_not_an_ignore() -> None:
    assert ignores("a: |\n  x # promptpack: ignore=PL001\n") == []
    assert ignores("a: 'x # promptpack: ignore=PL001'\n") == []
    assert ignores("a: 'x#promptpack: ignore=PL001'\n") == []
    assert ignores("a: |\n  {# promptpack: ignore=PL001\n") == []


def test_an_ignore_in_a_template_comment_is_found() -> None:
    (found,) = ignores("a: |\n  {#- promptpack: ignore=PL001 why -#}{{ x }}\n")
    assert found.code == "PL001"


def test_removing_an_ignore_preserves_the_rest() -> None:
    assert without("a: 1  # promptpack: ignore=PL001\nb: 2\n", "PL001") == "a: 1\nb: 2\n"
    assert without("a: 1\n# promptpack: ignore=PL001\nb: 2\n", "PL001") == "a: 1\nb: 2\n"
    assert without("a: 1 # promptpack: ignore=PL001, PL002\n", "PL001") == "a: 1 # promptpack: ignore=PL002\n"
    assert without("a: 1 # promptpack: ignore=PL001, PL002\n", "PL002") == "a: 1 # promptpack: ignore=PL001\n"
    assert without("a: |\n  {# promptpack: ignore=PL001 #}{{ x }}\n", "PL001") == "a: |\n  {{ x }}\n"


def test_an_ignore_whose_removal_could_change_white_space_has_no_removal() -> None:
    assert without("a: |\n  text {# promptpack: ignore=PL001 #}\n  more\n", "PL001") is None
    assert without("a: |\n  {# promptpack: ignore=PL001 #} text\n", "PL001") is None
    assert without("a: |\n  x\n    {# promptpack: ignore=PL001 #}text\n", "PL001") is None
    assert without('a: "{# promptpack: ignore=PL001 #}\\nb"\n', "PL001") is None
    assert without('a: "b\\n  {# promptpack: ignore=PL001 #}c"\n', "PL001") is None
    assert without("a: |\n  {# promptpack: ignore=PL001 #}\n    deeper\n", "PL001") is None
    assert without("a: |\n  text\n  {# promptpack: ignore=PL001 #}\nb: 1\n", "PL001") is None
    assert without("a: |\n  text\n  {#- promptpack: ignore=PL001 #}\n  b\n", "PL001") is None


def test_a_comment_alone_on_its_line_applies_to_the_next_line() -> None:
    (yaml,) = ignores("# promptpack: ignore=PL001\na: 1\n")
    (jinja,) = ignores("a: |\n  x\n  {# promptpack: ignore=PL001 #}\n  y\n")
    assert (yaml.lines, jinja.lines) == (range(2, 3), range(4, 5))
    assert without("a: |\n  x\n  {# promptpack: ignore=PL001 #}\n  y\n", "PL001") == "a: |\n  x\n  y\n"


def test_a_comment_on_the_first_line_of_a_block_applies_to_the_block() -> None:
    (found,) = ignores("a: |  # promptpack: ignore=PL001\n  x\n\n  y\nb: 1\n")
    assert found.lines == range(1, 5)
    (above,) = ignores("# promptpack: ignore=PL001\na: >-\n  x\n  y")
    assert above.lines == range(2, 5)


def test_handlebars_text_has_no_jinja_comments() -> None:
    assert ignores("syntax: handlebars\na: |\n  {# promptpack: ignore=PL001 #}{{x}}\n") == []
