"""Typing: squiggles on the right word with lint's codes, completion, hover, quick fixes, drafts that survive a crash."""

from playwright.sync_api import Browser, Page, expect

from promptpack.editor import Workspace
from tests.browser.conftest import PACK, Start, open_pack, set_text

# What is written instead of what, the code, and the word that is underlined.
MISTAKES = [
    ("{{ TONE }}", "{{ TOEN }}", "PP301", "TOEN"),
    ("{{ TONE }}", "{{ TONE | uper }}", "PP303", "uper"),
    ("{{ TONE }}", "{{ TONE is strng }}", "PP304", "strng"),
    ("{{ TONE }}", "{% fi TONE %}", "PP307", "fi"),
    ("{{ TONE }}", '{% include "rules" %}', "PP305", "rules"),
    ("description: Greets", "describe: Greets", "PP202", "describe"),
    ("role: system", "role: sytem", "PP205", "sytem"),
    ("context: {WHO: Ada}", "context: {WHO: Ada, WHOM: Bo}", "PP208", "WHOM"),
    ("name: greeter\n", "name: greeter\nname: greeter\n", "PP112", "name"),
    ("version: 1.0.0-dev", "version 1.0.0-dev", "PP110", "version"),
    ("{{ WHO }}.", "{{ WHO.name }}.", "PL202", "name"),
    ("confidence: 90", "confidence: 150", "PL008", "150"),
]


def test_each_mistake_is_underlined_with_the_code_of_lint(page: Page, start: Start) -> None:
    studio = start()
    open_pack(page, studio)
    for before, after, code, word in MISTAKES:
        assert before in PACK
        text = PACK.replace(before, after, 1)
        set_text(page, text)
        expect(page.locator(".problems .problem code", has_text=code)).to_be_visible()
        expect(page.locator(".cm-lintRange-error")).to_have_text([word])
        path = str(studio.folder / "packs" / "greeter" / "1.0.0-dev.yaml")
        linted = Workspace(str(studio.folder / "packs")).report(path, text).problems
        shown = page.locator(".problems .problem code").all_text_contents()
        assert shown == [problem.code for problem in linted]


def test_a_word_is_completed_explained_and_corrected(page: Page, start: Start) -> None:
    open_pack(page, start())
    set_text(page, PACK.replace("{{ TONE }}", "{{ TOEN }}"))
    page.locator(".problem.error").get_by_role("button", name="Fix", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="replace 'TOEN' with 'TONE'").click()
    expect(page.locator(".problem.error")).to_have_count(0)
    expect(page.locator(".cm-line", has_text="You greet people")).to_contain_text("{{ TONE }}")
    page.locator(".cm-line span", has_text="TONE").last.hover()
    expect(page.locator(".explanation")).to_contain_text("one of warm, dry, optional")
    page.mouse.move(0, 0)
    page.locator(".cm-line", has_text="You greet people").click()
    page.keyboard.press("End")
    page.keyboard.type(" {{ W")
    page.get_by_role("option", name="WHO").click()
    expect(page.locator(".cm-line", has_text="You greet people")).to_contain_text("{{ WHO")


def test_a_draft_survives_a_crash(browser: Browser, page: Page, start: Start) -> None:
    studio = start()
    with browser.new_context() as context:
        crashed = context.new_page()
        open_pack(crashed, studio)
        crashed.locator(".cm-line", has_text="You greet people").click()
        crashed.keyboard.press("End")
        crashed.keyboard.type(" A thought of the last second.")
        while not any(
            "second." in file.read_text("utf-8") for file in studio.folder.glob("state/promptpack/studio/draft-*")
        ):
            crashed.wait_for_timeout(50)  # until it is kept, which takes less than a second
        studio.kill()
        expect(crashed.get_by_text("Connecting again…")).to_be_visible()
    again = start(again=True)
    page.goto(f"{again.link}#greeter/1.0.0-dev.yaml")
    expect(page.get_by_text("Your unsaved draft from before is open.")).to_be_visible()
    expect(page.locator(".cm-line", has_text="You greet people")).to_contain_text("A thought of the last second.")
    expect(page.get_by_test_id("prompt")).to_contain_text("A thought of the last second.")
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator(".cm-line", has_text="You greet people")).not_to_contain_text("A thought")
    assert again.read("greeter/1.0.0-dev.yaml") == PACK
