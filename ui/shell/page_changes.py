"""Middleware that keeps late requests of a page from replacing the page that was opened next."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

#: Largest message of the server, in bytes, that may name a page.
LARGEST = 1 << 16


class PageChanges:
    """Middleware that drops requests of widgets and fragments of a page that the visitor has left.

    The browser names the page on screen in every request. A menu that closes with the click on
    another page, or a timer, sends its request after the new page is requested and before that page
    arrives. The answer would be the old page; after the answer of a fragment, Streamlit's script in
    the browser would even stop with an empty window. A request for another page has no widgets.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the other messages of a connection, and all other requests."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        page = ""  # hash of the page that was requested or sent last

        async def receive_for_page() -> Message:
            nonlocal page
            while True:
                message = await receive()
                content = message.get("bytes")
                if content is None:
                    return message
                rerun = BackMsg.FromString(content).rerun_script
                is_of_page_shown = rerun.fragment_id or rerun.widget_states.widgets
                if is_of_page_shown and page not in ("", rerun.page_script_hash):
                    continue
                page = rerun.page_script_hash or page
                return message

        async def send_for_page(message: Message) -> None:
            nonlocal page
            content = message.get("bytes")
            if content is not None and len(content) < LARGEST:
                answer = ForwardMsg.FromString(content)
                # In the first run of a visit, new_session has no hash.
                new_page = answer.navigation.page_script_hash
                page = new_page or answer.new_session.page_script_hash or page
            await send(message)

        await self.app(scope, receive_for_page, send_for_page)
