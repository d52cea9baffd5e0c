"""Limits of whole packs: what many small parts of a pack cost together, and what packs share with those they extend."""

from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from promptpack import Library, PackError
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_settings import LintSettings
from promptpack.pack.schema_references import References
from promptpack.template.engine import Engine
from promptpack.template.model import Source

WritePack = Callable[..., Path]
OpenPacks = Callable[[], Library]
ProblemsOf = Callable[[str], str]


def messages(count: int, content: str) -> str:
    """Return this many messages; `#` is the number of each."""
    return "messages:\n" + "".join(
        f"  - {{role: user, content: '{content.replace('#', str(number))}'}}\n" for number in range(count)
    )


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the texts of templates that Jinja compiles."""
    found: list[str] = []
    compile_tree = Environment.compile

    def count(self: Environment, source: object, *arguments: object, **options: object) -> object:
        found.append(str(source))
        return compile_tree(self, source, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Environment, "compile", count)
    return found


def test_templates_that_are_too_large_together_are_refused(problems_of: ProblemsOf) -> None:
    assert problems_of("inputs: {A: {}}\n" + messages(900, "# " + "{{ A }}" * 20)) == (
        "packs/demo/1.0.0.yaml:658:27: PP326 the templates of this pack have more than 15,000 tags, names and operators\n"
        "  hint: split the pack, or write long texts as plain text"
    )


def test_partials_that_are_too_large_together_are_refused() -> None:
    partials = {f"p{number}": Source.of_text("{{ A }}" * 3_300, f"p{number}.j2") for number in range(20)}
    with pytest.raises(PackError) as refused:
        _ = Engine(partials).partial_trees
    assert str(refused.value) == (
        "p18.j2:1:1: PP326 the partials of this pack have more than 60,000 tags, names and operators\n"
        "  hint: split the pack, or write long texts as plain text"
    )


def test_lint_does_not_parse_the_templates_of_a_pack_that_is_too_large(
    write_pack: WritePack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pack(body="inputs: {A: {description: a}}\n" + messages(900, "# " + "{{ A }}" * 20))
    parsed: list[str] = []
    parse = Engine._parse

    def record(self: Engine, source: Source) -> nodes.Template:
        parsed.append(source.text)
        return parse(self, source)

    monkeypatch.setattr(Engine, "_parse", record)
    lint([str(tmp_path / "packs")], LintSettings(), cache=False)
    assert len(set(parsed)) == len(parsed) < 700


def test_constant_messages_are_not_compiled(write_pack: WritePack, open_packs: OpenPacks, compiled: list[str]) -> None:
    write_pack(body=messages(50, "text #"))
    prompt = open_packs().get("demo").render()
    assert [message.text for message in prompt.messages] == [f"text {number}" for number in range(50)]
    assert compiled == []


def test_equal_messages_are_compiled_once(write_pack: WritePack, open_packs: OpenPacks, compiled: list[str]) -> None:
    write_pack(body="inputs: {A: {}}\npartials: {p: '{{ A.b }}'}\n" + messages(50, '{% include "p" %}'))
    pack = open_packs().get("demo")
    assert {message.text for message in pack.render(A={"b": 1}).messages} == {"1"}
    assert len(compiled) == 1


def test_packs_that_extend_one_share_its_templates(
    write_pack: WritePack, open_packs: OpenPacks, compiled: list[str]
) -> None:
    write_pack(body="inputs: {A: {}}\n" + messages(5, "# {{ A }}"))
    for number in range(20):
        write_pack(body="extends: demo\n", name=f"child{number}")
    library = open_packs()
    packs = [library.get(f"child{number}") for number in range(20)]
    assert len({id(message.content) for pack in packs for message in pack.messages}) == 5
    assert {pack.render(A="x").messages[4].text for pack in packs} == {"4 x"}
    assert len(compiled) == 5


def test_a_pack_that_is_too_large_shares_nothing_that_it_left_out(write_pack: WritePack, open_packs: OpenPacks) -> None:
    write_pack(body="inputs: {A: {}}\nmessages: [{id: m, role: user, content: 'hi {{ A }}'}]\n")
    first = "".join(f"- {{before: m, role: user, content: '{number}{'{{ A }}' * 2_000}'}}\n" for number in range(8))
    write_pack(body="extends: demo\nmessages:\n" + first, name="large")
    write_pack(body="extends: demo\n", name="small")
    library = open_packs()
    with pytest.raises(PackError, match="PP326"):
        library.get("large")
    assert library.get("small").render(A="x").messages[0].text == "hi x"


def test_a_child_without_an_input_of_its_parent_is_refused_though_the_template_is_shared(
    write_pack: WritePack, open_packs: OpenPacks
) -> None:
    write_pack(body="abstract: true\ninputs: {A: {}}\n" + messages(1, "{{ A }}"))
    write_pack(body="inputs: {B: {}}\n" + messages(1, "{{ A }}"), name="other")
    library = open_packs()
    library.get("demo")
    with pytest.raises(PackError, match="PP301 template uses undeclared input 'A'"):
        library.get("other")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("inputs:\n" + "".join(f"  A{number}: {{}}\n" for number in range(1_001)) + messages(1, "x"), "1,000 inputs"),
        (messages(1_001, "x"), "1,000 texts"),
        (messages(1, "x") + "partials:\n" + "".join(f"  p-{number}: x\n" for number in range(1_000)), "1,000 texts"),
        (
            "messages:\n- role: assistant\n  tool_calls:\n"
            + "".join(f"  - {{id: c{number}, name: n, arguments: {{a: x}}}}\n" for number in range(1_001)),
            "1,000 texts",
        ),
        (
            "reply:\n  actions:\n"
            + "".join(f"    A{number}: {{}}\n" for number in range(1_001))
            + messages(1_001, "x"),
            "1,000 actions and texts",
        ),
    ],
)
def test_too_many_entries_are_refused(problems_of: ProblemsOf, body: str, what: str) -> None:
    assert problems_of(body) == (
        f"packs/demo/1.0.0.yaml:1:1: PP218 the pack has more than {what}, with those it inherits\n"
        "  hint: split it into several packs"
    )


def test_a_schema_file_that_many_inputs_share_is_linted_once(write_pack: WritePack, tmp_path: Path) -> None:
    inputs = "".join(f"  A{number}: {{$ref: ./s.json, description: a}}\n" for number in range(50))
    path = write_pack(body="inputs:\n" + inputs + messages(1, "x"))
    (path.parent / "s.json").write_text('{"type": "string", "pattern": "(a+)+b"}')
    report = lint([str(tmp_path / "packs")], LintSettings(), cache=False)
    assert [problem.code for problem in report.problems if "s.json" in str(problem.location)] == ["PL019"]


def test_a_file_that_many_inputs_share_is_located_once(
    write_pack: WritePack, open_packs: OpenPacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    located: list[str] = []
    resolve = References._resolve

    def record(self: References, file: str, reference: str) -> str:
        located.append(reference)
        return resolve(self, file, reference)

    monkeypatch.setattr(References, "_resolve", record)
    path = write_pack(body="inputs:\n" + "".join(f"  A{n}: {{$ref: ./s.json}}\n" for n in range(50)) + messages(1, "x"))
    (path.parent / "s.json").write_text("{}")
    open_packs().get("demo")
    assert len(located) == 1


def test_too_many_schemas_are_reported_once(write_pack: WritePack, problems_of: ProblemsOf) -> None:
    path = write_pack()
    mappings = ", ".join(f'"k{number}": {{}}' for number in range(1_000))
    (path.parent / "s.json").write_text(f'{{"properties": {{{mappings}}}}}')
    inputs = "".join(f"  A{number}: {{$ref: ./s.json}}\n" for number in range(100))
    assert problems_of("inputs:\n" + inputs + messages(1, "x")).count("PP217") == 1


def test_a_text_that_equals_the_file_is_not_parsed_again(write_pack: WritePack, open_packs: OpenPacks) -> None:
    path = write_pack(body=messages(1, "x"))
    library = open_packs()
    opened = library._with_text(str(path), path.read_text())
    assert opened.entries[0] is library.entries[0]
    assert library._with_text(str(path), "promptpack: 1").entries[0] is not library.entries[0]


def test_a_file_with_many_unknown_keys_is_checked_again_when_they_are_fixed(
    write_pack: WritePack, tmp_path: Path
) -> None:
    write_pack(body=messages(1, "{{ A }}") + "".join(f"zz{number}: 1\n" for number in range(1_000)))
    found = lint([str(tmp_path / "packs")], LintSettings(), cache=False).problems
    assert {problem.code for problem in found} == {"PP202"}
