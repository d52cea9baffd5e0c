"""Saving: a change on disk and a release are never overwritten, and the difference is marked by character."""

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PACK, Start, open_pack, set_text

CHINESE = PACK.replace("Greets someone.", "向某人问好。").replace("You greet people, in a", "你负责向客人问好，语气")


def test_a_draft_against_the_saved_file_marks_chinese_by_character(page: Page, start: Start) -> None:
    open_pack(page, start({"greeter/1.0.0-dev.yaml": CHINESE}))
    set_text(page, CHINESE.replace("客人问好", "贵客问好"))
    page.get_by_role("tab", name="Versions").click()
    compared = page.get_by_test_id("compared")
    expect(compared.locator("ins")).to_have_text(["贵"])
    expect(compared.locator("del")).to_have_text(["人"])
    page.get_by_role("button", name="File").click()
    expect(compared.locator("ins")).to_have_text(["贵"])


def test_saving_while_the_file_changes_on_disk_loses_nothing(page: Page, start: Start) -> None:
    studio = start()
    open_pack(page, studio)
    mine = PACK.replace("Greet {{ WHO }}", "Hail {{ WHO }}")
    theirs = PACK.replace("Greets someone.", "Greets anyone.")
    set_text(page, mine)
    expect(page.locator(".saving")).to_have_text("Unsaved draft")
    studio.write("greeter/1.0.0-dev.yaml", theirs)
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_role("heading", name="The file has changed on disk")).to_be_visible()
    assert studio.read("greeter/1.0.0-dev.yaml") == theirs
    expect(page.locator(".cm-merge-a")).to_contain_text("Greets anyone.")
    expect(page.locator(".cm-merge-b")).to_contain_text("Hail {{ WHO }}")
    page.locator(".cm-merge-revert button").first.click()
    page.get_by_role("button", name="Save the right side").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    merged = mine.replace("Greets someone.", "Greets anyone.")
    assert studio.read("greeter/1.0.0-dev.yaml") == merged
    expect(page.locator(".saving")).to_have_text("Saved")


def test_a_change_on_disk_appears_and_the_disk_can_be_chosen(page: Page, start: Start) -> None:
    studio = start()
    open_pack(page, studio)
    studio.write("greeter/1.0.0-dev.yaml", PACK.replace("You greet", "We greet"))
    expect(page.locator(".host .cm-content")).to_contain_text("We greet people")
    set_text(page, PACK)
    expect(page.locator(".saving")).to_have_text("Unsaved draft")
    studio.write("greeter/1.0.0-dev.yaml", PACK.replace("You greet", "They greet"))
    expect(page.get_by_text("This file has changed on disk.")).to_be_visible()
    expect(page.locator(".host .cm-content")).to_contain_text("You greet people")
    page.get_by_role("button", name="Show both").click()
    page.get_by_role("button", name="Use the file on disk").click()
    expect(page.locator(".host .cm-content")).to_contain_text("They greet people")
    expect(page.locator(".saving")).to_have_text("Saved")


def test_a_release_is_kept_and_the_text_becomes_a_new_version(page: Page, start: Start) -> None:
    release = PACK.replace("1.0.0-dev", "1.0.0")
    studio = start({"greeter/1.0.0.yaml": release})
    open_pack(page, studio, "greeter/1.0.0.yaml")
    set_text(page, release.replace("WHO: {type: string", "WHO: {type: string, maxLength: 9"))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="greeter@1.0.0 is a release")).to_be_visible()
    expect(page.get_by_role("button", name="Create 2.0.0-dev")).to_contain_text("your changes need this")
    page.get_by_role("button", name="Create 2.0.0-dev").click()
    expect(page.locator(".head h1")).to_contain_text("2.0.0-dev")
    assert studio.read("greeter/1.0.0.yaml") == release
    expected = release.replace("1.0.0", "2.0.0-dev").replace("WHO: {type: string", "WHO: {type: string, maxLength: 9")
    assert studio.read("greeter/2.0.0-dev.yaml") == expected


def test_two_tabs_on_one_file_lose_nothing(page: Page, context: BrowserContext, start: Start) -> None:
    studio, notice = start(), "Another tab has unsaved text of this file, too."
    open_pack(page, studio)
    other, last = context.new_page(), context.new_page()
    address = f"{studio.address}#greeter/1.0.0-dev.yaml"
    other.goto(address)
    expect(other.get_by_test_id("prompt")).to_be_visible()
    set_text(page, PACK.replace("You greet", "We greet"))
    expect(page.get_by_text(notice)).to_have_count(0)
    set_text(other, PACK.replace("You greet", "They greet"))
    expect(other.get_by_text(notice)).to_be_visible()
    set_text(page, PACK.replace("You greet", "I greet"))
    expect(page.get_by_text(notice)).to_be_visible()
    page.wait_for_timeout(1_000)
    page.close()
    other.close()
    last.goto(address)
    expect(last.locator(".host .cm-content")).to_contain_text("I greet people")
    last.get_by_role("button", name="Discard it").click()
    expect(last.locator(".host .cm-content")).to_contain_text("You greet people")
    last.get_by_role("button", name="Open it").click()
    expect(last.locator(".host .cm-content")).to_contain_text("They greet people")
    last.keyboard.press("ControlOrMeta+s")
    expect(last.locator(".saving")).to_have_text("Saved")
    assert "They greet" in studio.read("greeter/1.0.0-dev.yaml")
