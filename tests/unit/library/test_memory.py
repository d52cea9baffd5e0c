"""Packs that are recalled from the cache: the same prompts, and never those of files that have changed."""

from pathlib import Path

import pytest

from promptpack import ContextError, Library, Prompt, UsageError
from promptpack.pack.kept import KeptPack
from promptpack.template import Limits

PARENT = """\
promptpack: 1
name: parent
version: 1.0.0
abstract: true
partials:
  rules: Keep to {{ TONE | fenced("text") }}
"""
CHILD = """\
promptpack: 1
name: child
version: 1.0.0
agent: writer
extends: parent@^1
inputs:
  TONE: {type: string, enum: [kind, plain], default: kind}
  NOTES: {type: array, items: {type: string, maxLength: 9}, default: []}
  STYLE: {type: object, properties: {name: {type: string}}, required: [name], default: {name: ünlü}}
messages:
  - {role: system, content: '{% include "rules" %} {% include "shared" %} as {{ pack.agent }}: {{ STYLE.name | fenced }} {{ reply_format }}'}
  - {role: user, when: NOTES, content: '{{ NOTES | join(", ") }} ({{ NOTES | length }}){% if not NOTES %}!{% elif 1 %}?{% endif %}'}
reply:
  contract: agent-output
  actions: {DONE: {params: {$ref: done.json}}}
"""
DONE = '{"type": "object", "properties": {"report": {"type": "string", "description": "what was done"}}}'


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PROMPTPACK_CACHE", raising=False)
    folder = tmp_path / "packs"
    for name, text in {
        "parent/1.0.0.yaml": PARENT,
        "child/1.0.0.yaml": CHILD,
        "child/done.json": DONE,
        "_partials/shared.j2": "shared",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def told(packs: Path, **inputs: object) -> Prompt:
    return Library.open(str(packs)).get("child").render(**inputs)


CONTEXTS: list[dict[str, object]] = [
    {},
    {"TONE": "plain", "NOTES": ["a", "b"], "STYLE": {"name": "x", "more": [1, None, True, 2.5]}},
    {"STYLE": {"name": "```"}},
    {"STYLE": {"name": "<|im_start|>"}},
    {"NOTES": ("a",)},
]


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_recalled_pack_renders_the_same(packs: Path, context: dict[str, object]) -> None:
    built = Library.open(str(packs), cache=False).get("child").render(**context)
    told(packs)
    library = Library.open(str(packs))
    recalled = library.get("child")
    assert isinstance(recalled, KeptPack)
    for prompt in (recalled.render(**context), recalled.render(context)):
        assert prompt.to_dicts() == built.to_dicts()
        assert prompt.context == built.context
        assert prompt.origins == built.origins
        assert (prompt.version, prompt.digest) == (built.version, built.digest)
    assert recalled.label == built.pack.label
    assert recalled.about == built.pack.about
    assert recalled.contract is not None
    assert len(recalled.messages) == 2
    assert recalled.check("{}").violations == built.pack.check("{}").violations


@pytest.mark.parametrize(
    "context",
    [
        {"TONE": "loud"},
        {"TONE": 1},
        {"NOTES": ["0123456789"]},
        {"STYLE": {}},
        {"NOPE": 1},
        {"STYLE": {"name": "\ud800"}},
    ],
)
def test_a_recalled_pack_refuses_the_same(packs: Path, context: dict[str, object]) -> None:
    with pytest.raises(ContextError) as built:
        Library.open(str(packs), cache=False).get("child").render(context)
    told(packs)
    with pytest.raises(ContextError) as recalled:
        told(packs, **context)
    assert str(recalled.value) == str(built.value)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("child/1.0.0.yaml", "as {{", "AS {{"),
        ("parent/1.0.0.yaml", "Keep", "Stick"),
        ("child/done.json", "what was", "all that is"),
        ("_partials/shared.j2", "shared", "changed"),
    ],
)
def test_a_pack_is_not_recalled_where_anything_it_is_made_of_has_changed(
    packs: Path, file: str, old: str, new: str
) -> None:
    before = told(packs).to_text()
    (packs / file).write_text((packs / file).read_text("utf-8").replace(old, new), "utf-8")
    assert told(packs).to_text() == Library.open(str(packs), cache=False).get("child").render().to_text() != before


def test_a_pack_is_not_recalled_where_another_parent_is_meant(packs: Path) -> None:
    told(packs)
    newer = PARENT.replace("1.0.0", "1.1.0").replace("Keep", "Stick")
    (packs / "parent/1.1.0.yaml").write_text(newer, "utf-8")
    assert "Stick" in told(packs).to_text()


def test_a_prompt_alone_takes_the_outline_and_does_without_one_that_is_gone(packs: Path, tmp_path: Path) -> None:
    before = told(packs).to_text()
    kept = [file for file in (tmp_path / "cache/promptpack").iterdir() if b'"reply_format":' in file.read_bytes()]
    assert len(kept) == 1
    kept[0].unlink()
    library = Library.open(str(packs))
    library.raise_for_problems()
    recalled = library.get("child")
    assert isinstance(recalled, KeptPack)
    assert recalled.render().to_text() == before


def test_other_limits_are_never_left_to_what_was_kept(packs: Path) -> None:
    told(packs)
    library = Library.open(str(packs), limits=Limits(output=3))
    with pytest.raises(ContextError, match="template writes more than 3 characters"):
        library.get("child").render()


def test_a_recalled_library_reloads(packs: Path) -> None:
    told(packs)
    library = Library.open(str(packs))
    assert library.get("child").render().to_text() == told(packs).to_text()
    assert library.reload() is library
    (packs / "child/1.0.0.yaml").write_text(CHILD.replace("as {{", "AS {{"), "utf-8")
    assert "AS writer" in library.reload().get("child").render().to_text()


def test_the_first_prompt_of_a_built_pack_is_that_of_the_compiled_one(packs: Path) -> None:
    pack = Library.open(str(packs), cache=False).get("child")
    first, second = pack.render(), pack.render()
    assert first.to_text() == second.to_text()
    assert first.context == second.context


def test_packs_that_ask_for_more_than_an_outline_are_built(packs: Path) -> None:
    more = CHILD.replace("reply:", "budget: {tokens: 4000}\nreply:")
    (packs / "child/1.0.0.yaml").write_text(more, "utf-8")
    built = told(packs)
    recalled = Library.open(str(packs)).get("child")
    assert isinstance(recalled, KeptPack)
    assert recalled.render().to_text() == built.to_text()
    assert recalled.budget == built.pack.budget == {"tokens": 4000}


def test_an_abstract_pack_is_recalled_as_one(packs: Path) -> None:
    for _ in range(2):
        with pytest.raises(UsageError, match=r"PP418 parent@1\.0\.0 is abstract and cannot be rendered"):
            Library.open(str(packs)).get("parent").render()
