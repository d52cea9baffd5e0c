"""The command: its output on both streams and its exit code."""

import itertools
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from promptpack import Verdict
from tests.e2e.conftest import run, run_process

GREETER = """\
promptpack: 1
name: greeter
version: 1.0.0
agent: greeter-agent
description: Greets people.
inputs:
  NAME: {type: string, minLength: 1, description: Who is greeted}
  TIMES: {type: integer, default: 1, description: How often}
messages:
  - {id: hello, role: user, content: "Greet {{ NAME }} {{ TIMES }} times"}
reply:  # promptpack: ignore=PL009
  actions: {GREET: {params: {type: object, required: [text], properties: {text: {type: string}}}}}
tests:
  - {name: greets, context: {NAME: Ann}, expect: {contains: [Ann]}, reply: {action: GREET}, verdict: invalid}
"""
REPLY = {
    "thought": "t",
    "action": "GREET",
    "params": {"text": "hi"},
    "expectedOutcome": "o",
    "risk": {"level": "low", "description": "d"},
    "confidence": 9,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "packs" / "greeter").mkdir(parents=True)
    (tmp_path / "packs" / "greeter" / "1.0.0.yaml").write_text(GREETER, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "returncode", "stdout", "stderr"),
    [
        (["list"], 0, "greeter  1.0.0  -  packs/greeter/1.0.0.yaml\n", ""),
        (["render", "greeter"], 1, "", "PP415 input 'NAME' is missing\n  hint: Who is greeted\n"),
        (["render", "greter"], 2, "", "PP701 no pack named 'greter'\n  hint: did you mean 'greeter'?\n"),
    ],
)
def test_python_m_promptpack_is_the_command(
    folder: Path, words: list[str], returncode: int, stdout: str, stderr: str
) -> None:
    done = run_process(folder, *words)
    assert (done.returncode, done.stdout, done.stderr) == (returncode, stdout, stderr)


def test_version_imports_neither_jinja_nor_jsonschema() -> None:
    code = (
        "import sys; sys.argv = ['promptpack', '--version']\n"
        "from promptpack.cli.main import run\n"
        "try: run()\nexcept SystemExit: pass\n"
        "print(sorted({'jinja2', 'jsonschema', 'pydantic', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "promptpack, version 0.1.0\n[]\n"


def test_list_prints_packs(folder: Path) -> None:
    done = run(folder, "list")
    assert done.stdout == "greeter  1.0.0  -  packs/greeter/1.0.0.yaml\n"
    assert json.loads(run(folder, "list", "--format", "json").stdout)[0]["name"] == "greeter"


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit"])
@pytest.mark.parametrize("again", [False, True])
def test_files_with_any_name_are_linted(folder: Path, form: str, again: bool) -> None:
    write_strange_names(folder)
    done = [run(folder, "lint", "packs", "--format", form, **cache_in(folder)) for _ in range(1 + again)][-1]
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("PP203") >= 9
    assert "\x1b" not in done.stdout


def test_a_second_process_reads_the_cache_of_files_with_any_name(folder: Path) -> None:
    write_strange_names(folder)
    first, again = (run_process(folder, "lint", "packs", **cache_in(folder)) for _ in range(2))
    assert again == first
    assert first.returncode == 1
    assert first.stdout.count("PP203") >= 9
    assert "\x1b" not in first.stdout


def write_strange_names(folder: Path) -> None:
    for name in (b"\xff.yaml", b"a\nb.yaml", b"\x1b[31m.yaml"):
        (folder / "packs" / os.fsdecode(name)).write_text("promptpack: 1", encoding="utf-8")


def cache_in(folder: Path) -> dict[str, str]:
    return {"PROMPTPACK_CACHE": str(folder / "cache"), "HOME": str(folder)}


def test_a_list_has_one_line_per_file_with_any_name(folder: Path) -> None:
    (folder / "packs" / "a\nb.yaml").write_text("promptpack: 1", encoding="utf-8")
    assert run(folder, "list").stdout == (
        "a\\nb.yaml  ?      -  packs/a\\nb.yaml  broken: 3 problem(s)\ngreeter    1.0.0  -  packs/greeter/1.0.0.yaml\n"
    )


def test_show_prints_the_parts_of_a_pack(folder: Path) -> None:
    done = run(folder, "show", "greeter@^1")
    assert "  NAME (string, required): Who is greeted\n" in done.stdout
    assert "  user hello\n" in done.stdout
    assert json.loads(run(folder, "show", "greeter", "--format", "json").stdout)["actions"] == ["GREET"]


def test_render_accepts_a_context_file_and_assignments(folder: Path) -> None:
    (folder / "context.yaml").write_text("NAME: Bob\nTIMES: 3\n", encoding="utf-8")
    done = run(folder, "render", "greeter", "--context", "context.yaml", "--set", "TIMES=7")
    assert done.stdout == "[user]\nGreet Bob 7 times\n"
    (folder / "name.txt").write_text("Eve\n", encoding="utf-8")
    done = run(folder, "render", "greeter", "--set", "NAME=@name.txt", "--format", "json")
    assert json.loads(done.stdout) == [{"role": "user", "content": "Greet Eve 1 times"}]


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["render", "greeter"], 1, "PP415 input 'NAME' is missing\n  hint: Who is greeted\n"),
        (
            ["render", "greeter", "-s", "NAM=x"],
            2,
            "PP414 greeter@1.0.0 has no input 'NAM'\n  hint: did you mean 'NAME'?\n",
        ),
        (["render", "greeter", "-s", "NAME"], 2, "PP901 invalid assignment 'NAME'\n  hint: write NAME=VALUE\n"),
        (["render", "greter"], 2, "PP701 no pack named 'greter'\n  hint: did you mean 'greeter'?\n"),
        (["schema", "pak"], 2, "PP903 no schema named 'pak'\n  hint: did you mean 'pack'?\n"),
        (["new", "Bad Name"], 2, "PP904 invalid pack name 'Bad Name'\n  hint: use a-z, 0-9 and '-'\n"),
        (["new", "greeter"], 2, "PP905 packs/greeter already exists\n  hint: choose another name\n"),
        (["new", "a", "-l", "french"], 2, "PP904 invalid locale 'french'\n  hint: write it as in en or zh-CN\n"),
        (
            ["new", "a", "--from", "b", "--extends", "c"],
            2,
            "PP904 --from and --extends exclude each other\n  hint: use one of them\n",
        ),
    ],
)
def test_problems_are_printed_to_stderr_with_an_exit_code(
    folder: Path, words: list[str], code: int, expected: str
) -> None:
    done = run(folder, *words)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", expected)


def test_a_context_file_must_be_a_mapping(folder: Path) -> None:
    (folder / "context.json").write_text("[1]", encoding="utf-8")
    done = run(folder, "render", "greeter", "-c", "context.json")
    assert (done.returncode, done.stderr) == (2, "PP902 context.json is not a mapping of inputs\n")


def test_a_json_context_file_is_parsed_as_json(folder: Path) -> None:
    name = "😀 \u2028 \x7f"
    (folder / "context.json").write_text(json.dumps({"NAME": name, "TIMES": 2}, indent="\t"), encoding="utf-8-sig")
    done = run(folder, "render", "greeter", "-c", "context.json", "--format", "json")
    assert json.loads(done.stdout) == [{"role": "user", "content": f"Greet {name} 2 times"}]
    (folder / "times.json").write_text("3", encoding="utf-8")
    done = run(folder, "render", "greeter", "-s", "NAME=Ann", "-s", "TIMES=@times.json")
    assert done.stdout == "[user]\nGreet Ann 3 times\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"NAME": "a"\n "TIMES": 1}', "context.json:2:2: PP909 invalid JSON: Expecting ',' delimiter\n"),
        ('{"NAME": "a", "NAME": "b"}', "context.json: PP909 invalid JSON: key 'NAME' appears twice\n"),
        ('{"NAME": NaN}', "context.json: PP909 invalid JSON: NaN is not a number\n"),
        (
            "[" * 100_000,
            "context.json: PP909 invalid JSON: maximum recursion depth exceeded while decoding a JSON array",
        ),
    ],
)
def test_an_invalid_json_context_file_is_reported(folder: Path, text: str, message: str) -> None:
    (folder / "context.json").write_text(text, encoding="utf-8")
    done = run(folder, "render", "greeter", "-c", "context.json")
    assert done.returncode == 1
    assert done.stderr.startswith(message)


def test_a_misspelled_command_gets_a_suggestion(folder: Path) -> None:
    done = run(folder, "rendr")
    assert done.returncode == 2
    assert "No such command 'rendr'. Did you mean 'render'?" in done.stderr


def test_check_reads_a_file_or_standard_input(folder: Path) -> None:
    (folder / "reply.json").write_text(json.dumps(REPLY), encoding="utf-8")
    done = run(folder, "check", "greeter", "reply.json")
    assert (done.returncode, done.stdout) == (0, "valid\n")
    wrong = json.dumps({**REPLY, "confidence": 999})
    done = run_process(folder, "check", "greeter", "-", "--format", "json", stdin=wrong)
    assert done.returncode == 1
    assert json.loads(done.stdout)["violations"][0]["path"] == "/confidence"
    done = run(folder, "check", "greeter", stdin=json.dumps({**REPLY, "note": 1}))
    assert (done.returncode, done.stdout) == (0, "valid\n  kept /note, which is not in the contract\n")
    done = run(folder, "check", "greeter", "--format", "json", stdin=json.dumps({**REPLY, "note": 1}))
    assert json.loads(done.stdout)["extras"] == ["/note"]


QUOTED = """\
Sure:
{'thought': 't', 'action': 'GREET', 'params': {'text': 'hi'}, 'expectedOutcome': 'o',
 'risk': {'level': 'Low', 'description': 'd'}, 'confidence': 9, 'userMessage': 'm'
"""


def test_check_prints_the_repairs_by_kind(folder: Path) -> None:
    done = run(folder, "check", "greeter", stdin=QUOTED)
    assert done.returncode == 0
    assert (
        done.stdout
        == """\
recovered
  repaired prose (risk none)
  repaired quotes (17 times, risk none)
  repaired missing-end (risk high)
  repaired enum-case (risk low)
"""
    )


def test_check_explains_every_repair(folder: Path) -> None:
    (folder / "reply.txt").write_text(QUOTED.replace("'t'", "'t\x1b'"), encoding="utf-8")
    done = run(folder, "check", "greeter", "reply.txt", "--explain")
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[0]) == (0, "recovered")
    assert lines[1] == "  1:1 prose (risk none): `Sure:\\n` -> nothing"
    assert "  2:13 quotes at /thought (risk none): `'t\\u001b'` -> `\"t\\u001b\"`" in lines
    end = next(index for index, line in enumerate(lines) if "missing-end" in line)
    assert lines[end] == "  4:1 missing-end (risk high): nothing -> `}`"
    assert lines[end + 1] == "    may be missing: /alternativeActions, /requiresUserConfirmation"
    assert lines[-1] == "  3:20 enum-case at /risk/level (risk low): `Low` -> `low`"


def test_check_shortens_long_texts_in_explanations(folder: Path) -> None:
    done = run(folder, "check", "greeter", "--explain", stdin="a" * 500 + json.dumps(REPLY))
    assert done.stdout == f"recovered\n  1:1 prose (risk none): `{'a' * 30} … {'a' * 30}` -> nothing\n"


def test_check_takes_the_finish_reason_and_refuses_repairs(folder: Path) -> None:
    assert run(folder, "check", "greeter", "--finish-reason", "stop", stdin=QUOTED).returncode == 0
    done = run(folder, "check", "greeter", "--finish-reason", "length", stdin=QUOTED)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "truncated")
    done = run(folder, "check", "greeter", "--refuse", "medium", "--refuse", "high", stdin=QUOTED)
    assert done.returncode == 1
    assert "PP508 (reply): the repair 'missing-end' is not allowed" in done.stdout
    assert "has no closing brace" in done.stdout
    done = run(folder, "check", "greeter", "--refuse", "hihg", stdin=QUOTED)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "PP531 unknown repair or risk 'hihg'\n  hint: did you mean 'high'?\n",
    )


def test_check_shows_an_echo(folder: Path) -> None:
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    example = f"  example: {json.dumps(REPLY)}\n"
    path.write_text(GREETER.replace("  actions: ", f"{example}  actions: "), encoding="utf-8")
    done = run(folder, "check", "greeter", stdin=json.dumps(REPLY))
    assert (done.returncode, done.stdout) == (0, "valid\n  the reply repeats an example of the prompt\n")


def test_check_prints_a_verdict_that_can_be_read_back(folder: Path) -> None:
    for raw in (QUOTED, json.dumps({**REPLY, "confidence": 999}), "no"):
        done = run(folder, "check", "greeter", "--format", "json", stdin=raw)
        row = json.loads(done.stdout)
        assert Verdict.from_dict(row).to_dict() == row


def test_lint_prints_every_problem(folder: Path) -> None:
    done = run(folder, "lint")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "1 pack file(s), no problems\n")
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    path.write_text(GREETER.replace("{{ NAME }}", "{{ NAEM }}").replace("roles", "role"), encoding="utf-8")
    done = run(folder, "lint", "packs/greeter/1.0.0.yaml")
    assert (done.returncode, done.stderr) == (1, "1 pack file(s), 1 error(s)\n")
    assert (
        done.stdout
        == """\
packs/greeter/1.0.0.yaml:10:48: PP301 template uses undeclared input 'NAEM'
  10 |   - {id: hello, role: user, content: "Greet {{ NAEM }} {{ TIMES }} times"}
     |                                                ^
  hint: did you mean 'NAME'?
"""
    )


def test_lint_selects_rules_and_rejects_unknown_rules_and_files(folder: Path) -> None:
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    path.write_text(GREETER.replace(", description: How often", ""), encoding="utf-8")
    assert run(folder, "lint").returncode == 1
    assert run(folder, "lint", "--ignore", "PL002").returncode == 0
    assert run(folder, "lint", "--select", "PL001,PL020").returncode == 0
    done = run(folder, "lint", "--select", "unused-inptu")
    assert (done.returncode, done.stderr) == (
        2,
        "PP914 unknown rule 'unused-inptu'\n  hint: did you mean 'unused-input'?\n",
    )
    (folder / "notes.txt").write_text("no pack", encoding="utf-8")
    done = run(folder, "lint", "notes.txt")
    assert (done.returncode, done.stderr.split("\n")[0]) == (2, "PP706 'notes.txt' is not a pack file")


def test_lint_finds_its_settings_in_a_parent_folder(folder: Path) -> None:
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    path.write_text(GREETER.replace(", description: How often", ""), encoding="utf-8")
    (folder / "pyproject.toml").write_text('[tool.promptpack.lint]\nignore = ["PL002"]\n', encoding="utf-8")
    assert run(folder, "lint").returncode == 0
    (folder / "pyproject.toml").write_text('[tool.promptpack.lint]\nignroe = ["PL002"]\n', encoding="utf-8")
    done = run(folder, "lint")
    assert (done.returncode, done.stderr) == (
        2,
        "pyproject.toml:2:1: PP912 unknown lint setting 'ignroe'\n  hint: did you mean 'ignore'?\n",
    )


def test_lint_fixes_what_is_safe_to_fix(folder: Path) -> None:
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    comment = "  # promptpack: ignore=PL002"
    crlf = GREETER.replace("How often}", f"How often}}{comment}").replace("\n", "\r\n").encode()
    path.write_bytes(crlf)
    path.chmod(0o640)
    done = run(folder, "lint")
    assert (done.returncode, done.stderr) == (1, "1 pack file(s), 1 warning(s), 1 fixable with --fix\n")
    done = run(folder, "lint", "--fix")
    assert (done.returncode, done.stderr) == (0, "1 pack file(s), no problems, 1 fixed\n")
    assert path.read_bytes() == GREETER.replace("\n", "\r\n").encode()
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("with_watchfiles", [True, False])
def test_lint_watches_for_changes(folder: Path, with_watchfiles: bool) -> None:
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    hide = "" if with_watchfiles else "import sys; sys.modules['watchfiles'] = None; "
    code = f"{hide}from promptpack.cli.main import main; main(['lint', '--watch'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stderr is not None
        first = running.stderr.readline()
        stop = threading.Event()

        def change_until_seen() -> None:
            while not stop.wait(0.2):
                beside = folder / "packs" / ".beside"
                beside.write_text(GREETER.replace("{{ NAME }}", "{{ NAEM }}") + "# changed\n" * next(lengths), "utf-8")
                beside.replace(path)

        lengths = itertools.count()
        writer = threading.Thread(target=change_until_seen)
        writer.start()
        second = running.stderr.readline()
        stop.set()
        writer.join()
        running.kill()
    assert (first, second) == ("1 pack file(s), no problems\n", "1 pack file(s), 1 error(s)\n")


def test_rules_are_listed_and_explained(folder: Path) -> None:
    done = run(folder, "rules")
    assert done.stdout.startswith("PL001 unused-input (warning): An input that no template, rule or history uses.\n")
    done = run(folder, "rules", "PL002")
    assert done.stdout.startswith(
        "PL002 input-without-description (warning)\nAn input without a description.\n\nCallers"
    )
    assert (
        json.loads(run(folder, "rules", "PL002", "--format", "json").stdout)[0]["name"] == "input-without-description"
    )
    done = run(folder, "rules", "PL999")
    assert (done.returncode, done.stderr) == (2, "PP914 unknown rule 'PL999'\n  hint: see 'promptpack rules'\n")


def test_lint_writes_formats_for_programs(folder: Path) -> None:
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    path.write_text(GREETER.replace("agent:", "agnt:"), encoding="utf-8")
    (found,) = json.loads(run(folder, "lint", "--format", "json").stdout)
    assert (found["code"], found["path"], found["line"], found["column"]) == ("PP202", "packs/greeter/1.0.0.yaml", 4, 1)
    assert run(folder, "lint", "--format", "github").stdout == (
        "::error file=packs/greeter/1.0.0.yaml,line=4,col=1,endColumn=4,title=PP202::unknown key 'agnt' (did you mean 'agent'?)\n"
    )
    sarif = json.loads(run(folder, "lint", "--format", "sarif").stdout)
    result = sarif["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 4, "startColumn": 1, "endLine": 4, "endColumn": 5,
    }  # fmt: skip


def test_test_runs_the_tests_of_packs(folder: Path) -> None:
    done = run(folder, "test")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "1 passed, 0 failed\n")
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    path.write_text(GREETER.replace("[Ann]", "[Zoe]"), encoding="utf-8")
    done = run(folder, "test")
    assert done.returncode == 1
    assert "does not contain 'Zoe'" in done.stdout


def test_test_accepts_ranges_and_ignores_other_packs(folder: Path) -> None:
    (folder / "packs" / "broken").mkdir()
    (folder / "packs" / "broken" / "1.0.0.yaml").write_text("promptpack: 2\n", encoding="utf-8")
    done = run(folder, "test", "greeter@^1")
    assert (done.returncode, done.stderr) == (0, "1 passed, 0 failed\n")
    done = run(folder, "test")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "1 passed, 0 failed, 1 file(s) could not be loaded")
    done = run(folder, "test", "greeter@^2")
    assert (done.returncode, done.stderr) == (
        2,
        "PP702 no version of 'greeter' matches 'greeter@^2'\n  hint: the library has 1.0.0\n",
    )


def test_files_that_cannot_be_used_are_reported_as_problems(folder: Path) -> None:
    (folder / "name.txt").write_bytes(b"\xff")
    done = run(folder, "render", "greeter", "--set", "NAME=@name.txt")
    assert (done.returncode, done.stderr) == (1, "name.txt:1:1: PP101 file is not UTF-8\n  hint: save it as UTF-8\n")
    done = run(folder, "schema", "-o", "name.txt/pack.json")
    assert (done.returncode, done.stderr) == (2, "name.txt/pack.json: PP126 cannot be written: File exists\n")
    assert run(folder, "check", "greeter", "nowhere.json").returncode == 2


def test_other_users_can_read_a_new_file(folder: Path) -> None:
    run(folder, "new", "my-agent")
    assert (folder / "packs" / "my-agent" / "0.1.0-dev.yaml").stat().st_mode & 0o444 == 0o444


def test_new_creates_a_pack_that_lints_clean_and_passes_its_tests(folder: Path) -> None:
    done = run(folder, "new", "my-agent")
    assert (done.returncode, done.stdout) == (0, "packs/my-agent/0.1.0-dev.yaml\n")
    assert run(folder, "lint", "packs").returncode == 0
    done = run(folder, "test", "my-agent")
    assert (done.returncode, done.stderr) == (0, "3 passed, 0 failed\n")


def test_new_writes_a_schema_for_editors_unless_one_exists(folder: Path) -> None:
    run(folder, "new", "one")
    pack = folder / "packs" / "one" / "0.1.0-dev.yaml"
    named = pack.read_text(encoding="utf-8").splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    schema = pack.parent / named
    assert json.loads(schema.read_text(encoding="utf-8"))["title"] == "Prompt pack, format 1"
    schema.write_text("{}", encoding="utf-8")
    run(folder, "new", "two")
    assert schema.read_text(encoding="utf-8") == "{}"


def test_schema_prints_or_writes(folder: Path) -> None:
    assert json.loads(run(folder, "schema").stdout)["title"] == "Prompt pack, format 1"
    assert run(folder, "schema", "agent-output", "-o", "out.json").returncode == 0
    assert json.loads((folder / "out.json").read_text())["title"] == "AgentOutput"
    contract = json.loads(run(folder, "schema", "--of", "greeter").stdout)
    assert contract["properties"]["action"]["enum"][0] == "GREET"


def test_a_pipe_gets_no_colours_and_no_control_characters(folder: Path) -> None:
    done = run_process(folder, "render", "greeter", "-s", "NAME=\x1b[31mred\x1b[0m")
    assert done.stdout == "[user]\nGreet \\u001b[31mred\\u001b[0m 1 times\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion_is_offered(folder: Path, shell: str) -> None:
    done = run(folder, _PROMPTPACK_COMPLETE=f"{shell}_source")
    assert "_PROMPTPACK_COMPLETE" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    "words",
    [["tidy", "-l", "de"], ["mine", "--extends", "planner", "-l", "en"], ["copy", "--from", "router", "-l", "en"]],
)
def test_every_new_file_lints_clean_and_passes_its_tests(folder: Path, words: list[str]) -> None:
    run(folder, "new", "tidy")
    done = run(folder, "new", *words)
    assert (done.returncode, done.stdout.split("/")[1]) == (0, words[0])
    assert run(folder, "lint", f"packs/{words[0]}").stdout == ""
    assert run(folder, "test", words[0]).returncode == 0


def test_a_new_variant_has_the_texts_to_translate(folder: Path) -> None:
    done = run(folder, "new", "greeter", "-l", "de")
    assert done.stdout == "packs/greeter/1.0.0.de.yaml\n"
    assert (folder / done.stdout.strip()).read_text(encoding="utf-8") == (
        "# yaml-language-server: $schema=../pack.schema.json\npromptpack: 1\nname: greeter\nversion: 1.0.0\nlocale: de\n"
        "description: Greets people.\nmessages:\n- id: hello\n  content: Greet {{ NAME }} {{ TIMES }} times\n"
    )
    again = run(folder, "new", "greeter", "-l", "de")
    assert (again.returncode, again.stderr) == (
        2,
        "PP905 packs/greeter/1.0.0.de.yaml already exists\n  hint: edit that file\n",
    )


def test_try_shows_the_prompt_the_replies_and_the_verdicts(folder: Path) -> None:
    run(folder, "new", "tidy")
    done = run(folder, "try", "tidy", "--test", "rejects two sentences")
    assert done.returncode == 0
    lines = [line.split("  ")[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert [line.split(" ")[0] for line in lines] == [
        "tidy@0.1.0-dev", "system", "user", "reply", "verdict", "correction", "reply", "verdict", "2"
    ]  # fmt: skip
    assert "PP520 /params/answer: the answer must be one sentence" in done.stdout


def test_try_saves_the_reply_as_a_test(folder: Path) -> None:
    run(folder, "new", "tidy")
    words = ["try", "tidy", "-s", "QUESTION=Why?", "--save", "why"]
    assert run(folder, *words).stderr == "added the test 'why' to packs/tidy/0.1.0-dev.yaml\n"
    assert run(folder, "test", "tidy", "-k", "why").stderr == "1 passed, 0 failed, 3 deselected\n"
    again = run(folder, *words)
    expected = "PP915 tidy@0.1.0-dev already has a test named 'why'\n  hint: choose another name\n"
    assert (again.returncode, again.stderr) == (2, expected)


def test_a_broken_rule_is_saved_by_its_name_and_shipped_packs_stay(folder: Path, tmp_path: Path) -> None:
    run(folder, "new", "tidy")
    reply = json.dumps({**REPLY, "action": "ANSWER", "params": {"answer": "One. Two."}})
    (folder / "replies.yaml").write_text(f"tidy: {json.dumps(reply)}", encoding="utf-8")
    run(folder, "try", "tidy", "-s", "QUESTION=Why?", "--replies", "replies.yaml", "--save", "two")
    text = (folder / "packs" / "tidy" / "0.1.0-dev.yaml").read_text(encoding="utf-8")
    assert text.endswith("verdict:\n      violations:\n      - rule: one-sentence\n        path: /params/answer\n")
    (tmp_path / "empty").mkdir()
    done = run(tmp_path / "empty", "try", "planner", "-l", "en", "-s", "USER_GOAL=x", "--save", "x")
    assert done.stderr == (
        "PP915 a test cannot be added to a shipped pack\n"
        "  hint: copy it first: promptpack new my-planner --from planner\n"
    )


def test_a_secret_is_never_saved_in_a_test(folder: Path) -> None:
    path = folder / "packs" / "greeter" / "1.0.0.yaml"
    path.write_text(GREETER.replace("minLength: 1,", "minLength: 1, secret: true,"), encoding="utf-8")
    done = run(folder, "try", "greeter", "-s", "NAME=hunter2", "--save", "x")
    assert done.stderr == (
        "PP915 the test would contain the secret input 'NAME'\n  hint: write the test by hand, with a placeholder\n"
    )
    assert "hunter2" not in path.read_text(encoding="utf-8")


def test_render_uses_the_context_of_a_test_and_counts_tokens(folder: Path) -> None:
    done = run(folder, "render", "greeter", "--test", "greets", "--tokens")
    assert done.stdout == "[user]\nGreet Ann 1 times\n"
    assert [line.split()[-1] for line in done.stderr.splitlines()[:2]] == ["user", "total"]
    unknown = run(folder, "render", "greeter", "--test", "greet")
    assert unknown.stderr == "PP910 greeter@1.0.0 has no test named 'greet'\n  hint: did you mean 'greets'?\n"


def test_show_names_the_file_of_each_inherited_part(folder: Path) -> None:
    run(folder, "new", "greeter", "-l", "de")
    shown = run(folder, "show", "greeter", "-l", "de").stdout
    assert "NAME (string, required): Who is greeted  (from packs/greeter/1.0.0.yaml:7)\n" in shown
    assert "  user hello\n" in shown
    assert "  GREET  (from packs/greeter/1.0.0.yaml:12)\n" in shown


@pytest.mark.parametrize("verb", ["show", "render", "check", "test", "schema --of"])
def test_pack_names_are_completed(folder: Path, verb: str) -> None:
    typed = f"promptpack {verb} gr"
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    done = run(folder, _PROMPTPACK_COMPLETE="bash_complete", **words)
    assert done.stdout == "plain,greeter\n"


def test_completion_uses_the_given_folders(folder: Path) -> None:
    (folder / "packs").rename(folder / "mine")
    words = {"_PROMPTPACK_COMPLETE": "bash_complete", "COMP_CWORD": "4"}
    done = run(folder, COMP_WORDS="promptpack show -p mine gr", **words)
    assert done.stdout == "plain,greeter\n"
    done = run(folder, COMP_WORDS="promptpack show -p none gr", **words)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_a_process_of_the_shell_completes_pack_names(folder: Path) -> None:
    words = {"COMP_WORDS": "promptpack show gr", "COMP_CWORD": "2"}
    done = run_process(folder, _PROMPTPACK_COMPLETE="bash_complete", **words)
    assert (done.returncode, done.stdout) == (0, "plain,greeter\n")


def test_run_with_a_server_needs_a_model(folder: Path) -> None:
    done = run(folder, "run", "--provider", "openai")
    assert done.returncode != 0
    assert done.stderr == "PP906 --provider openai needs a model\n  hint: add --model NAME\n"


def test_graph_draws_the_flow_and_reports_a_missing_one(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    drawn = run(root, "graph")
    assert drawn.returncode == 0
    assert drawn.stdout.startswith("flowchart TD\n")
    assert run(root, "graph", "--format", "svg").stdout.startswith("<svg ")
    (tmp_path / "packs").mkdir()
    none = run(tmp_path, "graph")
    assert (none.returncode, none.stderr) == (2, "PP907 there is no flow.yaml\n  hint: create one next to the packs\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_a_problem_and_no_bug(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        words = [sys.executable, "-m", "promptpack", "rules"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, text=True, check=False)
    assert done.stderr == "PP126 the output cannot be written: No space left on device\n"
    assert done.returncode == 1
