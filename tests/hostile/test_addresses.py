"""Malformed addresses: huge numbers, and invalid values of every parameter."""

from urllib.parse import unquote

import pytest
from streamlit.testing.v1 import AppTest

from tests.hostile.addresses import VALUES, bound
from tests.pages import APP, PATIENCE, go, visit

#: Streamlit cannot convert these to whole numbers.
ENDLESS = ("-inf", "1e400", "9" * 5000)


def opened(page, query):
    """Open a page as a new visitor with parameters in its address; no exception is raised."""
    app = go(AppTest.from_file(APP, default_timeout=PATIENCE), page, **query)
    app.run()
    assert not app.exception, (query, app.exception[0].stack_trace)
    assert app.title[0].value
    return app


def malformed(names, n):
    """Give every parameter an invalid value, of each kind in turn, beginning with kind ``n``."""
    kinds = list(VALUES.values())
    result = {}
    for k, name in enumerate(sorted(names), start=n):
        values = kinds[k % len(kinds)]
        result[name] = unquote(values[(k // len(kinds) + n) % len(values)]).replace("{key}", name)
    return result


@pytest.mark.nightly
@pytest.mark.parametrize("value", ENDLESS)
def test_a_huge_number_in_the_address_is_ignored(value):
    app = opened("play", {"dataset": "digits", "playground_gamma": value})
    app.run()
    assert not app.exception


def test_parameters_bound_to_the_address_are_listed():
    assert {"contamination_extractor", "contamination_on"} <= bound(visit("contamination"))
