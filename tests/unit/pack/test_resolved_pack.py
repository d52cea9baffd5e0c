import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from promptpack import Library, document
from promptpack.cli.main import main
from promptpack.pack.resolved_pack import resolve_parts, to_data, write_yaml

BASE = """\
promptpack: 1
name: base
version: 1.0.0
abstract: true
agent: base-agent
inputs:
  GOAL: {type: string}
messages:
  - {id: rules, role: system, content: Obey.}
  - {id: task, role: user, content: "{{ GOAL }}"}
"""
CHILD = """\
promptpack: 1
name: child
version: 1.0.0
locale: en
extends: base@^1
messages:
  - id: more
    after: rules
    role: system
    content: |
      One
        two {% include "tail" %}
"""


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("base/1.0.0.yaml", BASE), ("child/1.0.0.yaml", CHILD), ("_partials/tail.j2", "end")):
        file = tmp_path / "packs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path


@pytest.mark.usefixtures("packs")
def test_the_merged_pack_is_yaml_with_the_origin_of_each_part() -> None:
    result = CliRunner().invoke(main, ["show", "child", "--resolved"])
    assert result.exit_code == 0
    assert (
        result.output
        == """\
promptpack: 1  # packs/child/1.0.0.yaml:1
name: child  # packs/child/1.0.0.yaml:2
version: 1.0.0  # packs/child/1.0.0.yaml:3
locale: en  # packs/child/1.0.0.yaml:4
agent: base-agent  # packs/base/1.0.0.yaml:5
inputs:
  GOAL:  # packs/base/1.0.0.yaml:7
    type: string
partials:
  tail: end  # packs/_partials/tail.j2:1
messages:
  - id: rules  # packs/base/1.0.0.yaml:9
    role: system
    content: Obey.
  - id: more  # packs/child/1.0.0.yaml:7
    role: system
    content: |
      One
        two {% include "tail" %}
  - id: task  # packs/base/1.0.0.yaml:10
    role: user
    content: '{{ GOAL }}'
"""
    )


@pytest.mark.usefixtures("packs")
def test_a_value_from_another_file_shows_it(packs: Path) -> None:
    default = "promptpack: 1\nname: hello\nversion: 1.0.0\nlocale: en\nmessages: [{id: a, role: user, content: Hi}]\n"
    variant = "promptpack: 1\nname: hello\nversion: 1.0.0\nlocale: de\nmessages: [{id: a, content: Hallo}]\n"
    (packs / "packs" / "hello").mkdir()
    (packs / "packs" / "hello" / "1.0.0.yaml").write_text(default, "utf-8")
    (packs / "packs" / "hello" / "1.0.0.de.yaml").write_text(variant, "utf-8")
    output = CliRunner().invoke(main, ["show", "hello", "--resolved", "--locale", "de"]).output
    assert (
        output[output.index("messages") :]
        == """\
messages:
  - id: a  # packs/hello/1.0.0.yaml:5, packs/hello/1.0.0.de.yaml:5
    role: user
    content: Hallo  # packs/hello/1.0.0.de.yaml:5
"""
    )


def test_the_merged_shipped_packs_are_read_back() -> None:
    shipped = Library.open()
    for entry in shipped.list():
        pack = shipped.get(f"{entry.name}@{entry.version}", entry.locale)
        parts = resolve_parts(pack._compiled)
        text = write_yaml(parts)
        assert document.parse(text.encode(), "resolved.yaml").data == to_data(parts)
        assert "extends" not in to_data(parts)


@pytest.mark.usefixtures("packs")
def test_the_merged_pack_is_json_with_the_origin_of_each_value() -> None:
    shown = json.loads(CliRunner().invoke(main, ["show", "child", "--resolved", "--format", "json"]).output)
    assert shown["pack"]["agent"] == "base-agent"
    assert shown["origins"]["/inputs/GOAL"] == {"path": "packs/base/1.0.0.yaml", "line": 7, "column": 3}
    assert shown["origins"]["/messages/1/content"]["path"] == "packs/child/1.0.0.yaml"
