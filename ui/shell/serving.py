"""Middleware of the server: early import, compression, style, limit on uploads, page changes."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.intake import upload_storage
from ui.shell import served_files
from ui.shell.page_changes import PageChanges
from zslcore.storage import settings

#: Folder of Streamlit's JavaScript modules, and its page, which preloads some of them.
_MODULES = Path(st.__file__).parent / "static" / "static" / "js"
_PAGE = (_MODULES.parents[1] / "index.html").read_text(encoding="utf-8")
_IMPORT = re.compile(r'(?:from|import)"\./([^"]+\.js)"')
#: Page -> modules of Streamlit that its first picture needs, besides those of all pages.
NEEDED = {"compare": ["DataFrame", "Selectbox", "ButtonGroup"], "leakage": ["DataFrame"]}


def preload(*names: str) -> str:
    """Return links with which a browser loads modules of Streamlit before the first run needs them.

    Streamlit loads a module when the first element of its kind arrives. A module that is missing,
    as in another version of Streamlit, is left out.
    """
    files = [path.name for name in names for path in _MODULES.glob(f"{name}.*.js")]
    for name in files:  # grows in the loop: imported files are appended
        imported = _IMPORT.findall((_MODULES / name).read_text(encoding="utf-8"))
        new = [module for module in dict.fromkeys(imported) if f"/{module}" not in _PAGE]
        files += [module for module in new if module not in files]
    link = '<link rel="modulepreload" crossorigin href="./static/js/{}">'
    return "".join(map(link.format, files))


_FRAME = Path(__file__).with_name("frame")
_STYLE, _SCRIPT = (_FRAME.with_suffix(s).read_text(encoding="utf-8") for s in (".css", ".js"))
_PRELOADS = {page: preload("BidiComponent", *NEEDED.get(page, [])) for page in ["", *NEEDED]}
_INSERTED = f"<style>{_STYLE}</style><script>{{{_SCRIPT}}}</script></body>"
#: Streamlit serves the first page at "/" only; requests for its name are redirected to "/".
FIRST_PAGE = "playground"
#: Request headers that ask for compressed or unchanged pages. They are removed, since the style can
#: be inserted only into a plain, complete page.
_CONDITIONS = (b"accept-encoding", b"if-none-match", b"if-modified-since")


@asynccontextmanager
async def ready(_: st.App) -> AsyncIterator[None]:
    """Import the first page before the server accepts visitors, and the other pages soon after."""
    import_module("ui.views.playground.play")  # not at the top: Streamlit's caches need a server
    import_module("ui.shell.runtime").record_page_run()
    yield


async def style(request: Request, answer: RequestResponseEndpoint) -> Response:
    """Insert frame.css and frame.js into a page; they act before the first element."""
    if "text/html" not in request.headers.get("accept", ""):
        return await answer(request)
    if request.url.path.endswith(f"/{FIRST_PAGE}"):
        return RedirectResponse(f"./?{request.url.query}" if request.url.query else "./")
    headers = request.scope["headers"]
    request.scope["headers"] = [header for header in headers if header[0] not in _CONDITIONS]
    response: Any = await answer(request)
    if not response.headers.get("content-type", "").startswith("text/html"):
        return response
    page = b"".join([part async for part in response.body_iterator]).decode()
    name = request.url.path.rpartition("/")[2]
    preloads = _PRELOADS.get(name, _PRELOADS[""])
    styled = page.replace("</head>", f"{preloads}</head>", 1).replace("</body>", _INSERTED, 1)
    caching = {"cache-control": response.headers.get("cache-control", "no-cache")}
    return HTMLResponse(styled, response.status_code, caching)


class Uploads:
    """Middleware that refuses an upload if the running uploads could exceed the server's memory."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.bytes = app, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with status 503 for an upload beyond the memory limit."""
        if scope["type"] != "http" or scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        most = st.get_option("server.maxUploadSize") << 20
        length = Request(scope).headers.get("content-length", "")
        size = min(int(length), most) if length.isdecimal() else most
        if self.bytes and self.bytes + size > settings.MEMORY():
            busy = PlainTextResponse("The server is busy with other uploads.", 503)
            await busy(scope, receive, send)
            return
        self.bytes += size
        try:
            await self.app(scope, receive, send)
        finally:
            self.bytes -= size


upload_storage.use_upload_storage()
served_files.keep_served_files()
MIDDLEWARE = (
    Middleware(GZipMiddleware, compresslevel=6),
    Middleware(BaseHTTPMiddleware, dispatch=style),
    Middleware(Uploads),
    Middleware(PageChanges),
)
