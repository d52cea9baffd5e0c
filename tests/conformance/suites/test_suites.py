"""The official YAML, JSON and JSON Schema suites; deviations are on purpose, and listed here and in the docs."""

import base64
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry

from promptpack import Pack, PackError
from promptpack.document import parse
from promptpack.pack.contract import Contract
from promptpack.pack.pack_schema import schema_schema
from promptpack.pack.schema_references import find_references
from promptpack.pack.version import Version
from promptpack.schema.safety import SchemaMeter, find_unsafe
from promptpack.schema.validation import compile  # noqa: A004 -- the folder's verb

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[2] / "docs" / "reference" / "suites.md"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


def name_of(case: dict[str, Any]) -> str:
    return str(case["id"])


YAML = lines("yaml.jsonl")
YAML_DEVIATIONS: dict[str, list[str]] = json.loads((FOLDER / "yaml_deviations.json").read_text("utf-8"))
DEVIATION_OF = {case: kind for kind, cases in YAML_DEVIATIONS.items() for case in cases}


@pytest.mark.parametrize("case", YAML, ids=name_of)
def test_yaml_is_parsed_as_the_suite_says_or_refused_for_a_reason(case: dict[str, Any]) -> None:
    expected = DEVIATION_OF.get(case["id"]) or ("refused" if case.get("error") else "same")
    try:
        data = parse(case["yaml"].encode("utf-8", "surrogateescape")).data
    except PackError as error:
        assert expected in ("refused", error.problems[0].code)
        return
    if expected == "accepted":
        return
    text = case["json"].strip()
    assert (data == (json.loads(text) if text else None)) is (expected == "same")


# JSON allows duplicate keys; we reject them.
REFUSED_JSON = {"y_object_duplicated_key", "y_object_duplicated_key_and_value"}
ACCEPTED_JSON = {
    "i_number_double_huge_neg_exp", "i_number_real_underflow", "i_number_too_big_neg_int", "i_number_too_big_pos_int",
    "i_number_very_big_negative_int", "i_string_UTF-16LE_with_BOM",
}  # fmt: skip
ANYTHING = Pack("any", Version(1, 0, 0), "any.json", contract=Contract("any", {}))


@pytest.mark.parametrize("case", lines("json_parsing.jsonl"), ids=name_of)
def test_a_strict_reply_is_json_and_nothing_else(case: dict[str, Any]) -> None:
    verdict = ANYTHING.check(base64.b64decode(case["bytes_b64"]), strict=True)
    must_be_accepted = case["id"].startswith("y_") and case["id"] not in REFUSED_JSON
    assert verdict.ok is (must_be_accepted or case["id"] in ACCEPTED_JSON)


SCHEMAS = lines("json_schema.jsonl")
# In Python, `\d`, `\w` and `\s` match every script, in ECMAScript only ASCII;
# ours are Python's, except that `$` matches only at the end.
DIALECT = "optional/ecmascript-regex.json"


def reason_to_refuse(schema: dict[str, Any]) -> str:
    """Return the reason why a pack rejects a schema, as the docs page words it."""
    if any(found.keyword == "remote" for found in find_unsafe(schema, SchemaMeter())):
        return "`$id` or a remote `$dynamicRef`"
    references = [reference for _, reference in find_references(schema)]
    if any(not reference.startswith("#") for reference in references):
        return "a `$ref` that leads elsewhere"
    if any(reference != "#" and not reference.startswith("#/") for reference in references) or any(
        re.search(r"\$(?:dynamic)?(?:Anchor|Ref)|anchor", str(found.path[-1:]))
        for found in schema_schema().check(schema)
    ):
        return "anchors and `$dynamicRef`"
    if any(found.keyword in ("pattern", "runaway") for found in find_unsafe(schema, SchemaMeter())):
        return "a pattern that Python's `re` does not have, such as `\\p{Letter}`"
    return "an unknown keyword, or an empty `enum`" if schema_schema().check(schema) else ""


def bare(schema: Any) -> dict[str, Any]:
    return (
        {key: value for key, value in schema.items() if key != "$schema"}
        if isinstance(schema, dict)
        else {"allOf": [schema]}
    )


USED = [group for group in SCHEMAS if not reason_to_refuse(bare(group["schema"]))]


@pytest.mark.parametrize("group", USED, ids=lambda group: f"{group['file']}: {group['description']}")
def test_a_schema_checks_as_the_suite_and_jsonschema_do(group: dict[str, Any]) -> None:
    schema = bare(group["schema"])
    ours, theirs = compile(schema), Draft202012Validator(schema, registry=Registry())
    for case in group["tests"]:
        found = ours.accepts(case["data"])
        assert found == theirs.is_valid(case["data"]) or "trailing newline" in group["description"], case["description"]
        assert found == case["valid"] or group["file"] == DIALECT, case["description"]


def test_deviations_are_listed_in_the_docs() -> None:
    page = PAGE.read_text("utf-8")
    listed = dict(re.findall(r"^\| (.+?) \| (\d+) \|", page, re.MULTILINE))
    refused = Counter(reason for group in SCHEMAS if (reason := reason_to_refuse(bare(group["schema"]))))
    expected = {**refused, **{kind: len(cases) for kind, cases in YAML_DEVIATIONS.items()}}
    assert {name: int(listed.get(name, 0)) for name in expected} == expected
