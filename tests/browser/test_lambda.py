"""Lambda moves through every panel in the browser, without the server."""

import re

from tests.browser.reading import NARROW, PROJECTOR, dressed, fits, once, open_page, still
from tests.browser.test_gamma import no_text_on_text, slider_box


def headline(page):
    """The numbers above the panels: lambda first, then accuracies in percent."""
    texts = page.locator(".textpoint").all_text_contents()
    return [float(re.search(r"= ([\d.e−-]+)", text)[1].replace("−", "-")) for text in texts]


def test_lambda_moves_the_numbers_without_asking_the_server(server, page):
    sent = []
    page.on("websocket", lambda ws: ws.on("framesent", lambda frame: sent.append(frame)))
    open_page(page, f"{server.url}/regularization?method=LinearV2S")
    before, box = headline(page), slider_box(page)
    middle = box["y"] + box["height"] / 2

    assert len(before) == 7
    assert sent  # opening the page did ask
    sent.clear()
    page.mouse.move(box["x"] + 0.5 * box["width"], middle)
    page.mouse.down()
    steps = []
    for share in (0.1, 0.7, 0.9):
        page.mouse.move(box["x"] + share * box["width"], middle, steps=5)
        once(page, lambda: headline(page) != ([before, *steps][-1]))
        steps.append(headline(page))
    page.mouse.up()

    assert sent == []
    lambdas, seen_alone = ([step[k] for step in steps] for k in (0, 2))
    assert lambdas == sorted(set(lambdas))
    assert seen_alone[0] > seen_alone[1] > seen_alone[2]  # seen classes lose
    assert page.errors == []


def test_nothing_spills_or_overlaps(server, page):
    open_page(page, f"{server.url}/regularization?method=LinearV2S&regularization_tab=Figures")
    for size, theme in ((PROJECTOR, "light"), (NARROW, "dark")):
        dressed(page, theme)
        fits(page, size)
        still(page)
        no_text_on_text(page, size["width"])
    assert page.errors == []
