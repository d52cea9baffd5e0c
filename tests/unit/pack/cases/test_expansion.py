from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library, Pack

BODY = """\
inputs:
  GOAL: {type: string}
  COUNT: {type: integer, default: 1}
  POOL: {type: object, default: {}}
messages:
  - {id: ask, role: user, content: "{{ GOAL }} {{ COUNT }} {{ POOL }}"}
reply:
  actions: {GO: {}}
tests:
  - name: base
    context: {GOAL: write, POOL: {tools: [a, b]}}
    reply: {thought: t, action: GO, params: {}, expectedOutcome: o, risk: {level: low, description: d}, confidence: 50}
    verdict: valid
"""
WritePack = Callable[..., Path]
OpenPacks = Callable[..., Library]


def problems_of(tests: str, write_pack: WritePack, open_packs: OpenPacks) -> list[str]:
    write_pack(body=BODY + tests)
    return [str(problem).removeprefix("packs/demo/1.0.0.yaml:") for problem in open_packs().problems]


def test_a_test_like_another_takes_over_what_goes_in_and_not_what_is_expected(make_pack: Callable[[str], Pack]) -> None:
    tests = """\
  - {name: again, like: base, expect: {contains: [write]}}
  - {name: changed, like: again, with: {COUNT: 2, POOL: {tools: [c]}, reply: {confidence: 5}}, verdict: invalid}
  - {name: own, like: base, context: {GOAL: own}}
"""
    base, again, changed, own = make_pack(BODY + tests).tests
    assert (again.context, again.reply, again.verdict) == (base.context, base.reply, None)
    assert dict(changed.context) == {"GOAL": "write", "POOL": {"tools": ["c"]}, "COUNT": 2}
    assert changed.reply == {**base.reply, "confidence": 5}
    assert dict(changed.expect) == {}
    assert dict(own.context) == {"GOAL": "own"}
    assert dict(base.context) == {"GOAL": "write", "POOL": {"tools": ["a", "b"]}}


@pytest.mark.parametrize(
    ("changes", "pool"),
    [
        ("with: {/context/POOL/tools/0: x}", {"tools": ["x", "b"]}),
        ("with: {/context/POOL/tools/-: x}", {"tools": ["a", "b", "x"]}),
        ("with: {/context/POOL/deep/er: x}", {"tools": ["a", "b"], "deep": {"er": "x"}}),
        ("with: {context: {POOL: {more: 1}}}", {"tools": ["a", "b"], "more": 1}),
        ("with: {context: {POOL: {tools: []}}}", {"tools": []}),
        ("with: {POOL: {only: 1}}", {"only": 1}),
        ("with: {/context/POOL/a~1b: 1}", {"tools": ["a", "b"], "a/b": 1}),
        ("without: [/context/POOL/tools/0]", {"tools": ["b"]}),
        ("without: [/context/POOL/tools]", {}),
        ("with: {/context/POOL/tools/-: x}, without: [/context/POOL/tools/0]", {"tools": ["b", "x"]}),
    ],
)
def test_changes_set_merge_and_remove(make_pack: Callable[[str], Pack], changes: str, pool: object) -> None:
    _, changed = make_pack(BODY + f"  - {{name: changed, like: base, {changes}}}\n").tests
    assert changed.context["POOL"] == pool


def test_each_case_is_a_test_with_its_own_name_and_place(make_pack: Callable[[str], Pack]) -> None:
    tests = """\
  - name: goals
    context: {GOAL: x}
    expect: {roles: [user]}
    cases:
      - {name: short, GOAL: a}
      - {GOAL: b, expect: {contains: [b]}}
"""
    _, short, second = make_pack(BODY + tests).tests
    assert [one.name for one in (short, second)] == ["goals [short]", "goals [2]"]
    assert [str(one.location) for one in (short, second)] == [
        "packs/demo/1.0.0.yaml:21:9",
        "packs/demo/1.0.0.yaml:22:9",
    ]
    assert str(second.locate("expect", "contains", 0)) == "packs/demo/1.0.0.yaml:22:39"
    assert str(second.locate("expect", "roles")) == "packs/demo/1.0.0.yaml:19:21"
    assert (dict(short.expect), dict(second.expect)) == ({"roles": ["user"]}, {"roles": ["user"], "contains": ["b"]})


def test_contexts_of_the_file_of_tests_are_shared(write_pack: WritePack, open_packs: OpenPacks, tmp_path: Path) -> None:
    write_pack(body=BODY + "  - {name: in the pack, context: small, with: {COUNT: 3}}\n")
    (tmp_path / "packs/demo/1.0.0.tests.yaml").write_text(
        "contexts: {small: {GOAL: s}}\ntests: [{name: beside, context: small}, {name: like it, like: base}]\n", "utf-8"
    )
    _, inside, beside, like = open_packs().get("demo").tests
    assert (dict(inside.context), dict(beside.context)) == ({"GOAL": "s", "COUNT": 3}, {"GOAL": "s"})
    assert like.context["GOAL"] == "write"
    assert str(inside.locate("context", "GOAL")) == "packs/demo/1.0.0.tests.yaml:1:26"


def test_contexts_are_shared_by_the_tests_of_the_pack_and_of_its_file(
    write_pack: WritePack, open_packs: OpenPacks, tmp_path: Path
) -> None:
    write_pack(body="contexts: {own: {GOAL: a}}\n" + BODY + "  - {name: uses a file, context: small}\n")
    beside = tmp_path / "packs/demo/1.0.0.tests.yaml"
    beside.write_text("contexts: {small: {GOAL: s}}\n", "utf-8")
    assert open_packs().get("demo").tests[-1].context == {"GOAL": "s"}
    beside.write_text("tests: [{name: uses the pack, context: own}]\n", "utf-8")
    write_pack(body="contexts: {own: {GOAL: a}}\n" + BODY)
    assert open_packs().get("demo").tests[-1].context == {"GOAL": "a"}


def test_a_context_is_declared_once(write_pack: WritePack, open_packs: OpenPacks, tmp_path: Path) -> None:
    write_pack(body="contexts: {own: {GOAL: a}}\n" + BODY)
    (tmp_path / "packs/demo/1.0.0.tests.yaml").write_text("contexts: {own: {GOAL: b}}\n", "utf-8")
    assert [str(one) for one in open_packs().problems] == [
        "packs/demo/1.0.0.tests.yaml:1:17: PP206 context 'own' is also declared in the pack\n  hint: use a different name"
    ]


def test_shared_contexts_do_not_change_the_digest(write_pack: WritePack, open_packs: OpenPacks) -> None:
    write_pack(body=BODY)
    digest = open_packs().get("demo").digest
    write_pack(body="contexts: {own: {GOAL: a}}\n" + BODY)
    assert open_packs().get("demo").digest == digest


def test_a_variant_with_only_texts_runs_the_tests_of_both_files_in_its_own_words(
    write_pack: WritePack, open_packs: OpenPacks, tmp_path: Path
) -> None:
    write_pack(body=BODY + "  - {name: greets, like: base, expect: {contains: [write], roles: [user]}}\n", locale="")
    write_pack(
        locale="de", body="messages: [{id: ask, content: 'Ziel {{ GOAL }} {{ COUNT }} {{ POOL }}'}]\n"
        "tests: [{name: greets, expect: {contains: [Ziel]}}, {name: more, like: base}]\n",
    )  # fmt: skip
    folder = tmp_path / "packs/demo"
    (folder / "1.0.0.tests.yaml").write_text(
        "contexts: {small: {GOAL: s}}\ntests: [{name: beside, context: small, expect: {contains: [s], max_chars: 99}}]\n",
        "utf-8",
    )
    (folder / "1.0.0.de.tests.yaml").write_text("tests: [{name: beside, expect: {contains: [Ziel s]}}]\n", "utf-8")
    tests = {one.name: one for one in open_packs().get("demo", locale="de").tests}
    assert list(tests) == ["base", "greets", "more", "beside"]
    assert dict(tests["greets"].expect) == {"contains": ["Ziel"], "roles": ["user"]}
    assert dict(tests["beside"].expect) == {"contains": ["Ziel s"], "max_chars": 99}
    assert str(tests["beside"].locate("expect", "contains", 0)) == "packs/demo/1.0.0.de.tests.yaml:1:44"
    (folder / "1.0.0.de.tests.yaml").unlink()
    assert [one.name for one in open_packs().get("demo", locale="de").tests] == list(tests)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (
            "{name: t, like: bse}",
            ["17:21: PP246 the pack has no test 'bse'\n  hint: did you mean 'base'?"],
        ),
        (
            "{name: t, like: t}",
            ["17:21: PP247 'like' forms a cycle: 't' -> 't'\n  hint: give one of them its own context"],
        ),
        (
            "{name: t, like: u}\n  - {name: u, like: v}\n  - {name: v, like: t}",
            ["19:21: PP247 'like' forms a cycle: 't' -> 'u' -> 'v' -> 't'\n  hint: give one of them its own context"],
        ),
        (
            "{name: t, context: small}",
            ["17:24: PP248 there is no context 'small'\n  hint: declare it under 'contexts'"],
        ),
        (
            "{name: t, like: base, with: {GAOL: x}}",
            ["17:34: PP208 the pack has no input 'GAOL'\n  hint: did you mean 'GOAL'?"],
        ),
        (
            "{name: t, like: base, with: {/rply/confidence: 5}}",
            ["17:34: PP249 '/rply/confidence' leads to no section of a test\n  hint: did you mean 'reply'?"],
        ),
        (
            "{name: t, like: base, with: {/context/POOL/tools/7: x}}",
            ["17:34: PP249 '/context/POOL/tools/7' cannot be changed: the list has 2 item(s), so it has no '7'"],
        ),
        (
            "{name: t, like: base, with: {/context/GOAL/0: x}}",
            ["17:34: PP249 '/context/GOAL/0' cannot be changed: '0' leads into a value that is not a mapping or list"],
        ),
        (
            "{name: t, like: base, without: [/reply/rsk]}",
            ["17:37: PP249 '/reply/rsk' cannot be removed: there is no 'rsk'"],
        ),
        (
            "{name: t, like: base, cases: [{/expect/max_chars: many}]}",
            ["17:36: PP204 expected a whole number, not text (in /expect/max_chars)"],
        ),
        (
            "{name: t, like: base, cases: [{name: a, GOAL: x}, {name: a, GOAL: y}]}",
            ["17:55: PP206 name 't [a]' is used twice in 'tests'\n  hint: use a different name"],
        ),
        (
            "{name: t, context: {GOAL: x}, verdict: valid}",
            ["17:35: PP203 'reply' is missing\n  hint: add the reply that the verdict is about, or remove 'verdict'"],
        ),
    ],
)
def test_a_mistake_is_located(write_pack: WritePack, open_packs: OpenPacks, test: str, expected: list[str]) -> None:
    assert problems_of(f"  - {test}\n", write_pack, open_packs) == expected


def test_a_long_chain_is_refused(write_pack: WritePack, open_packs: OpenPacks) -> None:
    chain = "".join(f"  - {{name: t{number}, like: t{number + 1}}}\n" for number in range(500))
    first, *others = problems_of(chain + "  - {name: t500, like: base}\n", write_pack, open_packs)
    assert all("PP247" in other for other in others)
    assert first == (
        "33:23: PP247 the chain of 'like' has more than 16 tests\n  hint: refer to the first test of the chain"
    )


def test_too_many_cases_are_refused(write_pack: WritePack, open_packs: OpenPacks) -> None:
    test = "  - {name: t, expect: {contains: [x]}, cases: {file: cases.csv}}\n"
    path = write_pack(body=BODY + test)
    (path.parent / "cases.csv").write_text("GOAL\n" + "x\n" * 100_000, "utf-8")
    (found,) = open_packs().problems
    assert str(found) == (
        "packs/demo/cases.csv:2001:1: PP252 the pack has more than 2,000 tests, with all their cases\n"
        "  hint: test fewer cases; an evaluation takes more"
    )


def test_cases_that_copy_too_much_are_refused(write_pack: WritePack, open_packs: OpenPacks) -> None:
    items = ", ".join("1" for _ in range(9_000))
    body = BODY.replace("tools: [a, b]", f"tools: [{items}]")
    rows = "".join(f"      - {{/context/POOL/tools/0: {number}}}\n" for number in range(200))
    write_pack(body=f"{body}  - name: t\n    like: base\n    cases:\n{rows}")
    (found,) = open_packs().problems
    assert str(found) == (
        "packs/demo/1.0.0.yaml:17:5: PP252 the tests of this pack copy more than 1,000,000 values\n"
        "  hint: test fewer or smaller cases"
    )
