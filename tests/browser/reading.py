"""Open a page, wait for it, download its files, and read its figures."""

import json
import re
import time
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg, ForwardMsgMetadata, RunIdentity

from ui.shell import site_map

PROJECTOR = {"width": 1280, "height": 800}
NARROW = {"width": 820, "height": 1180}
PHONE = {"width": 390, "height": 844}


def follow_requests(context):
    """Make all pages of a browser note which of their requests the server has answered."""
    numbers = {
        field.name: field.number
        for message in (RunIdentity, ForwardMsgMetadata, ForwardMsg, ClientState, BackMsg)
        for field in message.DESCRIPTOR.fields
    } | dict(ForwardMsg.ScriptFinishedStatus.items())
    script = Path(__file__).with_name("requests.js").read_text(encoding="utf-8")
    context.add_init_script(f"({script})({json.dumps(numbers)})")


def full_address(path):
    """Return the address of a view given by its name, such as ``/scores?x``."""
    view, _, choices = path.removeprefix("/").partition("?")
    views = {view.name for page in site_map.PAGES for view in page.views}
    if view not in views or view in {page.name for page in site_map.PAGES}:
        return path
    place = site_map.page_of_view(view)
    name = "" if place is site_map.PAGES[0] else place.name
    query = [f"{key}={value}" for key, value in site_map.query_of(view).items()]
    return f"/{name}?" + "&".join([part for part in (choices, *query) if part])


def visit(page, server, path):
    """Open a page, by its address or the name of a view, and wait for it."""
    page.goto(server.url + full_address(path))
    page.get_by_role("heading", level=1).wait_for()
    settle(page)


def go_to(page, name, view=None):
    """Go to a page by its name in the bar, and to one of its views."""
    page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    settle(page)  # the previous page may have a view of the same name
    if view:
        page.get_by_role("radio", name=view).click()


#: Whether a page has all answers and is drawn, in four consecutive animation frames.
SETTLED = """wait => {
    const isSettled = window.isAnswered()
        && document.querySelector("[data-test-script-state='notRunning']")
        && !document.querySelector("[data-testid='stSkeleton']")
        && document.fonts.status === "loaded"
        && [...document.querySelectorAll("*")].every(
            (each) => !each.shadowRoot?.querySelector(".chart svg:empty"));
    const earlier = window.settled?.wait === wait ? window.settled.frames : 0;
    window.settled = { wait, frames: isSettled ? earlier + 1 : 0 };
    return window.settled.frames >= 4;
}"""


def settle(page):
    """Wait until the server has answered each request of the page, and every element is drawn."""
    page.wait_for_function(SETTLED, arg=time.monotonic())


def saved(page, press):
    """Return the name and the bytes of the file that a button downloads.

    The button is pressed again if nothing has begun for a minute: a page that redraws the button
    between press and release loses the click. A refused download fails the test at once.
    """
    downloads = []
    page.on("download", lambda download: downloads.append(download))
    refusals = page.get_by_test_id("stDownloadButtonError")
    for _ in range(3):
        if page.url.startswith("http"):
            settle(page)
        press()
        end = time.monotonic() + 60
        while not downloads and time.monotonic() < end:
            assert not refusals.count(), refusals.all_inner_texts()
            page.wait_for_timeout(50)
        if downloads:
            return downloads[0].suggested_filename, Path(downloads[0].path()).read_bytes()
    raise AssertionError("no download has begun")


def use_theme(page, theme):
    """Emulate a system with the light or the dark theme, and wait until the page has it."""
    page.emulate_media(color_scheme=theme)
    wait_for_theme(page, theme)


def wait_for_theme(page, theme):
    """Wait until a page is in the light or the dark theme."""
    page.wait_for_function(
        "dark => { const [r, g, b] = getComputedStyle(document.querySelector('.stApp'))"
        ".backgroundColor.match(/\\d+/g).map(Number); return (r + g + b < 384) === dark }",
        arg=theme == "dark",
    )


def fits(page, *sizes):
    """Wait until the page fits into windows of several sizes: a projector's and a narrow one."""
    for size in sizes or (PROJECTOR, NARROW):
        page.set_viewport_size(size)
        page.wait_for_function(
            "(() => { const m = document.querySelector('[data-testid=stMain]');"
            " return m.scrollWidth <= m.clientWidth })()"
        )


def box_of(locator):
    """Return the position of an element after it has not moved for ten animation frames."""
    return locator.evaluate(
        """element => new Promise(done => {
            let last, same = 0;
            const look = () => {
                const { x, y, width, height } = element.getBoundingClientRect();
                const now = JSON.stringify({ x, y, width, height });
                same = now === last ? same + 1 : 0;
                last = now;
                if (same < 10) requestAnimationFrame(look); else done(JSON.parse(now));
            };
            look();
        })"""
    )


def drawn(page):
    """Wait until the browser has drawn the changes so far."""
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def still(page):
    """Wait until nothing has moved for ten animation frames."""
    page.evaluate(
        """() => new Promise(done => {
            let last, same = 0;
            const look = () => {
                const things = document.querySelectorAll(
                    'h1, h2, h3, canvas, .pair, ' +
                    '.numbers');
                const now = JSON.stringify([...things].map(t => t.getBoundingClientRect()));
                same = now === last ? same + 1 : 0;
                last = now;
                if (same < 10) requestAnimationFrame(look); else done();
            };
            look();
        })"""
    )


def sent_by(page):
    """Return a list that collects the requests of a page to run its script."""
    requests = []

    def note(frame):
        if BackMsg.FromString(frame).HasField("rerun_script"):
            requests.append(frame)

    page.on("websocket", lambda ws: ws.on("framesent", note))
    return requests


class SlowServer:
    """Delay of a server's messages to a page; create it before the page is opened.

    With ``after``, messages after the first one that contains these bytes are held back.
    """

    def __init__(self, page, after=None):
        self.waiting, self.after = None, after
        page.route_web_socket(re.compile("_stcore/stream"), self._between)

    def _between(self, page):
        self.page, server = page, page.connect_to_server()
        page.on_message(server.send)
        server.on_message(self._answer)

    def _answer(self, message):
        if self.waiting is None:
            self.page.send(message)
        else:
            self.waiting.append(message)
        if self.after is not None and self.after in message:
            self.after = None
            self.wait()

    def wait(self):
        """Hold back messages from now on."""
        self.waiting = []

    def has(self, kind, n=1):
        """Return whether ``n`` messages of this kind are held back."""
        kinds = [ForwardMsg.FromString(message).WhichOneof("type") for message in self.waiting]
        return kinds.count(kind) >= n

    def go_on(self):
        """Send all delayed messages, and further messages at once."""
        waiting, self.waiting = self.waiting, None
        for message in waiting:
            self.page.send(message)


def once(page, condition, seconds=180, why=lambda: "waited too long"):
    """Wait until ``condition()`` holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, why()
        page.wait_for_timeout(50)


def curve_shown(page):
    """Wait for the seen-unseen curve."""
    page.locator(".numbers > .h:not(:empty)").wait_for()
