from typing import Any, Literal

from promptpack.prompt.slots.contract_output import derive_output


def test_a_contract_becomes_an_output_schema() -> None:
    contract = {
        "properties": {
            "level": {"enum": ["low", "high"], "description": "how bad", "x-descriptions": {"zh": "程度"}},
            "risk": {"$ref": "#/$defs/risk"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"type": ["string", "null"]},
            "only": {"const": 3},
            "any": True,
        },
        "$defs": {"risk": {"properties": {"text": {"type": "string"}}, "description": "what may go wrong"}},
    }
    assert derive_output(contract, "zh") == {
        "level": (Literal["low", "high"], "程度"),
        "risk": ({"text": (str, "")}, "what may go wrong"),
        "tags": [(str, "")],
        "note": (str | None, ""),
        "only": (Literal[3], ""),
        "any": (Any, ""),
    }


def test_a_recursive_contract_is_cut_at_the_depth_limit() -> None:
    contract = {"properties": {"inner": {"$ref": "#"}}}
    assert str(derive_output(contract)).count("inner") == 8
