"""The guide's table of every table, figure and claim of the papers."""

import re
import shlex

import pytest

from tools import paper_items
from zslcore.__main__ import parser_of_commands
from zslcore.analysis.papers.claims import CLAIMS
from zslcore.analysis.papers.experiments import EXPERIMENTS, NOT_COMPUTED


def test_the_guide_lists_every_item_of_today():
    text = paper_items.GUIDE.read_text(encoding="utf-8")
    assert paper_items.written(text) == text
    table = paper_items.items()
    rules = len(paper_items.rules())
    assert table.count("\n") == 1 + len(EXPERIMENTS) + len(NOT_COMPUTED) + rules + len(CLAIMS)
    assert set(paper_items.VIEWS) <= {*EXPERIMENTS, *NOT_COMPUTED}


@pytest.mark.parametrize("command", re.findall("`zslcore ([^`]+)`", paper_items.items()))
def test_every_command_of_the_table_is_read(command):
    words = shlex.split(command)
    assert parser_of_commands(words[:1]).parse_args(words)
