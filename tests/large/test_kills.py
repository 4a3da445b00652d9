"""A small part of the campaign of tests/large/kills.py."""

import pytest

from tests.large.kills import campaign


@pytest.mark.slow
def test_kills_lose_nothing_finished_and_end_in_the_same_figures():
    kills, runs = campaign(6)
    assert kills == 6
    assert runs >= 1
