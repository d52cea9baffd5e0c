"""Renders the planner's prompt with one library; as a script, inside of that library's environment, asked by a pipe."""

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Render = Callable[[], str]

spec = importlib.util.spec_from_file_location("planner", Path(__file__).parent / "planner.py")
assert spec is not None
assert spec.loader is not None
planner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(planner)


def dump(value: Any, indent: int = 2) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def stock(context: dict[str, Any]) -> Render:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["tojson"] = dump
    template = environment.from_string(planner.TEMPLATE)
    return lambda: template.render(context)


def minijinja(context: dict[str, Any], dumps: Callable[..., str] | None = None) -> Render:
    from minijinja import Environment  # type: ignore[import-not-found]

    environment = Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined_behavior="strict"
    )
    if dumps is not None:
        environment.add_filter("tojson", dumps)
    environment.add_template("planner", planner.TEMPLATE)
    return lambda: str(environment.render_template("planner", **context))


def minijinja_orjson(context: dict[str, Any]) -> Render:
    import orjson  # type: ignore[import-not-found]

    def dumps(value: Any, indent: int = 2) -> str:
        assert indent == 2  # the one that orjson has
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()  # type: ignore[no-any-return]

    return minijinja(context, dumps)


def by_hand(context: dict[str, Any]) -> Render:
    import orjson

    def text(name: str) -> str:
        return orjson.dumps(context[name], option=orjson.OPT_INDENT_2).decode()  # type: ignore[no-any-return]

    return lambda: planner.write_by_hand(context, text)


LIBRARIES = {
    "stock": stock,
    "minijinja": minijinja,
    "minijinja, orjson": minijinja_orjson,
    "by hand, orjson": by_hand,
}


def main(library: str) -> None:
    """Answer `text` with the prompt and a number with the best time of so many renders, one JSON text a line."""
    answers, sys.stdout = sys.stdout, sys.stderr
    render = LIBRARIES[library](planner.make_context())
    for line in sys.stdin:
        wish = json.loads(line)
        answers.write(json.dumps(render() if wish == "text" else best_of(render, wish)) + "\n")
        answers.flush()


def best_of(render: Render, times: int) -> float:
    render()
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        render()
        best = min(best, time.perf_counter() - started)
    return best


if __name__ == "__main__":
    main(sys.argv[1])
