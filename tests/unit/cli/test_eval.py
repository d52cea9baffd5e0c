"""`promptpack eval` in this process: output, exit codes and problems."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from promptpack.cli.main import main
from promptpack.problem import PromptpackError
from tests.click_runner import make_runner
from tests.unit.evaluation.conftest import BAD, PACK, good, write_cases

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder with two versions of a pack."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "packs" / "grader").mkdir(parents=True)
    for version in ("1.0.0", "1.1.0"):
        (tmp_path / "packs" / "grader" / f"{version}.yaml").write_text(PACK.format(version=version), "utf-8")
    write_cases(tmp_path, 40)
    replies = {"grader@1.0.0": [good(), BAD], "grader@1.1.0": [good()]}
    Path("replies.yaml").write_text(json.dumps(replies))
    Path("prices.yaml").write_text("prices: {m: {input: 1, output: 2}}")

    def invoke(*words: str) -> Result:
        return make_runner().invoke(main, ["eval", *words])

    return invoke


VERSIONS = ("grader@1.0.0", "grader@1.1.0", "--cases", "cases.jsonl", "--replies", "replies.yaml", "--rounds", "1")


def problem_of(result: Result) -> str:
    assert isinstance(result.exception, PromptpackError), result.output
    return str(result.exception)


def test_two_versions_print_a_table_and_a_conclusion(run: Run) -> None:
    done = run(*VERSIONS)
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["grader@1.0.0", "grader@1.1.0"]
    assert lines[1].split("  ")[0] == "pass rate"
    assert "50.0 % [35.2, 64.8]" in lines[1]
    assert lines[-1] == "conclusion   better"
    assert done.exit_code == 0


def test_a_worse_version_fails(run: Run) -> None:
    done = run("grader@1.1.0", "grader@1.0.0", *VERSIONS[2:])
    assert done.stdout.splitlines()[-1] == "conclusion   worse"
    assert done.exit_code == 1


def test_a_pass_rate_below_the_wanted_one_fails(run: Run) -> None:
    one = ("grader@1.0.0", *VERSIONS[2:])
    assert [run(*one, "--fail-under", rate).exit_code for rate in ("50", "51")] == [0, 1]


def test_json_and_page_are_the_same_bytes_again(run: Run) -> None:
    outputs, pages = [], []
    for _ in range(2):
        outputs.append(run(*VERSIONS, "--format", "json", "--html", "page.html").stdout)
        pages.append(Path("page.html").read_bytes())
    assert outputs[0] == outputs[1]
    assert pages[0] == pages[1]
    data: dict[str, Any] = json.loads(outputs[0])
    assert (data["conclusion"], data["comparison"]["better"]) == ("better", 20)
    assert [version["pack"] for version in data["versions"]] == ["grader@1.0.0", "grader@1.1.0"]


def test_without_replies_the_example_answers(run: Run) -> None:
    done = run("grader", "--cases", "tests")
    assert "100.0 %" in done.stdout
    assert done.exit_code == 0


def test_a_dry_run_estimates_and_stores_nothing(run: Run, tmp_path: Path) -> None:
    done = run(
        "grader", "--cases", "cases.jsonl", "--model", "m", "--prices", "prices.yaml", "--dry-run", "--repeat", "2"
    )
    assert done.stdout.startswith("grader@1.1.0: 80 requests, about ")
    assert done.stdout.endswith(" USD\n")
    data = json.loads(run("grader", "--cases", "cases.jsonl", "--dry-run", "--format", "json").stdout)
    assert (data[0]["requests"], data[0]["cost"]) == (40, None)
    assert not (tmp_path / "state").exists()


def test_max_cost_stops_and_exits_with_1(run: Run) -> None:
    done = run(
        "grader",
        *VERSIONS[2:],
        "--model",
        "m",
        "--prices",
        "prices.yaml",
        "--max-cost",
        "0.00001",
        "--param",
        "max_tokens=50",
    )
    assert done.exit_code == 1
    assert "PP977 40 of 40 samples of grader@1.1.0 have no grade; 'c0': not asked yet" in done.stderr
    assert "PP977 the evaluation stopped: the next reply could exceed --max-cost" in done.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("grader@1.0.0", "grader@1.1.0", "grader"), "PP975 cannot compare 3 versions\n  hint: pass one pack or two"),
        (("grader", "grader"), "PP975 both packs are grader@1.1.0\n  hint: pass two different versions"),
        (("grader", "--max-cost", "1"), "PP975 --max-cost needs prices\n  hint: add --prices FILE"),
        (("grader", "--param", "x"), "PP901 invalid assignment 'x'\n  hint: write NAME=VALUE"),
        (("grader", "--provider", "openai"), "PP906 --provider openai needs a model\n  hint: add --model NAME"),
        (("grader", "--prices", "prices.yaml"), "prices.yaml: PP972 there is no price for the model ''\n  hint: add it to the price file"),
        (("grader", "--journal", "."), "PP974 the folder of journals '.' is not private\n  hint: use a folder that only you can access (mode 0700) with --journal"),
        (("grader", "--judge", "grader@1.0.0"), "PP976 the judge grader@1.0.0 has no input 'REVIEWED_OUTPUT'\n  hint: its inputs are TEXT, LIMIT, TOKEN; choose with --judge-input"),
    ],
)  # fmt: skip
def test_wrong_usage_is_a_problem(words: tuple[str, ...], problem: str, run: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert problem_of(run(*words, "--cases", "cases.jsonl")) == problem


def test_a_judge_decides(run: Run) -> None:
    words = (
        "grader@1.1.0",
        *VERSIONS[2:],
        "--judge",
        "grader@1.0.0",
        "--judge-input",
        "TEXT",
        "--judge-path",
        "/params/grade",
    )
    refused = run(*words, "--judge-score", "2").stdout
    assert "0.0 % [0.0, 8.8]" in refused
    assert refused.splitlines()[-1].startswith("judge        grader@1.0.0, asked once; ")
    assert "100.0 %" in run("grader@1.1.0", *words[1:-1], "/params/grade", "--judge-score", "1", "--rounds", "2").stdout


def test_a_case_that_does_not_fit_is_a_problem_at_its_line(run: Run) -> None:
    Path("cases.jsonl").write_text('{"context": {"TEXT": "a"}}\n{"context": {"TEXT": 5}}\n')
    assert problem_of(run(*VERSIONS)).startswith("cases.jsonl:2:1: PP41")


@pytest.mark.parametrize("option", ["--fail-under", "--margin", "--max-cost", "--judge-score", "--timeout"])
def test_a_limit_that_is_not_a_number_is_refused(run: Run, option: str) -> None:
    """Nothing is more than NaN, so it would be no limit at all."""
    done = run(*VERSIONS, "--prices", "prices.yaml", option, "nan")
    assert f"Error: Invalid value for '{option}': nan is not a finite number." in done.stderr
    assert done.exit_code == 2


def test_very_many_repetitions_are_refused(run: Run) -> None:
    done = run(*VERSIONS, "--repeat", "1001")
    assert "Error: Invalid value for '--repeat': 1001 is not in the range 1<=x<=1000." in done.stderr
    assert done.exit_code == 2


@pytest.mark.parametrize("key", ["sk-é", "sk-\n", "“sk”"])
def test_an_api_key_that_cannot_be_sent_is_refused_and_not_shown(run: Run, key: str) -> None:
    given = ("grader@1.0.0", "--cases", "cases.jsonl", "--provider", "openai", "--model", "m", "--api-key", key)
    assert problem_of(run(*given)) == (
        "PP616 the API key contains a character that API keys never contain\n"
        "  hint: copy it again, without line ends and without quotes around it"
    )
