"""Ranks of methods: places, tests and intervals, on the runs there are and as printed.

Two tabs of Compare methods.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ui import tables
from ui.figures import ranks as figures
from ui.frame import chart
from ui.numbers import three_digits
from ui.sections.compare import Comparison, in_words
from ui.text import plain
from zslcore.analysis import ranking
from zslcore.analysis.comparison import (
    Measure,
    Occasions,
    agreement_with_printed,
    printed,
    unlike_printed,
)
from zslcore.exceptions import DatasetError

__all__ = ["show_printed", "show_ranks"]

PRINTED: dict[Measure, tuple[str, ...]] = {
    "zsl": ("SS", "PS"),
    "u": ("PS",),
    "s": ("PS",),
    "H": ("PS",),
}


def show_ranks(comparison: Comparison) -> None:
    """Draw the ranks of methods, one figure per split, and test them over all rankings."""
    found = comparison.found.complete
    if not _can_be_ranked(found):
        return
    _show_places(found)
    _show_tests(found, "compare")


def show_printed(comparison: Comparison) -> None:
    """Do the same on the benchmark paper's tables, and say how far both orders agree."""
    wanted = comparison.measure.removesuffix(" at gamma")
    measure: Measure = next((each for each in PRINTED if each == wanted), "zsl")
    table = {"zsl": "3 (SS and PS)"}.get(measure, "6")
    st.markdown(
        f"Xian et al., TPAMI 2019, table {table}: {in_words(measure)}, parameters chosen on their "
        "folds, ResNet-101 features, no calibration."
    )
    paper = printed(measure, PRINTED[measure]).complete
    _show_places(paper)
    _show_agreement(comparison, measure)
    _show_tests(paper, "printed")


def _can_be_ranked(found: Occasions) -> bool:
    if len(found.methods) < 2 or not found.names:
        st.info(
            "Ranks need at least two methods that have been run on every data set and split.",
            icon=":material/info:",
        )
        return False
    return True


def _show_places(found: Occasions) -> None:
    """Draw one picture a split, side by side."""
    splits = list(dict.fromkeys(split for _, split, _ in found.names))
    for split, place in zip(splits, st.columns(len(splits), gap="medium"), strict=True):
        rows = [i for i, (_, of, _) in enumerate(found.names) if of == split]
        values = found.figures[0, rows]
        mean = ranking.ranks_of(values).mean(axis=0)
        best = found.methods[int(np.argmin(mean))]
        with place:
            st.markdown(f"**{plain(split)}**, {len(rows)} ranking{'s' * (len(rows) != 1)}")
            chart(
                figures.places(ranking.rank_matrix(values), found.methods, mean),
                f"Ranks of {len(found.methods)} methods in {len(rows)} rankings of {split}; best "
                f"mean rank {best}, {mean.min():.1f}.",
                key=f"compare_places_{split}_{found.names[rows[0]][2]}",
            )
    st.caption(
        "Number of rankings in which a method (row) has a rank (column); mean rank in brackets. A "
        "data set gives one ranking, or one per fold where each fold selects parameters."
    )


def _show_tests(found: Occasions, key: str) -> None:
    """Test whether methods differ; list ranks with intervals, and all pairs."""
    values = found.figures[0]
    if values.shape[0] < 2 or values.shape[1] < 3:
        st.info("Tests need at least two rankings and three methods.", icon=":material/info:")
        return
    test = ranking.friedman_test(values)
    of_draws = ranking.ranking(found.figures)
    groups = ranking.groups(of_draws.mean_rank, test.critical_difference)
    st.markdown(
        f"**Friedman test**: χ² = {test.statistic:.1f}, p = {three_digits(test.p)} by permutation "
        f"over {test.occasions} rankings and {test.methods} methods. Nemenyi's critical "
        f"difference of two mean ranks is **{test.critical_difference:.2f}** at 5 %; the largest "
        f"difference here is {np.ptp(of_draws.mean_rank):.2f}."
    )
    chart(
        figures.mean_ranks(of_draws, found.methods, groups, test.critical_difference),
        "Mean ranks: "
        + ", ".join(
            f"{found.methods[j]} {of_draws.mean_rank[j]:.1f}"
            for j in np.argsort(of_draws.mean_rank)
        ),
        key=f"{key}_mean_ranks",
    )
    st.caption(_caveats(found))
    _list_ranks(found, of_draws, key)
    _list_pairs(found, test, key)


def _caveats(found: Occasions) -> str:
    """Say what the bars are, where intervals come from, and what p-values take for granted."""
    said = [
        "A vertical bar joins methods whose mean ranks differ by less than the critical difference "
        "(CD)."
    ]
    if len(found.figures) > 1:
        said.append("Intervals (95 %) come from a bootstrap over the test classes.")
    if any(choice.isdigit() for *_, choice in found.names):
        said.append(
            "Folds of one data set share its test set, so they are not independent rankings: the "
            "p-values are too small."
        )
    return " ".join(said)


def _list_pairs(found: Occasions, test: ranking.RankingTest, key: str) -> None:
    """List Wilcoxon's test of every pair, and say how small a p can be."""
    with st.expander("Every pair: Wilcoxon's signed ranks, adjusted after Holm"):
        tables.show(
            ranking.pairwise(found.figures[0], found.methods),
            f"{key}_pairs",
            labels={
                "better": "larger mean",
                "worse": "smaller mean",
                "mean_difference": "points",
                "p": "p",
                "p_holm": "p, Holm",
            },
            points=["mean_difference"],
            significant=["p", "p_holm"],
        )
        st.caption(
            f"With {test.occasions} rankings no pair can have a p below "
            f"{three_digits(test.smallest_p)}."
        )


def _list_ranks(found: Occasions, of_draws: ranking.Ranking, key: str) -> None:
    table = pd.DataFrame(
        {
            "method": found.methods,
            "mean": found.figures[0].mean(axis=0),
            "rank": of_draws.mean_rank,
            "low": of_draws.low,
            "high": of_draws.high,
            "first": of_draws.first,
        }
    ).sort_values("rank", kind="stable")
    labels = {"method": "method", "mean": "mean", "rank": "mean rank"}
    if len(found.figures) > 1:
        labels |= {"low": "from", "high": "to", "first": "first in"}
    tables.show(
        table,
        f"{key}_ranks",
        labels=labels,
        percent=[name for name in ("mean", "first") if name in labels],
        significant=[name for name in ("rank", "low", "high") if name in labels],
    )


def _show_agreement(comparison: Comparison, measure: Measure) -> None:
    """Say how far our order agrees with the printed one, where both are of the same figure."""
    unlike = unlike_printed(
        comparison.spec,
        comparison.measure,
        comparison.choice,
        comparison.average,
        comparison.left_out,
    )
    if unlike:
        _say_unlike(unlike)
        return
    try:
        found, n = agreement_with_printed(comparison.found, comparison.datasets, measure)
    except DatasetError as error:
        _say_unlike([str(error)])
        return
    said = f"τ = {found.tau:+.2f} ({found.low:+.2f} to {found.high:+.2f})".replace("= -", "= −")
    st.markdown(
        f"**Our order of {found.methods} methods and the printed one**: Kendall's {said}. 1 is the "
        f"same order, 0 no agreement; both are by {comparison.figure} per class on the same "
        f"benchmarks, ours on {n} ranking{'s' * (n != 1)}."
    )


def _say_unlike(why: Sequence[str]) -> None:
    said = "; ".join(why).replace("gamma", "γ")
    st.caption(f"No Kendall's τ of our order and the printed one: {plain(said)}.")
