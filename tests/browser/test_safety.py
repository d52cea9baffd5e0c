"""Text is text: markup in packs, contexts, replies and file names is shown and has no effect; secrets stay hidden."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import PACK, Start, open_pack, set_text

EVIL = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
FILE = "evil/<img src=x onerror=alert(1)>.yaml"


def test_markup_has_no_effect(page: Page, start: Start) -> None:
    page.on("dialog", lambda dialog: dialog.dismiss())
    alerts: list[str] = []
    page.on("dialog", lambda dialog: alerts.append(dialog.message))
    named = PACK.replace("name: greeter", f"name: '{EVIL}'").replace("Greets someone.", EVIL.replace(":", ""))
    studio = start({"greeter/1.0.0-dev.yaml": PACK, "evil/1.0.0.yaml": named, FILE: PACK.replace("greeter", "other")})
    page.set_default_timeout(30_000)
    open_pack(page, studio)
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_label("WHO").fill(EVIL)
    expect(page.get_by_test_id("prompt").locator(".card .text").last).to_have_text(f"Greet {EVIL}.")
    page.get_by_role("tab", name="Reply").click()
    page.get_by_label("Reply of a model").fill(f'{EVIL} {{"thought": "{EVIL[2:]}", "action": "GREET"}}')
    expect(page.get_by_test_id("verdict")).to_contain_text("onerror=alert(1)")
    page.get_by_role("tab", name="Preview").click()
    for name in ("evil", "other"):
        page.get_by_role("button", name=f"{name} 1.0.0").click()
        expect(page.locator(".host .cm-content")).to_contain_text(
            "onerror=alert(1)" if name == "evil" else "name: other"
        )
    page.get_by_role("searchbox").fill("onerror")
    expect(page.locator(".hit").first).to_be_visible()
    assert page.locator("img, script:not([src])").count() == 0
    assert alerts == []


def test_hidden_characters_are_visible_and_secrets_are_masked(page: Page, start: Start) -> None:
    open_pack(page, start())
    set_text(
        page, PACK.replace("Greet {{ WHO }}.", "Greet {{ WHO }}. Key {{ KEY }}").replace("Greets", "\u200bGreets\u202e")
    )
    expect(page.locator(".host .cm-specialChar")).to_have_text(["U+200B", "U+202E"])
    set_text(page, PACK.replace("Greet {{ WHO }}.", "Greet {{ WHO }}. Key {{ KEY }}"))
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_label("WHO").fill("a\u200bb\u202ec")
    page.get_by_label("KEY").fill("hunter2-hunter2")
    last = page.get_by_test_id("prompt").locator(".card .text").last
    expect(last).to_have_text("Greet aU+200BbU+202Ec. Key ***")
    expect(last.locator(".unseen")).to_have_text(["U+200B", "U+202E"])
    expect(page.locator(".warnings")).to_contain_text("PP427")


def test_a_link_works_once_and_another_browser_gets_nothing(page: Page, start: Start) -> None:
    studio = start()
    page.goto(studio.link)
    expect(page.locator(".pack")).to_have_count(1)
    assert "token" not in page.url
    page.reload()
    expect(page.locator(".pack")).to_have_count(1)
    assert page.evaluate("document.cookie") == ""
    with page.context.browser.new_context() as other:  # type: ignore[union-attr]
        stranger = other.new_page()
        answer = stranger.goto(studio.link)
        assert answer is not None
        assert answer.status == 403
        renewed = studio.read_link()
        assert renewed != studio.link
        stranger.goto(renewed)
        expect(stranger.locator(".pack")).to_have_count(1)
