from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library

BODY = """\
inputs:
  GOAL: {type: string, default: d}
  COUNT: {type: integer, default: 1}
  POOL: {type: object, default: {}}
  ANY: {default: 1}
messages: [{role: user, content: "{{ GOAL }} {{ COUNT }} {{ POOL }} {{ ANY }}"}]
tests:
  - name: t
    expect: {roles: [user]}
    cases: {file: FILE}
"""
WritePack = Callable[..., Path]
OpenPacks = Callable[..., Library]


def write(write_pack: WritePack, text: str | bytes, file: str = "cases.csv") -> Path:
    path = write_pack(body=BODY.replace("FILE", file)).parent / file
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_schema_of_an_input_decides_what_a_cell_is(write_pack: WritePack, open_packs: OpenPacks) -> None:
    text = 'name,GOAL,COUNT,POOL,ANY:json,/expect/contains:json\r\na,1,2,"{""x"": 1}","""text""","[""1""]"\r\n\r\n=b(),"two\nlines",,,,\r\n'
    write(write_pack, text)
    first, second = open_packs().get("demo").tests
    assert dict(first.context) == {"GOAL": "1", "COUNT": 2, "POOL": {"x": 1}, "ANY": "text"}
    assert dict(first.expect) == {"roles": ["user"], "contains": ["1"]}
    assert (second.name, dict(second.context)) == ("t [=b()]", {"GOAL": "two\nlines"})
    assert [str(one.location) for one in (first, second)] == ["packs/demo/cases.csv:2:1", "packs/demo/cases.csv:4:1"]
    assert str(second.locate("expect", "roles")) == "packs/demo/1.0.0.yaml:12:21"


def test_lines_of_json_are_cases(write_pack: WritePack, open_packs: OpenPacks) -> None:
    write(write_pack, '{"GOAL": "x"}\n\n{"name": "y", "context": {"COUNT": 2}}\n', "cases.jsonl")
    first, second = open_packs().get("demo").tests
    assert (first.name, dict(first.context), first.location.line) == ("t [1]", {"GOAL": "x"}, 1)
    assert (second.name, dict(second.context), second.location.line) == ("t [y]", {"COUNT": 2}, 3)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("cases.csv", "GAOL\nx\n", "cases.csv:1:1: PP208 the pack has no input 'GAOL'\n  hint: did you mean 'GOAL'?"),
        (
            "cases.csv",
            "ANY\nx\n",
            "cases.csv:1:1: PP250 the cells of column 'ANY' may be text or JSON\n"
            "  hint: write 'ANY:text' or 'ANY:json' in the first row",
        ),
        (
            "cases.csv",
            "/reply/x\nx\n",
            "cases.csv:1:1: PP250 the cells of column '/reply/x' may be text or JSON\n"
            "  hint: write '/reply/x:text' or '/reply/x:json' in the first row",
        ),
        ("cases.csv", "GOAL,GOAL\nx,y\n", "cases.csv:1:1: PP250 column 'GOAL' appears twice"),
        (
            "cases.csv",
            "GOAL,COUNT\nx,1\nx,many\n",
            "cases.csv:3:1: PP250 the cell of 'COUNT' is not JSON: Expecting value: line 1 column 1 (char 0)\n"
            "  hint: write 'COUNT:text' in the first row if it is text",
        ),
        (
            "cases.csv",
            'GOAL,COUNT\n"a\nb",1\nx,1,2\n',
            "cases.csv:4:1: PP250 the row has 3 cell(s), but the first row has 2\n"
            "  hint: put a cell that contains a comma in double quotes",
        ),
        ("cases.csv", 'GOAL\n"open\n', "cases.csv:2:1: PP250 the row is not CSV: unexpected end of data"),
        (
            "cases.csv",
            "GOAL\n" + "x" * 200_000,
            "cases.csv:2:1: PP250 the row is not CSV: field larger than field limit (131072)",
        ),
        ("cases.csv", b"GOAL\n\xff\n", "cases.csv:2:1: PP101 file is not UTF-8\n  hint: save it as UTF-8"),
        (
            "cases.csv",
            "name,GOAL\na\u202eb,x\n",
            "cases.csv:2:2: PP118 direction mark U+202E in the file\n"
            "  hint: remove it, or write it as an escape in double quotes",
        ),
        (
            "cases.jsonl",
            "[1]\n",
            'cases.jsonl:1:1: PP250 the line is not a JSON object\n  hint: write {"INPUT": "value"}',
        ),
        (
            "cases.jsonl",
            '{"GOAL": "x", "GOAL": "y"}\n',
            "cases.jsonl:1:1: PP250 the line is not JSON: key 'GOAL' appears twice",
        ),
        (
            "cases.jsonl",
            "{" + '"a":{' * 100_000,
            "cases.jsonl:1:1: PP250 the line is not JSON: it is nested too deeply",
        ),
        (
            "cases.jsonl",
            '{"name": 5, "GOAL": "x"}\n',
            "cases.jsonl:1:1: PP250 expected text, not a number\n  hint: write it in quotes",
        ),
        ("cases.jsonl", '{"/' + "a/" * 100 + '": 1}\n', "cases.jsonl:1:1: PP249 "),
        ("cases.jsonl", '{"/context' + "/a" * 100 + '": 1}\n', "cases.jsonl:1:1: PP249 "),
    ],
)
def test_a_mistake_is_located_at_its_row(
    write_pack: WritePack, open_packs: OpenPacks, file: str, text: str | bytes, expected: str
) -> None:
    write(write_pack, text, file)
    (found,) = open_packs().problems
    assert str(found).removeprefix("packs/demo/").startswith(expected)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("cases.txt", "'cases.txt' is not a CSV or JSONL file\n  hint: name it *.csv or *.jsonl"),
        ("gone.csv", "'gone.csv' cannot be read: No such file or directory"),
        (
            "/etc/cases.csv",
            "'/etc/cases.csv' leads out of the folder of the packs\n  hint: move the file next to the pack",
        ),
        (
            "../../schemas/cases.csv",
            "'../../schemas/cases.csv' leads out of the folder of the packs\n  hint: move the file next to the pack",
        ),
        ("empty.csv", "'empty.csv' has no cases\n  hint: add a row"),
        ("empty.jsonl", "'empty.jsonl' has no cases\n  hint: add a row"),
        ("link.csv", "'link.csv' "),
        ("large.csv", "'large.csv' "),
    ],
)
def test_only_files_next_to_packs_are_read(
    write_pack: WritePack, open_packs: OpenPacks, tmp_path: Path, file: str, expected: str
) -> None:
    folder = write_pack(body=BODY.replace("FILE", file)).parent
    (tmp_path / "outside.csv").write_text("GOAL\nx\n")
    (folder / "empty.csv").write_text("GOAL\n")
    (folder / "empty.jsonl").write_text("\n")
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    (folder / "large.csv").write_text("GOAL\n" + "x" * 1_000_000)
    (found,) = open_packs().problems
    assert str(found).startswith(f"packs/demo/1.0.0.yaml:13:19: PP251 {expected}")


def test_a_wide_table_takes_linear_time(write_pack: WritePack, open_packs: OpenPacks) -> None:
    columns = ",".join(f"/context/POOL/a{number}:text" for number in range(35_000))
    write(write_pack, f"{columns}\nx{',' * 34_999}\n")
    assert open_packs().problems == ()


def test_a_changed_table_is_read_again(write_pack: WritePack, open_packs: OpenPacks) -> None:
    path = write(write_pack, "GOAL\nx\n")
    library = open_packs()
    assert len(library.get("demo").tests) == 1
    path.write_text("GOAL\nx\ny\n")
    assert len(library.reload().library.get("demo").tests) == 2
