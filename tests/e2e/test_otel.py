"""Spans over OTLP/HTTP to a recorder on loopback: the names and the types of attributes, as a backend receives them."""

import gzip
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from promptpack import Agent, Library, Pack
from promptpack.otel import instrument
from promptpack.providers import CycleSettings, OpenAIProvider
from tests.e2e.loopback import Loopback, openai_answer
from tests.unit.greeter import BAD, BODY, GOOD

pytestmark = pytest.mark.usefixtures("no_certificates")
KEY = "sk-loopback-7f3a91"


class Collector(ThreadingHTTPServer):
    """An OTLP collector that keeps all spans."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.raw: list[bytes] = []
        self.scopes: set[str] = set()
        self.spans: list[Span] = []

    def accept(self, body: bytes) -> None:
        self.raw.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                self.scopes.add(scope.scope.name)
                self.spans += scope.spans


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.accept(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the parent's own word
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def pack(make_pack: Callable[[str], Pack]) -> Pack:
    return make_pack(BODY)


def record(collector: Collector, pack: Pack, **options: Any) -> dict[str, list[Span]]:
    """Run an agent on a real SDK with a corrected reply; return the spans that arrive, by name."""
    exporter = OTLPSpanExporter(f"http://127.0.0.1:{collector.server_port}/v1/traces", timeout=30)
    tracers = TracerProvider(resource=Resource.create({"service.name": "test"}))
    tracers.add_span_processor(BatchSpanProcessor(exporter))
    stop = instrument(tracer_provider=tracers, **options)
    try:
        with Loopback([openai_answer(BAD), openai_answer(GOOD)]) as server:
            provider = OpenAIProvider("m", base_url=f"{server.address}/v1", api_key="none")
            with provider, Library.open().flow("en").traced("run-7"):
                Agent(pack, provider, CycleSettings(timeout=30)).run({"NAME": "Ada", "KEY": KEY})
    finally:
        stop()
        tracers.shutdown()
    found: dict[str, list[Span]] = {}
    for span in collector.spans:
        found.setdefault(span.name, []).append(span)
    return found


def typed(span: Span) -> dict[str, tuple[str, object]]:
    """Return each attribute with the type that it has on the wire."""
    return {one.key: (str(one.value.WhichOneof("value")), plain(one.value)) for one in span.attributes}


def plain(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [plain(item) for item in value.array_value.values]
    return getattr(value, str(kind))


def test_the_spans_of_a_run_arrive_nested_and_typed(collector: Collector, pack: Pack) -> None:
    spans = record(collector, pack)
    assert collector.scopes == {"promptpack"}
    assert {name: len(found) for name, found in spans.items()} == {
        "invoke_workflow": 1,
        "invoke_agent greeter-agent": 1,
        "render demo": 1,
        "chat m": 2,
        "check demo": 2,
    }
    (flow,), (run,) = spans["invoke_workflow"], spans["invoke_agent greeter-agent"]
    assert (flow.parent_span_id, run.parent_span_id) == (b"", flow.span_id)
    inner = [span for name in ("render demo", "chat m", "check demo") for span in spans[name]]
    assert {span.parent_span_id for span in inner} == {run.span_id}
    assert {span.trace_id for span in (*inner, run)} == {flow.trace_id}
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in inner)
    assert all(run.start_time_unix_nano <= span.start_time_unix_nano for span in inner)
    assert all(span.end_time_unix_nano <= run.end_time_unix_nano for span in inner)
    identity = {
        "promptpack.run.id": ("string_value", "run-7"),
        "gen_ai.prompt.name": ("string_value", "demo"),
        "gen_ai.prompt.version": ("string_value", "1.0.0"),
        "promptpack.digest": ("string_value", pack.digest),
    }
    assert typed(spans["render demo"][0]) == {**identity, "promptpack.messages": ("int_value", 2)}
    assert typed(spans["chat m"][0]) == {
        **identity,
        "gen_ai.operation.name": ("string_value", "chat"),
        "gen_ai.provider.name": ("string_value", "openai"),
        "gen_ai.request.model": ("string_value", "m"),
        "gen_ai.response.model": ("string_value", "loopback-1"),
        "gen_ai.response.finish_reasons": ("array_value", ["stop"]),
        "gen_ai.usage.input_tokens": ("int_value", 11),
        "gen_ai.usage.output_tokens": ("int_value", 7),
        "gen_ai.usage.cache_read.input_tokens": ("int_value", 4),
        "gen_ai.output.type": ("string_value", "json"),
        "gen_ai.agent.name": ("string_value", "greeter-agent"),
        "promptpack.round": ("int_value", 1),
        "promptpack.attempt": ("int_value", 1),
    }
    assert typed(spans["check demo"][0]) == {
        **identity,
        "promptpack.outcome": ("string_value", "invalid"),
        "promptpack.repairs": ("int_value", 0),
        "promptpack.violations": ("int_value", 1),
        "promptpack.violation.codes": ("array_value", ["PP511"]),
    }
    assert typed(run) == {
        **identity,
        "gen_ai.operation.name": ("string_value", "invoke_agent"),
        "gen_ai.agent.name": ("string_value", "greeter-agent"),
        "promptpack.outcome": ("string_value", "valid"),
        "promptpack.rounds": ("int_value", 2),
    }
    assert [span.status.code for span in spans["check demo"]] == [Status.STATUS_CODE_ERROR, Status.STATUS_CODE_UNSET]
    assert not any(word in body for body in collector.raw for word in (b"Ada", KEY.encode(), b"I greet."))


def test_dialects_and_content_arrive_without_the_secret(collector: Collector, pack: Pack) -> None:
    options = {"dialects": ["openinference", "langfuse"], "langfuse_versions": {"demo@1.0.0": 4}, "content": True}
    spans = record(collector, pack, **options)
    call = typed(spans["chat m"][0])
    assert call["openinference.span.kind"] == ("string_value", "LLM")
    assert call["prompt.id"] == ("string_value", "demo")
    assert call["llm.prompt_template.version"] == ("string_value", "1.0.0")
    assert call["llm.prompt_template.variables"] == ("string_value", '{"NAME": "Ada", "KEY": "***"}')
    assert call["llm.token_count.total"] == ("int_value", 18)
    assert call["langfuse.observation.type"] == ("string_value", "generation")
    assert call["langfuse.observation.prompt.name"] == ("string_value", "demo")
    assert call["langfuse.observation.prompt.version"] == ("int_value", 4)
    assert call["gen_ai.input.messages"] == (
        "string_value",
        '[{"role": "user", "parts": [{"type": "text", "content": "Greet Ada. ***"}]}]',
    )
    others = [span for name, found in spans.items() if name != "chat m" for span in found]
    assert not any(key.startswith("langfuse.observation.prompt") for span in others for key in typed(span))
    assert not any(KEY.encode() in body for body in collector.raw)
