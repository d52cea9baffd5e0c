"""`BatchReport` -> one HTML page with charts."""

from collections.abc import Mapping

from promptpack.batch.process import BatchReport
from promptpack.batch.report_text import to_rows
from promptpack.batch.summary import BINS
from promptpack.page.charts import bar_chart
from promptpack.page.frame import card, escape, write_page
from promptpack.verdict.model import name_code

_NONE = '<p class="quiet">None.</p>'


def to_page(title: str, report: BatchReport) -> str:
    """Return the page; the same counts give the same text."""
    summary = report.summary
    data = summary.to_dict()
    requests = sum(summary.outcomes.values())
    accepted = f"{100 * (requests - summary.failed) / requests:.1f} % accepted" if requests else ""
    shown = ", ".join(filter(None, (f"{summary.rows:,} rows", accepted, f"{sum(summary.errors.values()):,} errors")))
    charts = [
        card("Outcomes", _bars(data["outcomes"])),
        card("Violations", _bars({name_code(code): count for code, count in data["violations"].items()})),
        card("Repairs", _bars(data["repairs"])),
        card("Confidence of accepted replies", _bars(_name_bins(data["confidence"]))),
        card("Tokens", _bars(data["tokens"])),
        card("Replies that were needed", _bars(data["rounds"])),
    ]
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<section class="card banner"><p><strong>{escape(shown)}</strong></p></section>',
        f'<div class="grid">{"".join(charts)}</div>' if requests else "",
        card("Rows that could not be used", _bars(data["errors"])),
        card("Numbers", _table(report)),
    ]
    return write_page(title, "\n".join(part for part in body if part))


def _bars(counts: Mapping[str, int]) -> str:
    return bar_chart([(name, [(count, f"{count:,}")]) for name, count in counts.items()]) if counts else _NONE


def _name_bins(counts: Mapping[str, int]) -> dict[str, int]:
    """Return all bins between the lowest and the highest that have replies."""
    if not counts:
        return {}
    starts = range(min(map(int, counts)), 100, BINS)
    return {f"{start} to {100 if start == 90 else start + BINS - 1}": counts.get(str(start), 0) for start in starts}


def _table(report: BatchReport) -> str:
    rows = (f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in to_rows(report))
    return f'<div class="scroll"><table><tbody>{"".join(rows)}</tbody></table></div>'
