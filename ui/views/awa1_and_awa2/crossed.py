"""What methods trained on one of two data sets reach on the other."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui.figures import cross as figures
from ui.sections.pair_of_sets import choose_pair, show_what_is_simulated
from ui.shell.frame import Header, chart
from ui.shell.numbers import three_digits
from ui.shell.text import on_screen, plain
from ui.state import controls
from ui.state.waiting import result_of
from ui.takeaway import tables
from zslcore.analysis import cross_dataset as tests
from zslcore.analysis.cross_dataset import CrossStudy, check_pair, fitting_methods
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import benchmark_of, title
from zslcore.exceptions import DatasetError

#: Figures that can be looked at, by their column.
FIGURES = {
    "ZSL": "top1_per_class",
    "H, calibrated": "calibrated_harmonic",
    "H, γ = 0": "plain_harmonic",
    "unseen, calibrated": "calibrated_unseen",
    "seen, calibrated": "calibrated_seen",
}
#: Methods chosen to begin with: all together take a second or two.
USUAL = ("LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL")
PRINTED = "as printed, real images"
QUESTIONS = {
    "training set": "another training set",
    "test set": "another test set",
    "larger": "which changes more",
}


def show(header: Header) -> None:
    """Show what is printed, then train on each data set and test on both."""
    datasets, split = choose_pair(header)
    show_what_is_simulated(datasets)
    if len(datasets) == 1:
        st.info("This compares two data sets; choose a second one.", icon=":material/compare:")
        return
    first, second = datasets
    # The pair is, or stands in for, the one that the paper compares.
    printed = [*map(benchmark_of, datasets), split] == ["AWA1", "AWA2", "PS"]
    if printed:
        _show_claim()
    across = _can_be_crossed(first, second, split)
    fitting = fitting_methods(first, second)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        methods = st.multiselect(
            "Methods", fitting, USUAL, key="crossed_methods", bind="query-params"
        )
        shown = controls.choose("Metric", list(FIGURES), key="crossed_figure", width=220)
    if not methods:
        st.info("Choose a method to begin with.", icon=":material/arrow_upward:")
        return
    methods = [name for name in fitting if name in methods]
    table = result_of(CrossStudy.of(first, second, split, methods, across=across))
    order = {method: k for k, method in enumerate(methods)}
    table = table.sort_values("method", key=lambda names: names.map(order), kind="stable")
    if not across:
        _show_each(table, FIGURES[shown], shown)
        return
    _show_cells(table, first, second, shown, printed=printed)
    _show_tests(table, first, second, shown, printed=printed)


def _can_be_crossed(first: ZSLDataset, second: ZSLDataset, split: str) -> bool:
    try:
        check_pair(first, second, split)
    except DatasetError as refused:
        st.info(
            f"{on_screen(str(refused))} So each is tested on itself below.", icon=":material/info:"
        )
        return False
    return True


def _show_claim() -> None:
    """Compare the printed p-value with the one that the printed table gives."""
    claim = tests.PRINTED_CLAIM
    table = tests.as_table(tests.cross_tests(tests.printed_table()))
    table.insert(1, "printed", [claim.p if k == claim.question else None for k in table["asked"]])
    st.markdown(f"**Does the published claim follow?** {plain(tests.claim_explained())}")
    _tests_as_table(table, "cross_tests_printed", printed=True)
    st.caption(
        f"{plain(claim.source)} Differences are AWA1 minus AWA2. What the table does support: "
        "another training set changes accuracy more than another test set does."
    )


def _show_cells(
    table: pd.DataFrame, first: ZSLDataset, second: ZSLDataset, shown: str, *, printed: bool
) -> None:
    """Draw the four accuracies of every method, here and as printed."""
    cells = tests.four_cells(table, first.name, second.name, FIGURES[shown])
    panels = {"here": cells}
    if printed and shown == "ZSL":
        panels[PRINTED] = tests.four_cells(tests.printed_table(), "AWA1", "AWA2")
    chart(
        figures.four_accuracies(panels, title(first.name), title(second.name)),
        f"{shown} of {len(cells)} methods trained on {title(first.name)} or {title(second.name)} "
        "and tested on both.",
        key="crossed_cells",
    )
    st.caption(
        "A line joins the two tests of one fit. Parameters (for ZSL) and γ are tuned on the folds "
        "of the training set; the other data set is used at test time only."
    )
    columns = ["1:1", "1:2", "2:2", "2:1"]
    wide = cells.set_axis(columns, axis=1)
    sets = {"1": title(first.name), "2": title(second.name)}
    labels = {"method": "method"} | {c: f"train {sets[c[0]]}, test {sets[c[2]]}" for c in columns}
    if PRINTED in panels:
        there = panels[PRINTED].set_axis([f"printed {c}" for c in columns], axis=1)
        wide = pd.concat([wide, there], axis=1)
        labels |= {f"printed {c}": f"{labels[c]}, printed" for c in columns}
    tables.show(
        wide.rename_axis("method").reset_index(),
        f"cross_{first.name}_{second.name}",
        labels=labels,
        percent=[column for column in labels if column != "method"],
        height="content",
    )


def _show_each(table: pd.DataFrame, column: str, shown: str) -> None:
    """Show what every method reaches on the data set that it was trained on."""
    wide = table.pivot_table(column, "method", "test_dataset", sort=False).reset_index()
    sets = [name for name in wide.columns if name != "method"]
    tables.show(
        wide,
        "cross_each_on_itself",
        labels={"method": "method"} | {name: f"{shown}, {name}" for name in sets},
        percent=sets,
        height="content",
    )


def _show_tests(
    table: pd.DataFrame, first: ZSLDataset, second: ZSLDataset, shown: str, *, printed: bool
) -> None:
    """Draw and list the paired tests of our own table."""
    pair, column = (first.name, second.name), FIGURES[shown]
    try:
        ours = tests.cross_tests(table, *pair, figure=column)
    except DatasetError:
        st.caption("With two methods or more, paired tests say which of the two sets matters.")
        return
    st.markdown("**What changes accuracy more, another training set or another test set?**")
    panels = {"here": (tests.differences(table, *pair, column), ours)}
    if printed and shown == "ZSL":
        of_paper = tests.printed_table(), "AWA1", "AWA2"
        panels[PRINTED] = (
            tests.differences(*of_paper),
            tests.cross_tests(*of_paper),
        )
    larger = ours["larger"]
    chart(
        figures.difference_strips(panels, QUESTIONS),
        f"Differences of {ours['larger'].pairs} pairs for each question. {larger.sentence}",
        key="crossed_strips",
    )
    by_method = tests.cross_tests(table, *pair, figure=column, unit="method")
    both = pd.concat([tests.as_table(ours), tests.as_table(by_method)])
    _tests_as_table(both, f"cross_tests_{first.name}_{second.name}")
    st.caption(
        "Two pairs of one method are not independent, so each test is repeated with each method "
        "counted once. d_z is the mean of the differences over their standard deviation. The "
        "rank-biserial correlation is 1 if no difference is negative. "
        f"For the size of the change, p = {three_digits(by_method['larger'].p)} over methods."
    )


def _tests_as_table(table: pd.DataFrame, name: str, *, printed: bool = False) -> None:
    table = table.assign(asked=table["asked"].map(QUESTIONS))
    labels = {
        "asked": "comparison",
        "pairs": "pairs",
        "of": "unit",
        "mean_difference": "difference, points",
    }
    labels |= {"low": "from", "high": "to"} | ({"printed": "p, as printed"} if printed else {})
    labels |= {"p": "p, t-test", "wilcoxon_p": "p, signed rank", "d_z": "d_z"}
    labels |= {"d_z_low": "d_z from", "d_z_high": "d_z to", "rank_biserial": "rank-biserial"}
    tables.show(
        table,
        name,
        labels=labels,
        points=["mean_difference", "low", "high"],
        significant=[
            c for c in labels if c.startswith(("p", "wil", "d_z", "rank")) and c != "pairs"
        ],
        height="content",
    )
