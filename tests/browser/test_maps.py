"""Maps in a browser: lasso, search, colours, jobs, and a link that restores the view."""

import math
import re

import pytest

from tests.browser import reading
from tests.browser.reading import box_of, drawn, once, saved, still

DIGITS = "pair_first=digits&pair_second=nothing%20else&awa1_threads=1"
#: The finished map; an unfinished map is in the panel of its job.
FINISHED = ".st-key-awa1_points canvas.marks"
PAIR = "awa1_layout=PCA&awa1_images=2,000&awa1_threads=1"


def visit(page, server, query):
    page.goto(f"{server.url}/awa1_and_awa2?{query}")
    page.locator(FINISHED).first.wait_for()
    settle(page)


def settle(page):
    """Wait until the server has answered, nothing moves, and the maps are painted."""
    reading.settle(page)
    still(page)
    pictures, maps = [], range(page.locator("canvas.points").count())

    def is_painted():
        pictures.append([painted(page, panel) for panel in maps])
        return pictures[-4:].count(pictures[-1]) == 4

    once(page, is_painted)


@pytest.fixture
def sent(page):
    """Sizes of the requests to the server."""
    sizes = []
    page.on("websocket", lambda ws: ws.on("framesent", lambda data: sizes.append(len(data))))
    return sizes


def lasso(page, radius=90, panel=0):
    """Draw a circle around the middle of a map."""
    canvas = page.locator("canvas.marks").nth(panel)
    canvas.evaluate("canvas => canvas.scrollIntoView({ block: 'center' })")
    box = box_of(canvas)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x + radius, y)
    page.mouse.down()
    for k in range(1, 121):
        angle = 2 * math.pi * k / 120
        page.mouse.move(x + radius * math.cos(angle), y + radius * math.sin(angle))
    page.mouse.up()


def selected(page):
    """Return the number of selected images according to browser and server."""
    status = page.locator(".status").filter(has_text="selected")
    by_server = page.get_by_text(re.compile(r"^[\d,]+ of [\d,]+ images selected"))

    def numbers():
        words = [*status.all_inner_texts(), *by_server.all_inner_texts()]
        return [word.partition(" of")[0] for word in words]

    once(page, lambda: len(numbers()) == 2 and len(set(numbers())) == 1, why=numbers)
    return int(numbers()[0].replace(",", ""))


def painted(page, panel=0):
    """Return a checksum of the pixels of a map."""
    return (
        page.locator("canvas.points")
        .nth(panel)
        .evaluate(
            """canvas => {
            const pixels = new Uint32Array(canvas.getContext('2d')
                .getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            let sum = 0;
            for (const pixel of pixels) sum = (sum * 31 + pixel) >>> 0;
            return sum;
        }"""
        )
    )


def once_painted(page, condition, panel=0):
    """Return the checksum of a map once ``condition`` holds; a map may appear after its page."""
    once(page, lambda: condition(painted(page, panel)))
    return painted(page, panel)


def test_a_lasso_selects_with_a_small_request_and_an_address(page, server, sent):
    visit(page, server, PAIR)
    before = painted(page)
    sent.clear()
    lasso(page)
    n = selected(page)
    assert 100 < n < 1900
    assert 0 < sum(sent) < 10_000
    once_painted(page, lambda picture: picture != before)
    page.wait_for_url(re.compile("awa1_lasso="))
    link = page.url

    again = page.context.new_page()
    again.goto(link)
    again.locator(FINISHED).first.wait_for()
    assert selected(again) == n
    again.close()

    page.locator("canvas.marks").first.press("Escape")
    page.get_by_text("images selected").wait_for(state="detached")
    once(page, lambda: "awa1_lasso" not in page.url)
    assert page.errors == []


def test_a_selection_is_coloured_beside_found_classes_and_keeps_the_buttons(page, server):
    visit(page, server, f"{PAIR}&awa1_find=zebra")
    before, bar = painted(page), page.locator(".st-key-awa1_points .bar")
    place = box_of(bar)
    assert place["y"] + place["height"] <= 800  # the headline has one line
    lasso(page)
    assert 100 < selected(page) < 1900
    once_painted(page, lambda picture: picture != before)
    assert box_of(bar)["height"] == place["height"]


def test_a_selection_is_shared_by_two_maps(page, server):
    visit(page, server, f"{PAIR}&awa1_view=side%20by%20side")
    once(page, lambda: page.locator("canvas.marks").count() == 2)
    before = [painted(page, panel) for panel in (0, 1)]
    lasso(page, panel=1, radius=60)
    assert selected(page) > 20
    for panel in (0, 1):
        once_painted(page, lambda picture, panel=panel: picture != before[panel], panel)


def test_keys_move_zoom_and_select(page, server):
    visit(page, server, PAIR)
    marks, before = page.locator("canvas.marks").first, painted(page)
    marks.press("+")
    marks.press("ArrowLeft")
    page.wait_for_url(re.compile("awa1_look="))
    once_painted(page, lambda picture: picture != before)
    marks.press("Enter")
    assert 0 < selected(page) <= 2000
    marks.press("Escape")
    marks.press("0")
    page.wait_for_function("!location.search.includes('awa1_look')")
    once_painted(page, lambda picture: picture == before)


def test_search_and_colour_change_the_picture(page, server):
    visit(page, server, PAIR)
    pictures = {painted(page)}
    box = page.get_by_label("Find a class")
    box.fill("zebra")
    box.press("Enter")
    page.wait_for_url(re.compile("awa1_find=zebra"))
    settle(page)
    pictures.add(once_painted(page, lambda picture: picture not in pictures))
    box.fill("")
    box.press("Enter")
    settle(page)
    page.get_by_role("button", name="Data, colour").click()
    page.get_by_role("combobox", name="Colour").click()
    page.get_by_role("option", name="seen or unseen").click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="unseen").wait_for()
    settle(page)
    pictures.add(once_painted(page, lambda picture: picture not in pictures))
    page.get_by_role("button", name="unseen", exact=True).click()
    pictures.add(once_painted(page, lambda picture: picture not in pictures))


def test_hovering_and_clicking_show_the_image(page, server):
    visit(page, server, f"{DIGITS}&awa1_layout=PCA")
    canvas = page.locator("canvas.marks").first
    canvas.evaluate("canvas => canvas.scrollIntoView({ block: 'center' })")
    box, tip = box_of(canvas), page.locator(".tip[role=status]")
    for k in range(40):  # until the pointer is on a point
        x, y = box["x"] + box["width"] / 2 + 3 * k, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        drawn(page)
        if tip.is_visible():
            break
    assert re.search(r"Digits, image \d+", tip.inner_text())
    assert tip.locator("canvas").count() == 1
    page.mouse.click(x, y)
    page.get_by_text("Nearest in the original space").wait_for()
    page.wait_for_url(re.compile("awa1_image=0"))
    image = re.search(r"awa1_image=0\.(\d+)", page.url)[1]
    page.get_by_text(f"Digits, image {int(image):,};").wait_for()


def test_pictures_can_be_saved(page, server):
    visit(page, server, f"{DIGITS}&awa1_layout=PCA")
    canvas, content = page.locator("canvas.points"), {}
    before = canvas.evaluate("c => c.width")
    for kind in ("PNG", "SVG"):
        page.get_by_text("More", exact=True).click()
        button = page.get_by_role("button", name=kind, exact=True)
        name, content[kind] = saved(page, button.click)
        assert name == f"map-digits.{kind.lower()}"
    assert content["PNG"].startswith(b"\x89PNG")
    assert content["SVG"].startswith(b"<svg")
    width = float(re.search(rb'width="([\d.]+)"', content["SVG"])[1])
    in_pixels = int.from_bytes(content["PNG"][16:20], "big")
    assert in_pixels == pytest.approx(2 * width, abs=1)  # the legend belongs to the picture
    assert canvas.evaluate("c => c.width") == before  # the screen resolution is unchanged
    # One path per layer and per mark of the legend, ten each.
    assert content["SVG"].count(b"<path") == 20


#: Counts how often a canvas is painted, up to two.
WATCH = """canvas => {
    let last, changes = -1;
    const look = () => {
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let sum = 0;
        for (const value of pixels) sum = (31 * sum + value) >>> 0;
        if (last !== sum && ++changes === 2) canvas.dataset.moved = true;
        last = sum;
        if (canvas.isConnected && changes < 2) setTimeout(look, 100);
    };
    look();
}"""


def test_a_map_is_started_cancelled_and_restored_after_a_reload(page, fresh_server):
    page.goto(f"{fresh_server.url}/awa1_and_awa2?{DIGITS}&awa1_seed=7")
    page.get_by_role("button", name="Compute t-SNE").click()  # long jobs need a click
    on_its_way = page.locator("[class*=st-key-job_] canvas.points")
    on_its_way.wait_for()
    on_its_way.evaluate(WATCH)
    moved = page.locator("[class*=st-key-job_] canvas.points[data-moved]")
    moved.wait_for()  # the same canvas is painted again
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled.").wait_for()
    page.get_by_role("button", name="Start again").click()
    page.get_by_role("button", name="Cancel").wait_for()
    page.reload()
    page.locator(FINISHED).first.wait_for()
    page.reload()
    page.locator(FINISHED).first.wait_for()
    assert page.errors == []


def test_a_map_follows_changes_of_the_theme(page, server):
    page.emulate_media(color_scheme="dark")
    visit(page, server, f"{DIGITS}&awa1_layout=PCA")
    once(page, lambda: corner(page) == [16, 20, 24, 255], why=lambda: corner(page))
    page.emulate_media(color_scheme="light")
    once(page, lambda: corner(page) == [255] * 4, why=lambda: corner(page))
    page.locator(".maps").evaluate(
        "maps => maps.style.setProperty('--st-background-color', '#102030')"
    )
    once(page, lambda: corner(page) == [16, 32, 48, 255], 20, why=lambda: corner(page))


def corner(page):
    """Return red, green, blue and opacity of the map's first corner."""
    read = "canvas => [...canvas.getContext('2d').getImageData(1, 1, 1, 1).data]"
    return page.locator("canvas.points").first.evaluate(read)


def test_a_row_that_is_ticked_is_marked_on_the_map(page, server):
    visit(page, server, f"{DIGITS}&awa1_layout=PCA&awa1_image=0.7")
    table = page.locator("[class*=st-key-awa1_nearest] canvas").first
    table.wait_for()
    table.evaluate("table => table.scrollIntoView({ block: 'center' })")
    box = box_of(table)
    page.mouse.click(box["x"] + 17, box["y"] + 35 * 1.5)  # the checkbox of the first row
    page.wait_for_url(re.compile(r"awa1_image=0\.(?!7\b)\d+"))
    row = re.search(r"awa1_image=0\.(\d+)", page.url)[1]
    page.get_by_text(re.compile(f"Digits, image {int(row):,}")).wait_for()
    assert page.errors == []
