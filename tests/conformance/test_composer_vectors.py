import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.templates_driver import run_composer

VECTORS = json.loads((Path(__file__).parent / "composer" / "vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", VECTORS, ids=[case["id"] for case in VECTORS])
def test_a_composer_vector_passes(case: dict[str, Any]) -> None:
    assert run_composer(case) == case["expect"]
