"""The fuzzing targets: each accepts any bytes and raises only if promptpack has a bug."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from promptpack import ContextError, Pack, PackError
from promptpack.document import parse
from promptpack.pack.contract import Contract
from promptpack.pack.pack_schema import check
from promptpack.pack.version import Version
from promptpack.reply import replay
from promptpack.template.compiling import compile, compile_expression  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source

ENGINE = Engine()

if TYPE_CHECKING:
    from promptpack.template.model import Syntax

ROOT: Final = Path(__file__).parents[2]
VECTORS: Final = ROOT / "tests" / "conformance"
CONTEXT: Final[dict[str, Any]] = {
    "a": "text {{ 7 * 7 }}",
    "b": 3,
    "c": [1, 2.5, None, True, "x", [], {}],
    "d": {"k": {"n": [{"id": "t1", "x": 1}]}, "items": 1},
    "HISTORY": [{"role": "user", "content": "hi"}],
    "AVAILABLE_TOOLS": [{"name": "f", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}],
}
SHAPE: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["answer"],
    "properties": {
        "answer": {"type": "string", "pattern": "^\\w"},
        "score": {"type": "number", "minimum": 0, "maximum": 100},
        "level": {"enum": ["low", "medium", "high"]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "inner": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "additionalProperties": False,
}
PACK: Final = Pack("fuzz", Version(1, 0, 0), "fuzz.yaml", contract=Contract("fuzz", SHAPE))


def document(data: bytes) -> None:
    """Parse a file as JSON data with known locations, or get a located problem."""
    try:
        found = parse(data, "fuzz.yaml")
        json.dumps(found.data, allow_nan=False).encode()
        found.locate_inside(("messages", 0, "content"), 2, 3)
        check(found)
    except PackError as error:
        assert all(problem.location is not None for problem in error.problems)
        str(error).encode()


def template(data: bytes) -> None:
    """Render a template twice to the same text, or get a located problem."""
    text = data[1:].decode(errors="replace")
    syntax: Syntax = "handlebars" if data[:1] == b"h" else "jinja"
    try:
        made = compile(Source.of_text(text, "t", syntax), ENGINE)
        first = made.render(CONTEXT)
        assert made.render(CONTEXT) == first
        first.encode()
    except (PackError, ContextError) as error:
        assert all(problem.location is not None for problem in error.problems)


def expression(data: bytes) -> None:
    """Evaluate an expression to a value, or get a located problem."""
    try:
        compile_expression(Source.of_text(data.decode(errors="replace"), "t"), ENGINE).evaluate(CONTEXT)
    except (PackError, ContextError) as error:
        assert all(problem.location is not None for problem in error.problems)


def reply(data: bytes) -> None:
    """Accept a reply with a log that rebuilds its data, or refuse it with violations."""
    for strict in (True, False):
        verdict = PACK.check(data, strict=strict)
        assert verdict.ok is not bool(verdict.violations)
        json.dumps(verdict.data, allow_nan=False).encode()
        verdict.correction.encode()
        if verdict.ok and not strict:
            text = data.decode()
            assert replay(text, verdict.repairs) == verdict.data


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "document": document,
    "template": template,
    "expression": expression,
    "reply": reply,
}


def seeds(target: str) -> Iterator[bytes]:
    """Yield the inputs that fuzzing starts from: packs, templates and replies, ordinary and hostile."""
    hostile = VECTORS / "hostile" / "vectors"
    match target:
        case "document":
            files = [*ROOT.glob("packs/*/*.yaml"), *hostile.glob("packs/e*.yaml")]
            yield from (file.read_bytes() for file in sorted(files) if file.stat().st_size < 20_000)
        case "template" | "expression":
            yield from (
                _template_seed(target, line) for line in _lines(hostile / "hostile_templates.jsonl", "template")
            )
        case _:
            for file, key in (
                (hostile / "hostile_replies.jsonl", "reply"),
                (VECTORS / "replies" / "corpus.jsonl", "raw"),
            ):
                yield from (text.encode() for text in _lines(file, key))


def _template_seed(target: str, text: str) -> bytes:
    return b"j" + text.encode() if target == "template" else text.strip("{%} ").encode()


def _lines(file: Path, key: str) -> Iterator[str]:
    for line in file.read_text(encoding="utf-8").splitlines():
        text = json.loads(line).get(key)
        if isinstance(text, str) and len(text) < 5_000:
            yield text
