"""The simulated visitors of the benchmarks find the controls of the current pages."""

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks.visitors import MAP, VISITS
from tests.pages import APP, PATIENCE
from ui.shell import site_map


@pytest.mark.nightly
@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: f"{visit.page} {visit.label}")
def test_a_visitor_finds_its_choice_and_every_value_of_it(visit):
    app = AppTest.from_file(APP, default_timeout=PATIENCE).switch_page(f"pages/{visit.page}.py")
    for name, value in visit.query.items():
        app.query_params[name] = value
    app.run()
    (choice,) = [element for element in app.selectbox if element.label == visit.label]
    assert set(visit.values) <= set(choice.options)
    choice.set_value(visit.values[-1]).run()
    assert not app.exception


def test_simulated_visitors_open_current_pages():
    assert {visit.page for visit in (*VISITS, MAP)} <= {page.name for page in site_map.PAGES}
