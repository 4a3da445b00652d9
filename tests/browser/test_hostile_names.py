"""Names are text: a data set of hostile names, on every page that can show one."""

from html import unescape

import pytest

from benchmarks.serving import Server
from tests.browser.reading import settle, visit
from tests.hostile.looking import CANARY, FOREIGN, Watch
from tests.hostile.names import NAME, NAMES, altered, write
from zslcore.datasets import import_dataset
from zslcore.runs import RunSpec, RunStore

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
