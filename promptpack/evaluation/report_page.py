"""`Evaluation` -> one HTML page: the conclusion, charts, and every failed case with its prompt, reply and verdict."""

import json
from typing import Any

from promptpack.evaluation.report_text import money, points, rate, to_rows
from promptpack.evaluation.results import Evaluation, GradedAnswer, SideResult
from promptpack.evaluation.statistics import RateComparison
from promptpack.page.charts import KINDS, IntervalRow, Scale, bar_chart, histogram, interval_chart, legend
from promptpack.page.frame import card, escape, write_page
from promptpack.prompt.secrets import Secrets
from promptpack.prompt.stored_prompt import hide_messages
from promptpack.verdict.model import name_code


def to_page(evaluation: Evaluation) -> str:
    """Return the page; the same answers and seed give the same text."""
    labels = [side.subject.label for side in evaluation.sides]
    title = f"Evaluation of {' and '.join(labels)}"
    charts = [
        card("Pass rate", _pass_rates(evaluation)),
        *([card("Difference", _difference(evaluation.comparison))] if evaluation.comparison else []),
        card("Violations of first replies", _violations(evaluation)),
        card("Latency", _latency(evaluation)),
        card("Tokens and cost", _cost(evaluation)),
    ]
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(_describe(evaluation))}</p>',
        _banner(evaluation),
        legend(labels) if len(labels) > 1 else "",
        f'<div class="grid">{"".join(charts)}</div>',
        card("Numbers", _table(evaluation)),
        card(f"Failed cases ({sum(len(side.failed) for side in evaluation.sides):,})", _failed_cases(evaluation)),
        _missing(evaluation),
    ]
    return write_page(title, "\n".join(part for part in body if part))


def _describe(evaluation: Evaluation) -> str:
    subject = evaluation.sides[0].subject
    model = subject.settings.model or subject.service.split(" ", 1)[0]
    parameters = "".join(f", {name}={value}" for name, value in subject.settings.params.items())
    times = "once" if evaluation.repeat == 1 else f"{evaluation.repeat} times"
    judged = f", judged by {evaluation.judge.subject.label}" if evaluation.judge else ""
    cases = f"{evaluation.cases:,} cases, each {times}"
    return f"{model}{parameters}; {cases}{judged}; {subject.pack.locale}; seed {evaluation.seed}"


def _banner(evaluation: Evaluation) -> str:
    found = evaluation.comparison
    lines = []
    if found:
        kind = found.kind if found.kind in ("better", "worse") else ""
        second = evaluation.sides[1].subject.label
        shown = f"{second} is {found.text}" if kind else f"Conclusion: {found.text}"
        lines.append(f"<p><strong>{escape(shown)}</strong></p>")
        lines.append(f'<p class="quiet">{escape(_test(found))}</p>')
    else:
        side = evaluation.sides[0]
        kind, shown = "", f"Pass rate {rate(side.pass_rate) if side.graded else 'unknown: no reply was graded'}"
        lines.append(f"<p><strong>{escape(shown)}</strong></p>")
    if evaluation.stop:
        lines.append(f"<p>{escape(f'Incomplete: {evaluation.stop}')}</p>")
    return f'<section class="card banner {kind}">{"".join(lines)}</section>'


def _test(found: RateComparison) -> str:
    cases = f"{found.better:,} of {found.cases:,} cases better, {found.worse:,} worse"
    return f"{cases}; exact McNemar test p = {found.mcnemar:.3g}. The paired bootstrap over cases decides."


def _pass_rates(evaluation: Evaluation) -> str:
    rows = [
        IntervalRow(side.subject.label, rate(side.pass_rate), *side.pass_rate, colour)
        for colour, side in enumerate(evaluation.sides)
    ]
    ticks = [(share, f"{100 * share:.0f} %") for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    note = '<p class="quiet">95 % Wilson intervals; the unit is the case.</p>'
    return interval_chart(rows, Scale(0.0, 1.0), ticks) + note


def _difference(found: RateComparison) -> str:
    low, high = found.difference.low, found.difference.high
    reach = 1.15 * max(abs(low), abs(high), found.margin)
    text = f"{points(found.difference.estimate)} [{points(low)}, {points(high)}]"
    row = IntervalRow("second minus first", text, *found.difference, colour=1)
    ticks = [(-reach, points(-reach)), (-found.margin, ""), (0.0, "0"), (found.margin, ""), (reach, points(reach))]
    chart = interval_chart([row], Scale(-reach, reach), ticks, zero=0.0, band=(-found.margin, found.margin))
    margin = f"Percentage points. Shaded: differences of at most {100 * found.margin:g} points."
    return f'{chart}<p class="quiet">{escape(margin)}</p>'


def _violations(evaluation: Evaluation) -> str:
    counts = [side.violations for side in evaluation.sides]
    codes = sorted({code for one in counts for code in one}, key=lambda code: (-sum(one[code] for one in counts), code))
    if not codes:
        return '<p class="quiet">None.</p>'
    return bar_chart([(name_code(code), [(one[code], f"{one[code]:,}") for one in counts]) for code in codes])


def _latency(evaluation: Evaluation) -> str:
    chart = histogram([side.seconds for side in evaluation.sides], lambda value: f"{value:.2g} s", "seconds per answer")
    lines = [
        f"{side.subject.label}: p50 {side.latency(0.5):.2f} s, p95 {side.latency(0.95):.2f} s"
        for side in evaluation.sides
    ]
    return chart + "".join(f'<p class="quiet">{escape(line)}</p>' for line in lines)


def _cost(evaluation: Evaluation) -> str:
    sides, currency = evaluation.sides, evaluation.currency
    rows = [
        ("tokens in", [(side.usage.input_tokens, f"{side.usage.input_tokens:,}") for side in sides]),
        ("tokens out", [(side.usage.output_tokens, f"{side.usage.output_tokens:,}") for side in sides]),
    ]
    charts = bar_chart(rows)
    if evaluation.cost is None:
        return charts + '<p class="quiet">Without --prices, the cost is unknown.</p>'
    charts += bar_chart([("cost", [(side.cost or 0.0, money(side.cost, currency)) for side in sides])])
    judge = f", with the judge {money(evaluation.cost, currency)}" if evaluation.judge else ""
    return charts + (f'<p class="quiet">{escape(f"All together{judge}")}</p>' if judge else "")


def _table(evaluation: Evaluation) -> str:
    head = "".join(f"<th>{escape(side.subject.label)}</th>" for side in evaluation.sides)
    rows = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in to_rows(evaluation)
    )
    return (
        f'<div class="scroll"><table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )  # fmt: skip


def _failed_cases(evaluation: Evaluation) -> str:
    order = {case: number for side in evaluation.sides for number, case in enumerate(side.rates)}
    failed = [(colour, side, one) for colour, side in enumerate(evaluation.sides) for one in side.failed]
    failed.sort(key=lambda row: (order[row[2].case.key], row[0], row[2].answer.repetition))
    return "\n".join(_failed(*row) for row in failed) or '<p class="quiet">None.</p>'


def _failed(colour: int, side: SideResult, one: GradedAnswer) -> str:
    prompt = side.subject.pack.render(one.case.context)
    secrets = Secrets(prompt.pack, prompt.context)
    repetition = f", repetition {one.answer.repetition}" if one.answer.repetition > 1 else ""
    reasons = [secrets.hide(reason) for reason in one.reasons]
    label = f'<b class="{KINDS[colour]}">{escape(side.subject.label)}</b>'
    parts = [
        f"<details><summary>{label} {escape(secrets.hide(one.case.id))}{repetition}: {escape(reasons[0])}</summary>",
        f'<p class="quiet">{escape(str(one.case.location))}; {escape(one.answer.outcome or "not checked")}</p>',
        f"<ul>{''.join(f'<li>{escape(reason)}</li>' for reason in reasons)}</ul>",
        *(_block(str(message["role"]), message.get("content")) for message in hide_messages(prompt)),
        *(_block(f"reply {number}", reply.text) for number, reply in enumerate(one.answer.replies, 1)),
        "</details>",
    ]
    return "".join(parts)


def _block(title: str, content: Any) -> str:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
    return f'<p class="quiet">{escape(title)}</p><pre>{escape(text)}</pre>'


def _missing(evaluation: Evaluation) -> str:
    lines = [
        f"<li>{escape(f'{side.subject.label} {one.case.id}: {one.reason}')}</li>"
        for side in evaluation.sides
        for one in side.missing
    ]
    return card(f"Without a grade ({len(lines):,})", f"<ul>{''.join(lines)}</ul>") if lines else ""
