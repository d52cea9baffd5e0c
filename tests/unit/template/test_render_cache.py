"""Subtrees whose values have not changed come from the render cache, with no visible difference."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from promptpack import ContextError, Library, Pack
from promptpack.pack.model import MessageTemplate
from promptpack.template.model import Limits, Template
from promptpack.template.render_cache import PackCache, RenderCache

MakePack = Callable[[str], Pack]

HEAD = "inputs: {X: {}, dict: {default: []}, Y: {default: []}, KEY: {default: [], secret: true}, PAST: {default: []}}\nmessages:\n"
PARTIALS = "partials:\n  part: '{% for a in X %}<{{ a }}>{% endfor %}'\n  setting: '{% set Y = X %}{{ Y | tojson }}'\n  words: two words\n"


def pack_of(make_pack: MakePack, text: str, limits: Limits | None = None) -> Pack:
    body = "".join(f"      {line}\n" for line in text.split("\n"))
    pack = make_pack(f"{HEAD}  - role: system\n    content: |-\n{body}{PARTIALS}")
    return pack if limits is None else replace(pack, limits=limits)


def cached_texts(pack: Pack) -> list[str | None]:
    """Return the cached text of each memoizable subtree of the first message."""
    message: MessageTemplate = pack.messages[0]
    assert isinstance(message.content, Template)
    cells = message.content.code.root_render_func.__globals__["cells"]
    found = [pack._render_cache.get(cell) for cell in cells]
    return [None if one is None else one.text for one in found]


def text_of(pack: Pack, **inputs: Any) -> str:
    return pack.render(**inputs).messages[0].text


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("{{ X }} {{ Y }}", []),
        ("{{ X | length }} of {% for a in X %}{{ a }} {% endfor %}-", ["1 of a -"]),
        ("{% for a in X %}{{ a }}{% endfor %}{{ X | join }}{{ Y | join }}.", ["aa", "string."]),
        ("{% for a in X %}{{ a }}{% for b in Y %}{{ b }}{% endfor %}{% endfor %}", ["astring"]),
        ("{% if X %}{{ X[0] | title }}{% else %}{{ Y | join }}{% endif %}", ["A"]),
        ("{% include 'part' %}", ["<a>"]),
        ("{% with z = Y %}{{ z | join }}{% endwith %}{{ pack.name | title }}", ["string", "Demo"]),
        ("{{ KEY | tojson }}", [None]),
        ("{% for a in X %}{{ KEY | length }}{% endfor %}", [None]),
        ("{% include 'setting' %}", []),
        ("{% include 'words' without context %}", []),
        ("{% set Z = X %}{{ Z | join }}{{ X | join }}", ["a"]),
        ("{% set X = Y %}{{ X | join }}", []),
        ("{% macro m() %}{{ X | join }}{% endmacro %}{{ m() }}", []),
        ("{{ dict | tojson }}", []),
        ("{% for i in range(2) %}{{ i }}{% endfor %}", []),
        ("{% for a in X %}{% set b = a %}{{ b }}{% endfor %}", []),
        ("{% if X is sameas Y %}{{ X | join }}{% endif %}", []),
        ("{{ X | select('sameas', Y) | join }}", []),
        ("{{ X | select(Y[0]) | join }}", []),
        ("{{ [X] | map('select', 'sameas', Y) | list | length }}", []),
        ("{{ X | select('string') | join }}{{ X | map('upper') | join }}", ["aA"]),
    ],
)
def test_subtrees_that_only_print_values_of_the_context_are_cached(
    make_pack: MakePack, text: str, texts: list[str | None]
) -> None:
    pack = pack_of(make_pack, text)
    for _ in range(2):
        text_of(pack, X=["a"], Y=["string"])
    assert cached_texts(pack) == texts


def test_a_subtree_is_rendered_again_only_if_its_values_changed(make_pack: MakePack) -> None:
    pack = pack_of(make_pack, "{% for a in X %}{{ a }}{% endfor %}|{{ Y | tojson(indent=none) }}")
    x: list[Any] = [1]
    for _ in range(2):
        assert text_of(pack, X=x) == "1|[]"
    cells = pack.messages[0].content.code.root_render_func.__globals__["cells"]  # type: ignore[union-attr]
    cached = pack._render_cache.get(cells[0])
    pack._render_cache.put(cells[0], cached._replace(text="cached|"))
    assert text_of(pack, X=x, Y=[2]) == "cached|[2]"
    assert text_of(pack, X=(1,), Y=[2]) == "cached|[2]"
    x[0] = True
    assert text_of(pack, X=x, Y=[2]) == "true|[2]"


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (Limits(steps=54), "packs/demo/1.0.0.yaml:8:55: PP421 template takes more than 54 steps"),
        (Limits(output=60), "packs/demo/1.0.0.yaml:8:71: PP422 template writes more than 60 characters"),
    ],
)
def test_cached_texts_count_like_rendered_ones(make_pack: MakePack, limits: Limits, problem: str) -> None:
    text = "{% for y in Y %}{{ y }}{% endfor %}{{ Y[9] }}{% for x in X %}{{ x }}{% endfor %}"
    pack, fresh = (pack_of(make_pack, text, limits) for _ in range(2))
    x, short, long = ["x"] * 9, ["y"] * 10, ["yyyy"] * 12
    for _ in range(2):
        assert text_of(pack, X=x, Y=short) == "y" * 11 + "x" * 9
    for _ in range(2):
        for one in (pack, fresh):
            with pytest.raises(ContextError) as caught:
                text_of(one, X=x, Y=long)
            assert str(caught.value).split("\n")[0] == problem
    assert text_of(pack, X=x, Y=short) == "y" * 11 + "x" * 9


def test_errors_and_long_texts_are_not_cached(make_pack: MakePack) -> None:
    pack = pack_of(make_pack, "{% for a in X %}{{ a.b }}{% endfor %}")
    for _ in range(2):
        with pytest.raises(ContextError, match="PP401"):
            text_of(pack, X=[{"b": 1}, {}])
    assert cached_texts(pack) == [None]
    text_of(pack, X=[{"b": "x" * 500_001}] * 2)
    assert cached_texts(pack) == [None]


def test_a_loop_variable_with_the_name_of_an_input_is_not_that_input(make_pack: MakePack) -> None:
    pack = pack_of(make_pack, "{% for X in Y %}{% include 'part' %}{% endfor %}")
    x = ["unused"]
    assert text_of(pack, X=x, Y=[["a"], ["b"]]) == "<a><b>"
    assert text_of(pack, X=x, Y=[["a"], ["c"]]) == "<a><c>"


class Changing(Mapping[str, Any]):
    """Changes a list while its own items are copied, as another thread might."""

    def __init__(self, values: list[Any], change: Callable[[list[Any]], None]) -> None:
        self._values, self._change = values, change

    def __getitem__(self, key: str) -> Any:
        return key

    def __iter__(self) -> Iterator[str]:
        self._change(self._values)
        return iter("y")

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize("renders", [0, 1, 2])
def test_a_value_that_changes_during_a_render_leaves_no_text_behind(make_pack: MakePack, renders: int) -> None:
    pack = pack_of(make_pack, "{% for a in X %}{{ a }}{% endfor %}|{% set z = X %}{{ z }}")
    for _ in range(renders):
        pack.render(X=["old"])
    x = ["old"]
    pack.render(X=x, Y=Changing(x, lambda values: values.append("new")))
    assert x == ["old", "new"]
    for _ in range(3):
        assert text_of(pack, X=["old"]).startswith("old|")


def test_threads_do_not_mix_their_texts(make_pack: MakePack) -> None:
    pack = pack_of(make_pack, "{% for a in X %}{{ a }}{% endfor %}|{% for a in X %}{{ a }}{% endfor %}{{ Y | join }}")

    def render(number: int) -> bool:
        values = [number] * 50
        wanted = str(number) * 50
        return all(text_of(pack, X=values, Y=[number]) == f"{wanted}|{wanted}{number}" for _ in range(200))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(render, range(4)))


def test_all_packs_of_a_library_share_one_limit() -> None:
    shared = RenderCache(10_000)
    caches = [PackCache(shared) for _ in range(20)]
    for number, cache in enumerate(caches):
        cache.put("text", f"value {number}", "x" * 1_000)
        assert shared.size <= 10_000
    assert caches[-1].get("text") == "value 19"
    assert caches[0].get("text") is None
    assert sum(size for _, size in shared.entries.values()) == shared.size


def test_a_new_value_replaces_the_old_one() -> None:
    shared = RenderCache()
    cache = PackCache(shared)
    cache.put("text", "old", "x" * 1_000)
    cache.put("text", "new", "x" * 10)
    assert cache.get("text") == "new"
    assert shared.size < 1_000


@pytest.mark.parametrize("limit", [0, 500])
def test_a_value_larger_than_the_limit_is_not_cached(limit: int) -> None:
    shared = RenderCache(limit)
    PackCache(shared).put("text", "value", "x" * 1_000)
    assert (shared.size, shared.entries) == (0, {})


def test_a_library_without_render_cache_renders_the_same(tmp_path: Path) -> None:
    file = tmp_path / "demo/1.0.0.yaml"
    file.parent.mkdir()
    body = "promptpack: 1\nname: demo\nversion: 1.0.0\ninputs: {X: {}}\n"
    file.write_text(f"{body}messages: [{{role: user, content: '{{% for x in X %}}{{{{ x }}}}{{% endfor %}}'}}]\n")
    for limit in (0, 8_000_000):
        pack = Library.open(str(tmp_path), render_cache_bytes=limit).get("demo")
        assert [pack.render(X=value).messages[0].text for value in ([1, 2], [1, 2], [3])] == ["12", "12", "3"]


def test_a_library_forgets_past_contexts() -> None:
    library = Library.open()
    pack = library.get("executor", locale="en")
    tools = [{"name": "look", "parameters": {"type": "object", "properties": {}}}]
    for _ in range(3):
        pack.render(AVAILABLE_TOOLS=tools, TASK_CONTEXT={"id": "secret"}).check("{}")
    cache = library._render_cache
    assert cache.size > 0
    assert cache.entries
    library.forget()
    assert (cache.size, cache.entries) == (0, {})
    assert "look" in pack.render(AVAILABLE_TOOLS=tools).messages[0].text


def test_new_tools_in_each_request_stay_within_the_memory_limit() -> None:
    library = Library.open(render_cache_bytes=100_000)
    pack = library.get("executor", locale="en")
    for number in range(50):
        assert f"tool_{number}" in pack.render(AVAILABLE_TOOLS=[{"name": f"tool_{number}"}]).messages[0].text
        assert library._render_cache.size <= 100_000
