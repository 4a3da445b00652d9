"""Search: every entry has a name, opens a view, and sets its choice."""

import pytest
from streamlit.proto.SelectWidgetFilterMode_pb2 import SelectWidgetFilterMode

from tests.pages import backslashes, visit
from ui.shell import search, site_map
from ui.shell.frame import CHOICE, PURPOSE
from ui.state import cache

CONTAINS = SelectWidgetFilterMode.Value("FILTER_MODE_CONTAINS")


def test_every_view_is_found_and_every_hit_leads_to_a_view():
    hits = search.hits()
    assert {hit.view for hit in hits} >= {v.name for page in site_map.PAGES for v in page.views}
    assert len({hit.label for hit in hits}) == len(hits)
    for hit in hits:
        assert hit.term or site_map.page_of_view(hit.view)


def test_claims_findings_and_codes_are_found_by_their_text():
    for words, opens in (
        ("p = 0.007", "gbu-cross-p"),
        ("two kinds of hand-crafted features", "awa1-one-picture-two-whales"),
        ("DPPN", "DPPN"),
    ):
        queries = [hit.query for hit in search.hits() if words in hit.label]
        assert ("claims_open", opens) in queries


def test_the_bar_of_every_page_names_the_app_and_opens_the_search():
    app = visit("wall")
    assert any(PURPOSE in element.value for element in app.caption)
    app.button(key="search").click().run()
    assert not app.exception
    assert app.selectbox(key="search_found").options == [hit.label for hit in search.hits()]
    assert backslashes(app) == []


def test_extractors_sets_data_methods_and_classes_are_found_by_a_word():
    labels = [hit.label for hit in search.hits()]
    for words in ("Extractor · CLIP", "WIT-400M", "CUB", "ESZSL", "giraffe", "Kinetics-400"):
        assert any(words in label for label in labels), words


def test_only_entries_with_the_typed_letters_are_listed():
    app = visit("wall")
    app.button(key="search").click().run()
    assert app.selectbox(key="search_found").proto.filter_mode == CONTAINS


@pytest.mark.parametrize(
    ("label", "choice"),
    [
        ("Method · SAE", ("method", "SAE")),
        ("Data set · CUB-like (simulated)", ("dataset", "simulated-CUB")),
        ("Extractor · CLIP, trained on WIT-400M", ("contamination_extractor", "CLIP")),
    ],
)
def test_a_chosen_hit_opens_with_its_choice(label, choice):
    (hit,) = [hit for hit in search.hits() if hit.label == label]
    app = visit("lessons")
    app.session_state[CHOICE] = hit.choice
    app.run()
    assert hit.choice == choice
    assert app.session_state[choice[0]] == choice[1]


def test_classes_of_data_sets_lead_to_the_first_data_set_that_has_them(own_data):
    (hit,) = (hit for hit in search.hits() if hit.label.startswith("Class · zebra"))
    assert (hit.view, hit.choice[0]) == ("splits", "dataset")
    assert "zebra" in cache.names_of_classes(hit.choice[1])
