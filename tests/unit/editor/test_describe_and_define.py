import pytest

from promptpack.editor import define, describe
from tests.unit.editor.conftest import PACK, OpenBuffer

PLAIN = PACK.replace("¦", "")


def pointed(text: str) -> str:
    """Put the cursor at the bar in one of the lines of the pack."""
    assert text.replace("¦", "") in PLAIN
    return PLAIN.replace(text.replace("¦", ""), text, 1)


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ("when: GO¦AL", "**GOAL** (string, required, untrusted)\n\nWhat is wanted"),
        ("{{ GOAL | fen¦ced }}", "**fenced** (filter)"),
        ('{% include "gre¦eting" %}', "**greeting** (partial)\n\n```jinja\nHello.\n```"),
        ("history: HIS¦TORY", "**HISTORY** (array, optional)\n\nWhat was said."),
        ("require: reply.params.no¦te", "**note** (string)\n\nA remark"),
        ("extends: ba¦se@^1", "**base@^1** (pack)\n\nWhat others share."),
    ],
)
def test_a_word_is_explained(open_buffer: OpenBuffer, text: str, explanation: str) -> None:
    found = describe(*open_buffer(pointed(text)))
    assert found is not None
    assert found.text.startswith(explanation)


def test_a_word_outside_templates_is_not_explained(open_buffer: OpenBuffer) -> None:
    assert describe(*open_buffer(pointed("name: de¦mo"))) is None


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("when: GO¦AL", "demo/1.0.0.yaml:6:3"),
        ("{% for step in TA¦SK.steps %}", "demo/1.0.0.yaml:7:3"),
        ('{% include "ru¦les" %}', "demo/1.0.0.yaml:16:5"),
        ('{% include "gre¦eting" %}', "base/1.2.0.yaml:9:13"),
        ("history: HIS¦TORY", "base/1.2.0.yaml:7:3"),
        ("extends: ba¦se@^1", "base/1.2.0.yaml:1:1"),
    ],
)
def test_a_word_leads_to_its_definition(open_buffer: OpenBuffer, text: str, location: str) -> None:
    assert str(define(*open_buffer(pointed(text)))).endswith(f"/packs/{location}")


def test_a_key_leads_to_its_property(open_buffer: OpenBuffer) -> None:
    text = PLAIN.replace("{{ GOAL | fenced }}", "{{ TASK.owner.na¦me }}")
    assert str(define(*open_buffer(text))).endswith("/packs/demo/1.0.0.yaml:12:68")


@pytest.mark.parametrize("text", ["{% for st¦ep in", "{{ GOAL | fen¦ced", "name: de¦mo", "require: re¦ply"])
def test_a_word_without_a_definition_leads_nowhere(open_buffer: OpenBuffer, text: str) -> None:
    assert define(*open_buffer(pointed(text))) is None


def test_a_half_typed_pack_uses_its_last_readable_state(open_buffer: OpenBuffer) -> None:
    text = pointed("when: GO¦AL").replace("reply:\n", "reply: [\n")
    assert str(define(*open_buffer(text))).endswith("demo/1.0.0.yaml:6:3")


def test_a_name_that_the_template_sets_is_followed_to_its_schema(open_buffer: OpenBuffer) -> None:
    tasks = "  TASKS: {type: array, description: All., items: {type: object, description: One, properties: {title: {type: string, description: In words}}}}\n"  # fmt: skip
    text = PLAIN.replace("partials:\n", tasks + "partials:\n").replace("TASK.steps", "TASKS")
    found = describe(*open_buffer(text.replace("{{ step }}", "{{ st¦ep.title }}")))
    assert found is not None
    assert found.text == "**step** (object, set here)\n\nOne"
    found = describe(*open_buffer(text.replace("{{ step }}", "{{ step.ti¦tle }}")))
    assert found is not None
    assert found.text == "**title** (string)\n\nIn words"
    assert str(define(*open_buffer(text.replace("{{ step }}", "{{ step.ti¦tle }}")))).endswith("demo/1.0.0.yaml:14:96")
