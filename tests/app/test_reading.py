"""Upload: progress is shown, reading can be cancelled, and files are read once."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import PATIENCE


def page():
    import streamlit as st

    from ui.intake.reading_progress import read_or_cancel
    from ui.state import cache
    from zslcore.untrusted import worker

    files = st.session_state["files"]  # each test has its own session state

    def read():
        st.session_state["times"] = st.session_state.get("times", 0) + 1
        worker._WATCHER.get()(0.25)
        if st.session_state.get("cancel"):
            st.session_state["reading_cancelled"] = files  # the button Cancel does this
            st.rerun()
        return "what was read"

    def show():
        return cache.read_in_visit(files, lambda: read_or_cancel(files, read))

    st.markdown(show())


@pytest.fixture
def app():
    return AppTest.from_function(page, default_timeout=PATIENCE)


def test_files_are_read_once_and_the_progress_disappears(app):
    app.session_state["files"] = "mine"
    app.run()
    assert [element.value for element in app.markdown] == ["what was read"]
    app.run()
    assert app.session_state["times"] == 1
    assert not [button for button in app.button if button.label == "Cancel"]


def test_cancelled_files_can_be_read_later(app):
    app.session_state["files"], app.session_state["cancel"] = "other", True
    app.run()
    assert not app.exception
    assert [element.value for element in app.info] == ["Reading these files was cancelled."]
    assert not app.markdown
    app.run()
    assert app.session_state["times"] == 1  # the files were not read again automatically
    app.session_state["cancel"] = False
    (again,) = (button for button in app.button if button.label == "Read the files")
    again.click().run()
    assert [element.value for element in app.markdown] == ["what was read"]
    assert app.session_state["times"] == 2


def page_with_refused_file():
    import streamlit as st

    from ui.state import cache
    from zslcore.exceptions import FileRefusedError

    def read():
        if st.session_state["refuses"]:
            raise FileRefusedError("mine.mat: no.")
        return "read"

    try:
        st.markdown(cache.read_in_visit("refused", read))
    except FileRefusedError as error:
        st.error(str(error))


def test_refused_files_are_not_remembered():
    app, shown = AppTest.from_function(page_with_refused_file), []
    for refuses in (True, False, True):
        app.session_state["refuses"] = refuses
        app.run()
        shown.append([element.value for element in [*app.error, *app.markdown]])
    assert shown == [["mine.mat: no."], ["read"], ["read"]]
