"""Ranks of the board: intervals cover the true rank, ties share ranks, oracles have none."""

from dataclasses import replace

import numpy as np
import pytest

from zslcore.board.checking import checked_entry, packaged_board
from zslcore.board.table import Rank, board_html, rank_in_words, rank_results, table_of


@pytest.fixture(scope="module")
def entry():
    return next(
        result.entry
        for result in packaged_board().results
        if result.entry.per_class.get("at_gamma") and not result.entry.used_test_set
    )


def results(entry, accuracies, **changes):
    """Copies of an entry with the given accuracies of its unseen classes, one per file name."""
    result = {}
    for name, values in accuracies.items():
        per_class = {"zsl": dict(zip(entry.unseen_classes, values, strict=True))}
        result[name] = checked_entry(replace(entry, per_class=per_class, **changes), name)
    return list(result.values())


def test_a_result_better_in_every_class_has_a_better_rank(entry):
    n = len(entry.unseen_classes)
    base = np.linspace(0.2, 0.6, n)
    result = rank_results(
        results(entry, {"b": base, "a": base + 0.2, "c": base - 0.1, "tie": base.copy()}), "zsl"
    )
    assert result["a"] == Rank(1, 1, 4)
    assert result["b"] == result["tie"] == Rank(2, 3, 4)
    assert result["c"].in_words == "4 of 4"


def test_the_interval_of_a_rank_has_nominal_coverage(entry):
    """Four standard errors of the coverage in 120 studies are 8 points."""
    rng, n, hits = np.random.default_rng(0), len(entry.unseen_classes), 0
    true = np.array([0.50, 0.48, 0.40])
    for _ in range(120):
        of_class = rng.normal(0, 0.1, n)
        values = true[:, None] + of_class + rng.normal(0, 0.05, (3, n))
        ranks = rank_results(results(entry, dict(zip("abc", values, strict=True))), "zsl")
        hits += all(ranks[name].first <= k <= ranks[name].last for k, name in enumerate("abc", 1))
    assert hits / 120 >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 120)


def test_only_results_of_the_same_classes_are_ranked_together(entry):
    n = len(entry.unseen_classes)
    two_results = results(entry, {"a": np.full(n, 0.5), "b": np.full(n, 0.4)})
    fewer = dict(list(two_results[1].entry.per_class["zsl"].items())[:-1])
    other = checked_entry(replace(two_results[1].entry, per_class={"zsl": fewer}), "b")
    assert rank_results([two_results[0], other], "zsl") == {}
    assert rank_results(two_results[:1], "zsl") == {}
    assert rank_results(two_results, "H_gamma") == {}
    unstated = checked_entry(replace(two_results[1].entry, per_class={}), "b")
    assert rank_results([two_results[0], unstated], "zsl") == {}


def test_an_oracle_result_has_no_rank(entry):
    n = len(entry.unseen_classes)
    accuracies = {"a": np.full(n, 0.5), "b": np.full(n, 0.4)}
    used_test_set = results(
        entry, {"c": np.full(n, 0.9)}, gamma=replace(entry.gamma, origin="oracle")
    )
    assert used_test_set[0].entry.used_test_set
    result = rank_results(results(entry, accuracies) + used_test_set, "zsl")
    assert set(result) == {"a", "b"}


def test_the_table_and_the_page_show_ranks():
    board = packaged_board()
    table = table_of(board.results)
    ranked_rows = table[table["H_gamma_rank_first"].notna()]
    assert len(ranked_rows) == (table["H_gamma_low"].notna() & (table["benchmark"] != "")).sum()
    assert (ranked_rows["H_gamma_rank_first"] <= ranked_rows["H_gamma_rank_last"]).all()
    assert (ranked_rows["H_gamma_rank_last"] <= ranked_rows["H_gamma_rank_of"]).all()
    best = ranked_rows.sort_values("H_gamma", ascending=False).groupby("benchmark").head(1)
    assert (best["H_gamma_rank_first"] == 1).all()
    page = board_html(board)
    for _, row in ranked_rows.iterrows():
        assert f"rank {rank_in_words(row, 'H_gamma')}</small>" in page
    assert rank_in_words(table[table["zsl_rank_first"].isna()].iloc[0], "zsl") == ""
