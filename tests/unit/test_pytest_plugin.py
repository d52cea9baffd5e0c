import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ("pytester",)

PACK = """\
promptpack: 1
name: greeter
version: 1.0.0
inputs:
  NAME: {type: string}
messages:
  - {role: user, content: "Hello {{ NAME }}"}
tests:
  - name: greets a person
    context: {NAME: Ada}
    expect: {contains: [Hello Ada]}
  - name: is short
    context: {NAME: Grace}
    expect:
      max_chars: 3
"""
BROKEN = "promptpack: 1\nname: broken\nversion: 1.0.0\nmessages: []\n"
USES_FIXTURES = """
def test_fixtures(promptpack_library, promptpack_scripted):
    assert promptpack_library.get("greeter").name == "greeter"
    provider = promptpack_scripted("one", {"two": 2})
    assert (type(provider).__name__, provider.requests) == ("ScriptedProvider", [])
"""

ROOT = Path(__file__).parents[2]

# They take long to import.
WITHOUT_OTHERS = ("-p", "no:pytest-lsp", "-p", "no:asyncio", "-p", "no:hypothesispytest")


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\npromptpack_packs = packs\n")
    for name, text in (("greeter", PACK), ("broken", BROKEN)):
        path = pytester.path / "packs" / name / "1.0.0.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    (pytester.path / "other.yaml").write_text("not: a pack\n", "utf-8")
    return pytester


def test_pack_tests_are_items_with_locations(folder: pytest.Pytester) -> None:
    result = folder.runpytest_inprocess("-v", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines_random(
        [
            "packs/broken/1.0.0.yaml::the pack can be loaded FAILED*",
            "packs/greeter/1.0.0.yaml::greets a person PASSED*",
            "packs/greeter/1.0.0.yaml::is short FAILED*",
            "packs/broken/1.0.0.yaml:4:11: PP2*",
            "packs/greeter/1.0.0.yaml:15:18: the prompt has 11 characters, but the limit is 3",
        ]
    )


def test_node_ids_and_names_select_items(folder: pytest.Pytester) -> None:
    folder.runpytest_inprocess("packs/greeter/1.0.0.yaml::greets a person").assert_outcomes(passed=1)
    folder.runpytest_inprocess("-k", "greets").assert_outcomes(passed=1, deselected=2)


def test_items_are_reported_where_they_are_written(folder: pytest.Pytester) -> None:
    items = [item for item in folder.inline_genitems()[0] if item.name == "is short"]
    assert [(str(path), line, name) for path, line, name in (item.reportinfo() for item in items)] == [
        ("packs/greeter/1.0.0.yaml", 11, "is short")
    ]


def test_items_run_in_several_processes(folder: pytest.Pytester) -> None:
    folder.runpytest_subprocess(*WITHOUT_OTHERS, "-n", "2", timeout=120).assert_outcomes(passed=1, failed=2)


def test_fixtures_give_the_library_and_a_scripted_provider(folder: pytest.Pytester) -> None:
    folder.makepyfile(USES_FIXTURES)
    folder.runpytest_inprocess("-k", "test_fixtures").assert_outcomes(passed=1, deselected=3)


def test_the_example_in_the_documentation_passes(pytester: pytest.Pytester) -> None:
    pytester.makeini(f"[pytest]\npromptpack_packs = {ROOT / 'packs'}\n")
    blocks = (ROOT / "docs/how-to/test-in-python.md").read_text("utf-8").split("```")
    (example,) = (one.removeprefix("python\n") for one in blocks if "promptpack_scripted):" in one)
    pytester.makepyfile(example)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_missing_folder_is_a_usage_error(folder: pytest.Pytester) -> None:
    folder.makeini("[pytest]\npromptpack_packs = nowhere\n")
    result = folder.runpytest_inprocess()
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*promptpack_packs: *nowhere*"])


def test_without_the_setting_nothing_is_collected_or_imported(folder: pytest.Pytester) -> None:
    folder.makeini("[pytest]\n")
    folder.makepyfile(
        "import sys\n"
        "def test_inert():\n"
        "    ours = sorted(name for name in sys.modules if name.split('.')[0] == 'promptpack')\n"
        "    assert ours == ['promptpack', 'promptpack.pytest_plugin']\n"
        "def test_library(promptpack_library): pass\n"
    )
    result = folder.runpytest_subprocess(*WITHOUT_OTHERS, timeout=120)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*the fixture 'promptpack_library' needs the setting 'promptpack_packs'"])


def test_the_plugin_is_an_entry_point_of_the_package() -> None:
    code = "from importlib.metadata import entry_points as e; print(e(group='pytest11', name='promptpack')['promptpack'].value)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "promptpack.pytest_plugin\n"
