"""A figure is drawn once for the same data, theme and width, and never with other data."""

import importlib
import inspect
import pkgutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pytest

import ui.figures
from ui.figures import palette
from ui.figures.accuracy import class_bars
from ui.figures.cached import Gallery, cached_figure
from ui.figures.vocabulary import figure, scatter


def table(accuracy):
    return pd.DataFrame(
        {
            "class": ["cat", "zebra"],
            "side": ["seen", "unseen"],
            "images": [3, 4],
            "plain": [0.5, 0.25],
            "calibrated": [accuracy, 0.75],
        }
    )


def public_figures():
    """Return every public function of the package that returns a figure."""
    names = [module.name for module in pkgutil.iter_modules(ui.figures.__path__)]
    modules = [importlib.import_module(f"ui.figures.{name}") for name in names]
    return [
        function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ != "ui.figures.vocabulary"
        and not name.startswith("_")
        and str(inspect.signature(function).return_annotation).endswith("Chart")
    ]


@pytest.mark.parametrize("function", public_figures(), ids=lambda function: function.__name__)
def test_every_figure_of_a_page_is_drawn_once(function):
    assert hasattr(function, "__wrapped__")


def test_equal_data_share_one_figure_and_other_data_have_their_own():
    result = []

    @cached_figure
    def bars(shown):
        result.append(shown)
        return class_bars.__wrapped__(shown)

    first = bars(table(0.5))
    assert bars(table(0.5)) is first
    assert bars(table(0.75)) is not first
    assert bars(table(0.75)).traces[0]["y"] == [0.75]
    assert len(result) == 2


def test_arrays_that_differ_in_one_value_are_distinguished():
    @cached_figure
    def line(values):
        return figure([scatter(y=values[-3:])], height=100)

    values = np.zeros(1_000_000)
    line(values)
    values[-1] = 7.0
    assert line(values).traces[0]["y"][-1] == 7.0


def test_theme_width_and_arguments_are_part_of_the_key(look):
    result = []

    @cached_figure
    def labelled(shown, *, label):
        result.append((shown, label, palette.dark(), palette.narrow()))
        return figure([], height=100)

    looks = ((False, False), (True, False), (False, True), (False, False))
    for item in looks:
        look(*item)
        assert labelled(1, label="λ") is labelled(1, label="λ")
    assert result == [(1, "λ", *look) for look in looks[:3]]
    labelled(1, label="other")
    assert len(result) == 4


def test_the_oldest_figures_are_dropped():
    calls, gallery = [], Gallery(capacity=3)

    def drawn(k):
        calls.append(k)
        return figure([], height=100)

    for k in (1, 2, 3, 1, 4, 1, 2):  # 4 replaces 2, the least recently shown
        gallery.figure(str(k), partial(drawn, k))
    assert calls == [1, 2, 3, 4, 2]
    assert gallery.n_drawn == 5


def test_simultaneous_visitors_get_equal_figures():
    with ThreadPoolExecutor(8) as pool:
        result = list(pool.map(lambda _: class_bars(table(0.375)).to_dict(), range(32)))
    assert all(item == result[0] for item in result)
