"""The coverage of tests: as text, as lcov for other tools, and as an HTML page that colours the files."""

from collections.abc import Iterable, Iterator

import click

from promptpack import files
from promptpack.cli.console import on_one_line, print_json, print_problems
from promptpack.cli.reports.github import write_problem
from promptpack.pack.model import Pack
from promptpack.page.frame import card, escape, write_page
from promptpack.problem import PackError, as_data
from promptpack.trial.coverage import Coverage, Point, measure

_IGNORE = "no-cover"
_STYLE = """<style>
.source { border-collapse: collapse; font: 13px/1.5 ui-monospace, Menlo, Consolas, "Noto Sans Mono CJK SC", monospace; }
.source td { padding: 0 8px; border: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.source td:first-child { color: var(--quiet); text-align: right; user-select: none; width: 1%; white-space: nowrap; }
.source tr.full td:nth-child(2) { border-left: 4px solid var(--good); }
.source tr.none td:nth-child(2) { border-left: 4px solid var(--bad); background: var(--band); }
.source tr.part td:nth-child(2) { border-left: 4px solid var(--second); background: var(--band); }
.source tr.bare td:nth-child(2) { border-left: 4px solid transparent; }
.key span { border-left: 4px solid; padding: 0 14px 0 6px; }
a { color: var(--first); }
.source small { display: block; color: var(--bad); font: 12px/1.5 system-ui, sans-serif; }
</style>"""

_LEGEND = """<p class="quiet key"><span style="border-color: var(--good)">covered</span>
<span style="border-color: var(--second)">covered in part</span>
<span style="border-color: var(--bad)">not covered</span></p>"""


def measure_packs(packs: Iterable[Pack]) -> Coverage:
    """Return the coverage of the tests of packs, without lines that contain `no-cover` in a comment."""
    total = Coverage()
    for pack in packs:
        total += measure(pack)
    ignored = {path: frozenset(_find_ignored(path)) for path, _ in total.files()}
    return total.without(ignored)


def print_coverage(coverage: Coverage, format: str) -> None:  # noqa: A002 -- the option's name
    """Print the points that no test covers, and the share of each file."""
    if format == "json":
        print_json(_as_data(coverage))
    elif format == "github":
        for point in coverage.missing:
            click.echo(write_problem(point.problem))
    else:
        print_problems(point.problem for point in coverage.missing)
    for path, one in coverage.files():
        if one.missing:
            click.echo(on_one_line(f"{path}: {_describe(one)}"), err=True)
    click.echo(f"coverage: {_describe(coverage)}", err=True)


def write_lcov(coverage: Coverage) -> str:
    """Return the coverage in lcov's format: a line is hit as often as its rarest point."""
    return "".join(f"{line}\n" for path, one in coverage.files() for line in _lcov_lines(path, one))


def write_html(coverage: Coverage) -> str:
    """Return a page that draws the coverage on the text of each file."""
    parts = [_STYLE, f"<h1>Coverage of packs by their tests: {_percent(coverage)}</h1>"]
    listed = list(enumerate(coverage.files(), 1))
    parts.append(card("Files", _list_files(listed)))
    parts += (card(f"{path}: {_describe(one)}", _draw(path, one), f"file-{number}") for number, (path, one) in listed)
    return write_page(f"Coverage {_percent(coverage)}", "\n".join(parts))


def _list_files(listed: Iterable[tuple[int, tuple[str, Coverage]]]) -> str:
    """Return the table of files with links, those with the lowest share first, and the legend of the colours."""
    rows = (
        f'<tr><td><a href="#file-{number}">{escape(path)}</a></td>'
        f"<td>{len(one.missing):,}</td><td>{_describe(one)}</td></tr>"
        for number, (path, one) in sorted(listed, key=lambda row: row[1][1].percent)
    )
    head = "<thead><tr><th>file</th><th>missing</th><th>covered</th></tr></thead>"
    return f'<div class="scroll"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>{_LEGEND}'


def _percent(coverage: Coverage) -> str:
    # Rounded down, so that 100 means all.
    return f"{int(coverage.percent)} %"


def _describe(coverage: Coverage) -> str:
    return f"{coverage.covered} of {len(coverage.hits)} points ({_percent(coverage)})"


def _as_data(coverage: Coverage) -> dict[str, object]:
    rows = [
        {
            "path": path,
            "covered": one.covered,
            "total": len(one.hits),
            "missing": [as_data(p.problem) for p in one.missing],
        }
        for path, one in coverage.files()
    ]
    return {
        "covered": coverage.covered,
        "total": len(coverage.hits),
        "percent": round(coverage.percent, 2),
        "files": rows,
    }


def _lcov_lines(path: str, coverage: Coverage) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{on_one_line(path)}"
    rarest: dict[int, int] = {}
    for point, count in sorted(coverage.hits.items()):
        rarest[point.line] = min(rarest.get(point.line, count), count)
    yield from (f"DA:{line},{count}" for line, count in rarest.items())
    for number, (point, count) in enumerate(sorted(coverage.hits.items())):
        yield f"BRDA:{point.line},0,{number},{count or '-'}"
    yield f"BRF:{len(coverage.hits)}"
    yield f"BRH:{coverage.covered}"
    yield f"LF:{len(rarest)}"
    yield f"LH:{sum(1 for count in rarest.values() if count)}"
    yield "end_of_record"


def _draw(path: str, coverage: Coverage) -> str:
    lines = coverage.lines()
    missing: dict[int, list[Point]] = {}
    for point in coverage.missing:
        missing.setdefault(point.line, []).append(point)
    rows = []
    for number, text in enumerate(_read_lines(path), 1):
        covered, total = lines.get(number, (0, 0))
        kind = "bare" if not total else "full" if covered == total else "part" if covered else "none"
        notes = "".join(
            f"<small>no test covers this: {escape(point.what)}</small>" for point in missing.get(number, ())
        )
        rows.append(f'<tr class="{kind}"><td>{number}</td><td>{escape(text) or " "}{notes}</td></tr>')
    return f'<div class="scroll"><table class="source">{"".join(rows)}</table></div>'


def _find_ignored(path: str) -> Iterator[int]:
    for number, line in enumerate(_read_lines(path), 1):
        # In YAML `# no-cover`, in a template `{# no-cover #}`.
        if _IGNORE in line and "#" in line[: line.index(_IGNORE)]:
            yield number


def _read_lines(path: str) -> list[str]:
    try:
        return files.read_text(path).splitlines()
    except PackError:
        return []  # a file in an archive or another revision is not drawn
