"""The guide's table of every table, figure and claim of the papers."""

from tools import paper_items
from zslcore.analysis.papers.claims import CLAIMS
from zslcore.analysis.papers.experiments import EXPERIMENTS, NOT_COMPUTED


def test_the_guide_lists_every_item_of_today():
    text = paper_items.GUIDE.read_text(encoding="utf-8")
    assert paper_items.written(text) == text
    table = paper_items.items()
    assert table.count("\n") == 1 + len(EXPERIMENTS) + len(NOT_COMPUTED) + len(CLAIMS)
    assert set(paper_items.VIEWS) <= {*EXPERIMENTS, *NOT_COMPUTED}
