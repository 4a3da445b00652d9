"""Open a page, wait for it, and read what its figure says."""

import re
import time

PROJECTOR = {"width": 1280, "height": 800}
NARROW = {"width": 820, "height": 1180}


def visit(page, server, path):
    """Open a page and wait for it."""
    page.goto(server.url + path)
    page.get_by_role("heading", level=1).wait_for()
    settle(page)


def settle(page):
    """Wait until the script has run and every element is drawn."""
    page.wait_for_selector("[data-test-script-state='notRunning']")
    page.wait_for_selector("[data-testid='stSkeleton']", state="detached")
    page.wait_for_function(
        "[...document.querySelectorAll('.js-plotly-plot')].every(p => p._fullLayout)"
    )


def dressed(page, theme):
    """Change to the light or the dark theme, as the system of a visitor may, and wait for it."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(
        "dark => { const [r, g, b] = getComputedStyle(document.querySelector('.stApp'))"
        ".backgroundColor.match(/\\d+/g).map(Number); return (r + g + b < 384) === dark }",
        arg=theme == "dark",
    )


def fits(page, *sizes):
    """Wait until the page is no wider than windows of some sizes: a projector's, a narrow one."""
    for size in sizes or (PROJECTOR, NARROW):
        page.set_viewport_size(size)
        page.wait_for_function(
            "(() => { const m = document.querySelector('[data-testid=stMain]');"
            " return m.scrollWidth <= m.clientWidth })()"
        )


def open_page(page, url):
    """Open a page and wait for its picture to stand still."""
    page.goto(url)
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    still(page)


def still(page):
    """Wait until nothing has moved for ten pictures of the browser."""
    page.evaluate(
        """() => new Promise(done => {
            let last, same = 0;
            const look = () => {
                const things = document.querySelectorAll(
                    'h1, h2, h3, canvas, .js-plotly-plot, .textpoint, .slider-rail-touch-rect');
                const now = JSON.stringify([...things].map(t => t.getBoundingClientRect()));
                same = now === last ? same + 1 : 0;
                last = now;
                if (same < 10) requestAnimationFrame(look); else done();
            };
            look();
        })"""
    )


def once(page, true, seconds=180):
    """Wait until ``true()``."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited too long"
        page.wait_for_timeout(50)


def numbers(page):
    """Return gamma, and u, s and H in percent, as the figure shows them."""
    text = " ".join(page.locator(".textpoint").all_text_contents())
    found = re.findall(r"([γusH]) = ([−\d.e-]+)", text)
    return {name: float(value.replace("−", "-")) for name, value in found}
