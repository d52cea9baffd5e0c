from promptpack.adapters.adk import instruction
from tests.unit.adapters.prompts import HISTORY, RULES, SIMPLE


def test_the_fields_of_a_request_are_those_of_gemini() -> None:
    assert HISTORY.to("adk") == HISTORY.to("gemini")
    assert SIMPLE.to("adk", strict=True) == SIMPLE.to("gemini", strict=True)


def test_an_instruction_is_a_function_because_texts_are_templates() -> None:
    assert instruction(HISTORY)(None) == f"{RULES}\n\nBe short."
