"""Open a page, wait for it, and read its figures."""

import re
import time

from ui.shell import site_map

PROJECTOR = {"width": 1280, "height": 800}
NARROW = {"width": 820, "height": 1180}
PHONE = {"width": 390, "height": 844}
HALO = 4  # pixels of a line of text above and below its letters


def present(path):
    """Return the address of a view given by its name, ``/runs?x`` in ``/compare?x&view=runs``."""
    view, _, choices = path.removeprefix("/").partition("?")
    views = {each.name for page in site_map.PAGES for each in page.views}
    if view not in views or view in {page.name for page in site_map.PAGES}:
        return path
    place = site_map.page_of_view(view)
    name = "" if place is site_map.PAGES[0] else place.name
    query = [f"{key}={value}" for key, value in site_map.query_of(view).items()]
    return f"/{name}?" + "&".join([part for part in (choices, *query) if part])


def visit(page, server, path):
    """Open a page, by its address or the name of a view, and wait for it."""
    page.goto(server.url + present(path))
    page.get_by_role("heading", level=1).wait_for()
    settle(page)


def go_to(page, name, view=None):
    """Go to a page by its name in the bar, and to one of its views."""
    page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    if view:
        page.get_by_role("radio", name=view).click()


def settle(page):
    """Wait until the script has run and every element is drawn."""
    page.wait_for_selector("[data-test-script-state='notRunning']")
    page.wait_for_selector("[data-testid='stSkeleton']", state="detached")
    page.wait_for_function(
        "[...document.querySelectorAll('*')].every(each => "
        "!each.shadowRoot?.querySelector('.chart svg:empty'))"
    )


def dressed(page, theme):
    """Change to the light or the dark theme, like the system of a visitor, and wait for it."""
    page.emulate_media(color_scheme=theme)
    is_shown(page, theme)


def is_shown(page, theme):
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


def open_page(page, url):
    """Open a page and wait until its picture no longer moves."""
    base, path = re.fullmatch(r"(https?://[^/]+)(.*)", url).groups()
    page.goto(base + present(path))
    page.locator(".chart svg > *, .numbers > .h:not(:empty)").first.wait_for()
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    still(page)


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
    """Return a list that collects everything sent by the page."""
    sent = []
    page.on("websocket", lambda ws: ws.on("framesent", lambda frame: sent.append(frame)))
    return sent


class SlowServer:
    """Delay of a server's messages to a page; create it before the page is opened."""

    def __init__(self, page):
        self.waiting = None
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

    def wait(self):
        """Hold back messages from now on."""
        self.waiting = []

    def go_on(self):
        """Send all delayed messages, and further messages at once."""
        waiting, self.waiting = self.waiting, None
        for message in waiting:
            self.page.send(message)


def once(page, true, seconds=180, why=lambda: "waited too long"):
    """Wait until ``true()``."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, why()
        page.wait_for_timeout(50)


def curve_shown(page):
    """Wait for the seen-unseen curve."""
    page.locator(".numbers > .h:not(:empty)").wait_for()


def slider(page):
    """Return the slider of the curve."""
    return page.locator(".over > input")


def place_of(page, part):
    """Return the position of the point on the curve, the line over gamma, or the slider's thumb."""
    if part == "slider":
        box = slider(page).bounding_box()
        share = slider(page).evaluate("r => (r.value - r.min) / (r.max - r.min)")
        return box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2
    box = page.locator(f".{'ring' if part == 'point' else 'over rect.grip'}").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def numbers(page):
    """Return gamma, and u, s and H in percent, as shown next to the curve."""
    text = " ".join(page.locator(".numbers > span").all_text_contents())
    found = re.findall(r"([γusH]) = ([−\d.e-]+)", text)
    return {name: float(value.replace("−", "-")) for name, value in found}


def no_text_on_text(page, width):
    """Wait until no text of a figure overlaps another one or the edge of the page."""
    once(page, lambda: not crowded(page, width), why=lambda: crowded(page, width))


def crowded(page, width):
    """Return the texts of figures outside the page, and those that overlap others.

    All are measured at the same moment, because a figure that is drawn again has new texts.
    """
    boxes = page.evaluate(
        """() => [document, ...[...document.querySelectorAll('*')].map(each => each.shadowRoot)]
          .flatMap(root => root ? [...root.querySelectorAll('.chart .legend, ' +
            '.chart .points text, .numbers > span, .key > span > span, .pair svg text')] : [])
          .map(text => [text.textContent, text.getBoundingClientRect()])
          .filter(([, box]) => box.width && box.height)
          .map(([words, box]) => [words, box.left, box.right, box.top, box.bottom])"""
    )
    beyond = [words for words, left, right, *_ in boxes if left < 0 or right > width]
    on_others = [
        (words, others)
        for k, (words, left, right, top, bottom) in enumerate(boxes)
        for others, of_others, to, over, under in boxes[k + 1 :]
        if left < to - 1 and of_others < right - 1
        if top + HALO < under - HALO and over + HALO < bottom - HALO
    ]
    return beyond + on_others
