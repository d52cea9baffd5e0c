"""Texts use the words of Python programmers."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("promptpack", "docs", "packs", "schemas", "examples")
SUFFIXES = (".py", ".md", ".yaml", ".json", ".ts")
RARE = re.compile(
    r"\b(?:(?:is|are|was|were|be|been) told|told of|mend(?:s|ed)|looked through|inside of|worked out"
    r"|as (?:it|they) stands?|stands (?:in|at|beside|below|above|inside|for ever)|without a word|beside the packs"
    r"|tells? apart|gives? leave|whereof|thereof|herein|whilst|amongst)\b"
)


def test_no_text_uses_rare_words() -> None:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    files += ROOT.glob("*.md")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in RARE.finditer(line)
    ]
    assert len(files) > 800
    assert found == []
