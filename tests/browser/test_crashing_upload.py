"""Harmful uploads in a browser."""

import re
import urllib.request

from tests.browser.reading import settle, visit
from tests.datasets.files import with_type_code, write_folder


def name_of_import(page):
    """Return the name field of the upload; that of the folder form may be drawn first."""
    return page.get_by_role("dialog").get_by_placeholder("from the file and its classes")


def upload(page, folder, name):
    """Enter a name for the import, then drop both files of a folder."""
    name_of_import(page).fill(name)
    name_of_import(page).press("Enter")
    settle(page)
    files = ("res101.mat", "att_splits.mat")
    page.get_by_role("dialog").locator("input[type=file]").first.set_input_files(
        [folder / file for file in files]
    )


def test_a_file_that_crashes_its_reader_leaves_the_app_running(page, server, tmp_path):
    evil = write_folder(tmp_path / "evil", compress=False)
    with_type_code(evil / "att_splits.mat", 200)
    good = write_folder(tmp_path / "good")
    visit(page, server, "/splits")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("dialog").wait_for()

    upload(page, evil, "evil")
    alert = page.get_by_role("dialog").get_by_test_id("stAlert")
    alert.wait_for()
    settle(page)
    assert alert.count() == 1
    assert "att_splits.mat" in alert.inner_text()
    sentence = alert.locator("p")
    assert sentence.count() == 1
    assert re.fullmatch(r"[^\n]+\.", sentence.inner_text())
    assert name_of_import(page).input_value() == "evil"
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=60) as answer:
        assert answer.status == 200
    assert server.process.poll() is None

    visit(page, server, "/splits")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("dialog").wait_for()
    upload(page, good, "good-one")
    page.get_by_text("30 images, 5 classes, 4 attributes").wait_for()
    page.wait_for_url(re.compile("dataset=good-one"))
    settle(page)
    assert not page.get_by_test_id("stException").count()
