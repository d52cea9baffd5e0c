"""Every table can run: its peers are pinned, and its sides refer only to each other."""

import re
from importlib import import_module

from benchmarks.__main__ import BENCHMARKS
from benchmarks.environments import REQUIREMENTS

TABLES = [one for name in BENCHMARKS for one in import_module(f"benchmarks.{name}").tables()]


def test_every_environment_is_pinned_and_used() -> None:
    used = {side.environment for table in TABLES for side in table.sides} - {""}
    assert used == {file.stem for file in REQUIREMENTS.glob("*.txt")}
    lines = [line for name in used for line in (REQUIREMENTS / f"{name}.txt").read_text("utf-8").splitlines()]
    pin = re.compile(r"[\w.\[\]-]+==[\w.]+( ; .*)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?|\s*#.*")
    assert [line for line in lines if not pin.fullmatch(line)] == []


def test_the_base_of_every_side_is_in_its_table() -> None:
    for table in TABLES:
        names = [side.name for side in table.sides]
        assert len(set(names)) == len(names)
        assert {side.over for side in table.sides} - {""} <= set(names)
