"""One HTML file without scripts, links or fonts from elsewhere: the frame, the style and escaped text."""

import html
from typing import Final

from promptpack.characters import escape_surrogates, visible

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = """
:root { color-scheme: light dark; --text: #1d2433; --quiet: #5a6478; --line: #d8dde6; --ground: #f6f7f9;
  --card: #ffffff; --first: #2f6db5; --second: #c2570c; --good: #1a7f4b; --bad: #c0292f; --band: #e6eaf1; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ef; --quiet: #9aa5b8; --line: #333c4b; --ground: #12161d;
  --card: #1a2029; --first: #78aef0; --second: #f0a060; --good: #5cc48d; --bad: #f2777a; --band: #28303d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", Roboto,
  "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 22px; line-height: 1.3; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0 0 12px; }
h3 { font-size: 14px; margin: 14px 0 4px; }
p { margin: 4px 0; }
.quiet { color: var(--quiet); font-size: 13px; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin-top: 16px;
  min-width: 0; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 0 16px; }
.grid > :last-child:nth-child(odd) { grid-column: 1 / -1; }
.banner { border-left: 6px solid var(--quiet); }
.banner strong { font-size: 19px; overflow-wrap: anywhere; }
.banner.better { border-left-color: var(--good); }
.banner.worse { border-left-color: var(--bad); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 5px 12px 5px 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; }
th { font-weight: 600; }
tbody th { font-weight: 400; color: var(--quiet); white-space: nowrap; }
.legend span { display: inline-flex; align-items: center; gap: 6px; margin-right: 16px; font-size: 13px; }
.legend i { width: 11px; height: 11px; border-radius: 3px; background: var(--first); }
.legend i.second { background: var(--second); }
svg { display: block; width: 100%; overflow: visible; }
svg text { fill: var(--text); font-size: 13px; }
svg text.quiet { fill: var(--quiet); font-size: 12px; }
svg .first { fill: var(--first); stroke: var(--first); }
svg .second { fill: var(--second); stroke: var(--second); }
svg rect { stroke: none !important; }
svg .axis { stroke: var(--line); }
svg .zero { stroke: var(--quiet); stroke-dasharray: 3 3; }
svg .band { fill: var(--band); }
details { border-top: 1px solid var(--line); padding: 8px 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary b.first { color: var(--first); }
summary b.second { color: var(--second); }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: 10px; margin: 4px 0 10px;
  white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas,
  "Noto Sans Mono CJK SC", monospace; max-height: 480px; overflow: auto; }
ul { margin: 6px 0; padding-left: 20px; overflow-wrap: anywhere; }
@media print { details { display: block; } pre { max-height: none; } }
"""


def write_page(title: str, body: str, style: str = "") -> str:
    """Return a whole page; the body is HTML with escaped texts, `style` adds CSS."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def card(title: str, body: str, name: str = "") -> str:
    """Return a box with a title around HTML; links reach it by its name."""
    identifier = f' id="{escape(name)}"' if name else ""
    return f'<section class="card"{identifier}>\n<h2>{escape(title)}</h2>\n{body}\n</section>'


def escape(text: str) -> str:
    """Return text that is data in HTML, without characters that hide or reorder it."""
    return html.escape(visible(escape_surrogates(text)))
