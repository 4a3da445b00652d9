"""Accuracy of test classes over their distance from the pre-training classes in WordNet."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ui.figures import overlap as figures
from ui.frame import chart
from ui.numbers import three_digits
from ui.sections.study import Study
from ui.text import plain
from zslcore.analysis.hops import class_hops, hop_trend
from zslcore.datasets.facts import spaced_name
from zslcore.exceptions import DatasetError
from zslcore.leakage import get_vocabulary

__all__ = ["show_distance"]


def show_distance(study: Study) -> None:
    """Draw every test class over its steps from the nearest pre-training class."""
    every = [spaced_name(name) or name for name in study.dataset.class_names]
    numbers = study.table["number"].tolist()
    try:
        hops = class_hops([every[c] for c in numbers], get_vocabulary(study.vocabulary), every)
        table = study.table.assign(hops=hops["hops"], nearest=hops["nearest"])
        trend = hop_trend(table["accuracy"], table["hops"])
    except DatasetError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return
    said = "All distances or all accuracies are equal."
    if np.isfinite(trend.rho):
        rho = f"{trend.rho:.2f}".replace("-", "−")
        said = f"Spearman's ρ = {rho} (p = {three_digits(trend.p)})."
    left = len(table) - trend.classes
    unknown = f" WordNet has no word of {left} more." if left else ""
    st.markdown(
        f"**{trend.classes} test classes** of {plain(study.dataset.name)} "
        f"({plain(study.split.name)}), {plain(study.shown)}, {study.vocabulary}. {said}{unknown}"
    )
    chart(
        figures.accuracy_over_hops(table.dropna(subset="hops"), trend.means),
        f"Accuracy of {trend.classes} test classes over WordNet hops to the nearest pre-training "
        f"class. {said}",
        key="overlap_hops",
    )
    simulated = " The data are simulated." if study.dataset.simulated else ""
    st.caption(
        "Hops: steps on the shortest way through WordNet's hierarchy, 0 for a pre-training class, "
        "1 for a kind of one. Line: mean over classes. p by permutations over classes; near "
        f"classes may be easy ones for other reasons.{simulated}"
    )
