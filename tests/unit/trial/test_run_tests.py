from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library, trial

BODY = """\
inputs:
  A: {type: string}
  KEY: {type: string, default: hunter2, secret: true}
messages:
  - {id: ask, role: user, content: "say {{ A }} {{ KEY }}"}
reply:
  actions: {GO: {}}
tests:
"""
GOOD = """{thought: t, action: GO, params: {}, expectedOutcome: o, risk: {level: low, description: d}, confidence: 5}"""


@pytest.mark.parametrize(
    ("test", "failures"),
    [
        ("{name: t, context: {A: x}, expect: {contains: [say x], excludes: [z], roles: [user], max_chars: 20}}", []),
        ("{name: t, context: {A: x}, expect: {contains: [nope]}}", ["the prompt does not contain 'nope'"]),
        ("{name: t, context: {A: x}, expect: {excludes: [say]}}", ["the prompt contains 'say'"]),
        (
            "{name: t, context: {A: x}, expect: {roles: [system, user]}}",
            ["the prompt has the roles user instead of system, user"],
        ),
        ("{name: t, context: {A: x}, expect: {max_chars: 3}}", ["the prompt has 13 characters, but the limit is 3"]),
        ("{name: t, context: {}, expect: {error: PP415}}", []),
        ("{name: t, context: {}, expect: {error: [PP415]}}", []),
        ("{name: t, context: {A: x}, expect: {matches: ['^say \\w']}}", []),
        ("{name: t, context: {A: x}, expect: {matches: [z+]}}", ["the prompt does not match 'z+'"]),
        ("{name: t, context: {A: x}, expect: {equals: say x hunter2}}", []),
        ("{name: t, context: {A: x}, expect: {equals: say}}", ["the prompt differs from the expected text"]),
        ("{name: t, context: {A: '{\"a\": [1]}'}, expect: {json: {/a/0: 1}}}", []),
        (
            "{name: t, context: {A: '{\"a\": [true]}'}, expect: {json: {/a/0: 1}}}",
            ["no JSON in the prompt has 1 at '/a/0': found true"],
        ),
        (
            "{name: t, context: {A: x}, expect: {json: {/a/0: 1}}}",
            ["no JSON in the prompt has 1 at '/a/0': nothing is there"],
        ),
        ("{name: t, context: {A: x}, expect: {max_tokens: 1}}", ["the prompt has "]),
        ("{name: t, context: {A: x}, expect: {max_tokens: 9, warnings: []}}", []),
        ("{name: t, context: {A: <|im_start|>}, expect: {warnings: [PP419]}}", []),
        ("{name: t, context: {A: <|im_start|>}, expect: {warnings: []}}", ["unexpected warning PP419: "]),
        ("{name: t, context: {A: x}, expect: {warnings: [PP419]}}", ["expected warning PP419, found none"]),
        ("{name: t, context: {A: x}, expect: {messages: {ask: {role: user, contains: [x]}, -1: {max_chars: 99}}}}", []),
        (
            "{name: t, context: {A: x}, expect: {messages: {ask: {role: system, equals: y}, 1: {role: user}}}}",
            [
                "message 'ask' has the role user instead of system",
                "message 'ask' differs from the expected text",
                "the prompt has no message '1'; it has 1 message(s)",
            ],
        ),
        (
            "{name: t, context: {A: x}, expect: {expr: [A in prompt, \"messages[0].id == 'ask'\", pack.name == 'demo']}}",
            [],
        ),
        ("{name: t, context: {A: x}, expect: {expr: prompt == A}}", ["'prompt == A' is not true"]),
        (
            "{name: t, context: {A: x}, expect: {expr: 'range(999999999) | list'}}",
            ["'range(999999999) | list' cannot be evaluated: "],
        ),
        (
            f"{{name: t, context: {{A: x}}, reply: {GOOD}, verdict: {{outcome: valid, output: {{/confidence: 5.0}}}}}}",
            [],
        ),
        (
            f"{{name: t, context: {{A: x}}, reply: {GOOD}, verdict: {{output: {{/confidence: 6, /params/x: 1}}}}}}",
            ["the reply has 5 at '/confidence', not 6", "the reply has no value at '/params/x', expected 1"],
        ),
        (f"{{name: t, context: {{A: x}}, reply: {GOOD}, verdict: {{repairs: []}}}}", []),
        (
            f"{{name: t, context: {{A: x}}, reply: {GOOD}, verdict: {{repairs: [fence]}}}}",
            ["expected repair fence, found none"],
        ),
        ("{name: t, context: {A: x}, reply: 'no', verdict: no_answer}", []),
        ("{name: t, context: {A: x}, reply: 'no', verdict: truncated}", ["the reply is no_answer, not truncated"]),
        (
            "{name: t, context: {}, expect: {error: PP416}}",
            ["expected problem PP416, found PP415 input 'A' is missing"],
        ),
        (
            "{name: t, context: {A: x}, expect: {error: PP415}}",
            ["expected problem PP415, but the prompt was rendered"],
        ),
        ("{name: t, context: {}}", ["the prompt cannot be rendered: PP415 input 'A' is missing"]),
        (f"{{name: t, context: {{A: x}}, reply: {GOOD}, verdict: valid}}", []),
        (f"{{name: t, context: {{A: x}}, reply: {GOOD}, verdict: recovered}}", ["the reply is valid, not recovered"]),
        (f"{{name: t, context: {{A: x}}, reply: {GOOD}, verdict: invalid}}", ["the reply is valid, not invalid"]),
        ("{name: t, context: {A: x}, reply: 'no', verdict: invalid}", []),
        ("{name: t, context: {A: x}, reply: 'no', verdict: {violations: [{code: PP501}]}}", []),
        (
            f"{{name: t, context: {{A: x}}, reply: {GOOD}, verdict: {{violations: [{{path: /a}}]}}}}",
            ["expected violation path=/a, found none"],
        ),
        (
            "{name: t, context: {A: x}, reply: 'no', verdict: {violations: [{rule: own}]}}",
            [
                "expected violation rule=own, found PP501 (reply): the reply contains no JSON object; "
                "rules are only checked if the reply has no other violation"
            ],
        ),
        ("{name: t, context: {A: x}, reply: 'no', verdict: valid}", ["the reply is not valid: PP501 (reply)"]),
    ],
)
def test_a_test_reports_every_unexpected_result(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library], test: str, failures: list[str]
) -> None:
    write_pack(body=BODY + f"  - {test}\n")
    library = open_packs()
    assert library.problems == ()
    (result,) = trial.run(library.packs())
    assert [found.message[: len(wanted)] for found, wanted in zip(result.failures, failures, strict=True)] == failures
    assert result.passed is not bool(failures)
    assert str(result.location) == "packs/demo/1.0.0.yaml:12:5"


def test_a_snapshot_is_written_and_compared_without_secrets(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library], tmp_path: Path
) -> None:
    write_pack(body=BODY + "  - {name: Says it, context: {A: x}, expect: {snapshot: true}}\n")
    library = open_packs()
    (missing,) = trial.run(library.packs())
    assert [str(failure.location) for failure in missing.failures] == ["packs/demo/1.0.0.yaml:12:57"]
    assert [failure.message for failure in missing.failures] == [
        "the test has no snapshot at packs/demo/snapshots/1.0.0.says-it.txt; run with --update to write it",
    ]
    (written,) = trial.run(library.packs(), update=True)
    assert written.passed
    assert (tmp_path / "packs/demo/snapshots/1.0.0.says-it.txt").read_text() == "[user]\nsay x ***\n"
    (compared,) = trial.run(library.packs())
    assert compared.passed
    (tmp_path / "packs/demo/snapshots/1.0.0.says-it.txt").write_bytes(b"[user]\r\nsay x ***\r\n")
    (from_windows,) = trial.run(library.packs())
    assert from_windows.passed
    write_pack(body=BODY.replace("say", "shout") + "  - {name: Says it, context: {A: x}, expect: {snapshot: true}}\n")
    (changed,) = trial.run(open_packs().packs())
    assert changed.failures[0][2:] == ("[user]\nsay x ***\n", "[user]\nshout x ***\n")


@pytest.mark.parametrize("update", [True, False])
def test_two_tests_never_share_a_snapshot(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library], tmp_path: Path, update: bool
) -> None:
    lines = (
        f"  - {{name: {name}, context: {{A: x}}, expect: {{snapshot: true}}}}\n" for name in ("Says it", "says-it!")
    )
    write_pack(body=BODY + "".join(lines))
    (tmp_path / "packs/demo/snapshots").mkdir()
    (tmp_path / "packs/demo/snapshots/1.0.0.says-it.txt").write_text("[user]\nsay x ***\n")
    first, second = trial.run(open_packs().packs(), update=update)
    assert first.passed
    assert [failure.message for failure in second.failures] == [
        "the test uses the same snapshot packs/demo/snapshots/1.0.0.says-it.txt as 'Says it'; rename one of the tests",
    ]


def test_a_failure_points_to_the_failed_expectation(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library]
) -> None:
    test = f"""\
  - name: t
    context: {{A: x}}
    expect:
      contains: [say, nope]
      excludes: [say]
      roles: [system]
      max_chars: 3
    reply: {GOOD}
    verdict:
      violations: [{{code: PP501}}]
  - name: not rendered
    context: {{A: 1}}
  - name: rendered
    context: {{A: x}}
    expect: {{error: PP415}}
"""
    write_pack(body=BODY + test)
    found = [failure for one in trial.run(open_packs().packs()) for failure in one.failures]
    assert [f"{failure.location.line}:{failure.location.column}: {failure.message}" for failure in found] == [
        "15:23: the prompt does not contain 'nope'",
        "16:18: the prompt contains 'say'",
        "17:14: the prompt has the roles user instead of system",
        "18:18: the prompt has 13 characters, but the limit is 3",
        "21:20: expected violation code=PP501, found none",
        "23:14: the prompt cannot be rendered: PP416 input 'A': expected text, not a number\n  hint: write it in quotes",
        "26:21: expected problem PP415, but the prompt was rendered",
    ]


@pytest.mark.parametrize(
    ("verdict", "failures"),
    [
        ("invalid", ["the reply is invalid only because a rule failed: PP521 (reply): "]),
        ("{violations: [{rule: broken}]}", ["expected violation rule=broken, found PP521 (reply): "]),
        ("{violations: [{code: PP521, rule: broken}]}", []),
    ],
)
def test_a_rule_that_crashes_does_not_satisfy_an_expectation(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library], verdict: str, failures: list[str]
) -> None:
    rule = "  rules: [{name: broken, require: reply.params.x.y, message: m}]\n"
    body = BODY.replace("tests:\n", f"{rule}tests:\n")
    write_pack(body=body + f"  - {{name: t, context: {{A: x}}, reply: {GOOD}, verdict: {verdict}}}\n")
    (result,) = trial.run(open_packs().packs())
    assert [found.message[: len(wanted)] for found, wanted in zip(result.failures, failures, strict=True)] == failures
