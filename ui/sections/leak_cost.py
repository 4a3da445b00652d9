"""What a leak costs: methods fitted with it and without, on the same test images.

A tab of Leakage review that needs nothing of the page but the data set and its split. Every method
is a job of its own; the table fills as they end.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ui import cache, controls, planted, tables, takeaway
from ui.figures.leak_cost import cost_in_points, price_of_epochs
from ui.frame import chart
from ui.numbers import percent, points
from ui.text import plain
from ui.waiting import results_of
from zslcore.analysis import epoch_choice
from zslcore.analysis.epoch_choice import OTHERS
from zslcore.analysis.leak_cost import MEANING, SHORT, Leak, possible_leaks, searches_epochs
from zslcore.datasets import Split, ZSLDataset
from zslcore.jobs import leak_cost
from zslcore.methods import METHODS

__all__ = ["show_cost"]

#: Methods chosen to begin with, closed forms.
USUAL = ("LinearV2S", "LinearS2V", "ESZSL")
#: Where the leak is in choosing epochs, which closed forms do not have.
USUAL_IN_EPOCHS = ("ALE",)
WORDS = {
    "training": "trained on test images, as in PS v1",
    "selection": "chosen on test images, as in PS v1",
    "photographs": "same photograph in train and test",
    "epochs": "epochs chosen on test images",
}
EXPLAINED = {
    "training": "In the first release of the Proposed Split, train_loc and val_loc together hold "
    "every test image of the seen classes. Here the method is trained on these images too, with "
    "the same parameters.",
    "selection": "Here the method is trained on the clean rows, but its parameters and γ are "
    "chosen on folds that hold the test images of the seen classes, as those of PS v1 do.",
    "photographs": "Some training images are cut from the same photographs as test images. "
    "Without the leak, the method is trained without them. With it, as many other images of the "
    "same classes are left out, so that both training sets have the same size.",
    "epochs": "Here the training stops at the number of epochs with the best H on the test images, "
    "as some released codes do. Without the leak, the folds choose that number. γ "
    "for every number of epochs is that of the folds; all other parameters are the same on both "
    "sides.",
}


def show_cost(dataset: ZSLDataset | None, split_name: str) -> None:
    """Choose a leak and methods; show what they gain from it.

    Parameters
    ----------
    dataset : ZSLDataset, or None for a split file alone, which nothing can be fitted on
    split_name : str, of the data set
    """
    if dataset is None:
        st.info(
            "The impact of a leak is measured by fitting methods, which needs features: import the "
            "data set under Data and splits, then choose it here.",
            icon=":material/info:",
        )
        return
    split = dataset.split(split_name)
    possible = possible_leaks(dataset, split)
    if not possible:
        st.info(
            "This split has no test images of seen classes and no photograph with images on both "
            "sides, so there is nothing to leak.",
            icon=":material/info:",
        )
        return
    dataset, leak, methods, choose = _choices(dataset, split, possible)
    about = planted.about_photographs(dataset) if leak == "photographs" else ""
    st.markdown(f"{EXPLAINED[leak]} {about}")
    if leak == "epochs":
        _show_measured()
    if not methods:
        st.info("Choose a method.", icon=":material/arrow_upward:")
        return
    asked = [
        leak_cost.ask(dataset, split.name, method, [leak], choose=choose) for method in methods
    ]
    found = results_of(asked)
    if found:
        table = pd.concat(found, ignore_index=True)
        _show(table, dataset, split, leak, methods, choose=choose)


def _choices(
    dataset: ZSLDataset, split: Split, possible: Sequence[Leak]
) -> tuple[ZSLDataset, Leak, list[str], bool]:
    """Choose a leak, whether it is planted, methods, and whether they choose on the folds."""
    usual = [name for name in METHODS if not METHODS[name].card.joint_space]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = {WORDS[leak]: leak for leak in possible}
        leak = words[controls.choose("Leak", list(words), key="leak_cost_leak", width=280)]
        methods = _choose_methods(leak, usual)
        choose = bool(split.folds) and st.toggle(
            "Choose parameters on the folds",
            value=True,
            key="leak_cost_choose",
            bind="query-params",
            help="Otherwise every method has its default parameters.",
        )
        if leak == "photographs":
            (name,) = planted.choose(dataset.name)
            dataset = cache.dataset(name)
    return dataset, leak, methods, choose


def _choose_methods(leak: Leak, names: Sequence[str]) -> list[str]:
    """Choose among the methods that the leak can be measured with."""
    if leak != "epochs":
        return st.multiselect("Methods", names, USUAL, key="leak_cost_methods", bind="query-params")
    in_epochs = [name for name in names if searches_epochs(METHODS[name])]
    return st.multiselect(
        "Methods", in_epochs, USUAL_IN_EPOCHS, key="leak_cost_in_epochs", bind="query-params"
    )


def _show_measured() -> None:
    """Show what generators and ALE gained over seeds, as measured for the package."""
    table = epoch_choice.measured()
    h = {"calibrated": "γ of the folds", "plain": "γ = 0"}
    with st.expander("Measured over seeds", icon=":material/straighten:", expanded=True):
        chosen = controls.choose("H at", list(h.values()), key="leak_cost_h", width=180)
        rows = table[table["figure"].map(h) == chosen]
        gains = "; ".join(
            f"{r['method']} on {r['features']} {points(r['over_folds'])}"
            for _, r in rows.iterrows()
        )
        chart(
            price_of_epochs(rows),
            f"Points of H that choosing epochs on test images adds to the choice by folds: {gains}",
            key="leak_cost_over_seeds",
        )
        differences = [f"over_{o}{end}" for o in OTHERS for end in ("", "_low", "_high")]
        tables.show(
            rows.drop(columns=["dataset", "figure"]),
            "price_of_epochs",
            labels={
                "features": "data set",
                "method": "method",
                "seeds": "seeds",
                "folds": "H, epochs by folds",
                "test": "H, epochs by test images",
                "last": "H, last epoch",
            }
            | {
                f"over_{other}{end}": f"{words}{said}"
                for other, words in OTHERS.items()
                for end, said in (("", ""), ("_low", ", from"), ("_high", ", to"))
            },
            percent=["folds", "test", "last"],
            points=differences,
        )
        st.caption(
            "Gains are bounds, no results. Intervals are over seeds (Student's, 95 %). "
            "`python -m benchmarks.generators` measures them again."
        )


def _draw(table: pd.DataFrame, leak: str) -> None:
    """State the largest gain and draw all."""
    areas = table[table["figure"] == "ausuc"]
    if not areas.empty:
        largest = areas.iloc[areas["difference"].argmax()]
        seen = table[(table["figure"] == "seen") & (table["method"] == largest["method"])].iloc[0]
        st.markdown(
            f"**{plain(largest['method'])}** gains most AUSUC: {percent(largest['clean'])} without "
            f"the leak, {percent(largest['leaky'])} with it, **{points(largest['difference'])}**; "
            f"its accuracy s on seen classes changes by {points(seen['difference'])}."
        )
        chart(
            cost_in_points(table),
            f"Points that {len(areas)} methods gain when {MEANING[leak]}: "
            + "; ".join(
                f"{r['method']} AUSUC {points(r['difference'])}" for _, r in areas.iterrows()
            ),
            key="leak_cost_chart",
        )


def _show(
    table: pd.DataFrame,
    dataset: ZSLDataset,
    split: Split,
    leak: str,
    methods: Sequence[str],
    *,
    choose: bool,
) -> None:
    """Say the largest gain, draw all, list all."""
    _draw(table, leak)
    shown = table.assign(figure=table["figure"].map(SHORT))
    tables.show(
        shown.drop(columns=["clean_params", "leaky_params"]),
        f"leak_cost_{dataset.name}_{split.name}_{leak}",
        labels={
            "method": "method",
            "figure": "metric",
            "clean": "without the leak",
            "leaky": "with the leak",
            "difference": "points",
            "low": "from",
            "high": "to",
        },
        percent=["clean", "leaky"],
        points=["difference", "low", "high"],
    )
    chosen = "chosen on the folds" if choose else "the defaults"
    st.caption(
        f"Test images are the same on both sides; parameters are {chosen}. Intervals are over "
        "classes (bootstrap, 95 %): classes drawn again, the same draws on both sides. Best H is "
        "an oracle: its γ is found on the test set."
    )
    words = ["python", "-m", "zslcore", "leak-cost", "--dataset", dataset.name]
    words += ["--split", split.name, "--method", *methods, "--leak", leak]
    takeaway.show_command(shlex.join(words + ([] if choose else ["--given"])))
