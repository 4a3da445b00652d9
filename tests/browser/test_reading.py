"""Browser tests: a page is settled once the server has answered its last click."""

from tests.browser.reading import SlowServer, once, settle, visit


def test_a_page_is_settled_only_after_the_server_answered_the_last_click(server, page):
    line = SlowServer(page)
    visit(page, server, "/claims")
    line.wait()
    page.get_by_role("button", name="Glossary").click()
    once(page, lambda: line.has("script_finished"))
    assert not page.evaluate("window.isAnswered()")
    line.go_on()
    settle(page)
    assert page.get_by_label("Find a term").is_visible()
