"""Characters that a terminal would obey are escaped, and special tokens are broken."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from promptpack.character_patterns import SPECIAL_TOKEN
from promptpack.characters import break_special_tokens, escape_surrogates, is_encodable, visible
from promptpack.cli.main import main


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\u001b[2J"),
        ("a\rb", "a\\u000db"),
        ("\x9b31m", "\\u009b31m"),
        ("\u202eabc", "\\u202eabc"),
        ("\ud800", "\\ud800"),
        ("a\tb\nc", "a\tb\nc"),
        ("中文 é", "中文 é"),
    ],
)
def test_characters_that_a_terminal_would_obey_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_escaped_text_can_be_encoded_and_does_not_move_the_cursor(text: str) -> None:
    shown = visible(text)
    shown.encode()
    assert all(letter in "\t\n" or letter.isprintable() or ord(letter) > 0x9F for letter in shown)
    assert is_encodable(escape_surrogates(text))


@given(st.text("<|>im_start/SYINTs[] ｜"))
def test_no_special_token_survives(text: str) -> None:
    assert not SPECIAL_TOKEN.search(break_special_tokens(text))


@given(st.from_regex(SPECIAL_TOKEN, fullmatch=True))
def test_every_special_token_is_broken(token: str) -> None:
    assert break_special_tokens(f"a{token}b") == f"a{token[0]} {token[1:]}b"


def test_no_command_prints_control_characters_of_a_pack(
    write_pack: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = '"\\e[2J\\u202e\\x9b31m"'
    write_pack(
        body=f"description: {hidden}\ninputs: {{A: {{description: {hidden}, default: {hidden}}}}}\n"
        f"messages: [{{role: user, content: {hidden}, id: a}}]\n"
        f"tests: [{{name: {hidden}, expect: {{contains: [{hidden}, nope]}}}}]\n"
    )
    write_pack(name="broken", body=f"{hidden}: 1\nlocale: {hidden}\n")
    monkeypatch.chdir(tmp_path)
    for words in ("list", "show demo", "render demo", "test", "lint packs"):
        for format_ in ("text", "json"):
            options = [] if words.startswith("lint") else ["--packs", "packs"]
            done = CliRunner().invoke(main, [*words.split(), *options, "--format", format_])
            assert done.output
            assert not set(done.output) & set("\x1b\u202e\x9b")
