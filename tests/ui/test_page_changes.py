"""Requests of widgets and fragments of a page that the visitor has left are dropped."""

import asyncio

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from ui.shell.page_changes import PageChanges


def request(page, fragment="", widget=""):
    message = BackMsg()
    message.rerun_script.page_script_hash = page
    message.rerun_script.fragment_id = fragment
    if widget:
        message.rerun_script.widget_states.widgets.add(id=widget)
    return message.SerializeToString()


def answer(page, *, first=False):
    message = ForwardMsg()
    (message.navigation if first else message.new_session).page_script_hash = page
    return message.SerializeToString()


def received(*events):
    """Return the requests that reach the app; other events are answers that it sends."""
    waiting, reached = list(events), []

    async def receive():
        return {"type": "websocket.receive", "bytes": waiting.pop(0)}

    async def send(_):
        pass

    async def app(scope, receive, send):
        while waiting:
            if isinstance(waiting[0], tuple):
                await send({"type": "websocket.send", "bytes": waiting.pop(0)[0]})
            else:
                reached.append((await receive())["bytes"])

    asyncio.run(PageChanges(app)({"type": "websocket"}, receive, send))
    return reached


MENU, SAME = request("A", "menu"), request("B", "menu")
CHOICE = request("A", widget="method")


@pytest.mark.parametrize(
    ("events", "reach"),
    [
        pytest.param([request("A"), MENU], [request("A"), MENU], id="the page on screen"),
        pytest.param(
            [request("A"), request("B"), MENU, SAME],
            [request("A"), request("B"), SAME],
            id="a page that was left",
        ),
        pytest.param(
            [request("A"), CHOICE, request("B"), CHOICE, request("A"), CHOICE],
            [request("A"), CHOICE, request("B"), request("A"), CHOICE],
            id="a choice on a page that was left, and the way back",
        ),
        pytest.param(
            [request("A"), (answer("B"),), MENU, SAME],
            [request("A"), SAME],
            id="a page that the server replaced",
        ),
        pytest.param(
            [request(""), (answer(""),), (answer("A", first=True),), MENU],
            [request(""), MENU],
            id="the first page of a visit",
        ),
        pytest.param([request(""), MENU], [request(""), MENU], id="an unknown page"),
    ],
)
def test_only_requests_of_a_page_that_was_left_are_dropped(events, reach):
    assert received(*events) == reach
