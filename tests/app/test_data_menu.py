"""Menus of data sets: order, titles, and choices in the address."""

from dataclasses import replace

import pytest

from tests.pages import go, visit
from ui.state import data_menu
from zslcore.datasets import imports, load
from zslcore.datasets.facts import title
from zslcore.datasets.simulated import SIMULATED, UNPLANTED
from zslcore.datasets.simulated_actions import SIMULATED_ACTIONS


@pytest.fixture
def data(own_data, precomputed):
    """Return a function that imports real data; results of the package are available."""
    of_apy = load("simulated-aPY")

    def add(name):
        imports.import_read_dataset(
            replace(of_apy, name=name, simulated=False, known_digest=""), name
        )

    return add


def test_titles_are_distinct():
    names = [*SIMULATED, *UNPLANTED, *SIMULATED_ACTIONS, "digits", "CUB-vgg_fc7", "AWA1-lss"]
    assert len({title(name) for name in names}) == len(names)


def test_real_data_come_first_then_results_then_simulated_ones(data):
    assert data_menu.first_real("digits") == data_menu.first_import("digits") == "digits"
    data("own")
    # An import does not replace digits, but a benchmark does.
    assert data_menu.first_real("digits") == "digits"
    assert data_menu.first_import("digits") == "own"
    data("AWA2")
    assert data_menu.first_real("digits") == data_menu.first_import("digits") == "AWA2"
    results = ["AWA1-lss", "AWA1-phog", "CUB-vgg_fc7"]
    animals = [f"simulated-{name}" for name in ("AWA1", "AWA2", "CUB", "SUN", "aPY")]
    actions = ["simulated-UCF101", "simulated-HMDB51"]
    assert data_menu.offered() == ["AWA2", "own", "digits", *results, *animals, *actions]
    assert data_menu.offered(results_only=False)[3] == "simulated-AWA1"
    with_unplanted = data_menu.offered(effects=True)
    assert with_unplanted[with_unplanted.index("simulated-CUB") + 1] == "simulated-CUB-unplanted"
    assert "simulated-CUB-full" in data_menu.offered(variants=True)


def test_the_check_of_a_data_set_opens_with_an_import(data):
    assert visit("drop", leakage_source="a data set").selectbox(key="dataset_menu").value == (
        "simulated-AWA2"
    )
    data("own")
    app = visit("drop", leakage_source="a data set")
    assert app.selectbox(key="dataset_menu").value == "own"


def test_the_menu_shows_titles_and_the_address_has_names(data):
    app = visit("splits")
    menu = app.selectbox(key="dataset_menu")
    assert menu.value == "digits"
    assert menu.options[1] == "AWA1, hand-crafted · precomputed"
    assert "CUB-like (simulated)" in menu.options
    app = menu.set_value("simulated-aPY").run()
    assert app.query_params["dataset"] == "simulated-aPY"
    app = visit("splits", dataset="simulated-aPY")
    assert app.selectbox(key="dataset_menu").value == "simulated-aPY"


def test_an_address_opens_data_sets_outside_the_menu(data):
    app = visit("splits", dataset="simulated-aPY-unplanted")
    assert app.selectbox(key="dataset_menu").value == "simulated-aPY-unplanted"
    app = visit("splits", dataset="nothing")
    assert app.selectbox(key="dataset_menu").value == "digits"
    assert any("nothing" in toast.value for toast in app.toast)


def test_a_choice_is_carried_to_another_page(data):
    app = go(visit("splits", dataset="simulated-aPY"), "leakage", leakage_source="a data set")
    del app.query_params["dataset"]
    app.run()
    assert app.selectbox(key="dataset_menu").value == "simulated-aPY"
    assert app.query_params["dataset"] == "simulated-aPY"
