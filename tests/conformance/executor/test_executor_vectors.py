import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.executor_driver import run_executor

FOLDER = Path(__file__).parent


def cases(name: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in json.loads((FOLDER / name).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("case", cases("vectors.json"))
def test_a_whole_context_is_built_byte_for_byte(case: dict[str, Any]) -> None:
    assert run_executor(case) == case["expect"]


@pytest.mark.parametrize("case", cases("unit_vectors.json"))
def test_a_helper_matches_the_original(case: dict[str, Any]) -> None:
    assert run_executor(case) == case["expect"]
