import asyncio
import json
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from promptpack import Agent, ContextError, Library, LlmCycle, MissingExtraError, Pack, UsageError, hook
from promptpack.cycle.providers.scripted import ScriptedReply
from promptpack.observation import PackIdentity, RenderEnded, RenderStarted
from promptpack.observation.observe import Observation
from promptpack.otel import instrument
from promptpack.problem import Problem
from promptpack.providers import (
    Completion,
    CycleSettings,
    ManualClock,
    ProviderError,
    ScriptedProvider,
    Services,
    ToolCall,
    ToolError,
    Usage,
)
from tests.unit.greeter import BAD, BODY, GOOD, reply


class Traces:
    """A tracer provider and what it exported."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    def named(self, name: str) -> ReadableSpan:
        return next(span for span in self.spans if span.name == name)

    def tree(self) -> dict[str, str]:
        """Return the name of each span's parent."""
        names = {span.context.span_id: span.name for span in self.spans if span.context}
        return {span.name: names[span.parent.span_id] if span.parent else "" for span in self.spans}


def attributes(span: ReadableSpan) -> Mapping[str, Any]:
    return dict(span.attributes or {})


@pytest.fixture
def pack(make_pack: Callable[[str], Pack]) -> Pack:
    return make_pack(BODY)


@pytest.fixture
def traces() -> Iterator[Traces]:
    made = Traces()
    yield made
    made.provider.shutdown()


@pytest.fixture
def start(traces: Traces) -> Iterator[Callable[..., None]]:
    """Instrument with options, until the end of the test."""
    stops: list[Callable[[], None]] = []

    def begin(**options: Any) -> None:
        stops.append(instrument(tracer_provider=traces.provider, **options))

    yield begin
    for stop in stops:
        stop()


def run_agent(pack: Pack, key: str = "") -> None:
    replies: list[ScriptedReply] = [Completion(BAD, model="m-1", usage=Usage(5, 6, 2)), f"```\n{GOOD}\n```"]
    Agent(pack, ScriptedProvider(replies), CycleSettings(model="m")).run({"NAME": "Ada", "KEY": key})


def test_spans_of_a_run_are_nested(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start()
    with traces.provider.get_tracer("app").start_as_current_span("request"):
        run_agent(pack)
    assert traces.tree() == {
        "render demo": "invoke_agent greeter-agent",
        "chat m": "invoke_agent greeter-agent",
        "check demo": "invoke_agent greeter-agent",
        "invoke_agent greeter-agent": "request",
        "request": "",
    }
    assert len(traces.spans) == 7
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_the_attributes_of_each_span(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start()
    run_agent(pack)
    identity = {
        "promptpack.run.id": attributes(traces.spans[0])["promptpack.run.id"],
        "gen_ai.prompt.name": "demo",
        "gen_ai.prompt.version": "1.0.0",
        "promptpack.digest": pack.digest,
    }
    calls = [span for span in traces.spans if span.name == "chat m"]
    checks = [span for span in traces.spans if span.name == "check demo"]
    run = traces.named("invoke_agent greeter-agent")
    assert attributes(traces.named("render demo")) == {**identity, "promptpack.messages": 2}
    assert attributes(calls[0]) == {
        **identity,
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "ScriptedProvider",
        "gen_ai.request.model": "m",
        "gen_ai.output.type": "json",
        "gen_ai.agent.name": "greeter-agent",
        "promptpack.round": 1,
        "promptpack.attempt": 1,
        "gen_ai.response.model": "m-1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 6,
        "gen_ai.usage.cache_read.input_tokens": 2,
    }
    assert "gen_ai.usage.input_tokens" not in attributes(calls[1])
    assert (calls[0].kind, run.kind) == (SpanKind.CLIENT, SpanKind.INTERNAL)
    assert attributes(checks[0]) == {
        **identity,
        "promptpack.outcome": "invalid",
        "promptpack.repairs": 0,
        "promptpack.violations": 1,
        "promptpack.violation.codes": ("PP511",),
    }
    assert attributes(checks[1]) == {
        **identity,
        "promptpack.outcome": "recovered",
        "promptpack.repairs": 2,
        "promptpack.repair.kinds": ("fence",),
        "promptpack.violations": 0,
    }
    assert [(span.status.status_code, span.status.description) for span in (*checks, run)] == [
        (StatusCode.ERROR, "PP511"),
        (StatusCode.UNSET, None),
        (StatusCode.UNSET, None),
    ]
    assert attributes(run) == {
        **identity,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "greeter-agent",
        "promptpack.outcome": "recovered",
        "promptpack.rounds": 2,
    }


def test_a_label_is_an_attribute_if_there_is_one(traces: Traces, start: Callable[..., None]) -> None:
    start()
    pack = PackIdentity("demo", "1.0.0", "sha256:0", label="production")
    with Observation(RenderEnded(start=RenderStarted(pack=pack))):
        pass
    assert attributes(traces.spans[0])["promptpack.label"] == "production"


def test_a_run_that_is_never_valid_has_an_error(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start()
    Agent(pack, ScriptedProvider([BAD]), CycleSettings(rounds=1)).run({"NAME": "Ada"})
    status = traces.named("invoke_agent greeter-agent").status
    assert (status.status_code, status.description) == (StatusCode.ERROR, "invalid")


def test_exceptions_set_the_status_without_their_text(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start()
    with pytest.raises(ContextError):
        pack.render(NAME=7654321)
    span = traces.named("render demo")
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "PP416")
    assert attributes(span)["error.type"] == "PP416"
    assert "7654321" not in span.to_json()
    assert span.events == ()


def test_tools_and_retries(traces: Traces, start: Callable[..., None]) -> None:
    def degrees(city: str) -> int:
        """Return the temperature."""
        with traces.provider.get_tracer("app").start_as_current_span("database"):
            if city != "Oslo":
                raise ToolError(f"no station in {city}")
            return 7

    calls = (ToolCall("1", "degrees", '{"city": "Oslo"}'), ToolCall("2", "rain", "{}"))
    error = ProviderError(Problem("PP605", "failed"), retryable=True)
    start()
    services = Services(clock=ManualClock())
    LlmCycle(ScriptedProvider([calls, error, "7"]), services=services).submit("How warm is it?", [degrees])
    assert traces.tree() == {
        "chat": "invoke_agent",
        "database": "execute_tool degrees",
        "execute_tool degrees": "invoke_agent",
        "execute_tool": "invoke_agent",
        "invoke_agent": "",
    }
    tool = attributes(traces.named("execute_tool degrees"))
    assert (tool["gen_ai.operation.name"], tool["gen_ai.tool.name"]) == ("execute_tool", "degrees")
    rejected = traces.named("execute_tool")
    assert (rejected.status.status_code, rejected.status.description) == (StatusCode.ERROR, "unknown tool")
    (retry,) = traces.named("invoke_agent").events
    assert (retry.name, dict(retry.attributes or {})) == (
        "promptpack.retry",
        {"promptpack.round": 2, "promptpack.attempt": 1, "promptpack.retry.seconds": 0.5, "error.type": "PP605"},
    )


def test_asynchronous_runs_do_not_mix(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start()

    async def one() -> None:
        await Agent(pack, ScriptedProvider([BAD, GOOD])).arun({"NAME": "Ada"})

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(5)))

    asyncio.run(all_of_them())
    check_five_runs(traces.spans)


def test_threads_do_not_mix(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start()
    threads = [
        threading.Thread(target=lambda: Agent(pack, ScriptedProvider([BAD, GOOD])).run({"NAME": "Ada"}))
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_five_runs(traces.spans)


def check_five_runs(spans: Sequence[ReadableSpan]) -> None:
    roots = [span for span in spans if span.parent is None]
    assert [span.name for span in roots] == ["invoke_agent greeter-agent"] * 5
    for root in roots:
        own = [
            span for span in spans if span.context and root.context and span.context.trace_id == root.context.trace_id
        ]
        assert len(own) == 6
        assert {attributes(span)["promptpack.run.id"] for span in own} == {attributes(root)["promptpack.run.id"]}


def test_a_flow_is_one_span(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start()
    with Library.open().flow("en").traced("run-7"):
        pack.render(NAME="Ada")
    assert traces.tree() == {"render demo": "invoke_workflow", "invoke_workflow": ""}
    assert attributes(traces.named("render demo"))["promptpack.run.id"] == "run-7"


def test_a_run_in_an_abandoned_generator_ends(
    pack: Pack, traces: Traces, start: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    async def answers() -> AsyncGenerator[int, None]:
        with Library.open().flow("en").traced():
            pack.render(NAME="Ada")
            yield 1

    async def abandon() -> None:
        async for _ in answers():
            break

    start()
    asyncio.run(abandon())
    assert traces.tree() == {"render demo": "invoke_workflow", "invoke_workflow": ""}
    assert caplog.records == []


def test_content_is_there_on_request_without_secrets(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start(content=True, dialects=["openinference", "langfuse"])
    run_agent(pack, "k-12345")
    assert not any("k-12345" in span.to_json() for span in traces.spans)
    rendered, called = attributes(traces.named("render demo")), attributes(traces.named("chat m"))
    assert rendered["gen_ai.prompt.variable.NAME"] == "Ada"
    assert rendered["gen_ai.prompt.variable.KEY"] == "***"
    assert json.loads(called["gen_ai.system_instructions"]) == [{"type": "text", "content": "You greet people."}]
    assert json.loads(called["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Greet Ada. ***"}]}
    ]
    assert json.loads(called["gen_ai.output.messages"]) == [
        {"role": "assistant", "parts": [{"type": "text", "content": BAD}], "finish_reason": "stop"}
    ]
    checked = attributes(traces.named("check demo"))
    assert checked["promptpack.reply"] == BAD
    assert checked["promptpack.violation.messages"][0].startswith("PP511 /params/words: ")


def test_the_content_of_tools(traces: Traces, start: Callable[..., None]) -> None:
    def degrees(city: str) -> dict[str, int]:
        """Return the temperature."""
        return {city: 7}

    start(content=True, dialects=["openinference", "langfuse"])
    script: list[ScriptedReply] = [ToolCall("1", "degrees", '{"city": "Oslo"}'), "7"]
    LlmCycle(ScriptedProvider(script)).submit("How warm is it?", [degrees])
    tool = attributes(traces.named("execute_tool degrees"))
    assert tool["gen_ai.tool.call.arguments"] == tool["input.value"] == '{"city": "Oslo"}'
    assert tool["gen_ai.tool.call.result"] == tool["langfuse.observation.output"] == '{"Oslo": 7}'
    second = [span for span in traces.spans if span.name == "chat"][1]
    assert json.loads(attributes(second)["gen_ai.input.messages"])[1:] == [
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": "1", "name": "degrees", "arguments": '{"city": "Oslo"}'}],
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": '{"Oslo": 7}'}]},
    ]


def test_openinference(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start(dialects=["openinference"])
    run_agent(pack)
    kinds = {span.name: attributes(span)["openinference.span.kind"] for span in traces.spans}
    assert kinds == {
        "render demo": "PROMPT",
        "chat m": "LLM",
        "check demo": "GUARDRAIL",
        "invoke_agent greeter-agent": "AGENT",
    }
    called = attributes(traces.named("chat m"))
    own = {name: value for name, value in called.items() if not name.startswith(("gen_ai.", "promptpack."))}
    assert own == {
        "openinference.span.kind": "LLM",
        "prompt.id": "demo",
        "llm.prompt_template.version": "1.0.0",
        "llm.provider": "ScriptedProvider",
        "llm.model_name": "m-1",
        "llm.token_count.prompt": 5,
        "llm.token_count.completion": 6,
        "llm.token_count.total": 11,
        "llm.token_count.prompt_details.cache_read": 2,
    }


def test_openinference_with_content(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start(content=True, dialects=["openinference"])
    run_agent(pack, "k-12345")
    called = attributes(traces.named("chat m"))
    assert json.loads(called["llm.prompt_template.variables"]) == {"NAME": "Ada", "KEY": "***"}
    assert json.loads(called["llm.prompt_template.template"])[1] == {
        "role": "user",
        "content": "Greet {{ NAME }}. {{ KEY }}",
    }
    assert called["llm.input_messages.1.message.content"] == "Greet Ada. ***"
    assert called["llm.output_messages.0.message.content"] == BAD
    assert called["input.mime_type"] == "application/json"


def test_langfuse_gets_no_version_that_is_a_text(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start(dialects=["langfuse"])
    run_agent(pack)
    own = {
        span.name: {name: value for name, value in attributes(span).items() if name.startswith("langfuse.")}
        for span in traces.spans
    }
    assert own == {
        "render demo": {"langfuse.observation.type": "span"},
        "chat m": {"langfuse.observation.type": "generation", "langfuse.observation.prompt.name": "demo"},
        "check demo": {"langfuse.observation.type": "guardrail"},
        "invoke_agent greeter-agent": {"langfuse.observation.type": "agent"},
    }


def test_langfuse_gets_the_integer_of_a_version(pack: Pack, traces: Traces, start: Callable[..., None]) -> None:
    start(dialects=["langfuse"], langfuse_versions={"demo@1.0.0": 3})
    run_agent(pack)
    assert attributes(traces.named("chat m"))["langfuse.observation.prompt.version"] == 3


def test_halves_of_surrogate_pairs_do_not_break_an_export(
    pack: Pack, traces: Traces, start: Callable[..., None]
) -> None:
    start(content=True)
    pack.check(reply("\ud800"))
    pack.check("\ud800")
    found = [value for span in traces.spans for value in attributes(span).values()]
    assert any("\\ud800" in value for value in found if isinstance(value, str))
    for value in found:
        for text in (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ():
            text.encode()


def test_instrumenting_twice_is_an_error_until_it_is_stopped(traces: Traces) -> None:
    stop = instrument(tracer_provider=traces.provider)
    with pytest.raises(UsageError) as raised:
        instrument()
    stop()
    stop()
    assert str(raised.value) == (
        "PP656 promptpack is already instrumented\n"
        "  hint: call it once when the program starts, or first call the function that it returned"
    )
    instrument(tracer_provider=traces.provider)()
    assert hook.listeners == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"dialects": ["openinfernce"]},
            "PP657 unknown dialect 'openinfernce'\n  hint: did you mean 'openinference'?",
        ),
        (
            {"dialects": ["datadog"]},
            "PP657 unknown dialect 'datadog'\n  hint: the dialects are openinference, langfuse",
        ),
        ({"dialects": "langfuse"}, "PP657 'dialects' is a string, not a list\n  hint: write dialects=['langfuse']"),
        (
            {"langfuse_versions": {"demo@1.0.0": 1}},
            "PP657 'langfuse_versions' is used only by the dialect 'langfuse'\n  hint: add 'langfuse' to the dialects",
        ),
        (
            {"dialects": ["langfuse"], "langfuse_versions": {"demo@1.0.0": "1.0.0"}},
            "PP659 the Langfuse version of 'demo@1.0.0' is '1.0.0', not a whole number above 0\n"
            "  hint: Langfuse numbers the versions of a prompt 1, 2, 3: pass that number",
        ),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        instrument(**options)
    assert str(raised.value) == message
    assert hook.listeners == ()


def test_without_the_extra_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "promptpack.otel.spans", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(MissingExtraError) as raised:
        instrument()
    assert str(raised.value) == (
        "PP655 traces need the extra 'otel'\n  hint: run: python -m pip install 'promptpack-agents[otel]'"
    )
