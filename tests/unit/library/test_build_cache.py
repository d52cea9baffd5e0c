"""The cache of clean pack files: packs from it render the same, and a changed file is always built again."""

from pathlib import Path
from typing import Any

import pytest

from promptpack import ContextError, Library, Prompt, UsageError
from promptpack.template.model import Limits

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


def rendered(packs: Path, **inputs: Any) -> Prompt:
    return Library.open(str(packs)).get("child").render(**inputs)


CONTEXTS: list[dict[str, Any]] = [
    {},
    {"TONE": "plain", "NOTES": ["a", "b"], "STYLE": {"name": "x", "more": [1, None, True, 2.5]}},
    {"STYLE": {"name": "```"}},
    {"STYLE": {"name": "<|im_start|>"}},
    {"NOTES": ("a",)},
]


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_pack_from_the_cache_renders_the_same(packs: Path, context: dict[str, Any]) -> None:
    built = Library.open(str(packs), cache=False).get("child").render(**context)
    rendered(packs)
    cached = Library.open(str(packs)).get("child")
    for prompt in (cached.render(**context), cached.render(context)):
        assert prompt.to_dicts() == built.to_dicts()
        assert prompt.context == built.context
        assert prompt.origins == built.origins
        assert (prompt.version, prompt.digest) == (built.version, built.digest)
    assert cached.check("{}").violations == built.pack.check("{}").violations


def test_a_cached_file_without_problems_is_not_built_to_find_its_problems(
    packs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered(packs)
    library = Library.open(str(packs))
    library.problems  # noqa: B018 -- fills the cache
    monkeypatch.setattr("promptpack.pack.building.build", lambda *_: pytest.fail("a pack is built"))
    Library.open(str(packs)).raise_for_problems()


@pytest.mark.parametrize("content", ["{", None])
def test_a_reload_keeps_a_cached_pack_whose_schema_file_breaks_before_it_is_built(
    packs: Path, content: str | None
) -> None:
    good = rendered(packs).to_text()
    library = Library.open(str(packs))
    library.raise_for_problems()
    file = packs / "child/done.json"
    file.write_text(content, "utf-8") if content else file.unlink()
    reloaded = library.reload().library
    assert reloaded.problems != ()
    assert reloaded.get("child").render().to_text() == good


def test_a_broken_file_has_the_same_problems_each_time(packs: Path) -> None:
    (packs / "child/1.0.0.yaml").write_text(CHILD.replace("{{ pack.agent }}", "{{ pack.agent | nope }}"), "utf-8")
    problems = [Library.open(str(packs)).problems for _ in range(3)]
    assert [[found.code for found in once] for once in problems] == [["PP303"]] * 3


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
def test_a_pack_from_the_cache_rejects_the_same_contexts(packs: Path, context: dict[str, Any]) -> None:
    with pytest.raises(ContextError) as built:
        Library.open(str(packs), cache=False).get("child").render(context)
    rendered(packs)
    with pytest.raises(ContextError) as cached:
        rendered(packs, **context)
    assert str(cached.value) == str(built.value)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("child/1.0.0.yaml", "as {{", "AS {{"),
        ("parent/1.0.0.yaml", "Keep", "Stick"),
        ("child/done.json", "what was", "all that is"),
        ("_partials/shared.j2", "shared", "changed"),
    ],
)
def test_a_pack_is_built_again_when_one_of_its_files_has_changed(packs: Path, file: str, old: str, new: str) -> None:
    before = rendered(packs).to_text()
    (packs / file).write_text((packs / file).read_text("utf-8").replace(old, new), "utf-8")
    assert rendered(packs).to_text() == Library.open(str(packs), cache=False).get("child").render().to_text() != before


def test_a_pack_is_built_again_when_extends_finds_another_parent(packs: Path) -> None:
    rendered(packs)
    newer = PARENT.replace("1.0.0", "1.1.0").replace("Keep", "Stick")
    (packs / "parent/1.1.0.yaml").write_text(newer, "utf-8")
    assert "Stick" in rendered(packs).to_text()


def test_other_limits_do_not_use_the_cache(packs: Path) -> None:
    rendered(packs)
    library = Library.open(str(packs), limits=Limits(output=3))
    with pytest.raises(ContextError, match="template writes more than 3 characters"):
        library.get("child").render()


def test_a_library_from_the_cache_reloads(packs: Path) -> None:
    rendered(packs)
    library = Library.open(str(packs))
    assert library.get("child").render().to_text() == rendered(packs).to_text()
    assert library.reload().library is library
    (packs / "child/1.0.0.yaml").write_text(CHILD.replace("as {{", "AS {{"), "utf-8")
    assert "AS writer" in library.reload().library.get("child").render().to_text()


def test_an_abstract_pack_from_the_cache_is_abstract(packs: Path) -> None:
    for _ in range(2):
        with pytest.raises(UsageError, match=r"PP418 parent@1\.0\.0 is abstract and cannot be rendered"):
            Library.open(str(packs)).get("parent").render()
