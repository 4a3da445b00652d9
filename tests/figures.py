"""Figures of the app as Plotly reads them, which refuses names and values that it does not know."""

import inspect
from functools import wraps
from types import SimpleNamespace

import plotly.graph_objects as go

from ui.figures.vocabulary import Chart


def read(chart):
    """Return a figure of the app as one of Plotly's."""
    return go.Figure(chart.to_dict())


def chart_of(figure):
    """Return a figure of Plotly's as one of the app."""
    traces = [trace.to_plotly_json() for trace in figure.data]
    return Chart(traces, figure.layout.to_plotly_json())


def reading(function):
    """Return a function of figures of the app that returns Plotly's."""

    @wraps(function)
    def drawn(*args, **kwargs):
        made = function(*args, **kwargs)
        return read(made) if isinstance(made, Chart) else made

    return drawn


def reading_all(module):
    """Return a module of figures with every function of :func:`reading`."""
    functions = inspect.getmembers(module, inspect.isfunction)
    return SimpleNamespace(**vars(module) | {name: reading(each) for name, each in functions})
