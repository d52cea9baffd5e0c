"""The hostile vectors as Python values, with shorthands expanded and values generated."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "vectors"
CANARY = "PPCANARY-7f3a91"


class Live:
    """A live object that a careless caller may put into a context."""

    api_key = CANARY

    def destroy(self) -> str:
        """Return the canary, to prove that a template called this method."""
        return CANARY


class Overriding(str):
    """A text whose overridden methods must not run."""

    __slots__ = ()

    def __html__(self) -> str:
        return CANARY

    def __format__(self, specification: str) -> str:
        return CANARY

    def __mod__(self, values: object) -> str:
        return CANARY

    def __str__(self) -> str:
        return CANARY


def packs() -> list[dict[str, Any]]:
    """Return every hostile pack, with the path of its file."""
    found = []
    for path in sorted((VECTORS / "packs").glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        found.append({**case, "file": str(path.with_suffix(".yaml"))})
    return found


def templates() -> list[dict[str, Any]]:
    """Return every hostile template."""
    return _lines("hostile_templates.jsonl")


def replies() -> list[dict[str, Any]]:
    """Return every hostile reply."""
    return _lines("hostile_replies.jsonl")


def contexts() -> list[dict[str, Any]]:
    """Return every hostile context value."""
    found: list[dict[str, Any]] = json.loads((VECTORS / "hostile_context.json").read_text(encoding="utf-8"))
    return found


def fan_outs() -> list[dict[str, Any]]:
    """Return every way in which partials multiply, for each entry point."""
    found: list[dict[str, Any]] = json.loads((VECTORS / "fan_out.json").read_text(encoding="utf-8"))
    return [
        {**case, "id": f"{case['id']}-{entry}", "entry": entry}
        for case in found
        for entry in ("get", "render", "lint", "edit")
    ]


def works() -> list[dict[str, Any]]:
    """Return every pack whose analysis multiplies, for each entry point that analyses packs."""
    found: list[dict[str, Any]] = json.loads((VECTORS / "work.json").read_text(encoding="utf-8"))
    # An editor analyses a pack twice: to report its problems, and to complete a name.
    return [
        {"limits": {"wall_ms": 4000}, **case, "id": f"{case['id']}-{entry}", "entry": entry}
        for case in found
        for entry in ("get", "lint", "edit")
    ]


def schemas() -> list[dict[str, Any]]:
    """Return every hostile schema with its value, for each entry point that uses schemas."""
    found: list[dict[str, Any]] = json.loads((VECTORS / "schemas.json").read_text(encoding="utf-8"))
    return [
        {**case, "id": f"{case['id']}-{entry}", "entry": entry}
        for case in found
        for entry in ("lint", "check", "reply")
    ]


def work(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pack of a case: a text is a list of pieces, and `[piece, times]` repeats one with its number for `#`."""
    many = case.get("many", {})
    texts = [_join(pieces) for pieces in case["messages"]]
    texts += texts[-1:] * (many.get("messages", 0) - len(texts))
    inputs = {**case.get("inputs", {}), **{f"abcd{number}": {} for number in range(many.get("inputs", 0))}}
    nested: dict[str, Any] = {}
    for level in range(case.get("conditions", 0)):
        key, words = f"k{level}", [f"w{number}" for number in range(60)]
        test = {"properties": {key: {"enum": words}}, "required": [key]}
        text = {key: {"type": "string"}}
        nested = {"type": "object", "required": [key], "properties": text, "if": test, "then": nested}
    properties = {f"field{number}": {"enum": ["aa", "bb", f"dd{number}"]} for number in range(case.get("actions", 0))}
    reply = {"actions": {"A": {"params": {"type": "object", "properties": properties}}}} if properties else None
    return {
        "promptpack": 1,
        "name": "hostile",
        "version": "1.0.0",
        "inputs": {**inputs, **({"X": nested} if nested else {})},
        "partials": {name: _join(pieces) for name, pieces in case.get("partials", {}).items()},
        "messages": [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(texts)],
        **({"reply": reply} if reply else {}),
    }


def _join(pieces: list[Any]) -> str:
    return "".join(
        piece if isinstance(piece, str) else "".join(piece[0].replace("#", str(number)) for number in range(piece[1]))
        for piece in pieces
    )


_TAGS = {
    ("jinja", "include"): '{{% include "p{0}" %}}',
    ("jinja", "set-include"): '{{% set s{0}x{1} = 1 %}}{{% include "p{0}" %}}',
    ("jinja", "import"): '{{% import "p{0}" as m{1} %}}',
    ("jinja", "from"): '{{% from "p{0}" import m{1} %}}',
    ("handlebars", "include"): "{{{{> p{0}}}}}",
}


def fan_out(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pack whose partials each include the next one many times."""
    tag, levels, width = _TAGS[case["syntax"], case["tag"]], case["levels"], case["width"]
    macros = "".join(f"{{% macro m{number}() %}}{{% endmacro %}}" for number in range(width))
    partials = {
        f"p{level}": "".join(tag.format(level + 1, number) for number in range(width))
        + (macros if case["tag"] == "from" else "")
        for level in range(levels)
    }
    first = tag.format(0, 0)
    return {
        "promptpack": 1,
        "name": "hostile",
        "version": "1.0.0",
        "syntax": case["syntax"],
        "partials": {**partials, f"p{levels}": macros if case["tag"] == "from" else "x"},
        "messages": [
            {
                "role": "user",
                "content": (first if case["reached"] else f"{{% if false %}}{first}{{% endif %}}") + "MARK",
            }
        ],
    }


def expand(value: Any) -> Any:
    """Return a context with its shorthands expanded."""
    match value:
        case {"$repeat": [text, times]}:
            return text * times
        case {"$repeat_list": [item, times]}:
            return [item] * times
        case {"$range": length}:
            return list(range(length))
        case {"$object": _}:
            return Live()
        case {"$times": [item, times]}:
            return [_number(item, number) for number in range(times)]
        case {"$keys": [key, item, times]}:
            return {_number(key, number): item for number in range(times)}
        case {"$links": [item, times]}:
            links = {f"d{number}": _number(item, number + 1) for number in range(times)}
            return {**links, f"d{times}": {"type": "integer"}}
        case {"$multiples": [factor, times]}:
            return [factor * number for number in range(1, times)]
        case dict():
            return {key: expand(item) for key, item in value.items()}
        case list():
            return [expand(item) for item in value]
        case _:
            return value


def _number(item: Any, number: int) -> Any:
    """Return an item with its number for `#`, except in local references that do not end with it."""
    match item:
        case str():
            return item.replace("#/$defs", "@/$defs").replace("#", str(number)).replace("@", "#")
        case list():
            return [_number(inner, number) for inner in item]
        case dict():
            return {_number(key, number): _number(inner, number) for key, inner in item.items()}
        case _:
            return item


def reply_of(case: Mapping[str, Any]) -> str | bytes:
    """Return the reply of a case: text, bytes, or the value of its constant expression."""
    if "bytes_b64" in case:
        return base64.b64decode(case["bytes_b64"])
    if "gen" in case:
        text: str = eval(case["gen"]["py"], {"__builtins__": {"range": range}})  # noqa: S307 -- a vector of ours
        return text
    reply: str = case["reply"]
    return reply


def value_of(case: Mapping[str, Any]) -> Any:
    """Return the context value of a case; some are only described in the vectors and created here."""
    code = case.get("gen", {}).get("py", "")
    if not code:
        return case["value"]
    if code.startswith("class S(str)"):
        return Overriding("harmless")
    if code.startswith("l=[]"):
        cyclic: list[Any] = []
        cyclic.append(cyclic)
        return cyclic
    if code.startswith("x=['lol']"):
        doubled: list[Any] = ["lol"]
        for _ in range(40):
            doubled = [doubled, doubled]
        return doubled
    return eval(code, {"__builtins__": {"float": float}})  # noqa: S307 -- a vector of ours


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text(encoding="utf-8").splitlines()]
