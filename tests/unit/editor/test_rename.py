from pathlib import Path

import pytest

from promptpack.editor import Workspace, find_renamable, rename
from promptpack.problem import UsageError
from tests.unit.editor.conftest import BASE, PACK, OpenBuffer

PLAIN = PACK.replace("¦", "")


def renamed(tmp_path: Path, open_buffer: OpenBuffer, text: str, name: str) -> dict[str, str]:
    """Apply a rename and return the files that it changed."""
    buffer, offset = open_buffer(text)
    texts: dict[str, list[str]] = {}
    for replacement in reversed(rename(buffer, offset, name)):
        path = replacement.location.path
        own = buffer.text if path == buffer.path else Path(path).read_text(encoding="utf-8")
        lines = texts.setdefault(path, own.split("\n"))
        line, column = replacement.location.line - 1, replacement.location.column - 1
        lines[line] = lines[line][:column] + replacement.text + lines[line][replacement.location.end_column - 1 :]
    return {str(Path(path).relative_to(tmp_path / "packs")): "\n".join(lines) for path, lines in texts.items()}


def refused(open_buffer: OpenBuffer, text: str, name: str) -> str:
    with pytest.raises(UsageError) as caught:
        rename(*open_buffer(text), name)
    return str(caught.value)


@pytest.mark.parametrize(
    "text_at",
    ["  GO¦AL: {type", "Follow {{ GO¦AL }}", "when: GO¦AL", "{{ GO¦AL | fenced", "or GO¦AL ==", "context: {GO¦AL:"],
)
def test_an_input_is_renamed_from_any_of_its_uses(tmp_path: Path, open_buffer: OpenBuffer, text_at: str) -> None:
    text = PLAIN.replace(text_at.replace("¦", ""), text_at, 1)
    assert renamed(tmp_path, open_buffer, text, "AIM") == {"demo/1.0.0.yaml": PLAIN.replace("GOAL", "AIM")}


def test_text_that_only_looks_like_the_input_stays(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    text = PLAIN.replace(
        "  - role: user\n",
        "  - {role: assistant, content: 'GOAL {{ TASK.GOAL }}{% set x = \"GOAL\" %}'}\n  - role: user\n",
    )
    changed = renamed(tmp_path, open_buffer, text.replace("when: GOAL", "when: GO¦AL"), "AIM")["demo/1.0.0.yaml"]
    assert "content: 'GOAL {{ TASK.GOAL }}{% set x = \"GOAL\" %}'" in changed
    assert changed.count("GOAL") == 3


def test_an_inherited_input_is_renamed_where_it_is_declared_too(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    changed = renamed(tmp_path, open_buffer, PLAIN.replace("history: HIS", "history: HIS¦"), "PAST")
    assert changed == {
        "base/1.2.0.yaml": BASE.replace("HISTORY", "PAST"),
        "demo/1.0.0.yaml": PLAIN.replace("HISTORY", "PAST"),
    }


def test_the_input_is_renamed_in_locale_variants_too(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    open_buffer()
    variant = PLAIN.replace("version: 1.0.0", "version: 1.0.0\nlocale: en")
    file = tmp_path / "packs" / "demo" / "1.0.0.en.yaml"
    file.write_text(variant, encoding="utf-8")
    own = str(tmp_path / "packs" / "demo" / "1.0.0.yaml")
    buffer = Workspace().open(own, PLAIN)
    replacements = rename(buffer, PLAIN.index("GOAL"), "AIM")
    assert {Path(replacement.location.path).name for replacement in replacements} == {"1.0.0.yaml", "1.0.0.en.yaml"}


def test_handlebars_names_are_found_in_their_tags(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    text = "promptpack: 1\nname: demo\nversion: 1.0.0\nsyntax: handlebars\ninputs: {WHO: {type: string}}\nmessages:\n  - {role: user, content: '{{#if WHO}}Hi {{ WHO }}{{/if}}'}\n"
    changed = renamed(tmp_path, open_buffer, text.replace("{{ WHO", "{{ WHO¦"), "NAME")
    assert changed == {"demo/1.0.0.yaml": text.replace("WHO", "NAME")}


def test_an_invalid_or_used_name_is_refused(open_buffer: OpenBuffer) -> None:
    text = PLAIN.replace("when: GOAL", "when: GO¦AL")
    assert refused(open_buffer, text, "TASK") == "PP923 'TASK' is already used\n  hint: choose another name"
    assert refused(open_buffer, text, "step") == "PP923 'step' is already used\n  hint: choose another name"
    assert (
        refused(open_buffer, text, "a b")
        == "PP923 'a b' cannot be the name of an input\n  hint: use letters, digits and '_'"
    )
    assert refused(open_buffer, text, "reply").startswith("PP923 'reply' cannot be")


def test_a_word_that_is_not_an_input_is_not_renamed(open_buffer: OpenBuffer) -> None:
    text = PLAIN.replace("name: demo", "name: de¦mo", 1)
    assert find_renamable(*open_buffer(text)) is None
    assert (
        refused(open_buffer, text, "x")
        == "PP921 this is not an input's name\n  hint: put the cursor on an input's name"
    )


def test_a_text_that_other_packs_share_is_not_changed(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    open_buffer()
    shared = tmp_path / "packs" / "base" / "1.2.0.yaml"
    shared.write_text(BASE.replace("greeting: Hello.", "greeting: Hello {{ GOAL }}."), encoding="utf-8")
    buffer = Workspace().open(str(tmp_path / "packs" / "demo" / "1.0.0.yaml"), PLAIN)
    with pytest.raises(UsageError) as caught:
        rename(buffer, PLAIN.index("GOAL"), "AIM")
    assert str(caught.value) == (
        f"{shared}:9:22: PP924 'GOAL' is used in a text that other packs share\n"
        "  hint: packs that this rename does not change use that text too; remove the name from it first"
    )


def test_a_broken_pack_that_may_use_the_name_stops_the_rename(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    open_buffer()
    broken = tmp_path / "packs" / "other" / "1.0.0.yaml"
    broken.parent.mkdir()
    broken.write_text("promptpack: 1\nname: [GOAL\n", encoding="utf-8")
    buffer = Workspace().open(str(tmp_path / "packs" / "demo" / "1.0.0.yaml"), PLAIN)
    with pytest.raises(UsageError) as caught:
        rename(buffer, PLAIN.index("GOAL"), "AIM")
    assert str(caught.value) == (
        f"PP922 {broken} is broken, so it is unknown whether it uses 'GOAL'\n  hint: fix it first"
    )
