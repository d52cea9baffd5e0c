"""Cases from JSONL, CSV and tests: what they contain, and where their problems are."""

from pathlib import Path

import pytest

from promptpack.evaluation import check_cases, read_cases
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.problem import PackError, PromptpackError, UsageError


def problems_of(folder: Path, pack: Pack, text: str, name: str = "cases.jsonl") -> list[str]:
    file = folder / name
    file.write_text(text, "utf-8")
    try:
        check_cases(read_cases(str(file), pack), [pack])
    except PromptpackError as error:
        return [str(problem).replace(f"{folder}/", "") for problem in error.problems]
    return []


def test_a_line_of_jsonl_is_a_case(tmp_path: Path, grader: Pack) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"context": {"TEXT": "a"}}\n\n{"id": 7, "context": {"TEXT": "a"}, "expect": {"contains": "x"}}\n')
    first, second = read_cases(str(file), grader)
    assert (first.id, first.location.line, dict(first.context)) == ("line 1", 1, {"TEXT": "a"})
    assert (second.id, second.location.line, dict(second.expect)) == ("7", 3, {"contains": "x"})
    assert second.key == f"{first.key}-2"


def test_a_row_of_csv_is_a_case(tmp_path: Path, grader: Pack) -> None:
    file = tmp_path / "cases.csv"
    file.write_text('\ufeffid,TEXT,LIMIT,expect.contains\none,"two\nlines",5,"[a, b]"\n,007,,\n', "utf-8")
    first, second = read_cases(str(file), grader)
    assert (first.id, dict(first.context)) == ("one", {"TEXT": "two\nlines", "LIMIT": 5})
    assert (dict(first.expect), first.location.line) == ({"contains": ["a", "b"]}, 2)
    assert (second.id, dict(second.context), second.location.line) == ("line 4", {"TEXT": "007"}, 4)


def test_the_tests_of_a_pack_are_cases(grader: Pack) -> None:
    (case,) = read_cases("tests", grader)
    assert (case.id, dict(case.context)) == ("a text", {"TEXT": "hello"})
    assert case.location.path.endswith("grader/1.0.0.yaml")


def test_equal_contexts_have_equal_keys_in_any_order_of_inputs(tmp_path: Path, grader: Pack) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"context": {"TEXT": "a", "LIMIT": 1}}\n{"context": {"LIMIT": 1, "TEXT": "b"}}\n')
    keys = [case.key for case in read_cases(str(file), grader)]
    file.write_text('{"context": {"TEXT": "b", "LIMIT": 1}}\n{"context": {"LIMIT": 1, "TEXT": "a"}}\n')
    assert [case.key for case in read_cases(str(file), grader)] == keys[::-1]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"context": ', "cases.jsonl:1:13: PP970 invalid JSON: Expecting value"),
        ('{"context": {}, "context": {}}', "cases.jsonl:1:1: PP970 invalid JSON: key 'context' appears twice"),
        ("[1]", "cases.jsonl:1:1: PP970 the case has no 'context' with the inputs\n  hint: write {\"context\": {\"NAME\": value}}"),
        ('{"context": {"TEXT": "a"}, "expct": {}}', "cases.jsonl:1:1: PP970 unknown key 'expct'\n  hint: did you mean 'expect'?"),
        ('{"context": {"TEXT": "a"}, "id": []}', "cases.jsonl:1:1: PP970 'id' is neither text nor a whole number"),
        ('{"context": {"TEXT": "a"}, "expect": 1}', "cases.jsonl:1:1: PP970 'expect' is not a mapping"),
        ('{"context": {"TEXT": "a"}, "expect": {"contain": "x"}}', "cases.jsonl:1:1: PP970 unknown expectation 'contain'\n  hint: did you mean 'contains'?"),
        ('{"context": {"TEXT": "a"}, "expect": {"excludes": [1]}}', "cases.jsonl:1:1: PP970 'excludes' is neither text nor a list of texts"),
        ('{"context": {"TEXT": "a"}, "expect": {"values": {"params": 1}}}', "cases.jsonl:1:1: PP970 'values' is not a mapping of JSON pointers\n  hint: write {\"/params/route\": \"new_task\"}"),
        ('{"context": {}}', "cases.jsonl:1:1: PP415 case 'line 1' for grader@1.0.0: input 'TEXT' is missing\n  hint: The text to grade."),
        ("", "cases.jsonl: PP971 there are no cases\n  hint: write one case per line"),
    ],
)  # fmt: skip
def test_a_broken_line_has_a_problem_at_its_place(line: str, problem: str, tmp_path: Path, grader: Pack) -> None:
    assert problems_of(tmp_path, grader, line + "\n") == [problem]


def test_an_unknown_outcome_is_a_problem(tmp_path: Path, grader: Pack) -> None:
    (problem,) = problems_of(tmp_path, grader, '{"context": {"TEXT": "a"}, "expect": {"outcome": "ok"}}\n')
    assert problem.startswith("cases.jsonl:1:1: PP970 unknown outcome 'ok'\n  hint: use one of valid, recovered")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("TXET\na\n", "cases.csv:1:1: PP970 grader@1.0.0 has no input 'TXET'\n  hint: did you mean 'TEXT'?"),
        ("TEXT,TEXT\na,b\n", "cases.csv:1:1: PP970 the column 'TEXT' appears twice"),
        ("TEXT,LIMIT\na\n", "cases.csv:2:1: PP970 the row has 1 cells, but the header has 2"),
        ('TEXT\n"a\n', "cases.csv:2:1: PP970 invalid CSV: unexpected end of data"),
        ("id,TEXT\nx,a\nx,b\n", "cases.csv:3:1: PP970 the id 'x' is used twice, first in line 2\n  hint: use a different id"),
    ],
)  # fmt: skip
def test_a_broken_table_has_a_problem_at_its_row(text: str, problem: str, tmp_path: Path, grader: Pack) -> None:
    assert problems_of(tmp_path, grader, text, "cases.csv") == [problem]


def test_a_cell_that_is_not_yaml_has_its_problem_at_the_row(tmp_path: Path, grader: Pack) -> None:
    (problem,) = problems_of(tmp_path, grader, "TEXT,LIMIT\na,[1\n", "cases.csv")
    assert problem.startswith("cases.csv:2:1: PP1")


def test_all_broken_cases_are_reported_together_and_without_secrets(tmp_path: Path, grader: Pack) -> None:
    lines = '{"context": {"TEXT": "", "TOKEN": "s3cret"}}\n{"context": {"TEXT": "a", "LIMIT": "s3cret", "TOKEN": "s3cret"}}\n'
    problems = problems_of(tmp_path, grader, lines)
    assert [problem.split(" ")[0] for problem in problems] == ["cases.jsonl:1:1:", "cases.jsonl:2:1:"]
    assert "s3cret" not in str(problems)


def test_a_pack_without_tests_has_no_cases(library: Library) -> None:
    with pytest.raises(UsageError, match="PP971 there are no cases"):
        read_cases("tests", library.get("plain"))


def test_a_missing_file_is_a_problem(grader: Pack) -> None:
    with pytest.raises(PackError, match="PP120"):
        read_cases("missing.jsonl", grader)
