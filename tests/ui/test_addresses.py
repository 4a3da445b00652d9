"""Redirects of addresses to pages."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.requests import Request
from starlette.responses import StreamingResponse

from ui.shell.serving import style


async def page(_):
    """Return an empty page for any address."""
    return StreamingResponse(iter([b"<body></body>"]), media_type="text/html")


def answer(path, query=b""):
    """Return the response to a browser that opens an address."""
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query}
    scope |= {"headers": [(b"accept", b"text/html")], "server": ("h", 80), "scheme": "http"}
    with ThreadPoolExecutor(1) as thread:  # this thread may have the event loop of a browser
        return thread.submit(asyncio.run, style(Request(scope), page)).result()


@pytest.mark.parametrize("folder", ["", "/lab"])
def test_the_first_page_has_an_address_by_its_name(folder):
    result = answer(f"{folder}/playground", b"view=about&x=a%20b")
    assert (result.status_code, result.headers["location"]) == (307, "./?view=about&x=a%20b")
    assert answer(f"{folder}/playground").headers["location"] == "./"


def test_other_pages_are_served_with_their_style():
    result = answer("/data")
    assert result.status_code == 200
    assert b"<style>" in result.body
