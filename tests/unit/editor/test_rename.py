from pathlib import Path

import pytest

from promptpack.editor import Desk, find_renamable, rename
from promptpack.problem import UsageError
from tests.unit.editor.conftest import BASE, PACK, OpenBuffer

PLAIN = PACK.replace("¦", "")


def renamed(tmp_path: Path, open_buffer: OpenBuffer, text: str, name: str) -> dict[str, str]:
    """Carry a renaming out and give the files that it changed."""
    buffer, offset = open_buffer(text)
    texts: dict[str, list[str]] = {}
    for change in reversed(rename(buffer, offset, name)):
        path = change.location.path
        own = buffer.text if path == buffer.path else Path(path).read_text(encoding="utf-8")
        lines = texts.setdefault(path, own.split("\n"))
        line, column = change.location.line - 1, change.location.column - 1
        lines[line] = lines[line][:column] + change.text + lines[line][column + change.length :]
    return {str(Path(path).relative_to(tmp_path / "packs")): "\n".join(lines) for path, lines in texts.items()}


def told(open_buffer: OpenBuffer, text: str, name: str) -> str:
    with pytest.raises(UsageError) as caught:
        rename(*open_buffer(text), name)
    return str(caught.value)


@pytest.mark.parametrize(
    "place",
    ["  GO¦AL: {type", "Follow {{ GO¦AL }}", "when: GO¦AL", "{{ GO¦AL | fenced", "or GO¦AL ==", "context: {GO¦AL:"],
)
def test_an_input_is_renamed_from_any_place_that_names_it(tmp_path: Path, open_buffer: OpenBuffer, place: str) -> None:
    text = PLAIN.replace(place.replace("¦", ""), place, 1)
    assert renamed(tmp_path, open_buffer, text, "AIM") == {"demo/1.0.0.yaml": PLAIN.replace("GOAL", "AIM")}


def test_what_only_looks_like_the_input_stays(tmp_path: Path, open_buffer: OpenBuffer) -> None:
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


def test_locale_variants_go_along(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    open_buffer()
    variant = PLAIN.replace("version: 1.0.0", "version: 1.0.0\nlocale: en")
    file = tmp_path / "packs" / "demo" / "1.0.0.en.yaml"
    file.write_text(variant, encoding="utf-8")
    own = str(tmp_path / "packs" / "demo" / "1.0.0.yaml")
    buffer = Desk().open(own, PLAIN)
    changes = rename(buffer, PLAIN.index("GOAL"), "AIM")
    assert {Path(change.location.path).name for change in changes} == {"1.0.0.yaml", "1.0.0.en.yaml"}


def test_handlebars_names_are_found_inside_of_their_tags(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    text = "promptpack: 1\nname: demo\nversion: 1.0.0\nsyntax: handlebars\ninputs: {WHO: {type: string}}\nmessages:\n  - {role: user, content: '{{#if WHO}}Hi {{ WHO }}{{/if}}'}\n"
    changed = renamed(tmp_path, open_buffer, text.replace("{{ WHO", "{{ WHO¦"), "NAME")
    assert changed == {"demo/1.0.0.yaml": text.replace("WHO", "NAME")}


def test_a_name_that_cannot_be_or_is_taken_is_refused(open_buffer: OpenBuffer) -> None:
    text = PLAIN.replace("when: GOAL", "when: GO¦AL")
    assert told(open_buffer, text, "TASK") == "PP923 'TASK' is taken\n  hint: choose another name"
    assert told(open_buffer, text, "step") == "PP923 'step' is taken\n  hint: choose another name"
    assert (
        told(open_buffer, text, "a b")
        == "PP923 'a b' cannot be the name of an input\n  hint: use letters, digits and '_'"
    )
    assert told(open_buffer, text, "reply").startswith("PP923 'reply' cannot be")


def test_what_is_no_input_is_not_renamed(open_buffer: OpenBuffer) -> None:
    text = PLAIN.replace("name: demo", "name: de¦mo", 1)
    assert find_renamable(*open_buffer(text)) is None
    assert (
        told(open_buffer, text, "x") == "PP921 this is no name of an input\n  hint: put the cursor on an input's name"
    )


def test_a_text_that_other_packs_share_is_not_changed(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    open_buffer()
    shared = tmp_path / "packs" / "base" / "1.2.0.yaml"
    shared.write_text(BASE.replace("greeting: Hello.", "greeting: Hello {{ GOAL }}."), encoding="utf-8")
    buffer = Desk().open(str(tmp_path / "packs" / "demo" / "1.0.0.yaml"), PLAIN)
    with pytest.raises(UsageError) as caught:
        rename(buffer, PLAIN.index("GOAL"), "AIM")
    assert str(caught.value) == (
        f"{shared}:9:22: PP924 'GOAL' is used in a text that other packs share\n"
        "  hint: packs that are not renamed use it too; set the name there first"
    )


def test_a_broken_neighbour_that_may_use_the_name_stops_it(tmp_path: Path, open_buffer: OpenBuffer) -> None:
    open_buffer()
    broken = tmp_path / "packs" / "other" / "1.0.0.yaml"
    broken.parent.mkdir()
    broken.write_text("promptpack: 1\nname: [GOAL\n", encoding="utf-8")
    buffer = Desk().open(str(tmp_path / "packs" / "demo" / "1.0.0.yaml"), PLAIN)
    with pytest.raises(UsageError) as caught:
        rename(buffer, PLAIN.index("GOAL"), "AIM")
    assert str(caught.value) == (
        f"PP922 {broken} is broken, so nobody can say whether it uses 'GOAL'\n  hint: mend it first"
    )
