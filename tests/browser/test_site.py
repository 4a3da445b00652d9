"""Static site: small, correct pages without requests, usable by keyboard."""

import pytest

from tests.browser.reading import box_of, once, still
from tests.browser.test_every_view import WIDER_THAN_THE_WINDOW, violations
from tools import site
from zslcore.analysis.method_table import MethodTable, cells_of_runs
from zslcore.analysis.papers.claims import PAPERS
from zslcore.results.shipped import shipped_results
from zslcore.results.store import StoredRun


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The pages as the command writes them."""
    out = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_SHIPPED", "1")
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("data")))
        site.main([str(out)])
    return out


#: Sum of the layout shifts since the page was opened.
LAYOUT_SHIFT = """() => new Promise((resolve) => {
  let total = 0;
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) total += value; })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(total), 300);
})"""
NAMES = {*site.PAGES, *(name for name, _ in site.PLAYS.values()), *site.LAMBDA.values()}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_page_is_small_opens_offline_and_can_be_read(name, folder, page, axe):
    assert len((folder / name).read_bytes()) <= site.MAX_BYTES
    page.context.set_offline(True)
    wanted = []
    page.on("request", lambda request: wanted.append(request.url))
    try:
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.goto((folder / name).as_uri())
            page.evaluate(axe)
            assert violations(page) == [], theme
        page.set_viewport_size({"width": 390, "height": 844})
        main = WIDER_THAN_THE_WINDOW.replace("[data-testid=stMain]", "main, body")
        once(page, lambda: not page.evaluate(main))
    finally:
        page.context.set_offline(False)
    assert page.errors == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in wanted)


@pytest.mark.parametrize("width", [820, 390])
@pytest.mark.parametrize("name", sorted(NAMES))
def test_nothing_moves_when_the_font_arrives(name, width, folder, page):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto((folder / name).as_uri())
    page.evaluate("() => document.fonts.ready")
    still(page)
    assert page.evaluate(LAYOUT_SHIFT) < 0.1


def ranks_on_cub():
    """Return the ranked precomputed results on CUB, as in Compare."""
    columns = "H at gamma", "PS", ["shipped"], ["CUB-vgg_fc7"], False
    cells = cells_of_runs([StoredRun(result, shipped=True) for result in shipped_results()])
    return MethodTable(cells, *columns).columns[0].ranks


def test_the_check_answers_like_the_app_and_the_table_fits_a_tablet(folder, page):
    page.set_viewport_size({"width": 820, "height": 1180})
    page.goto((folder / "check.html").as_uri())
    assert "AWA2" in page.locator("h1").inner_text()
    assert page.locator(".answer").inner_text().startswith("No: it leaks. All 5,882 rows")
    headings = page.locator("h2").all_inner_texts()
    assert headings == ["Leaks", "Open", "Warnings", "In order", "Files read"]
    page.goto((folder / "table.html").as_uri())
    answer = page.locator(".answer").inner_text()
    assert "%) on AWA1" in answer
    assert f", {ranks_on_cub()['top'].sum() - 1} and " in answer
    assert page.locator(".wide").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_gamma_and_the_method_are_chosen_by_keyboard(folder, page):
    page.goto((folder / "index.html").as_uri())
    h = page.locator(".numbers > .h")
    once(page, lambda: "57.1" in h.inner_text())  # H of LinearS2V without calibration
    page.get_by_role("slider").press("ArrowRight")
    once(page, lambda: "57.1" not in h.inner_text())
    page.get_by_role("radio", name="LinearS2V").press("ArrowRight")
    page.wait_for_url("**#ESZSL")
    once(page, lambda: "18.2" in h.inner_text())
    page.get_by_role("radio", name="ESZSL").click()  # ESZSL is already chosen, so nothing changes
    page.get_by_role("radio", name="CUB birds").click()
    page.wait_for_url("**/play-cub.html*")
    # Lambda needs features, which CUB lacks here.
    assert page.get_by_role("radio", name="λ").count() == 0


@pytest.mark.parametrize("name", ["index.html", "play-cub.html"])
@pytest.mark.parametrize("width", [1280, 390])
def test_texts_of_the_instrument_do_not_overlap_and_its_slider_is_long(name, width, folder, page):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto((folder / name).as_uri())
    page.locator(".trade .tick").first.wait_for()
    still(page)
    (title,) = [box for box in boxes(page, ".trade .title") if box["width"] < box["height"]]
    ticks = boxes(page, ".trade .tick")
    before = [tick for tick in ticks if tick["x"] < title["x"] + title["width"] + 2]
    for tick in before:
        assert tick["y"] + tick["height"] < title["y"] or title["y"] + title["height"] < tick["y"]
    assert all(tick["x"] + tick["width"] <= width for tick in ticks)
    (slider,), (stop, *_) = boxes(page, ".ruler input[type=range]"), boxes(page, ".stops button")
    assert slider["width"] > 0.3 * width
    assert slider["x"] + slider["width"] + 8 <= stop["x"] or slider["y"] < stop["y"] - 8


def boxes(page, selector):
    """Return the bounding boxes of all elements of a selector."""
    return [box_of(each) for each in page.locator(selector).all()]


def test_pages_have_the_font_of_the_app_and_a_phone_shows_legible_letters(folder, page):
    page.set_viewport_size({"width": 390, "height": 844})
    for name in NAMES:
        page.goto((folder / name).as_uri())
        page.evaluate("() => document.fonts.ready")
        status = "() => [...document.fonts].find(({ family }) => family === 'lab').status"
        assert page.evaluate(status) == "loaded"
    page.goto((folder / "check.html").as_uri())
    letters = "e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a"
    sizes = [text.evaluate(letters) for text in page.locator("svg.bars text").all()]
    assert len(sizes) == 10
    assert min(sizes) >= 11


def test_the_instrument_ends_above_the_fold(folder, page):
    page.goto((folder / "index.html").as_uri())
    page.locator(".trade .tick").first.wait_for()
    still(page)
    (box,) = boxes(page, ".whole")
    assert box["y"] + box["height"] <= page.viewport_size["height"] - 12


def test_claims_have_their_number_as_a_bar(folder, page):
    page.goto((folder / "claims.html").as_uri())
    claim = page.locator("summary").filter(has_text="Calibration raises H considerably")
    assert claim.locator("svg rect").count() == 1
    assert claim.locator(".picture").inner_text().strip() == "+20.6 points"
    seventh = page.locator("summary").filter(has_text="SYNC drops to seventh place")
    assert seventh.locator(".picture").inner_text().strip() == "place 8 of 13; claimed: 7"
    shares = page.locator("summary").filter(has_text="For 8 of 12 methods")
    assert shares.locator(".picture").inner_text().strip() == "8 of 12; claimed: at least 67 %"
    text = page.locator("main").inner_text()
    assert all(f"{name}: {title}" in text for name, title in PAPERS.items())
    counts = [link.inner_text() for link in page.locator(".counts a").all()]
    sizes = [section.locator("details").count() for section in page.locator("section").all()]
    assert [int(count.split()[1]) for count in counts] == sizes


def test_lambda_and_the_curves_of_other_methods_are_on_the_page(folder, page):
    page.goto((folder / "index.html").as_uri())
    links = page.locator(".other")
    once(page, lambda: links.count() == 17)  # one of the links is the line itself
    page.get_by_role("radio", name="λ").press("Space")
    page.wait_for_url("**/lambda.html#LinearS2V")
    number = page.locator(".now > .g")
    once(page, lambda: "λ 1e−06" in number.inner_text())  # the folds chose this value
    page.get_by_role("slider").press("ArrowRight")
    once(page, lambda: "λ 1e−06" not in number.inner_text())
    page.get_by_role("radio", name="γ").press("Space")
    page.wait_for_url("**/index.html#LinearS2V")


def test_the_landing_page_leads_to_all_others_and_to_the_install_line(folder, page):
    page.goto((folder / "index.html").as_uri())
    linked = {link.get_attribute("href") for link in page.locator("a").all()}
    assert {*site.PAGES, "index.html#own"} <= linked
    page.get_by_role("link", name="Open your own").press("Enter")
    install = page.get_by_text("pip install -r requirements.txt && streamlit run app.py")
    once(page, install.is_visible)
    once(page, lambda: 0 <= install.bounding_box()["y"] < page.viewport_size["height"])


def test_the_table_has_the_metrics_of_precomputed_results_and_sorts(folder, page, precomputed):
    (run,) = (
        shipped_result
        for shipped_result in shipped_results()
        if (shipped_result.spec.dataset, shipped_result.spec.split, shipped_result.spec.method)
        == ("CUB-vgg_fc7", "PS", "SJE")
        and shipped_result.spec.select_for == "gzsl"
    )
    page.goto((folder / "table.html").as_uri())
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="SJE", exact=True))
    cells = row.get_by_role("cell").all_inner_texts()
    figures = run.evaluation
    expected = [
        figures.zsl,
        figures.calibrated.unseen,
        figures.calibrated.seen,
        figures.calibrated.harmonic,
        figures.ausuc,
    ]
    low, high = ranks_on_cub().loc["SJE", ["low", "high"]]
    assert cells[8].endswith(f" {100 * low:.0f}–{100 * high:.0f}")
    assert [cell.split()[0] for cell in cells[5:10]] == [f"{100 * value:.1f}" for value in expected]
    page.get_by_role("button", name="H", exact=True).nth(1).click()  # the second H belongs to CUB
    texts = page.locator("tbody td:nth-of-type(9)").all_inner_texts()
    column = [float(text.split()[0].strip("*")) for text in texts]
    assert column == sorted(column, reverse=True)
