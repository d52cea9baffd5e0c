import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.templates_driver import run_template

VECTORS = json.loads((Path(__file__).parent / "templates" / "vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", VECTORS, ids=[case["id"] for case in VECTORS])
def test_a_template_vector_passes(case: dict[str, Any]) -> None:
    # Where the reference leaves a choice, the alternatives are as good.
    assert run_template(case) in (case["expect"], *case.get("alternatives", ()))
