"""The counts of a batch as lines of text."""

from collections.abc import Iterator, Mapping

from promptpack.batch.process import BatchReport


def to_text(report: BatchReport) -> str:
    """Return the table of the counts that are not empty, and the files."""
    rows = list(to_rows(report))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name.ljust(width)}  {text}" for name, text in rows)


def to_rows(report: BatchReport) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each line."""
    summary, data = report.summary, report.summary.to_dict()
    yield "rows", f"{summary.rows:,}"
    yield "records", f"{summary.records:,}"
    for name in ("errors", "outcomes", "violations", "repairs", "rounds", "tokens"):
        if data[name]:
            yield name, show_counts(data[name])
    for number, file in enumerate(report.files):
        yield "files" if not number else "", file


def show_counts(counts: Mapping[str, int]) -> str:
    """Return counts in one line."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
