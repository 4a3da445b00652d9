"""What a comparison shows: figures of all methods, their folds, their curves, their classes.

Tabs of Compare methods. Each function is one of them and needs nothing of the page but the
:class:`Comparison` that it has made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from scipy.stats import spearmanr

from ui import controls, known, scores, tables, visitors
from ui.figures import ranks as figures
from ui.frame import chart
from ui.interactive import take_in_hand
from ui.numbers import percent, points
from ui.text import plain
from ui.waiting import run_of, wait_for
from zslcore import jobs
from zslcore.analysis.comparison import (
    ComparisonSpec,
    ComparisonStudy,
    Measure,
    Occasions,
    by_class,
    missing,
    occasions,
)
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.interactive.curves import GHOSTS, interactive_curve, line_of
from zslcore.metrics import Average
from zslcore.results.planning import Choice
from zslcore.scores.context import is_of

__all__ = [
    "Comparison",
    "in_words",
    "make_missing",
    "show_classes",
    "show_curves",
    "show_robustness",
    "show_table",
]

#: Draws of test classes that intervals are made of.
N_DRAWS = 400
#: Distinguishable curves in one figure.
MOST_CURVES = 4


def in_words(measure: Measure) -> str:
    """Write a measure as the screen does."""
    return measure.replace("gamma", "γ").replace("zsl", "ZSL")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods on data sets, and how their figures are read.

    Attributes
    ----------
    spec : ComparisonSpec
    datasets : name -> ZSLDataset
    measure : what is compared
    choice : how parameters were chosen
    average : "class" or "sample"
    left_out : data set -> test classes that count for nothing
    stored : the available results, by their key
    """

    spec: ComparisonSpec
    datasets: Mapping[str, ZSLDataset]
    measure: Measure
    choice: Choice
    average: Average
    left_out: Mapping[str, frozenset[int]]
    stored: Mapping[str, RunResult]

    @property
    def figure(self) -> str:
        """The measure as the screen writes it."""
        return in_words(self.measure)

    @property
    def choices(self) -> list[Choice]:
        """What belongs to every run: what each fold chooses always, an oracle where requested."""
        return ["folds", "oracle"] if self.choice == "oracle" else ["folds"]

    @cached_property
    def found(self) -> Occasions:
        """The figures there are, with test classes drawn again."""
        return self.read(n_draws=N_DRAWS)

    def read(self, n_draws: int = 0, **other: Any) -> Occasions:
        """Return the figures there are; ``other`` replaces choice or splits."""
        splits = other.pop("splits", self.spec.splits)
        given = {"choice": self.choice, "average": self.average, "left_out": self.left_out}
        return occasions(
            replace(self.spec, splits=splits),
            self.datasets,
            self.stored,
            self.measure,
            n_draws=n_draws,
            **given | other,
        )


# --- Making what is missing -----------------------------------------------------------------------


def make_missing(comparison: Comparison) -> None:
    """Offer to make the runs that are not made, or their folds, and show how far that is."""
    lacking = missing(comparison.spec, comparison.datasets, comparison.stored, comparison.choices)
    lacking = _with_features(comparison, lacking)
    if not lacking:
        return
    work, refused = _work_of(comparison)
    left = [run for run in lacking if run.key not in refused]
    for sentence in refused.values():
        st.caption(f":material/block: {plain(sentence)}")
    if not left:
        return
    status = jobs.status(work.key)
    if status is not None and status.state != "done":
        wait_for(work, stop=False)
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"{_what_is_missing(comparison, left)} Runs are made in the background, two at a time, "
            "and stored for all pages."
        )
        if st.button("Run them", icon=":material/play_arrow:", type="primary", key="compare_go"):
            jobs.submit(work, visitors.who())
            st.rerun()


def _with_features(comparison: Comparison, lacking: Sequence[RunSpec]) -> list[RunSpec]:
    """Return the runs that can be made here; name the data whose features are not here."""
    without = {name for name in comparison.datasets if known.is_known_by_results(name)}
    runs = {run.key for run in lacking if run.dataset in without}
    runs -= {key for key in runs if comparison.stored.get(key) is not None}
    if without:
        more = f"; {len(runs)} chosen run{'s' * (len(runs) != 1)} missing" if runs else ""
        st.caption(
            f"Results on {', '.join(sorted(without))} come with the package{more}. Folds and "
            "further runs need the features: import them under the same name."
        )
    return [run for run in lacking if run.dataset not in without]


def _what_is_missing(comparison: Comparison, lacking: Sequence[RunSpec]) -> str:
    """Say how many runs are missing, and of how many that are there the folds or the oracle."""
    there = [run for run in lacking if comparison.stored.get(run.present.key) is not None]
    new = [run for run in lacking if run not in there]
    folds = "folds or the oracle" if "oracle" in comparison.choices else "folds"
    said = []
    if new:
        verb = "run is" if len(new) == 1 else "runs are"
        said.append(
            f"**{len(new)} {verb} missing** ({_names(new)}). Each run tunes on all folds together "
            "and on each fold."
        )
    if there:
        runs = f"{len(there)} run{'s' * (len(there) > 1)}"
        said.append(
            f"**The {folds} of {runs} are missing** ({_names(there)}), which Robustness and the "
            "time of one fit need. Their results are below."
        )
    return " ".join(said)


def _names(runs: Sequence[RunSpec]) -> str:
    """List the methods of runs, the first four by name."""
    names = sorted({run.method for run in runs})
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _work_of(comparison: Comparison) -> tuple[ComparisonStudy, Mapping[str, str]]:
    """Return the work to submit, and which runs were refused when it was done before."""
    refused: dict[str, str] = {}
    asked = (ComparisonStudy(comparison.spec, comparison.choices, k) for k in count())
    work = next(asked)
    while folder := jobs.finished(work):
        refused = refused | work.read(folder)
        work = next(asked)
    return work, refused


# --- Tabs -----------------------------------------------------------------------------------------


def show_table(comparison: Comparison) -> bool:
    """List the figure of every method on every occasion, best mean first; False without any."""
    table = comparison.found.table()
    table["on"] = table["dataset"] + ", " + table["split"]
    if comparison.choice == "folds":
        table["on"] += ", fold " + (pd.to_numeric(table["choice"]) + 1).astype(str)
    wide = table.pivot_table(index="method", columns="on", values="value", sort=False)
    if wide.empty:
        return False
    wide.insert(0, "mean", wide.mean(axis=1, skipna=False))
    wide = wide.sort_values("mean", ascending=False, na_position="last").reset_index()
    wide = pd.concat([wide, _own_rows(comparison)]).reindex(columns=wide.columns)
    names = {str(name): str(name) for name in wide}
    tables.show(wide, "compare", labels=names, percent=list(names)[1:])
    st.caption(
        f"{comparison.figure}, per {comparison.average}. A row without a mean was not run, or "
        "the metric is not defined on this split."
    )
    timed = table.groupby("method", sort=False)[["seconds", "value"]].mean().dropna()
    of_folds = comparison.read(choice="folds").table().groupby("method")["seconds"].median()
    timed["seconds"] = of_folds.reindex(timed.index)
    timed = timed.dropna().reset_index()
    if not timed.empty:
        chart(
            figures.time_and_accuracy(timed, comparison.figure),
            f"{comparison.figure} over the time of one fit: "
            + ", ".join(f"{r['method']} {percent(r['value'])}" for _, r in timed.iterrows()),
            key="compare_time",
        )
        what = "" if comparison.spec.task == "gzsl" else " and the choice of γ on the folds"
        st.caption(
            f"Time of one fit with its test{what}, parameters given; median over folds and sets."
        )
    return True


def _own_rows(comparison: Comparison) -> pd.DataFrame:
    """Return the figures of scores that the visitor has brought, of the same test images."""
    fewer = any(comparison.left_out.values())
    if comparison.choice == "folds" or comparison.average == "sample" or fewer:
        return pd.DataFrame()  # figures of a score file are per class, over all of them
    rows = []
    for own, each in scores.named().items():
        found = {
            f"{name}, {split}": value
            for name, dataset in comparison.datasets.items()
            for split in comparison.spec.splits
            if split in dataset.splits and is_of(each.matrix, dataset, split)
            if (value := each.report.figure(comparison.measure)) is not None
        }
        if found:
            rows.append({"method": own} | found)
    return pd.DataFrame(rows)


def show_robustness(comparison: Comparison) -> None:
    """Draw what each fold's own choice of parameters reaches on the one test set."""
    name, split = _choose_occasion(comparison, "compare_robust")
    table = comparison.read(choice="folds", splits=(split,)).table()
    table = table[table["dataset"] == name].dropna(subset="value")
    if table.empty:
        st.info("None of these runs has results for single folds yet.", icon=":material/info:")
        return
    spread = table.groupby("method")["value"].agg(np.ptp)
    chart(
        figures.fold_points(table),
        f"{comparison.figure} of {len(spread)} methods with the parameters that each fold "
        f"chooses; largest spread {_size(spread.max())}, {spread.idxmax()}.",
        key="compare_folds",
    )
    st.caption(
        "Each point is a run: parameters and γ are selected on one fold alone, then the method is "
        "fitted on all training classes. The test set is the same, so the spread comes from the "
        f"choice of validation classes alone: up to {_size(spread.max())} "
        f"({plain(str(spread.idxmax()))}), {_size(spread.median())} at the median."
    )


def _size(difference: float) -> str:
    """Write how large a difference of accuracies is: points, without a sign."""
    return points(abs(difference)).removeprefix("+")


def show_curves(comparison: Comparison) -> None:
    """Draw the seen-unseen curves of some methods in one picture."""
    name, split = _choose_occasion(comparison, "compare_curves")
    dataset = comparison.datasets[name]
    if not len(dataset.split(split).test_seen):
        st.info("This split has no test images of seen classes, so there is no curve.")
        return
    there = [
        method
        for method in comparison.spec.methods
        if comparison.stored.get(comparison.spec.run(name, split, method).key) is not None
    ]
    chosen = st.multiselect(
        "Show",
        there,
        there[: MOST_CURVES - 1],
        max_selections=MOST_CURVES,
        key="compare_drawn",
        bind="query-params",
    )
    if not chosen:
        st.info("Choose a method that has been run.", icon=":material/arrow_upward:")
        return
    runs = {method: run_of(comparison.spec.run(name, split, method)) for method in chosen}
    lines = [
        line_of(
            f"{method}, AUSUC {percent(tested.curve.ausuc)}",
            tested.curve,
            look,
            result.gamma,
            result.gamma or 0.0,
        )
        for look, (method, (result, tested)) in zip(GHOSTS, runs.items(), strict=False)
    ]
    of_first = runs[chosen[0]][1]
    in_hand = interactive_curve(lines, of_first, dataset.class_names, choose=True, tell=False)
    take_in_hand(in_hand, key="compare_curves_chart")
    st.caption(
        "Select a method to drag its curve. Circles are γ = 0, squares the γ chosen on the "
        "folds, crosses the best γ on the test set (not reportable)."
    )


def show_classes(comparison: Comparison) -> None:
    """Show accuracy over images per class, and over the distance to the nearest seen class."""
    name, split = _choose_occasion(comparison, "compare_classes")
    results = [
        comparison.stored.get(comparison.spec.run(name, split, m).key)
        for m in comparison.spec.methods
    ]
    table = by_class(comparison.datasets[name], split, [r for r in results if r is not None])
    if table.empty:
        st.info("None of these runs has been made yet.", icon=":material/info:")
        return
    _show_hardness(table)
    labels = {"class": "class", "images": "images"}
    if measured := bool(table["distance"].notna().all()):
        labels |= {"nearest": "nearest seen class", "distance": "distance"}
    tables.show(
        table if measured else table.drop(columns=["nearest", "distance"]),
        f"compare_classes_{name}_{split}",
        labels=labels | {"method": "method", "accuracy": "accuracy"},
        percent=["accuracy"],
        significant=["distance"] if measured else (),
    )


def _show_hardness(table: pd.DataFrame) -> None:
    """Draw the mean accuracy of every class over what may make it hard."""
    mean = table.groupby("class", sort=False).agg(
        {"images": "first", "distance": "first", "nearest": "first", "accuracy": "mean"}
    )
    mean = mean.dropna(subset=["accuracy"]).reset_index()
    titles = {"images": "images of the class"}
    if with_distance := bool(mean["distance"].notna().all()):
        titles["distance"] = "distance to the nearest seen class"
    places = st.columns(2, gap="medium")[: len(titles)]
    for (column, title), place in zip(titles.items(), places, strict=True):
        with place:
            said = _said_of(mean, column)
            chart(
                figures.scatter_of_classes(mean, column, title),
                f"Accuracy of {len(mean)} unseen classes over {title}. {said}",
                key=f"compare_over_{column}",
            )
            st.caption(said)
    said = f"Mean ZSL accuracy of {table['method'].nunique()} methods. "
    if with_distance:
        st.caption(said + "Distance is between prototypes of unit length.")
    else:
        st.caption(said + "Distances between classes need their prototypes: import the features.")


def _said_of(mean: pd.DataFrame, column: str) -> str:
    """Say whether accuracy goes with a column, by ranks, and what half of the classes reach."""
    if len(mean) < 5 or mean[column].nunique() < 2:
        return "Too few different classes to say more."
    rho, p = spearmanr(mean[column], mean["accuracy"])
    low = mean[column] <= mean[column].median()
    names = {"images": ("rare", "common"), "distance": ("near", "far")}[column]
    halves = [percent(mean.loc[part, "accuracy"].mean()) for part in (low, ~low)]
    return (
        f"Spearman's ρ = {rho:+.2f} (p = {p:.2g}); the {names[0]} half of the classes reaches "
        f"{halves[0]}, the {names[1]} half {halves[1]}."
    ).replace("= -", "= −")


def _choose_occasion(comparison: Comparison, key: str) -> tuple[str, str]:
    """Choose one data set and split of the comparison."""
    words = {
        f"{name}, {split}": (name, split)
        for name, dataset in comparison.datasets.items()
        for split in comparison.spec.splits
        if split in dataset.splits
    }
    return words[controls.choose("Data set and split", list(words), key=key, width=300)]
