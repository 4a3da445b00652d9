"""A run leaves the page as predictions, and comes back as a claim that is checked."""

from pathlib import Path

import pytest

from tests.browser.reading import dressed, fits, settle, visit
from zslcore.evaluation import read_predictions


def test_predictions_of_a_run_are_verified_when_they_come_back(server, page, tmp_path):
    visit(page, server, "/evaluate?dataset=digits&method=LinearS2V")
    page.get_by_role("tab", name="Reproduce").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Predictions (.parquet)").click()
    file = tmp_path / download.value.suggested_filename
    file.write_bytes(Path(download.value.path()).read_bytes())
    predictions = read_predictions(file)
    assert predictions.folds
    assert predictions.chosen_gamma == pytest.approx(predictions.gamma, abs=1e-6)

    visit(page, server, "/scores")
    page.locator("input[type=file]").first.set_input_files([file])
    page.get_by_text("rows, labels and gamma agree with the data").wait_for()
    settle(page)
    assert page.locator(".stMarkdownBadge").all_inner_texts()[0].endswith("verified")
    ausuc = f"{100 * predictions.test.curve.ausuc:.1f} %"
    page.get_by_test_id("stMetric").filter(has_text="AUSUC").get_by_text(ausuc).wait_for()
    for theme in ("light", "dark"):
        dressed(page, theme)
        fits(page)
    assert page.errors == []
