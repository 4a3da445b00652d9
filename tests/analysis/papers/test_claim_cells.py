"""Cells of claims: the cells that a judge reads are the cells that are shown."""

import pandas as pd
import pytest

from zslcore.analysis.papers.claims import CLAIMS
from zslcore.analysis.papers.claims.evidence import ClaimEvidence, printed_evidence


@pytest.fixture(scope="module")
def printed():
    return printed_evidence()


@pytest.mark.parametrize("id_", CLAIMS)
def test_a_claim_with_a_verdict_on_printed_tables_has_cells(id_, printed):
    judgment = CLAIMS[id_].judge(printed)
    read = judgment.cells
    assert judgment.verdict == "undecided" or len(read.metrics) or read.tables
    assert not read.metrics.index.has_duplicates


def test_only_the_cells_of_a_claim_change_its_verdict(printed):
    id_ = "gbu-best-h"
    before = CLAIMS[id_].judge(printed)
    is_read = printed.metrics.index.isin(before.cells.metrics.index)

    def judged(value):
        rows = printed.metrics.assign(value=value)
        return CLAIMS[id_].judge(ClaimEvidence("printed", rows, printed.tables))

    value = printed.metrics["value"]
    assert judged(value.where(is_read, 0.0)) == before
    assert judged(value.where(~is_read, 1.0 - value)) != before


def test_the_wide_table_has_every_cell_once(printed):
    read = CLAIMS["cal-gzsl-lambda-adds"].judge(printed).cells
    wide = read.wide()
    assert wide.size == len(read.metrics) == wide.notna().to_numpy().sum()
    assert "CUB, for ZSL" in wide.columns


def test_cells_include_the_cross_dataset_table(printed):
    read = CLAIMS["gbu-cross-p"].judge(printed).cells
    assert list(read.tables) == ["cross_dataset_awa"]
    assert isinstance(read.tables["cross_dataset_awa"], pd.DataFrame)
