"""Keyboard, screen reader, narrow windows, light and dark, Chinese and English; a thousand packs; a file of 1 MB."""

import os
import sys
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PACK, ROOT, Start, open_pack, set_text

AXE = Path(sys.prefix) / "studio" / "node_modules" / "axe-core" / "axe.min.js"
SMALL = "promptpack: 1\nname: pack-{0}\nversion: 1.0.0\nmessages:\n  - {{role: user, content: Number {0}.}}\n"
LINE = "      A line of a long prompt that says the same as all the others.\n"


def test_edit_preview_check_and_save_with_the_keyboard(page: Page, start: Start) -> None:
    studio = start()
    page.goto(studio.link)
    expect(page.locator(".pack")).to_have_count(1)
    page.keyboard.press("Tab")
    for _ in range(12):
        if page.evaluate("document.activeElement.textContent").startswith("greeter"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("prompt")).to_be_visible()
    expect(page.locator(".host .cm-content")).to_be_focused()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# typed\n")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator(".saving")).to_have_text("Saved")
    assert studio.read("greeter/1.0.0-dev.yaml") == f"{PACK}# typed\n"
    page.keyboard.press("F6")
    expect(page.get_by_role("tab", name="Preview")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Reply")).to_be_focused()
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "TEXTAREA":
            break
    page.keyboard.type("no json")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(page.get_by_test_id("verdict")).to_contain_text("PP501")


def test_axe_finds_nothing_serious(page: Page, start: Start) -> None:
    open_pack(page, start())
    set_text(page, PACK.replace("{{ TONE }}", "{{ TOEN }}"))
    expect(page.locator(".problem").first).to_be_visible()
    page.evaluate(AXE.read_text("utf-8"))
    for theme, tab in [
        ("light", "Preview"),
        ("dark", "Preview"),
        ("dark", "Reply"),
        ("light", "Tests"),
        ("light", "Versions"),
    ]:
        page.evaluate("theme => { document.documentElement.style.colorScheme = theme }", theme)
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in serious] == [], (theme, tab)


@pytest.mark.parametrize(("language", "theme"), list(product(("en-US", "zh-CN"), ("light", "dark"))))
def test_it_fits_wide_and_narrow_windows(
    browser: Browser, start: Start, tmp_path: Path, language: str, theme: str
) -> None:
    """Write screenshots to $STUDIO_SCREENSHOTS, to be looked at."""
    folder = Path(os.environ.get("STUDIO_SCREENSHOTS", str(tmp_path)))
    planner = (ROOT / "packs" / "planner" / "1.0.0.yaml").read_text("utf-8").replace("extends: agent-base@^1\n", "")
    base = (ROOT / "packs" / "agent-base" / "1.0.0.yaml").read_text("utf-8")
    studio = start({"planner/1.0.0.yaml": planner, "agent-base/1.0.0.yaml": base, "greeter/1.0.0-dev.yaml": PACK})
    with browser.new_context(
        viewport={"width": 1280, "height": 800},
        locale=language,
        color_scheme=theme,  # type: ignore[arg-type]
    ) as context:
        page = context.new_page()
        page.goto(f"{studio.link}#greeter/1.0.0-dev.yaml")
        expect(page.get_by_test_id("prompt")).to_be_visible()
        words = {"en-US": ("Preview", "Packs", "Prompt"), "zh-CN": ("预览", "提示词包", "提示词")}[language]
        expect(page.get_by_role("tab", name=words[0])).to_be_visible()
        page.screenshot(path=folder / f"{language}-{theme}-1280.png")
        page.set_viewport_size({"width": 390, "height": 844})
        for number, pane in enumerate(page.locator(".switch button").all()):
            pane.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            page.screenshot(path=folder / f"{language}-{theme}-390-{number}.png")
        expect(page.get_by_test_id("prompt")).to_be_visible()


def test_a_thousand_packs_are_listed_searched_and_opened(page: Page, start: Start) -> None:
    studio = start({f"pack-{number}/1.0.0.yaml": SMALL.format(number) for number in range(1000)})
    page.goto(studio.link)
    expect(page.locator(".pack")).to_have_count(1000)
    page.get_by_role("searchbox").fill("number 777")
    expect(page.locator(".hit")).to_have_count(1)
    page.locator(".hit").click()
    expect(page.get_by_test_id("prompt").locator(".card .text")).to_have_text("Number 777.")


def test_a_file_of_a_megabyte_can_be_typed_in(page: Page, start: Start) -> None:
    messages = f"  - role: user\n    content: |\n{LINE * 2_860}" * 5
    long = PACK.replace("reply:\n", f"{messages}reply:\n", 1)
    assert 950_000 < len(long) < 1_000_000
    studio = start({"greeter/1.0.0-dev.yaml": long})
    open_pack(page, studio)
    page.locator(".cm-line", has_text="version:").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("agent: long-one", delay=5)
    expect(page.locator(".cm-line", has_text="agent: long-one")).to_be_visible()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator(".saving")).to_have_text("Saved")
    assert "agent: long-one" in studio.read("greeter/1.0.0-dev.yaml")
