"""Laws of the formats of a diff: a text of a pack stays a text, whatever it contains."""

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from promptpack.cli.diff_reports.catalogue import write
from promptpack.problem import Location, Problem
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Comparison
from promptpack.versions.version_diff import DiffReport, VersionDiff
from promptpack.versions.word_diff import Piece, WordDiff, diff_words

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HOSTILE = (
    "<script>alert(1)</script>", "</pre></details>", "</del><img src=x onerror=alert(1)>", "`code` **bold** _x_ __y__",
    "[a](javascript:alert(1))", "![a](http://example.org/x.png)", "| a | b |", "\n\n# title\n\n- item", "@everyone #12",
    "\x1b[31mred\x1b[0m\x07", "&lt;b&gt; &#60;", "~~gone~~ $x$ \\*", "<!-- -->", "<https://example.org>", "::error::x\n::x",
    "\u202e\u2066 \x00 \r\n", "'\"><b>", "```\nx\n```",
)  # fmt: skip
texts = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1), st.text("<>&|*_`[]()!#@~$\\\n -:/'\"a", min_size=1))


class Structure(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[object] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        self.tags.append(("comment", data))

    def handle_data(self, data: str) -> None:
        self.text += data


def make_report(text: str, words: str = "x") -> DiffReport:
    """A report with a text in each place that a pack can write to."""
    place = Location(f"packs/{text}/1.0.0.yaml", 3, 1)
    pieces = WordDiff((Piece("removed", words), Piece("added", f"{words}2")))
    change = make_change("PV101", text, place, text, words=pieces, counterexample=({"a": text},), hint=text)
    diff = VersionDiff(text, "changed", None, None, Comparison("", "", (change,)))
    return DiffReport(text, text, (diff,), (Problem("PP765", text, place, text),), is_checked=True)


HARMLESS = make_report("x")


def structure(report: DiffReport, form: str) -> Structure:
    written = write(report, form)
    return Structure(MARKDOWN.render(written) if form == "markdown" else written)


def without_code(tags: list[object]) -> list[object]:
    return [tag for tag in tags if tag not in (("code", []), "/code")]


@pytest.mark.parametrize("form", ["html", "markdown"])
@given(text=texts, words=texts)
@example(text="a|b", words="</pre>")
@example(text="x_y __z__", words="\n\n- a")
def test_no_text_changes_the_structure_of_a_page(form: str, text: str, words: str) -> None:
    found = structure(make_report(text, words), form)
    assert without_code(found.tags) == without_code(structure(HARMLESS, form).tags)


@given(texts)
def test_the_words_of_a_page_are_those_of_the_pack(words: str) -> None:
    pure = "".join(letter for letter in words if letter.isprintable())
    for form in ("html", "markdown"):
        assert pure in structure(make_report("x", pure or "x"), form).text


@given(text=texts, words=texts)
def test_no_text_controls_the_terminal(text: str, words: str) -> None:
    written = write(make_report(text, words), "text")
    assert written.count("\x1b") == write(HARMLESS, "text").count("\x1b")  # our own colours
    controls = {letter for letter in written if ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0}
    assert controls <= {"\n", "\t", "\x1b"}


@given(text=texts, words=texts)
def test_github_gets_one_command_for_each_problem_and_change(text: str, words: str) -> None:
    lines = write(make_report(text, words), "github").splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning"]


@given(text=texts, words=texts)
def test_json_keeps_every_text(text: str, words: str) -> None:
    data = json.loads(write(make_report(text, words), "json"))
    (change,) = data["packs"][0]["changes"]
    assert (change["message"], change["counterexample"]) == (text, {"a": text})
    assert "".join(piece["text"] for piece in change["words"]) == f"{words}{words}2"


def test_a_long_comment_fits_github_and_says_what_is_missing() -> None:
    long = write(make_report("x", "word " * 20_000), "markdown")
    assert len(long) < 5_000
    assert " …</del>" in long
    changes = HARMLESS.diffs[0].changes * 1_000
    many = replace(
        HARMLESS, diffs=(*HARMLESS.diffs, replace(HARMLESS.diffs[0], comparison=Comparison("", "", changes)))
    )
    written = write(many, "markdown")
    assert len(written) < 65_536
    assert written.endswith("1 part is too long to be shown here: run `promptpack diff`.\n")
    assert len(write(replace(HARMLESS, problems=HARMLESS.problems * 5_000), "markdown")) < 65_536


def test_of_many_changed_places_the_first_ones_are_shown() -> None:
    lines = [f"line {number}\n" for number in range(4_000)]
    words = diff_words(
        "".join(lines), "".join("new\n" if not number % 10 else line for number, line in enumerate(lines))
    )
    change = make_change("PV301", "x", None, "x", words=words)
    diff = replace(HARMLESS.diffs[0], comparison=Comparison("", "", (change,)))
    written = write(replace(HARMLESS, diffs=(diff,)), "markdown")
    assert "<del>line 10</del><ins>new</ins>" in written
    assert " more: run promptpack diff)</pre>" in written
    assert len(written) < 10_000
