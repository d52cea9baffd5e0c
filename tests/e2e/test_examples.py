"""The examples that need no other package; those of SDKs are in `tests/sdks`."""

from tests.sdks.flow_examples import EXPECTED, ROOT, run_example


def test_the_six_agents_on_plain_asyncio() -> None:
    assert run_example("asyncio_flow") == EXPECTED


def test_the_six_agents_on_the_sdks_of_providers() -> None:
    assert run_example("raw_sdks_flow") == EXPECTED


def test_every_example_has_a_test_and_a_line_in_the_readme() -> None:
    examples = {path.stem for path in (ROOT / "examples").glob("*_flow.py")}
    tested = "".join(
        path.read_text("utf-8") for path in (*(ROOT / "tests" / "sdks").glob("test_*.py"), ROOT / __file__)
    )
    readme = (ROOT / "examples" / "README.md").read_text("utf-8")
    assert len(examples) == 5
    assert [name for name in examples if f'"{name}"' not in tested or f"{name}.py" not in readme] == []
