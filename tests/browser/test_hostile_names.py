"""Names are text: a data set of hostile names, on every page that can show one."""

import json
from html import unescape
from urllib.parse import quote

import numpy as np
import pytest

from benchmarks.serving import ROOT, Server
from tests.browser.reading import settle, visit
from tests.hostile.looking import CANARY, FOREIGN, Watch
from tests.hostile.names import NAME, NAMES, altered, write
from ui.sections.scores import TABS
from zslcore.datasets import import_dataset
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.store import RunStore
from zslcore.storage.files import FACTS

SET = f"dataset={NAME.replace('+', '%2B')}"
OF_MANY = SET.partition("=")[2]
OWN = f"{SET}&parameters=given&method=LinearS2V"
#: Every page, with the parts of it that have names of classes or attributes; what shows one data
#: set or several, shows this one. With each, how many names are to be read outside of tables, which
#: are pictures to a browser.
ADDRESSES = {
    "/": 0,
    "/lessons": 0,
    f"/data_and_splits?{SET}": 12,
    f"/data_and_splits?{SET}&data_tab=Attributes": 23,
    f"/data_and_splits?{SET}&data_tab=Overlap": 0,
    f"/awa1_and_awa2?awa1_first={OF_MANY}&awa1_second=nothing else&awa1_layout=PCA": 0,
    f"/evaluate?{OWN}": 23,
    f"/calibration?{OWN}": 0,
    f"/regularization?{OWN}": 0,
    f"/transductive?{OWN}": 5,
    "/scores": 0,
    f"/compare?compare_datasets={OF_MANY}&compare_methods=LinearS2V": 0,
    "/large_scale": 0,
    "/actions": 0,
    "/published": 0,
    f"/leakage_review?{SET}&leakage_source=A data set of this app": 5,
    f"/overlap_gain?{SET}&overlap_methods=LinearS2V": 5,
    f"/contamination?{SET}&contamination_on=a data set of this app": 0,
    f"/contamination?{SET}&contamination_on=a data set of this app&contamination_tab=Classes": 0,
    "/runs": 0,
    "/board": 0,
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A server with the data set and a run on it."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(folder / "data"))
        data = import_dataset(write(folder), name=NAME)
        spec = RunSpec(NAME, "own", "LinearS2V", {"lam": 1.0}, digest=data.digest)
        RunStore().run(spec, with_oracle=False)
    server = Server(folder)
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.mark.parametrize(("address", "fewest"), ADDRESSES.items())
def test_names_are_text(page, hostile, address, fewest):
    watch = Watch(page)
    visit(page, hostile, address)
    assert watch.faults() == []
    assert altered(watch.texts) == []
    assert sum(name in " ".join(watch.texts) for name in NAMES) >= fewest
    assert not page.errors


#: A page that writes names as pages write words of which nobody knows what is in them.
WRITTEN = """
import streamlit as st
from tests.browser.test_hostile_names import WORDS
from ui.text import plain

for k, name in enumerate(WORDS):
    st.markdown(f"Q{k}|{plain(name)}|")
st.toast(f"T|{plain(WORDS[8])}|")
st.title("Written")
"""
WORDS = (
    *NAMES,
    ":smile: :material/home: :streamlit: :blue-background[x]",
    "a -> b <- c -- d >= e <-> f",
    "www.example.org/x a@example.org HTTPS://example.org mailto:a@b.cd",
)


def test_words_of_others_are_written_as_they_are(page, tmp_path):
    script = tmp_path / "written.py"
    script.write_text(WRITTEN)
    server = Server(tmp_path, script)
    watch = Watch(page)
    try:
        server.wait()
        page.goto(server.url)
        page.get_by_role("heading", level=1).wait_for()
        settle(page)
        assert watch.faults() == []
        found = [p.inner_html() for p in page.locator("[data-testid=stMarkdown] p").all()]
    finally:
        server.stop()
    expected = [f"Q{k}|{' '.join(name.split())}|" for k, name in enumerate(WORDS)]
    assert [unescape(html).replace("\N{WORD JOINER}", "") for html in found] == expected


def test_what_is_no_text_would_be_found(page):
    watch = Watch(page)
    page.set_content(
        f"<a href='http://{FOREIGN}/'>x</a><img src='http://{FOREIGN}/a'><b>qqbold</b>"
        f"<p>KeyError: 1<script>window.{CANARY} = 1</script><div class='stException'></div>"
    )
    page.evaluate("() => new Promise(done => setTimeout(done, 0))")
    said = " ".join(watch.faults())
    for word in ("a script ran", "an exception is", "'KeyError'", "a link leads", "it shows"):
        assert word in said
    assert altered(watch.texts) == ["qqbold"]


# --- What a visitor brings ------------------------------------------------------------------------

SCRIPT = f"<img src=x onerror=window.{CANARY}=1><script>window.{CANARY}=1</script>"
LINK = f"[qqlink](javascript:window.{CANARY}=1)"


def faults(page, watch):
    """Return what ran or was taken for more than text, once everything is drawn."""
    settle(page)
    return watch.faults() + altered(watch.texts) + page.errors


@pytest.mark.parametrize("tab", TABS)
def test_names_in_score_files_are_text(page, server, tmp_path, tab):
    names = [name.strip() or "x" for name in NAMES if len(set(name)) > 1]
    names = [f"{k} {name}" for k, name in enumerate(names)]
    y = np.repeat(np.arange(len(names)), 4)
    F = np.eye(len(names))[y] + np.random.default_rng(0).normal(size=(len(y), len(names)))
    files = [tmp_path / f"{k} {SCRIPT.replace('/', '')}.npz" for k in range(2)]
    for k, path in enumerate(files):
        np.savez(path, scores=F + k * F**2, y=y, class_names=names, unseen_classes=np.arange(9))
    watch = Watch(page)
    visit(page, server, "/scores")
    page.locator("input[type=file]").first.set_input_files(files)
    page.get_by_text("9 unseen classes").first.wait_for()
    page.get_by_role("tab", name=tab).click()
    assert faults(page, watch) == []


def test_names_in_a_result_for_the_board_are_text(page, server, tmp_path):
    entry = json.loads(next((FACTS / "board").glob("awa1-lago*.json")).read_text())
    entry |= {"method": SCRIPT, "who": LINK, "provenance": SCRIPT + LINK}
    entry["data"] |= {"name": SCRIPT, "features": LINK}
    path = tmp_path / "result.json"
    path.write_text(json.dumps(entry))
    watch = Watch(page)
    visit(page, server, "/board")
    page.get_by_text("Check a result of your own").click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text("This file would be on the board.").wait_for()
    assert faults(page, watch) == []


@pytest.mark.parametrize("word", [SCRIPT, LINK, f"http://{FOREIGN}/qqauto"])
def test_words_in_the_address_of_a_lesson_are_text(page, server, word):
    watch, word = Watch(page), quote(word)
    visit(page, server, f"/lessons?lesson=calibration&lessons_step={word}&room={word}")
    assert faults(page, watch) == []
    visit(page, server, f"/lessons?lesson={word}&room={word}")
    assert faults(page, watch) == []


def test_names_of_people_with_results_are_text(page, server, tmp_path):
    path = tmp_path / "results.json"
    path.write_text((ROOT / "tests/historic_results/0.1.0/run.json").read_text())
    watch = Watch(page)
    visit(page, server, "/runs")
    page.get_by_text("Import results of other people").click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_label("Whose results are these?").fill(SCRIPT[:59])
    page.get_by_label("Whose results are these?").press("Enter")
    page.get_by_role("button", name="Bring them in").click()
    page.get_by_text("is said to have made").wait_for()
    assert faults(page, watch) == []
