"""The whole tour: list, edit, prompt, context, reply, tests, coverage, versions, flow; and ten live tabs."""

import json
import re
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PACK, Start, open_pack, set_text

FLOW = """\
flow: 1
steps:
  greet:
    pack: greeter@1.0.0-dev
    inputs: {WHO: given}
    next: end
"""
LABELS = "labels:\n  greeter:\n    production: 1.0.0\n    next: 1.1.0\n"
OLD = PACK.replace("1.0.0-dev", "1.0.0").replace("{contains: [Goodbye]}", "{contains: [Greet Bob]}")
NEW = (
    OLD.replace("1.0.0", "1.1.0")
    .replace("You greet people", "You welcome people")
    .replace("minLength: 1", "minLength: 2")
)


def test_the_policy_of_the_page_is_strict(page: Page, start: Start) -> None:
    studio = start()
    answer = page.goto(studio.link)
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert re.sub(r"nonce-[\w-]+", "nonce-X", policy) == (
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-X'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    )
    assert answer.headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in answer.headers
    expect(page).to_have_url(studio.address)
    expect(page.get_by_role("button", name="greeter 1.0.0-dev")).to_be_visible()


def test_the_tour(page: Page, start: Start) -> None:
    studio = start({"greeter/1.0.0-dev.yaml": PACK, "flow.yaml": FLOW})
    open_pack(page, studio)
    prompt = page.get_by_test_id("prompt")
    expect(prompt.locator(".card .text").first).to_contain_text("in a warm tone")
    expect(prompt.locator(".untrusted.value")).to_have_text(["Ada", "untrusted"])

    # The last good prompt stays while the text is broken.
    page.locator(".host .cm-content").click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("x: [")
    expect(page.get_by_text("The last prompt that worked")).to_be_visible()
    expect(prompt.locator(".card .text").first).to_contain_text("in a warm tone")
    set_text(page, PACK.replace("Greet {{ WHO }}.", "Welcome {{ WHO }}!"))
    expect(prompt.locator(".card .text").last).to_have_text("Welcome Ada!")

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as…").click()
    page.get_by_role("button", name="cURL").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert "Welcome Ada!" in page.evaluate("navigator.clipboard.readText()")

    # A context of one's own, in a form; a secret is masked.
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_label("WHO").fill("Grace")
    page.get_by_label("KEY").fill("hunter2-hunter2")
    page.get_by_label("TONE").select_option('"dry"')
    expect(prompt.locator(".card .text").first).to_contain_text("in a dry tone. Key ***.")
    expect(prompt.locator(".card .text").last).to_have_text("Welcome Grace!")
    page.get_by_role("button", name="Keep…").click()
    page.get_by_label("Name of the context").fill("grace")
    page.get_by_role("dialog").get_by_role("button", name="Keep…").click()
    expect(page.get_by_role("option", name="grace")).to_be_attached()
    page.get_by_label("Context", exact=True).select_option("test:greets Ada")
    expect(prompt.locator(".card .text").last).to_have_text("Welcome Ada!")
    page.get_by_label("Context", exact=True).select_option("kept:grace")
    expect(prompt.locator(".card .text").last).to_have_text("Welcome Grace!")

    # A reply: its repair and its violation are marked.
    page.get_by_role("tab", name="Reply").click()
    page.get_by_label("Reply of a model").fill('Sure: {"thought": "x", "action": "GREET", "confidence": 150,}')
    verdict = page.get_by_test_id("verdict")
    expect(verdict.locator("mark.violation", has_text="150")).to_be_visible()
    expect(verdict.locator("mark.repair").first).to_have_text("Sure: ")
    expect(verdict).to_contain_text("The correction that would be sent")
    page.get_by_role("button", name="Try it").click()
    expect(verdict).to_contain_text("accepted")
    expect(page.get_by_label("Reply of a model")).to_have_value(re.compile("Hello Ada"))

    # Tests and coverage, drawn on the source.
    page.get_by_role("tab", name="Tests").click()
    expect(page.get_by_text("2 failed")).to_be_visible()
    page.get_by_label("Draw on the source").check()
    expect(page.locator(".cover-none").first).to_be_attached()

    # Draft against saved file, and the flow.
    page.get_by_role("tab", name="Versions").click()
    compared = page.get_by_test_id("compared")
    expect(compared.locator("ins", has_text="Welcome")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()
    assert "Welcome {{ WHO }}!" in studio.read("greeter/1.0.0-dev.yaml")
    page.get_by_role("tab", name="Uses").click()
    expect(page.get_by_text("Steps in the flow")).to_be_visible()
    page.get_by_role("button", name="Flow", exact=True).click()
    page.get_by_role("button", name="greet", exact=True).click()
    expect(page.locator(".host .cm-content")).to_be_visible()


def test_versions_and_labels_are_compared_and_restored(page: Page, start: Start) -> None:
    studio = start({"greeter/1.0.0.yaml": OLD, "greeter/1.1.0.yaml": NEW, "labels.yaml": LABELS})
    open_pack(page, studio, "greeter/1.1.0.yaml")
    page.get_by_role("tab", name="Versions").click()
    page.get_by_label("Old", exact=True).select_option("greeter@production")
    page.get_by_label("New", exact=True).select_option("greeter@next")
    compared = page.get_by_test_id("compared")
    expect(compared.locator("del").first).to_have_text("greet")
    expect(compared.locator("ins").first).to_have_text("welcome")
    page.get_by_role("button", name="Contract").click()
    expect(compared.locator(".class.narrowing, .class.breaking").first).to_be_visible()
    page.get_by_label("Old", exact=True).select_option("greeter/1.0.0.yaml")
    page.get_by_role("button", name="Restore the old side as a new draft").click()
    page.get_by_role("button", name="Create 1.1.1-dev").click()
    expect(page.locator(".head h1")).to_contain_text("1.1.1-dev")
    assert studio.read("greeter/1.1.1-dev.yaml") == OLD.replace("1.0.0", "1.1.1-dev")


def test_a_recorded_call_becomes_the_context(page: Page, start: Start, tmp_path: Path) -> None:
    studio = start()
    open_pack(page, studio)
    trace = tmp_path / "trace.json"
    trace.write_text(
        json.dumps({"prompt": {"prompt": 1, "context": {"WHO": "Lin", "OLD": 1}, "pack": "greeter@0.9.0"}})
    )
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("button", name="Load a recorded call…").click()
    page.get_by_label("Recorded call (JSON)").last.fill('{"nothing": 1}')
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("PP996")
    page.locator("input[type=file]").set_input_files(trace)
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_test_id("prompt").locator(".card .text").last).to_have_text("Greet Lin.")
    expect(page.get_by_text("left out: OLD")).to_be_visible()


def test_ten_tabs_are_live(page: Page, context: BrowserContext, start: Start) -> None:
    small = "promptpack: 1\nname: greeter\nversion: 1.0.0-dev\nmessages:\n  - {role: user, content: Greet Ada.}\n"
    studio = start({"greeter/1.0.0-dev.yaml": small})
    open_pack(page, studio)
    tabs = [page, *(context.new_page() for _ in range(9))]
    for tab in tabs[1:]:
        tab.goto(f"{studio.address}#greeter/1.0.0-dev.yaml")
    for tab in tabs:
        expect(tab.get_by_test_id("prompt")).to_be_visible()
    studio.write("greeter/1.0.0-dev.yaml", small.replace("Greet", "Welcome"))
    for tab in tabs:
        expect(tab.get_by_test_id("prompt").locator(".card .text").last).to_have_text("Welcome Ada.")
