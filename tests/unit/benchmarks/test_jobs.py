"""The sides in our own environment give the same results; so do the prompt variants for peers."""

import json
from collections.abc import Callable
from typing import Any

import jinja2
import pytest
import yaml

from benchmarks import (
    contract,
    document,
    history,
    hostile_replies,
    load,
    planner,
    records,
    render,
    replies,
    schemas,
    shipped,
    slots,
)
from benchmarks.measuring import Job

CONTEXT = planner.make_context()
TEXT = render.stock().result()


@pytest.mark.parametrize("deep", [False, True])
def test_our_prompt_equals_that_of_stock_jinja(deep: bool) -> None:
    assert render.pack_render(orjson=True, deep=deep).result() == TEXT
    assert render.template(orjson=True).result() == TEXT


@pytest.mark.parametrize("agent", records.AGENTS)
def test_a_shipped_pack_and_its_twin_write_the_same_messages(agent: str) -> None:
    messages = shipped.render(agent).result()
    assert shipped.stock(agent).result() == shipped.stock_jsonschema(agent).result() == messages


@pytest.mark.parametrize("agent", records.AGENTS)
def test_a_shipped_pack_accepts_its_clean_reply_as_the_model_does(agent: str) -> None:
    assert shipped.check(agent).result() == shipped.validate_json(agent).result() == records.make_reply(agent)


@pytest.mark.parametrize("agent", ["planner", "executor"])
def test_a_request_gives_the_same_data_as_stock_and_jsonschema(agent: str) -> None:
    assert shipped.request(agent).result() == shipped.request_stock(agent).result()


def test_the_prompt_has_10_kilobytes() -> None:
    assert 9_900 < len(TEXT.encode()) < 10_300


def test_the_handwritten_prompt_is_the_same() -> None:
    assert planner.write_by_hand(CONTEXT, lambda name: render.dump(CONTEXT[name])) == TEXT


def test_the_prompt_without_settings_is_the_same() -> None:
    assert jinja2.Template(planner.without_settings()).render(render.dumped(CONTEXT)) == TEXT


def test_the_prompt_as_yaml_is_the_same() -> None:
    escape = {"escape_special_characters": lambda text: text.replace("\n", "\\n")}
    (part,) = yaml.safe_load(jinja2.Template(planner.as_yaml_part()).render(render.dumped(CONTEXT) | escape))
    assert part["content"].strip().replace("\\n", "\n") == TEXT


def test_the_prompt_with_placeholders_is_the_same() -> None:
    text = planner.with_placeholders()
    for name, value in planner.placeholders(CONTEXT, render.dump).items():
        assert f"${{{name}}}" in text
        text = text.replace(f"${{{name}}}", value)
    assert text == TEXT


def test_a_larger_context_gives_the_right_prompt() -> None:
    assert render.growing(40).result() is True


@pytest.mark.parametrize("kind", ["reply", "context"])
@pytest.mark.parametrize("make", [schemas.promptpack, schemas.pydantic_model, schemas.pydantic_core])
def test_values_get_the_same_verdict_as_from_jsonschema(make: Callable[[str], Job], kind: str) -> None:
    verdicts = schemas.jsonschema(kind).result()
    assert True in verdicts
    assert False in verdicts
    assert make(kind).result() == verdicts


@pytest.mark.parametrize("make", [schemas.prompt_check, schemas.text_jsonschema, schemas.text_pydantic_model])
def test_a_reply_is_read_completely(make: Callable[[], Job]) -> None:
    assert make().result() == contract.make_reply()


@pytest.mark.parametrize("make", [schemas.growing, schemas.growing_text])
def test_larger_replies_are_clean(make: Callable[[int], Job]) -> None:
    assert make(50).result() is True


@pytest.mark.parametrize("source", ["packs", "list"])
@pytest.mark.parametrize("make", [document.promptpack, document.promptpack_located])
def test_documents_equal_those_of_pyyaml(make: Callable[[str], Job], source: str) -> None:
    assert make(source).result() == document.csafeloader(source).result()


@pytest.mark.parametrize("make", [load.opened, load.validated])
def test_all_packs_are_found_with_and_without_the_cache(make: Callable[[int, bool, int], Job]) -> None:
    assert make(3, False, 6).result() is True
    cached = make(3, True, 6)
    assert [cached.result(), cached.result()] == [True, True]


@pytest.mark.parametrize("make", [replies.reader, replies.whole_check])
def test_clean_replies_equal_those_of_the_model(make: Callable[[str], Job]) -> None:
    assert make("clean").result() == replies.model_validate_json("clean").result()


@pytest.mark.parametrize("side", history.tables()[0].sides, ids=lambda side: side.name)
def test_history_functions_return_something(side: Any) -> None:
    name, _ = side.arguments
    assert side.make(name, 100).result() is True


@pytest.mark.parametrize("make", [hostile_replies.read_whole, hostile_replies.read_chunks])
def test_hostile_replies_give_the_same_result_at_both_sizes(make: Callable[[str, int], Job]) -> None:
    assert make("open lists", 1_000).result() == make("open lists", 4_000).result()


@pytest.mark.parametrize("measure", slots.MEASURES)
def test_slot_prompts_give_the_results_of_the_vectors(measure: str) -> None:
    call, _ = slots.MEASURES[measure]
    vectors = json.loads((slots.VECTORS / "vectors.json").read_text("utf-8"))
    expected = [one["expect"] for one in vectors if one["call"] == call and "ok" in one["expect"] and "note" not in one]
    job = slots.promptpack(measure)
    job.run()
    assert [json.loads(result)["ok"] for result in job.result()] == [one["ok"] for one in expected]
