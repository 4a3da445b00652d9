"""Responses of the server: see ui/shell/serving.py."""

import gzip
import re
import urllib.request

from benchmarks.serving import ROOT
from tests.browser.reading import PHONE, sent_by, visit

STYLE = (ROOT / "ui" / "shell" / "frame.css").read_text(encoding="utf-8")


def answer(url, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return urllib.request.urlopen(urllib.request.Request(url, headers=named), timeout=60)


def test_a_page_is_styled_with_any_browser_cache(server):
    for path in ("/", "/claims", "/teach?lesson=leakage"):
        first = answer(server.url + path, Accept="text/html")
        assert STYLE in first.read().decode()
        assert first.headers["Cache-Control"] == "no-cache"
        plain = answer(server.url + path)
        again = {"Accept": "text/html", "Accept_Encoding": "gzip"}
        for name, response_header in (
            ("If_None_Match", "ETag"),
            ("If_Modified_Since", "Last-Modified"),
        ):
            if plain.headers[response_header]:
                again[name] = plain.headers[response_header]
        second = answer(server.url + path, **again)
        assert second.headers["Content-Encoding"] == "gzip"
        assert STYLE in gzip.decompress(second.read()).decode()


def test_the_first_run_of_a_page_uses_the_window_width(server, page):
    requests = sent_by(page)
    page.set_viewport_size(PHONE)
    visit(page, server, "/table")
    page.locator(".st-key-table_of_methods canvas").first.wait_for()
    assert page.context.cookies()[0]["value"] == "1"
    assert len(requests) == 1  # a wrong width would cause a second run
    assert not page.get_by_text("precomputed", exact=True).is_visible()


def test_a_deep_link_sends_no_failing_request_and_preloads_its_modules(server, page):
    """Streamlit by itself would first guess the server's address by requests that fail."""
    visit(page, server, "/compare")
    assert page.errors == []
    for path, needed in (("/", {"BidiComponent"}), ("/compare", {"BidiComponent", "DataFrame"})):
        text = answer(server.url + path, Accept="text/html").read().decode()
        plain = answer(server.url + path).read().decode()
        links = set(re.findall(r'"modulepreload" crossorigin href="\.(.+?)"', text))
        new = links - set(re.findall(r'"modulepreload" crossorigin href="\.(.+?)"', plain))
        assert needed <= {link.rpartition("/")[2].partition(".")[0] for link in new}
        for link in new:
            assert answer(server.url + link).status == 200


def test_scripts_are_compressed_and_pictures_stay_as_they_are(server, page):
    sizes = {}

    def note(response):
        kind = response.headers.get("content-type", "")
        if response.url.startswith(server.url):
            sizes.setdefault(kind.split(";")[0], set()).add(
                response.headers.get("content-encoding", "")
            )

    page.on("response", note)
    page.goto(server.url)
    page.get_by_role("heading", level=1).wait_for()
    assert sizes["text/html"] == {"gzip"}
    assert any("gzip" in sizes[kind] for kind in sizes if kind.endswith("/javascript"))
    assert "font/woff2" not in sizes or sizes["font/woff2"] == {""}


def test_other_responses_are_those_of_streamlit(server):
    assert answer(f"{server.url}/_stcore/health").read() == b"ok"
    assert STYLE not in answer(f"{server.url}/").read().decode()
