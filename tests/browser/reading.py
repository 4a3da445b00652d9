"""Open a page, and read what its figure says."""

import re


def open_page(page, url):
    """Open a page and wait for its picture to stand still."""
    page.goto(url)
    page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(500)


def numbers(page):
    """Return gamma, and u, s and H in percent, as the figure shows them."""
    text = " ".join(page.locator(".textpoint").all_text_contents())
    found = re.findall(r"([γusH]) = ([−\d.e-]+)", text)
    return {name: float(value.replace("−", "-")) for name, value in found}
