"""Pages as a visitor meets them: cold and warm, by link, with other choices, with nonsense."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages import APP, go, sent_down
from ui import site_map

VIEWS = [view.name for page in site_map.PAGES for view in page.views]


@pytest.fixture(autouse=True, scope="module")
def _own_data(tmp_path_factory):
    """What one test has run, the next one finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.mark.parametrize("page", VIEWS)
def test_page_runs_cold_and_warm(page, tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    st.cache_data.clear()
    st.cache_resource.clear()
    app = go(AppTest.from_file(APP, default_timeout=60).run(), page)
    for cache in ("cold", "warm"):
        app.run()  # switch_page alone runs nothing
        assert not app.exception, cache
        assert not app.error, cache
        assert app.title[0].value


def in_hand(app):
    """What went down to the component that lets one take the curve in hand."""
    return sent_down(app, "zsl_seen_unseen")
