"""Names are text: a data set with hostile names, on every page that shows names."""

import json
import sys
from html import unescape
from urllib.parse import quote

import numpy as np
import pytest

from benchmarks.serving import ROOT, Server
from tests.browser.reading import once, settle, visit
from tests.hostile.looking import CANARY, FOREIGN, Watch
from tests.hostile.names import NAME, NAMES, altered, write
from tests.writing import write_file
from zslcore.board.checking import read_board
from zslcore.board.table import board_html
from zslcore.datasets import import_dataset
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore
from zslcore.storage.files import FACTS

SET = f"dataset={NAME.replace('+', '%2B')}"
OF_MANY = SET.partition("=")[2]
#: Pages that show names of classes or attributes of this data set, and the expected number of names
#: outside tables, since a browser draws tables as pictures.
ADDRESSES = {
    "/": 0,
    f"/data?{SET}": 12,
    f"/data?{SET}&data_embeddings=true": 23,
    f"/awa1_and_awa2?pair_first={OF_MANY}&pair_second=nothing else&awa1_layout=PCA": 0,
    f"/?{SET}&method=LinearS2V&playground_drawer=true": 0,
    f"/compare?table_whose=your+runs&table_columns={OF_MANY}": 0,
    f"/leakage?{SET}&leakage_source=a data set": 5,
    f"/overlap_gain?gain_data={OF_MANY}": 0,
    f"/leakage?view=contamination&{SET}&contamination_on=a data set of this app": 0,
}
SCRIPT = f"<img src=x onerror=window.{CANARY}=1><script>window.{CANARY}=1</script>"
LINK = f"[qqlink](javascript:window.{CANARY}=1)"

#: Serves the app with another folder of results.
OTHER_BOARD = """
import os, sys
os.chdir({root!r})
sys.path.insert(0, {root!r})
from pathlib import Path
from ui.state import cache
from zslcore.board.checking import read_board
cache.packaged_board = lambda: read_board(Path({folder!r}))
from streamlit.web import cli
cli.main(["run", "app.py"])
"""


def write_board(folder):
    """Write one result per name, with all names in its fields; return labels and refusals."""
    entry = json.loads(next((FACTS / "board").glob("awa1-lago*.json")).read_text())
    folder.mkdir()
    names = [name for name in NAMES if name.isprintable()]
    for k, name in enumerate(names):
        a, b, c, d, e = (names[(k + n) % len(names)] for n in range(1, 6))
        figures = {"u": 0.2, "s": 0.7, "H": 2 * 0.2 * 0.7 / 0.9, "zsl": (k + 1) / 100}
        hostile = entry | {"method": name, "who": a, "provenance": f"{b} {SCRIPT} {LINK}"}
        split = e if k % 4 == 1 else "PS"
        hostile |= {
            "data": {"name": c, "features": d},
            "split": {"name": split},
            "figures": figures,
        }
        hostile |= {"unseen_classes": names, "versions": {a: b}, "parameters": {"origin": "given"}}
        hostile["parameters"]["params"] = {c: d}
        hostile["link"] = f'https://example.org/{name}" onmouseover=window.{CANARY}=1 x="'
        del hostile["per_class"]
        (folder / f"{k:02d} {SCRIPT.replace('/', '')}{LINK}.json").write_text(json.dumps(hostile))
    (folder / "js.json").write_text(json.dumps(hostile | {"link": f"javascript:window.{CANARY}=1"}))
    return names


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A server with the data set, a run on it and a board of such names."""
    folder = tmp_path_factory.mktemp("hostile")
    names = write_board(folder / "board")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(folder / "data"))
        data = import_dataset(write(folder), name=NAME)
        spec = RunSpec(NAME, "own", "LinearS2V", {"lam": 1.0}, digest=data.digest)
        run(spec, with_oracle=False, store=ResultStore())
    text = OTHER_BOARD.format(root=str(ROOT), folder=str(folder / "board"))
    server = Server(folder, command=[sys.executable, "-c", text])
    try:
        server.wait()
        yield server, read_board(folder / "board"), names
    finally:
        server.stop()


@pytest.mark.parametrize(("address", "fewest"), ADDRESSES.items())
def test_hostile_names_are_shown_as_text(page, hostile, address, fewest):
    watch, faults = Watch(page), []

    def shown():
        """Read again: the part with the names may appear a moment after its page."""
        faults.extend(watch.faults())
        return faults or sum(name in " ".join(watch.texts) for name in NAMES) >= fewest

    visit(page, hostile[0], address)
    once(page, shown)
    assert faults == []
    assert altered(watch.texts) == []
    assert sum(name in " ".join(watch.texts) for name in NAMES) >= fewest
    assert not page.errors


#: A page that writes untrusted names in the same ways as the pages of the app.
WRITTEN = """
import streamlit as st
from tests.browser.test_hostile_names import WORDS
from ui.shell.text import plain

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


def test_untrusted_names_are_shown_literally(page, tmp_path):
    server = Server(tmp_path, write_file(tmp_path / "written.py", WRITTEN))
    watch = Watch(page)
    try:
        server.wait()
        page.goto(server.url)
        page.get_by_role("heading", level=1).wait_for()
        settle(page)
        assert watch.faults() == []
        result = [p.inner_html() for p in page.locator("[data-testid=stMarkdown] p").all()]
    finally:
        server.stop()
    expected = [f"Q{k}|{' '.join(name.split())}|" for k, name in enumerate(WORDS)]
    assert [unescape(html).replace("\N{WORD JOINER}", "") for html in result] == expected


def test_the_check_detects_interpreted_names(page):
    watch = Watch(page)
    page.set_content(
        f"<a href='http://{FOREIGN}/'>x</a><img src='http://{FOREIGN}/a'><b>qqbold</b>"
        f"<p>KeyError: 1<script>window.{CANARY} = 1</script><div class='stException'></div>"
    )
    page.evaluate("() => new Promise(done => setTimeout(done, 0))")
    text = " ".join(watch.faults())
    for word in ("a script ran", "an exception is", "'KeyError'", "a link leads", "it shows"):
        assert word in text
    assert altered(watch.texts) == ["qqbold"]


# --- Uploads of a visitor -------------------------------------------------------------------------


def faults(page, watch):
    """Return the names that were executed or interpreted as more than text, once all is drawn."""
    settle(page)
    result = watch.faults()
    watch.texts = [text.replace("\N{WORD JOINER}", "") for text in watch.texts]
    return result + altered(watch.texts) + page.errors


def test_names_in_score_files_are_text(page, server, tmp_path):
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
    for words in ("Other metrics", "Compare the files"):
        chosen = page.locator("summary", has_text=words)
        once(page, lambda fold=chosen: fold.count() == 1)  # the previous run may still be shown
        chosen.click()
        assert faults(page, watch) == [], words


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/lessons?lesson=calibration&lessons_step={0}&room={0}", "stHeading"),
        ("/splits?dataset={0}&split={0}", "stToast"),  # the toast repeats the names of the address
    ],
)
def test_texts_in_an_address_are_escaped(page, server, address, message):
    watch = Watch(page)
    visit(page, server, address.format(quote(f"{LINK} {SCRIPT} http://{FOREIGN}/qqauto")))
    page.get_by_test_id(message).first.wait_for()
    assert faults(page, watch) == []


def test_the_board_accepts_hostile_names_and_refuses_hostile_links(hostile):
    _, board, names = hostile
    assert len(board.results) == len(names) > 20
    assert list(board.refused) == ["js.json"]


@pytest.mark.parametrize("chosen", ["-", 13])
def test_submitted_names_in_the_table_are_text(page, hostile, chosen):
    """This holds when the page opens and after either result is chosen."""
    server, board, _ = hostile
    watch, address = Watch(page), "/compare?table_whose=from+others&table_metric=ZSL"
    if chosen != "-":
        entry = board.results[chosen].entry
        address += f"&table_result={quote(f'{entry.method} · {entry.data.name}')}"
    visit(page, server, address)
    page.get_by_text("Submitted by").filter(visible=True).first.wait_for()
    assert faults(page, watch) == []
    if chosen != "-":
        assert any(entry.who in text for text in watch.texts)


def test_names_in_the_written_board_are_text(page, hostile, tmp_path):
    path = write_file(tmp_path / "board.html", board_html(hostile[1]))
    watch = Watch(page)
    page.goto(path.as_uri())
    page.get_by_role("columnheader").first.wait_for()
    for name in ("Method", "ZSL"):
        page.get_by_role("button", name=name, exact=True).click()
    assert watch.faults() + altered(watch.texts) + page.errors == []
    assert sum(name in " ".join(watch.texts) for name in NAMES) >= 20
