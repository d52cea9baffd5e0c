from promptpack.reply.scan import scan
from promptpack.reply.syntax_tree import escape, extract_data, is_same, walk


def test_extracted_data_has_spans_repeats_and_defects() -> None:
    found = extract_data(scan('{"a": 1, "a": 1, "b": 2, "b": 3}', 0).root)
    assert found.value == {"a": 1, "b": 2}
    assert found.repeats == ["/a"]
    assert [(path, defect.rule) for path, defect in found.defects] == [("/b", "duplicate")]
    assert found.spans["/a"] == (6, 7)


def test_a_boolean_is_not_a_number() -> None:
    assert is_same(1, 1.0)
    assert is_same({"a": [1]}, {"a": [1.0]})
    assert not is_same(1, True)
    assert not is_same({"a": 1}, {"a": "1"})


def test_pointers_are_escaped() -> None:
    assert escape("a/b~c") == "a~1b~0c"
    assert dict(walk({"a/b": [1]})) == {"": {"a/b": [1]}, "/a~1b": [1], "/a~1b/0": 1}
