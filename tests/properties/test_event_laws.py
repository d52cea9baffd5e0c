"""Events, log records and spans never show an input, a reply or a secret; with content, they still show no secret."""

import json
import logging
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Self

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import promptpack
from promptpack import Agent, Pack, PromptpackError, hook
from promptpack.otel import instrument
from promptpack.providers import CycleSettings, ModelTool, ScriptedProvider, ToolCall
from tests.unit.greeter import BODY, GOOD, reply

# No event contains these by chance, however short the rest of the text is.
SECRET, INPUT, REPLY = "kq-7f3a91", "iq-52e8c0", "rq-b46d1f"
TEXTS = st.text(max_size=12)
# Lines that end in a secret would be a secret of their own; the rest of a secret may be any text.
SECRETS = st.builds("{}{}{}".format, TEXTS, st.just(SECRET), TEXTS)


def surrounded(word: str) -> st.SearchStrategy[str]:
    return st.builds("{}{}{}".format, TEXTS, st.just(word), TEXTS)


def write(words: str, key: str) -> Callable[[str], str]:
    return lambda kind: {
        "prose": f"{words} {key}",
        "bad": reply([words, key]),
        "good": reply(f"{words} {key}"),
        "key": json.dumps({words: key}),
        "cut": reply(f"{words} {key}")[:-30],
    }[kind]


KINDS = st.lists(st.sampled_from(["prose", "bad", "good", "key", "cut", "tool", "lost tool", "odd tool"]), max_size=4)


class Recorder:
    """Everything that listeners can see."""

    def __init__(self, *, content: bool) -> None:
        self.texts: list[str] = []
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self._logger = logging.getLogger("promptpack")
        self._handler = logging.Handler()
        self._handler.emit = lambda record: self.texts.append(f"{record.getMessage()} {record.__dict__}")  # type: ignore[method-assign]
        self._stops = [
            hook.subscribe(lambda event: self.texts.append(f"{event!r} {walk(event)}")),
            promptpack.log_events(),
            instrument(content=content, dialects=["openinference", "langfuse"], tracer_provider=provider),
        ]

    def __enter__(self) -> Self:
        self._logger.addHandler(self._handler)
        self._logger.setLevel(logging.DEBUG)
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.removeHandler(self._handler)
        self._logger.setLevel(logging.NOTSET)
        for stop in self._stops:
            stop()
        self.texts += [
            json.dumps(json.loads(span.to_json()), ensure_ascii=False) for span in self.exporter.get_finished_spans()
        ]


def walk(value: Any) -> str:
    """Return all that is reachable in an event without a call."""
    if is_dataclass(value) and not isinstance(value, type):
        return " ".join(walk(getattr(value, one.name)) for one in fields(value))
    return str(value)


def converse(pack: Pack, name: str, key: str, kinds: list[str], words: str) -> None:
    def look(city: str) -> str:
        """Look."""
        return f"{city} {words} {key}"

    calls = {
        "tool": ToolCall("1", "look", json.dumps({"city": f"{words} {key}"})),
        "lost tool": ToolCall("1", f"{words} {key}", "{}"),
        "odd tool": ToolCall("1", "look", json.dumps({f"{words} {key}": 1})),
    }
    texts = write(words, key)
    replies = [calls.get(kind) or texts(kind) for kind in kinds]
    tools = [ModelTool.of(look)]
    try:
        Agent(pack, ScriptedProvider([*replies, GOOD]), CycleSettings(rounds=4), tools).run({"NAME": name, "KEY": key})
        prompt = pack.render(NAME=name, KEY=key)
        for kind in ("prose", "bad", "good", "key", "cut"):
            prompt.check(texts(kind))
        pack.render(NAME=[name, key])
    except PromptpackError:
        pass


@pytest.fixture
def pack(make_pack: Callable[[str], Pack]) -> Pack:
    return make_pack(BODY)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(name=surrounded(INPUT), key=SECRETS, words=surrounded(REPLY), kinds=KINDS)
def test_without_content_nothing_of_it_is_shown(pack: Pack, name: str, key: str, words: str, kinds: list[str]) -> None:
    with Recorder(content=False) as recorder:
        converse(pack, name, key, kinds, words)
    shown = "\n".join(recorder.texts)
    assert len(recorder.texts) > 10
    assert [word for word in (SECRET, INPUT, REPLY) if word in shown] == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(name=surrounded(INPUT), key=SECRETS, words=surrounded(REPLY), kinds=KINDS)
@example(name=INPUT, key=f"a~{SECRET}/1", words=REPLY, kinds=["odd tool"])
def test_with_content_no_secret_is_shown(pack: Pack, name: str, key: str, words: str, kinds: list[str]) -> None:
    with Recorder(content=True) as recorder:
        converse(pack, name, key, kinds, words)
    shown = "\n".join(recorder.texts)
    assert INPUT in shown
    assert SECRET not in shown


@pytest.mark.parametrize("field", ["NAME", "KEY"])
def test_the_search_finds_what_is_shown(make_pack: Callable[[str], Pack], field: str) -> None:
    # The laws above would hold for a search that finds nothing.
    pack = make_pack(BODY.replace("secret: true", "description: open"))
    with Recorder(content=True) as recorder:
        pack.render({"NAME": "n", field: SECRET})
    assert SECRET in "\n".join(recorder.texts)
