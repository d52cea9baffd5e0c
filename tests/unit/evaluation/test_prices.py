"""Price files: what they cost, and what is wrong with them."""

from pathlib import Path

import pytest

from promptpack.cycle import Usage
from promptpack.evaluation import read_prices
from promptpack.problem import PackError, UsageError


def write(folder: Path, text: str) -> str:
    file = folder / "prices.yaml"
    file.write_text(text, "utf-8")
    return str(file)


def test_a_price_is_per_million_tokens(tmp_path: Path) -> None:
    prices = read_prices(
        write(tmp_path, "currency: EUR\nprices:\n  a: {input: 1, output: 4, cached: 0.5}\n  b: {input: 2, output: 4}\n")
    )
    assert prices.currency == "EUR"
    assert prices.find("a").cost(Usage(1_000_000, 500_000, 400_000)) == pytest.approx(0.6 + 0.2 + 2.0)
    assert prices.find("b").cost(Usage(1_000_000, 0, 400_000)) == pytest.approx(2.0)


def test_a_model_without_a_price_is_a_problem(tmp_path: Path) -> None:
    file = write(tmp_path, "prices:\n  gpt-4.1-mini: {input: 1, output: 4}\n")
    with pytest.raises(UsageError) as caught:
        read_prices(file).find("gpt-4.1-mni")
    message = "PP972 there is no price for the model 'gpt-4.1-mni'"
    assert str(caught.value) == f"{file}: {message}\n  hint: did you mean 'gpt-4.1-mini'?"


def test_a_broken_price_file_has_its_problems_at_their_places(tmp_path: Path) -> None:
    file = write(tmp_path, "prices:\n  a: {input: -1, output: 4}\n  b: {input: 1}\n")
    with pytest.raises(PackError) as caught:
        read_prices(file)
    assert [str(problem.location).rpartition("prices.yaml")[2] for problem in caught.value.problems] == [
        ":2:14",
        ":3:6",
    ]
    assert {problem.code for problem in caught.value.problems} == {"PP972"}
