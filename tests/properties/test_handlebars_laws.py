"""The Handlebars syntax, compiled to Jinja, renders like a plain interpreter of the same language."""

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conformance.templates_driver import run_template

Node = tuple[Any, ...]
NAMES = ("a", "b", "list", "item", "range", "loop", "a.b", "中", "true", "self", "_x", "0", "else", "context", "caller")
USED = (*NAMES, "this", "this.a", "this.0", "item.a", "item.b.a", "item.0.a", "list.0", "a.b.a")
PARTIALS = ("p", "q", "r")
PIECES = st.one_of(
    st.sampled_from(["", " ", "\n", "\r\n", "x", "{", "}", "}}", "{%", "%}", "{#", "\\", "é", "😀", "{{", "{{{", "{{}}", "{{ }}"]),
    st.builds(
        lambda form, space, name: form.replace("_", space).replace("N", name),
        st.sampled_from(
            ["{{_N_}}", "{{#if_ N_}}", "{{_# if N}}", "{{else}}", "{{_else_}}", "{{/if}}", "{{_/_if_}}", "{{#each N}}", "{{#_each N_}}",
             "{{/each}}", "{{#raw}}", "{{_/raw}}", "{{/ raw_}}", "{{#N}}", "{{/N}}", "{{! N}}", "{{else if N}}", "{{else if N}}", "{{#unless N}}", "{{/unless}}", "{{~N}}", "{{N~}}", "{{&N}}", "{{!-- }} --}}", "{{N N}}", "{{#if}}", "{{/}}", "{{>}}", "{{#raw N}}"]
        ),
        st.sampled_from(["", " ", "\n", "\t"]),
        st.sampled_from(USED),
    ),
    st.builds(lambda space, name: f"{{{{>{space}{name}}}}}", st.sampled_from(["", " "]), st.sampled_from(PARTIALS)),
)  # fmt: skip
WHOLE = st.recursive(
    PIECES,
    lambda inner: st.one_of(
        st.builds(lambda name, body: f"{{{{#if {name}}}}}{body}{{{{/if}}}}", st.sampled_from(USED), inner),
        st.builds(lambda name, body: f"{{{{#unless {name}}}}}{body}{{{{/unless}}}}", st.sampled_from(USED), inner),
        st.builds(lambda n, a, b: f"{{{{#if {n}}}}}{a}{{{{else}}}}{b}{{{{/if}}}}", st.sampled_from(USED), inner, inner),
        st.builds(lambda name, body: f"{{{{#each {name}}}}}{body}{{{{/each}}}}", st.sampled_from(USED), inner),
        st.builds("".join, st.lists(inner, max_size=4)),
    ),
    max_leaves=12,
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 1), st.sampled_from(["", "0", " ", "{{a}}", "é\n", '"'])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ba0"), inner, max_size=2)),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(WHOLE, st.dictionaries(st.sampled_from(PARTIALS), WHOLE), st.dictionaries(st.sampled_from(NAMES), VALUES))
@example(
    "{{#each list}}{{> p}}{{/each}}{{item}}", {"p": "{{item}}{{#each item}}{{item}}{{/each}}"}, {"list": [["1"], ["2"]]}
)
@example("{{> p}}", {"p": "{{> p}}"}, {})
@example("{{#each a}}" * 30 + "{{item}}" + "{{/each}}" * 30, {}, {"a": ["x"]})
def test_a_template_renders_as_a_plain_interpreter_renders_it(
    template: str, partials: dict[str, str], context: dict[str, Any]
) -> None:
    case = {"kind": "render", "input": {"template": template, "partials": partials, "context": context}}
    assert run_template(case) == interpret(template, partials, context)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([
        "{{#if N}}1{{/if}}", "{{#if N}}1{{else}}2{{/if}}", "{{#unless N}}1{{/unless}}", "{{#if x}}1{{else if N}}2{{/if}}"
    ]),
    st.sampled_from(["item", "this", "a", "a.0"]),
    st.lists(st.sampled_from(["a", "b", "0", "1", "__class__"]), min_size=1, max_size=3),
    VALUES,
    st.sampled_from(["{{#each a}}T{{/each}}", "{{#each a}}{{> p}}{{/each}}", "T"]),
)  # fmt: skip
@example("{{#if N}}1{{/if}}", "item", ["b", "a"], False, "{{#each a}}T{{/each}}")
def test_a_condition_on_a_path_through_any_value_is_never_an_error(
    condition: str, root: str, keys: list[str], value: Any, around: str
) -> None:
    text = condition.replace("N", ".".join((root, *keys)))
    template, partials, context = around.replace("T", text), {"p": text}, {"a": [value]}
    case = {"kind": "render", "input": {"template": template, "partials": partials, "context": context}}
    result = run_template(case)
    assert "output" in result
    assert result == interpret(template, partials, context)


class FailureError(Exception):
    """A template cannot be parsed or rendered."""

    def __init__(self, kind: str, arg: Any = None) -> None:
        super().__init__(kind)
        self.error = {"kind": kind} if arg is None else {"kind": kind, "arg": arg}


def interpret(template: str, partials: dict[str, str], context: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"output": "".join(render(read(template), context, partials, 0))}
    except FailureError as failure:
        return {"error": failure.error}


def read(text: str) -> list[Node]:
    body, _ = read_body(text, 0, "")
    return body


def read_body(text: str, offset: int, kind: str) -> tuple[list[Node], int]:  # noqa: C901 -- one branch per tag
    """Parse up to the end of a block; the body of a condition contains ("else", name) where an `else` is."""
    body: list[Node] = []
    while (start := text.find("{{", offset)) >= 0:
        before = text[offset:start]
        mark = "--}}" if text[start + 2 :].removeprefix("~").startswith("!--") else "}}"
        end = text.find(mark, start + 2)
        if end < 0:
            raise FailureError("Parse")
        before = before.lstrip() if text[:offset].endswith("~}}") else before
        body.append(("text", before.rstrip() if text[start:].startswith("{{~") else before))
        tag, offset = text[start + 2 : end].removeprefix("~").removesuffix("~").strip(), end + len(mark)
        if tag.startswith("!"):
            continue
        if tag.startswith("/"):
            if tag[1:].strip() != kind or not kind:
                raise FailureError("Parse")
            return body, offset
        if tag.split()[:1] == ["else"]:
            condition = tag.removeprefix("else").strip()
            if kind not in ("if", "unless") or ("else", "") in body or (condition and condition.split()[0] != "if"):
                raise FailureError("Parse")
            body.append(("else", checked(condition.removeprefix("if").strip()) if condition else ""))
        elif tag.startswith("#"):
            words = tag[1:].split()
            if words == ["raw"]:
                raw, offset = read_raw(text, offset)
                body.append(("text", raw))
                continue
            if len(words) != 2 or words[0] not in ("if", "unless", "each"):
                raise FailureError("Parse")
            inner, offset = read_body(text, offset, words[0])
            body.append((words[0], checked(words[1]), inner))
        elif tag.startswith(">"):
            body.append(("include", checked(tag[1:].strip())))
        else:
            body.append(("value", checked(tag.removeprefix("&").strip())))
    if kind:
        raise FailureError("Parse")
    last = text[offset:].lstrip() if text[:offset].endswith("~}}") else text[offset:]
    return [*body, ("text", last)], len(text)


def read_raw(text: str, offset: int) -> tuple[str, int]:
    start = offset
    while (begin := text.find("{{", start)) >= 0:
        end = text.find("}}", begin)
        if (
            end >= 0
            and text[begin + 2 : end].strip().startswith("/")
            and text[begin + 2 : end].strip()[1:].strip() == "raw"
        ):
            return text[offset:begin], end + 2
        start = begin + 1
    raise FailureError("Parse")


def checked(name: str) -> str:
    if not name or len(name.split()) != 1 or "{" in name or "}" in name:
        raise FailureError("Parse")
    return name


def render(body: list[Node], scope: dict[str, Any], partials: dict[str, str], depth: int) -> Iterator[str]:
    for node in body:
        match node:
            case ("text", text):
                yield text
            case ("value", name):
                yield written(found(scope, name))
            case ("include", name):
                if name not in partials:
                    raise FailureError("PartialNotFound", name)
                if depth == 16:
                    raise FailureError("MaxDepthReached", 16)
                yield from render(read(partials[name]), scope, partials, depth + 1)
            case ("each", name, inner):
                items = found(scope, name)
                if not isinstance(items, list):
                    raise FailureError("NotAnArray", name)
                for item in items:
                    yield from render(inner, {**scope, "item": item}, partials, depth)
            case ("if" | "unless" as kind, name, inner):
                yield from render(chosen(inner, is_true(scope, name) == (kind == "if"), scope), scope, partials, depth)


def chosen(inner: list[Node], taken: bool, scope: dict[str, Any]) -> list[Node]:
    split = next((place for place, node in enumerate(inner) if node[0] == "else"), len(inner))
    if taken or split == len(inner):
        return inner[:split] if taken else []
    condition = inner[split][1]
    return chosen(inner[split + 1 :], not condition or is_true(scope, condition), scope)


def is_true(scope: dict[str, Any], name: str) -> bool:
    try:
        value = found(scope, name)
    except FailureError:
        return False
    return not (value is None or value is False or value in ("", []))


def found(scope: dict[str, Any], name: str) -> Any:
    if name in scope:
        return scope[name]
    root, *keys = name.split(".")
    value: Any = scope
    for key in ("item" if root == "this" else root, *keys):
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            raise FailureError("VariableNotFound", name)
    return value


def written(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
