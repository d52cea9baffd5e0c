"""The fast path for clean tokens reads them in the same way as the full scanner."""

import json
from pathlib import Path
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack.reply.clean_tokens import CleanTokenScanner
from promptpack.reply.scan import scan
from promptpack.reply.scan_state import ScanResult

CORPUS = Path(__file__).parents[1] / "conformance" / "replies" / "corpus.jsonl"
REPLIES = [json.loads(line)["raw"] for line in CORPUS.read_text("utf-8").split("\n") if line]
PIECES = st.sampled_from(['"', "'", "{", "}", "[", "]", ",", ":", "\\", "\n", "“", "//", '",', '"]', '": ', '"}', "a"])
DAMAGE = st.tuples(st.integers(0, 5_000), st.integers(0, 3), st.just("") | PIECES)


def scan_closely(text: str, start: int, limit: int) -> ScanResult:
    with patch.object(CleanTokenScanner, "_read_clean_tokens", lambda _: None):
        return scan(text, start, max_nodes=limit)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(REPLIES), st.lists(DAMAGE, max_size=5), st.sampled_from([5, 20_000]))
def test_the_fast_path_changes_no_scan_result(reply: str, damage: list[tuple[int, int, str]], limit: int) -> None:
    for place, length, piece in damage:
        reply = reply[:place] + piece + reply[place + length :]
    starts = [place for place, character in enumerate(reply) if character in "{["][:3]
    for start in starts:
        assert scan(reply, start, max_nodes=limit) == scan_closely(reply, start, limit)
