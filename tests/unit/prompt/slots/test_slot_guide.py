"""The page about slot prompts: its examples run and print the text below them."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "slots.md"
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_example_on_the_page_runs() -> None:
    scope: dict[str, Any] = {"__name__": "__docs__"}
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    compared = 0
    for index, (kind, code) in enumerate(blocks):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), scope)  # noqa: S102 - our own page
        if printed.getvalue():
            assert blocks[index + 1] == ("text", printed.getvalue())
            compared += 1
    assert compared > 0
