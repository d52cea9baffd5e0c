"""`PromptTemplateRegistry`: templates by name."""

from pathlib import Path
from typing import Any

import pytest

from promptpack.problem import PackError
from promptpack.prompt.prompt_template import PromptTemplate
from promptpack.prompt.registry import PromptTemplateRegistry
from promptpack.template.failure import PartialNotFoundError


@pytest.fixture
def registry() -> PromptTemplateRegistry:
    return PromptTemplateRegistry("handlebars")


def test_an_invalid_text_is_refused_immediately_and_changes_nothing(registry: PromptTemplateRegistry) -> None:
    registry.register("a", "old")
    with pytest.raises(PackError) as caught:
        registry.register("a", "{{#if x}}")
    assert str(caught.value).startswith("a:1:1: PP314")
    assert registry.render("a") == "old"


def test_a_lazy_text_is_compiled_at_every_use_until_it_is_valid(registry: PromptTemplateRegistry) -> None:
    registry.register_lazy("a", "{{#if x}}")
    for _ in range(2):
        with pytest.raises(PackError):
            registry.get("a")
    registry.register_lazy("a", "now")
    assert registry.render("a") == "now"
    assert registry.get("a") is registry.get("a")


def test_registering_again_replaces_a_template_where_it_is_included(registry: PromptTemplateRegistry) -> None:
    registry.register("a", "{{> p}}")
    registry.register("p", "1")
    assert registry.render("a") == "1"
    registry.register_lazy("p", "2")
    assert registry.render("a") == "2"
    registry.register("p", "3")
    assert registry.get("a").render() == "3"


def test_an_unknown_name_is_refused_with_the_nearest_one(registry: PromptTemplateRegistry) -> None:
    registry.register_lazy("greeting", "x")
    with pytest.raises(PartialNotFoundError) as caught:
        registry.get("greetign")
    assert caught.value.name == "greetign"
    assert str(caught.value) == "PP442 no template named 'greetign'\n  hint: did you mean 'greeting'?"
    assert "greeting" in registry
    assert "greetign" not in registry


def test_a_registry_holds_templates_of_both_syntaxes(registry: PromptTemplateRegistry) -> None:
    registry.register("row", "{{ item | upper }}", syntax="jinja")
    registry.register("a", "{{#each l}}{{> row}}{{/each}}")
    assert registry.render("a", {"l": ["x", "y"]}) == "XY"


def test_the_partials_of_including_templates_win_over_the_registry(registry: PromptTemplateRegistry) -> None:
    registry.register("b", "registry")
    registry.register("a", "{{> b}}")
    template = PromptTemplate.compile("{{> a}}", "handlebars", registry=registry)
    assert template.render() == "registry"
    template.register_partial("b", PromptTemplate.compile("own", "handlebars"))
    assert template.render() == "own"


def test_a_file_is_read_byte_for_byte(registry: PromptTemplateRegistry, tmp_path: Path) -> None:
    file = tmp_path / "a.hbs"
    file.write_bytes("é{{x}}\r\n".encode())
    registry.register_file("a", str(file))
    assert registry.render("a", {"x": "1"}) == "é1\r\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "PP120 cannot be read: No such file or directory"),
        (b"\xff", "PP101 file is not UTF-8\n  hint: save it as UTF-8"),
        (b"\n {{#if x}}", "PP314 '{{#if}}' is not closed\n  hint: close it with '{{/if}}'"),
    ],
)
def test_an_unusable_file_is_reported_with_its_path(
    registry: PromptTemplateRegistry, tmp_path: Path, content: Any, expected: str
) -> None:
    file = tmp_path / "a.hbs"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(PackError) as caught:
        registry.register_file("a", str(file))
    place, _, rest = str(caught.value).partition(": ")
    assert place.startswith(str(file))
    assert rest == expected
    assert "a" not in registry


def test_registries_are_independent(registry: PromptTemplateRegistry) -> None:
    registry.register("a", "x")
    assert "a" not in PromptTemplateRegistry()
