"""`python -m tests.fuzz.growth`: grow each production of the grammars, and find those whose cost per byte grows.

A production is a way to write more of one construct: a schema keyword, a pattern operator, a construct of YAML, of
templates or of replies. To watch another one, add it to `PRODUCTIONS`. Each is grown to four sizes; one that costs
more per byte at the last size than at the first, or more than a second at any, is saved as `.cache/fuzz/found-growth-*`.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from promptpack import PromptpackError
from promptpack.document import parse
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_settings import LintSettings
from promptpack.schema.safety import SchemaMeter, find_unsafe
from promptpack.schema.validation import compile as compile_schema
from promptpack.template.compiling import compile as compile_template
from promptpack.template.engine import Engine
from promptpack.template.model import Source, Syntax
from tests.fuzz.targets import CONTEXT, PACK, ROOT

ENGINE = Engine()

COUNTS: Final = (50, 200, 800, 3_200)
MAX_BYTES: Final = 1_000_000
MAX_GROWTH: Final = 3.0
# Shorter times are noise, and hide the cost of a start.
MIN_SECONDS: Final = 0.1
MAX_SECONDS: Final = 1.0
TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Production:
    """The name of a construct, and the function that uses it so many times and returns the bytes it read."""

    name: str
    use: Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Growth:
    """The seconds and bytes of a production at each of its sizes."""

    seconds: tuple[float, ...]
    sizes: tuple[int, ...]

    @property
    def is_too_much(self) -> bool:
        """Whether the cost per byte grows, or exceeds the limit."""
        per_byte = [seconds / size for seconds, size in zip(self.seconds, self.sizes, strict=True)]
        return max(self.seconds) > MAX_SECONDS or (
            self.seconds[-1] > MIN_SECONDS and per_byte[-1] > MAX_GROWTH * per_byte[0]
        )


# `#` is the number of the repetition.
KEYWORDS: Final[dict[str, Callable[[list[Any]], dict[str, Any]]]] = {
    "allOf": lambda parts: {"allOf": parts},
    "anyOf": lambda parts: {"anyOf": parts},
    "oneOf": lambda parts: {"oneOf": parts},
    "not": lambda parts: {"not": {"anyOf": parts}},
    "if": lambda parts: {"allOf": [{"if": part, "then": part, "else": part} for part in parts]},
    "prefixItems": lambda parts: {"prefixItems": parts},
    "contains": lambda parts: {"allOf": [{"contains": part} for part in parts]},
    "items": lambda parts: {"items": {"anyOf": parts}},
    "properties": lambda parts: {"properties": {f"k{number}": part for number, part in enumerate(parts)}},
    "patternProperties": lambda parts: {
        "patternProperties": {f"^k{number}": part for number, part in enumerate(parts)}
    },
    "dependentSchemas": lambda parts: {"dependentSchemas": {f"k{number}": part for number, part in enumerate(parts)}},
    "unevaluatedProperties": lambda parts: {"anyOf": parts, "unevaluatedProperties": False},
    "unevaluatedItems": lambda parts: {"anyOf": parts, "unevaluatedItems": False},
    "$ref": lambda parts: {
        "$defs": {f"d{number}": part for number, part in enumerate(parts)},
        "anyOf": [{"$ref": f"#/$defs/d{number}"} for number in range(len(parts))],
    },
}
PARTS: Final[tuple[dict[str, Any], ...]] = (
    {"type": "integer"},
    {"enum": ["a", "#", [1]]},
    {"pattern": "^(?:a?#?)*$"},
    {"uniqueItems": True, "items": {"minimum": 0}},
    {"required": ["k#"], "additionalProperties": {"type": "null"}},
)
VALUES: Final[dict[str, Callable[[int], Any]]] = {
    "text": lambda count: "a" * (10 * count),
    "list": lambda count: [[number] for number in range(10 * count)],
    "mapping": lambda count: {f"k{number}": number for number in range(5 * count)},
}
PATTERNS: Final = (
    "(?:{})*",
    "(?:{})?",
    "(?:{}){{0,1}}",
    "(?:{})+?",
    "{}|a",
    "(?={})a",
    "({})\\1",
    "{}a*",
    "[ab]{{3}}{}",
)
YAML: Final = (
    "k#: 1\n", "# comment\n", "k#: &a# [1]\n", "k#: [[1], {a: 1}]\n", "k#: |\n  text\n", 'k#: "\\u0041"\n', "k#: >-\n a\n\n",
    "k#: 'it''s'\n", "? k#\n: 1\n", "k#: 0777\n", "k: 1\n", "k#: !tag 1\n", "é#: 1\n", "k#: {a: *a}\n", "- 1\n", "\t\n",
)  # fmt: skip
TEMPLATES: Final[dict[Syntax, tuple[str, ...]]] = {
    "jinja": (
        "{{ a }}", "{# comment #}", "{% set x# = a %}", "{% if a %}b{% endif %}", "{{ a | upper }}", "text\n",
        "{% for x# in c %}{{ x# }}{% endfor %}", "{% macro m#(x) %}{{ x }}{% endmacro %}{{ m#(1) }}", "{%- set x = a -%}",
        "{% filter upper %}a{% endfilter %}", "{% set x# %}{{ a }}{% endset %}", "{% raw %}{{{% endraw %}",
        "{% with x# = a %}{{ x# }}{% endwith %}", "{{ [a, #] }}", "{{ {'k#': a} }}", "{{ c[#:] }}", "{{ (a, #)[0] }}",
        "{{ a is defined and b != # or not c }}", "{{ a if b else # }}", "{{ 'a' ~ # ~ b * 2 }}", "{{ a.k# }}",
        "{% macro m#() %}{{ caller() }}{% endmacro %}{% call m#() %}b{% endcall %}", "{{ c | map('string') | join(',') }}",
        "{% set n = namespace(x=#) %}{% set n.x = 1 %}", "{% if a %}", "{% for x in c %}", "{{ (", "{{ [", "{{ 'a", "{# ", "{% raw %}",
    ),
    "handlebars": (
        "{{a}}", "{{{a}}}", "{{&a}}", "{{! comment }}", "{{!-- comment --}}", "{{#if a}}b{{else}}c{{/if}}", "{{~a~}}", "text\n",
        "{{#unless a}}b{{/unless}}", "{{#each c}}{{this}}{{@index}}{{@first}}{{/each}}", "{{a.k#}}", "{{#if a}}", "{{#each c}}", "{{",
    ),
}  # fmt: skip
REPLIES: Final = (
    '{"k#": 1}', '{"answer": "x"} ', "[", "{", '{"a": ', "```json\n{}\n```\n", "<think>a</think>", '"', '"\\u0041" ', "{'a': 'b'} ",
    "a#: 1\n", "// comment\n", '{"a": True, }', '<tool_call>{"name": "x", "arguments": {}}</tool_call>', "“a” ", "nan, ", "... ", "\\",
    "/* ", "<tool_call>", "}", "]", ",", ":", '"k#": "v",\n', "First draft: ", "\n", "data: {}\n\n", "&quot;", "%7B", "\\\"", "{'",
    '"k#": "#", ', '{"Score": "#%", "Tags": "a"}, ', '"level": "lo w", ', "◁think▷ <|im_end|>", "<|", '{"lvel": "mdeium"}\n',
)  # fmt: skip
PIECE: Final = 16
"""The characters of each chunk of a stream."""

# The start of a pack, and the entry that grows.
PACKS: Final = {
    "templates": "messages:\n|  - {role: user, content: '# {{ A }}'}\n",
    "equal templates": "messages:\n|  - {role: user, content: '{{ A }}'}\n",
    "constants": "messages:\n|  - {role: user, content: text #}\n",
    "partials": "messages: [{role: user, content: '{{ A }}'}]\npartials:\n|  p#: '{{ A }}'\n",
    "includes": "partials: {p: '{{ A }}'}\nmessages:\n|  - {role: user, content: '{% include \"p\" %}#'}\n",
    "tags": "syntax: handlebars\nmessages:\n  - role: user\n    content: |\n|      {{~ A ~}} {{#if A}}a{{else if A}}b{{/if}}\n",
    "branches": "messages:\n  - role: user\n    content: |\n|      {% if A %}a{% elif A == # %}b{% endif %}\n",
    "tests": "messages: [{role: user, content: '{{ A }}'}]\ntests:\n|  - {name: t#, context: {A: #}}\n",
    "overlays": "messages: [{role: user, content: '{{ A }}'}]\nmodels:\n|  m#*: {prefix: '# {{ A }}', params: {seed: #}}\n",
    "actions": "messages: [{role: user, content: '{{ A }}'}]\nreply:\n  actions:\n|    K#: {params: {type: object}}\n",
    "rules": "messages: [{role: user, content: '{{ A }}'}]\nreply:\n  rules:\n|    - {name: r#, require: A, message: 'not {{ A }}'}\n",
    "unknown keys": "messages: [{role: user, content: '{{ A }}'}]\n|k#: 1\n",
}

ALL: Final = 1_000
# How packs of a folder inherit: each extends the pack so many before it, or else the first; and what it has of its own.
FAMILIES: Final[dict[str, tuple[int, str]]] = {
    "children": (ALL, "messages: [{role: user, content: '{{ A }}'}]\n"),
    "children with inputs": (ALL, "inputs: {B#: {}}\nmessages: [{role: user, content: '{{ B# }}'}]\n"),
    "children with partials": (ALL, "partials: {q#: '{{ A }}', q: '#'}\n"),
    "diamonds": (15, "inputs: {B#: {}}\npartials: {q#: '{{ B# }}', q: '#'}\n"),
    "variants": (
        ALL,
        "models: {'m#': {prefix: '#'}}\nreply: {rules: [{name: r#, require: A, message: 'no #'}]}\n",
    ),
}


def schema_productions() -> Iterator[Production]:
    """Yield every keyword around every part, with every kind of value."""
    for keyword, part, value in product(KEYWORDS, PARTS, VALUES):

        def use(count: int, keyword: str = keyword, part: dict[str, Any] = part, value: str = value) -> int:
            parts = [json.loads(json.dumps(part).replace("#", str(number))) for number in range(count)]
            schema, instance = KEYWORDS[keyword](parts), VALUES[value](count)
            if not find_unsafe(schema, SchemaMeter()):
                compile_schema(schema).check(instance)
            return len(json.dumps([schema, instance]))

        yield Production(f"schema {keyword} of {'+'.join(part)} with a {value}", use)


def pattern_productions() -> Iterator[Production]:
    """Yield every pair of operators around each other."""
    for outer, inner in product(PATTERNS, PATTERNS):

        def use(count: int, outer: str = outer, inner: str = inner) -> int:
            pattern = "".join(outer.format(inner.format("a?")) for _ in range(max(count // 50, 1)))
            schema, text = {"pattern": pattern}, "a" * (20 * count) + "!"
            if not find_unsafe(schema, SchemaMeter()):
                compile_schema(schema).check(text)
            return len(pattern) + len(text)

        yield Production(f"pattern {outer} of {inner}", use)


def text_productions() -> Iterator[Production]:
    """Yield every YAML construct and every template construct."""
    for piece in YAML:
        yield Production(f"YAML {piece!r}", lambda count, piece=piece: _read(piece, 10 * count, _parse))  # type: ignore[misc]
    for syntax, pieces in TEMPLATES.items():
        for piece in pieces:

            def use(count: int, piece: str = piece, syntax: Syntax = syntax) -> int:
                return _read(piece, count, lambda text: _render(text, syntax))

            yield Production(f"template in {syntax} {piece!r}", use)


def reply_productions() -> Iterator[Production]:
    """Yield every construct of replies, alone and in an answer that is not closed, read as a whole and in chunks."""
    for piece, start in product(REPLIES, ("", '{"answer": "', '{"items": [', '{"inner": {')):
        for name, check in (("reply", PACK.check), ("stream", _stream)):

            def use(count: int, piece: str = piece, start: str = start, check: Callable[[str], object] = check) -> int:
                return _read(piece, 10 * count, lambda text: check(start + text))

            yield Production(f"{name} {start!r} with {piece!r}", use)


def _stream(text: str) -> None:
    stream = PACK.stream()
    for start in range(0, len(text), PIECE):
        stream.feed(text[start : start + PIECE])
    stream.close()


def _read(piece: str, count: int, read: Callable[[str], object]) -> int:
    text = "".join(piece.replace("#", str(number)) for number in range(count))[:MAX_BYTES]
    # A refusal must be fast too.
    with suppress(PromptpackError):
        read(text)
    return len(text)


def _parse(text: str) -> None:
    parse(text, "fuzz.yaml").locate(("k1",))


def _render(text: str, syntax: Syntax) -> None:
    compile_template(Source.of_text(text, "t", syntax), ENGINE).render(CONTEXT)


def pack_productions() -> Iterator[Production]:
    """Yield every construct of a pack, linted; and packs that extend one with all of it."""
    for name, piece in PACKS.items():
        for children in (0, 2):

            def use(count: int, piece: str = piece, children: int = children) -> int:
                head, _, entry = piece.partition("|")
                entries = "".join(entry.replace("#", str(number)) for number in range(count))
                texts = {"base": f"inputs: {{A: {{}}}}\n{head}{entries}"}
                texts |= {f"child{number}": "extends: base\n" for number in range(children)}
                return _lint(texts)

            yield Production(f"pack {name} with {children} children", use)


def _lint(texts: dict[str, str], partials: dict[str, str] | None = None) -> int:
    with TemporaryDirectory() as folder:
        Path(folder, "_partials").mkdir()
        for name, text in (partials or {}).items():
            Path(folder, "_partials", f"{name}.j2").write_text(text, "utf-8")
        for name, text in texts.items():
            path = Path(folder, name, "1.0.0.yaml")
            path.parent.mkdir()
            path.write_text(f"promptpack: 1\nname: {name}\nversion: 1.0.0\n{text}"[:MAX_BYTES], "utf-8")
        lint([folder], LintSettings(), cache=False)
    return sum(map(len, texts.values()))


def family_productions() -> Iterator[Production]:
    """Yield every way in which packs of a folder inherit, linted with partials that all share.

    What a pack inherits counts among its bytes.
    """
    base = "inputs: {A: {}}\npartials: {q: a}\nmessages:\n"
    base += "".join(
        f"  - {{role: user, content: '{{{{ A }}}} {{% include \"q\" %}} {number}'}}\n" for number in range(30)
    )
    for name, (distance, piece) in FAMILIES.items():

        def use(count: int, piece: str = piece, distance: int = distance) -> int:
            packs = range(1, count // 64 + 1)
            texts = {"p0": base}
            texts |= {f"p{one}": f"extends: p{max(one - distance, 0)}\n{piece.replace('#', str(one))}" for one in packs}
            size = _lint(texts, {f"shared{number}": "{{ A }}" for number in range(count // 4)})
            return size + len(base) * len(packs)

        yield Production(f"family of {name}", use)


PRODUCTIONS: Final[tuple[Callable[[], Iterator[Production]], ...]] = (
    schema_productions,
    pattern_productions,
    text_productions,
    reply_productions,
    pack_productions,
    family_productions,
)


def measure(production: Production, clock: Callable[[], float] = time.process_time) -> Growth:
    """Measure a production at each size; repeat a measurement that is too high, and return the minimum."""
    found = _measure_once(production, clock)
    for _ in range(TRIES - 1):
        if not found.is_too_much:
            break
        again = _measure_once(production, clock)
        found = Growth(tuple(map(min, found.seconds, again.seconds)), found.sizes)
    return found


def _measure_once(production: Production, clock: Callable[[], float]) -> Growth:
    seconds, sizes = [], []
    for count in COUNTS:
        before = clock()
        sizes.append(production.use(count))
        seconds.append(clock() - before)
    return Growth(tuple(seconds), tuple(sizes))


def main() -> None:
    """Measure all productions, save the names of those that cost too much, and print the slowest."""
    folder = ROOT / ".cache" / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    slowest: list[tuple[float, int, str]] = []
    for number, production in enumerate(one for produce in PRODUCTIONS for one in produce()):
        found = measure(production)
        slowest = sorted([*slowest, (found.seconds[-1], found.sizes[-1], production.name)])[-8:]
        if found.is_too_much:
            (folder / f"found-growth-{number}").write_text(f"{production.name}\n{found}\n", "utf-8")
            sys.stdout.write(f"{production.name}: {found}\n")
    for seconds, size, name in reversed(slowest):
        sys.stdout.write(f"slowest: {seconds:.3f} s for {size:,} bytes: {name}\n")


if __name__ == "__main__":
    main()
