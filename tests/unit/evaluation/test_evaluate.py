"""Whole evaluations with a scripted model: grades, journals, failures, limits and comparisons."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from promptpack.cycle import Completion, CycleSettings, ManualClock, ProviderError, Request, ScriptedProvider, Usage
from promptpack.evaluation import EvaluatedPack, EvaluationPlan, JudgePack, evaluate, read_cases
from promptpack.evaluation.asking import TimedProvider
from promptpack.evaluation.dry_run import estimate
from promptpack.evaluation.journal import Journal, open_journals
from promptpack.evaluation.pace import Pace
from promptpack.evaluation.prices import Price, Prices
from promptpack.evaluation.report_data import to_data
from promptpack.evaluation.report_page import to_page
from promptpack.evaluation.report_text import to_text
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.private_folder import PrivateFolder
from promptpack.problem import PackError, Problem, UsageError
from tests.unit.evaluation.conftest import BAD, PACK, good, plan_of, subject_of

OVERLOADED = ProviderError(Problem("PP605", "the server failed"), retryable=True)


def text_of(request: Request) -> str:
    return request.messages[0].text


def number_of(request: Request) -> int:
    return int(text_of(request).split("text ")[1].split(".")[0])


def completion(reply: object, usage: Usage = Usage(1000, 100)) -> Completion:  # noqa: B008 -- immutable
    return Completion(json.dumps(reply), usage=usage)


def test_a_reply_passes_if_it_meets_the_contract(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    subject = subject_of(grader, lambda request: completion(BAD if number_of(request) < 3 else good()))
    (side,) = evaluate(plan_of(tmp_path, 10, subject), journals).sides
    assert side.pass_rate.estimate == 0.7
    assert side.violations == Counter({"PP513": 3})
    assert [one.case.id for one in side.failed] == ["c0", "c1", "c2"]
    assert side.failed[0].reasons == ("PP513 /confidence: must be at most 100, not 150",)
    assert (side.usage.input_tokens, side.usage.output_tokens) == (10_000, 1_000)


def test_a_correction_can_save_an_answer(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    subject = subject_of(grader, lambda request: completion(good() if len(request.messages) > 1 else BAD), rounds=2)
    (side,) = evaluate(plan_of(tmp_path, 4, subject), journals).sides
    assert (side.pass_rate.estimate, side.first_replies, side.corrected) == (1.0, 0, 4)
    assert side.usage.input_tokens == 8_000


def test_repairs_are_counted(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    subject = subject_of(grader, lambda _: f"```json\n{json.dumps(good())}\n```")
    (side,) = evaluate(plan_of(tmp_path, 3, subject), journals).sides
    assert side.repairs == Counter({"fence": 3})


def test_nothing_is_asked_twice(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    first = subject_of(grader, lambda _: completion(good()))
    before = evaluate(plan_of(tmp_path, 5, first, repeat=2), journals)
    later = subject_of(grader, lambda _: completion(BAD))
    after = evaluate(plan_of(tmp_path, 7, later, repeat=2), journals)
    assert isinstance(later.provider, ScriptedProvider)
    assert sorted(map(number_of, later.provider.requests)) == [5, 5, 6, 6]
    assert before.sides[0].pass_rate.estimate == 1.0
    assert after.sides[0].pass_rate.estimate == pytest.approx(5 / 7)


@pytest.mark.parametrize("change", [{"params": {"temperature": 1}}, {"rounds": 2}, {"model": "other"}])
def test_other_settings_are_asked_again(
    change: dict[str, object], tmp_path: Path, grader: Pack, journals: PrivateFolder
) -> None:
    evaluate(plan_of(tmp_path, 2, subject_of(grader, lambda _: completion(good()))), journals)
    settings = CycleSettings(**{"model": "m", "rounds": 1, **change})  # type: ignore[arg-type]
    provider = ScriptedProvider(lambda _: completion(good()))
    evaluate(plan_of(tmp_path, 2, EvaluatedPack(grader, provider, settings, "scripted")), journals)
    assert len(provider.requests) == 2


def test_fresh_asks_again(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    evaluate(plan_of(tmp_path, 2, subject_of(grader, lambda _: completion(BAD))), journals)
    again = subject_of(grader, lambda _: completion(good()))
    assert evaluate(plan_of(tmp_path, 2, again), journals, fresh=True).sides[0].pass_rate.estimate == 1.0


def test_a_line_that_was_cut_off_is_asked_again(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    plan = plan_of(tmp_path, 4, subject_of(grader, lambda _: completion(good())))
    whole = to_data(evaluate(plan, journals))
    (file,) = Path(journals.root).iterdir()
    file.write_bytes(file.read_bytes()[:-25])
    later = subject_of(grader, lambda _: completion(good()))
    assert to_data(evaluate(plan_of(tmp_path, 4, later), journals)) == whole
    assert isinstance(later.provider, ScriptedProvider)
    assert len(later.provider.requests) == 1
    keys = [(row["case"], row["repetition"]) for row in map(json.loads, file.read_text().splitlines()[1:])]
    assert len(keys) == len(set(keys)) == 4


def _reply_with(**changes: Any) -> str:
    reply = {"text": "", "finish_reason": "", "codes": [], "input_tokens": 0, "output_tokens": 0, "cached_tokens": 0}
    return json.dumps({"case": "a", "repetition": 1, "replies": [{**reply, "seconds": 0, **changes}], "verdict": None})


_VERDICT = {"ok": True, "outcome": "ok", "output": {}, "violations": [], "repairs": []}
_NO_VERDICTS: tuple[object, ...] = ([], {}, 5, "x", {**_VERDICT, "ok": 1})
_DAMAGED = (
    '{"case": 1}',
    "[" * 100_000,
    '{"case": ' * 100_000,
    f'{{"repetition": {"9" * 5_000}}}',
    _reply_with(seconds=float("nan")),
    _reply_with(input_tokens=-1),
    _reply_with(output_tokens=10**400),
    _reply_with(cached_tokens=True),
    _reply_with(text=None),
    *(_reply_with().replace("null", json.dumps(verdict)) for verdict in _NO_VERDICTS),
    _reply_with().replace("null", json.dumps({**_VERDICT, "violations": [{"code": "PP510"}]})),
    _reply_with().replace("null", json.dumps({**_VERDICT, "ok": False})),
)


@pytest.mark.parametrize("line", _DAMAGED)
def test_a_damaged_journal_is_a_problem_at_its_line(
    tmp_path: Path, grader: Pack, journals: PrivateFolder, line: str
) -> None:
    plan = plan_of(tmp_path, 2, subject_of(grader, lambda _: completion(good())))
    evaluate(plan, journals)
    (file,) = Path(journals.root).iterdir()
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], line, lines[2]]) + "\n")
    with pytest.raises(PackError) as caught:
        evaluate(plan, journals)
    hint = "delete the file, or pass --fresh to ask again"
    assert str(caught.value) == f"{file}:2:1: PP974 the journal is damaged\n  hint: {hint}"


def test_two_evaluations_do_not_write_one_journal(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    subject = subject_of(grader, lambda _: completion(good()))
    journal = Journal.open(journals, subject)
    with pytest.raises(UsageError, match="PP974 another evaluation writes this journal"):
        evaluate(plan_of(tmp_path, 1, subject), journals)
    journal.close()
    assert evaluate(plan_of(tmp_path, 1, subject), journals).is_complete


def test_a_journal_that_others_can_read_is_not_used(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    plan = plan_of(tmp_path, 1, subject_of(grader, lambda _: completion(good())))
    evaluate(plan, journals)
    (file,) = Path(journals.root).iterdir()
    file.chmod(0o644)
    with pytest.raises(UsageError, match="PP974 the journal is not private"):
        evaluate(plan, journals)
    Path(journals.root).chmod(0o755)
    with pytest.raises(UsageError, match=r"PP974 the folder of journals .* is not private"):
        open_journals(journals.root)


def test_temporary_failures_are_retried(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    tries: Counter[int] = Counter()

    def answer(request: Request) -> Completion | ProviderError:
        tries[number_of(request)] += 1
        return completion(good()) if tries[number_of(request)] > 2 else OVERLOADED

    clock = ManualClock()
    plan = plan_of(tmp_path, 3, subject_of(grader, answer, retries=2), clock=clock)
    assert evaluate(plan, journals).is_complete
    assert clock.slept.count(0.5) == 3


def test_a_case_whose_calls_fail_has_no_grade_and_is_asked_later(
    tmp_path: Path, grader: Pack, journals: PrivateFolder
) -> None:
    def answer(request: Request) -> Completion | ProviderError:
        return OVERLOADED if number_of(request) == 1 else completion(good())

    found = evaluate(plan_of(tmp_path, 3, subject_of(grader, answer, retries=0)), journals)
    assert not found.is_complete
    assert [(one.case.id, one.reason) for one in found.sides[0].missing] == [("c1", "PP605 the server failed")]
    assert len(found.sides[0].rates) == 2
    assert evaluate(plan_of(tmp_path, 3, subject_of(grader, lambda _: completion(good()))), journals).is_complete


def test_a_server_that_always_fails_stops_the_evaluation(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    subject = subject_of(grader, lambda _: OVERLOADED, retries=0)
    found = evaluate(plan_of(tmp_path, 50, subject), journals)
    assert isinstance(subject.provider, ScriptedProvider)
    assert (found.stop, len(subject.provider.requests)) == ("10 calls in a row failed", 10)
    assert len(found.sides[0].missing) == 50
    assert to_text(found).splitlines()[-1] == "without a grade   50"


def test_a_rejected_key_stops_the_evaluation_at_once(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    subject = subject_of(grader, lambda _: ProviderError(Problem("PP602", "rejected")))
    found = evaluate(plan_of(tmp_path, 50, subject), journals)
    assert isinstance(subject.provider, ScriptedProvider)
    assert (found.stop, len(subject.provider.requests)) == ("the server rejects the key or the account", 1)


def test_a_retry_after_pauses_all_conversations(grader: Pack) -> None:
    clock = ManualClock()
    pace = Pace(clock, None, None)
    failing = TimedProvider(ScriptedProvider([ProviderError(Problem("PP604", "wait"), retry_after=20.0)]), pace, clock)
    other = TimedProvider(ScriptedProvider([completion(good())]), pace, clock)

    async def ask_both() -> None:
        request = Request("m", grader.render(TEXT="a").messages)
        with pytest.raises(ProviderError):
            await failing.acomplete(request)
        await other.acomplete(request)

    asyncio.run(ask_both())
    assert clock.now() == 20.0


def test_requests_are_spaced_and_a_retry_after_makes_them_wait(
    tmp_path: Path, grader: Pack, journals: PrivateFolder
) -> None:
    clock = ManualClock()
    times: list[float] = []

    def answer(_: Request) -> Completion | ProviderError:
        times.append(clock.now())
        if len(times) == 2:
            return ProviderError(Problem("PP604", "wait"), retryable=True, retry_after=20.0)
        return completion(good())

    subject = subject_of(grader, answer)
    evaluate(plan_of(tmp_path, 4, subject, clock=clock, requests_per_minute=30), journals)
    assert times == [0.0, 2.0, 22.0, 24.0, 26.0]


def test_tokens_per_minute_count_what_the_server_counted(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    clock = ManualClock()
    subject = subject_of(grader, lambda _: completion(good(), Usage(500, 500)))
    evaluate(plan_of(tmp_path, 4, subject, clock=clock, tokens_per_minute=6000), journals)
    assert clock.now() == pytest.approx(30.0)


def test_max_cost_stops_before_it_is_exceeded_and_counts_earlier_answers(
    tmp_path: Path, grader: Pack, journals: PrivateFolder
) -> None:
    prices = Prices("prices.yaml", "USD", {"m": Price(1.0, 10.0, 1.0)})
    subject = subject_of(grader, lambda _: completion(good()), params={"max_tokens": 100})
    limited = plan_of(tmp_path, 20, subject, prices=prices, max_cost=0.0105)
    for _ in range(2):
        found = evaluate(limited, journals)
        assert found.stop == "the next reply could exceed --max-cost"
        assert found.cost is not None
        assert 0.006 < found.cost <= 0.0105
    assert isinstance(subject.provider, ScriptedProvider)
    assert len(subject.provider.requests) == 5
    assert evaluate(plan_of(tmp_path, 20, subject, prices=prices), journals).cost == pytest.approx(0.04)


def test_an_estimate_sends_nothing(tmp_path: Path, grader: Pack) -> None:
    prices = Prices("prices.yaml", "USD", {"m": Price(1.0, 10.0, 1.0)})
    subject = subject_of(grader, lambda _: completion(good()))
    (found,) = estimate(plan_of(tmp_path, 10, subject, repeat=3, prices=prices))
    assert isinstance(subject.provider, ScriptedProvider)
    assert not subject.provider.requests
    assert (found.requests, found.label) == (30, "grader@1.0.0")
    assert found.cost == pytest.approx((found.usage.input_tokens + 10 * found.usage.output_tokens) / 1e6)


def test_expectations_and_rules_grade_too(tmp_path: Path, grader: Pack, journals: PrivateFolder) -> None:
    file = tmp_path / "cases.jsonl"
    expectations = [{"contains": "fine"}, {"contains": ["bad"]}, {"excludes": "fine"}, {"values": {"/params/grade": 2}},
                    {"values": {"/params/missing": 2}}, {"outcome": "recovered"}]  # fmt: skip
    rows = [
        {"id": str(n), "context": {"TEXT": f"{n}", "LIMIT": n}, "expect": one} for n, one in enumerate(expectations)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plan = EvaluationPlan(
        (subject_of(grader, lambda _: completion(good(grade=3))),),
        read_cases(str(file), grader),
        rules=("reply.params.grade >= LIMIT", "reply.params.grade / (LIMIT - 1) < 100"),
        clock=ManualClock(),
    )
    found = evaluate(plan, journals)
    assert "valid, but failed  5" in to_text(found).splitlines()
    reasons = {one.case.id: one.reasons for one in found.sides[0].failed}
    assert reasons.pop("1")[1].startswith("the rule 'reply.params.grade / (LIMIT - 1) < 100' cannot be evaluated")
    assert reasons == {
        "2": ("the reply contains 'fine'",),
        "3": ("/params/grade is 3, not 2",),
        "4": ("the reply has no /params/missing", "the rule 'reply.params.grade >= LIMIT' does not hold"),
        "5": ("the reply is valid, not recovered", "the rule 'reply.params.grade >= LIMIT' does not hold"),
    }


def test_violations_of_rules_are_counted_by_rule(tmp_path: Path, journals: PrivateFolder) -> None:
    rules = "".join(
        f"    - {{name: {name}, require: reply.params.grade > {least}, message: m}}\n"
        for name, least in (("low", 3), ("required", 5))
    )
    file = tmp_path / "packs" / "grader" / "1.0.0.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(PACK.format(version="1.0.0").replace("tests:", f"  rules:\n{rules}tests:"), "utf-8")
    pack = Library.open(str(tmp_path / "packs")).get("grader")
    plan = plan_of(tmp_path, 4, subject_of(pack, lambda _: completion(good(grade=5))))
    assert evaluate(plan, journals).sides[0].violations == {"PP520 required": 4}


def test_a_rule_with_an_unknown_name_is_a_problem_before_anything_is_sent(
    tmp_path: Path, grader: Pack, journals: PrivateFolder
) -> None:
    subject = subject_of(grader, lambda _: completion(good()))
    with pytest.raises(PackError, match="PP301"):
        evaluate(plan_of(tmp_path, 1, subject, rules=("reply.params.grade < LIMTI",)), journals)
    assert isinstance(subject.provider, ScriptedProvider)
    assert not subject.provider.requests


def test_a_pack_without_a_contract_needs_another_grader(
    tmp_path: Path, library: Library, journals: PrivateFolder
) -> None:
    subject = subject_of(library.get("plain"), lambda request: "yes" if number_of(request) else "no")
    with pytest.raises(UsageError) as caught:
        evaluate(plan_of(tmp_path, 4, subject), journals)
    hint = "add 'reply:' to the pack, 'expect' to the cases, --rule or --judge"
    assert str(caught.value) == f"PP973 nothing grades the replies of plain@1.0.0\n  hint: {hint}"
    (side,) = evaluate(plan_of(tmp_path, 4, subject, rules=('reply == "yes"',)), journals).sides
    assert side.pass_rate.estimate == 0.75


def judge_of(pack: Pack, grade: object, path: str = "/params/grade", score: float | None = 5) -> JudgePack:
    return JudgePack(subject_of(pack, lambda _: completion(grade)), "TEXT", path, score)


@pytest.mark.parametrize(
    ("reply", "passed", "missing"), [(good(grade=5), 4, 0), (good(grade=4), 0, 0), (BAD, 0, 4), (good(grade=5, params={"grade": 5, "x": 1}), 4, 0)]
)  # fmt: skip
def test_a_judge_grades_answers_that_pass_otherwise_and_its_reply_is_checked(
    reply: object, passed: int, missing: int, tmp_path: Path, library: Library, journals: PrivateFolder
) -> None:
    subject = subject_of(
        library.get("grader@1.0.0"),
        lambda request: completion(good(thought=text_of(request)) if number_of(request) else BAD),
    )
    judge = judge_of(library.get("grader@1.1.0"), reply)
    found = evaluate(plan_of(tmp_path, 5, subject, judge=judge), journals)
    assert isinstance(judge.subject.provider, ScriptedProvider)
    assert len(judge.subject.provider.requests) == 4
    (side,) = found.sides
    assert (sum(not one.reasons for one in side.graded), len(side.missing)) == (passed, missing)
    assert found.judge is not None
    assert found.judge.usage.input_tokens == 4_000


def test_a_judge_is_asked_about_equal_replies_once(tmp_path: Path, library: Library, journals: PrivateFolder) -> None:
    subject = subject_of(library.get("grader@1.0.0"), lambda _: completion(good()))
    judge = judge_of(library.get("grader@1.1.0"), good(grade=9))
    evaluate(plan_of(tmp_path, 5, subject, judge=judge, repeat=2), journals)
    assert isinstance(judge.subject.provider, ScriptedProvider)
    assert len(judge.subject.provider.requests) == 2  # once for each repetition


def test_a_judge_that_cannot_be_asked_is_a_problem(tmp_path: Path, library: Library) -> None:
    grader, plain = library.get("grader@1.0.0"), library.get("plain")
    cases = plan_of(tmp_path, 1, subject_of(plain, lambda _: "x")).cases
    with pytest.raises(UsageError, match=r"PP976 the judge plain@1.0.0 has no reply contract"):
        JudgePack(subject_of(plain, lambda _: "x"), "TEXT", "/x").check(cases)
    without = [replace(case, context={}) for case in cases]
    with pytest.raises(
        UsageError, match=r"cases.jsonl:1:1: PP976 the judge grader@1.0.0 needs 'TEXT', which case 'c0' lacks"
    ):
        JudgePack(subject_of(grader, lambda _: "x"), "LIMIT", "/x").check(without)
    with pytest.raises(
        UsageError, match=r"PP976 the judge grader@1.0.0 has no input 'TXET'\n  hint: did you mean 'TEXT'"
    ):
        JudgePack(subject_of(grader, lambda _: "x"), "TXET", "/x").check(cases)


def test_two_versions_are_compared_on_the_same_cases(tmp_path: Path, library: Library, journals: PrivateFolder) -> None:
    old = subject_of(library.get("grader@1.0.0"), lambda request: completion(BAD if number_of(request) % 2 else good()))
    new = subject_of(library.get("grader@1.1.0"), lambda _: completion(good()))
    found = evaluate(plan_of(tmp_path, 60, old, new), journals)
    assert found.comparison is not None
    assert (found.comparison.text, found.comparison.better, found.comparison.worse) == ("better", 30, 0)
    assert to_text(found).splitlines()[-1] == "conclusion   better"


def test_repeating_equal_replies_changes_no_interval(tmp_path: Path, library: Library, journals: PrivateFolder) -> None:
    def answer(request: Request) -> Completion:
        return completion(BAD if number_of(request) % 5 == 0 else good())

    old = subject_of(library.get("grader@1.0.0"), answer)
    new = subject_of(
        library.get("grader@1.1.0"), lambda request: completion(BAD if number_of(request) % 7 == 0 else good())
    )
    once, often = (evaluate(plan_of(tmp_path, 24, old, new, repeat=repeat), journals) for repeat in (1, 5))
    assert once.comparison == often.comparison
    assert [side.pass_rate for side in once.sides] == [side.pass_rate for side in often.sides]
    assert len(often.sides[0].graded) == 120


def test_the_same_seed_gives_the_same_bytes_and_secrets_stay_hidden(
    tmp_path: Path, library: Library, journals: PrivateFolder
) -> None:
    file = tmp_path / "cases.jsonl"
    rows = ({"context": {"TEXT": f"<script>{n}</script>", "TOKEN": "s3cret-key"}} for n in range(30))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    reply = good(thought="the key is s3cret-key & <img src=x onerror=1>", confidence=150)
    subjects = tuple(
        subject_of(library.get(f"grader@{one}"), lambda _: completion(reply)) for one in ("1.0.0", "1.1.0")
    )
    plan = EvaluationPlan(subjects, read_cases(str(file), subjects[0].pack), seed=3, clock=ManualClock())
    first, second = evaluate(plan, journals), evaluate(plan, journals)
    pages = [to_page(found) for found in (first, second)]
    assert pages[0] == pages[1]
    assert json.dumps(to_data(first)) == json.dumps(to_data(second))
    stored = "".join(file.read_text() for file in Path(journals.root).iterdir())
    for text in (pages[0], json.dumps(to_data(first)), stored):
        assert "s3cret" not in text
    assert "<script" not in pages[0]
    assert "<img" not in pages[0]
    assert "&lt;img src=x onerror=1&gt;" in pages[0]
    assert pages[0].count("<details>") == 60


def test_without_any_grade_no_rate_is_shown(tmp_path: Path, library: Library, journals: PrivateFolder) -> None:
    old, new = (subject_of(library.get(f"grader@{one}"), lambda _: OVERLOADED, retries=0) for one in ("1.0.0", "1.1.0"))
    found = evaluate(plan_of(tmp_path, 30, old, new, concurrency=3), journals)
    assert to_text(found).splitlines()[1].split() == ["pass", "rate", "unknown", "unknown"]
    assert found.stop == "10 calls in a row failed"
    assert found.comparison is not None
    assert found.comparison.kind == "too few cases"
    assert "no reply was graded" in to_page(replace(found, sides=found.sides[:1], comparison=None))
