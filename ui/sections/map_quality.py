"""Quality of a map, the classes that differ between its data sets, and common misreadings."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ui.figures.cross import mixing_dumbbells
from ui.shell.frame import chart
from ui.shell.numbers import percent
from ui.shell.text import names_in_words, plain
from ui.takeaway import downloads
from zslcore.analysis.maps.map import EmbeddedMap
from zslcore.analysis.maps.quality import ALPHA, mixing_verdicts
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import title

#: Maximum number of class names in a sentence.
NAMED = 8


def differing_classes(verdicts: pd.DataFrame, datasets: Sequence[ZSLDataset]) -> str:
    """Return a sentence with the number and names of the classes that differ."""
    moved = verdicts[verdicts["p_holm_PCA"] < ALPHA].sort_values("mixing_PCA")["class"]
    names = " and ".join(plain(title(dataset.name)) for dataset in datasets)
    if moved.empty:
        return f"None of the {len(verdicts)} classes looks different in {names}."
    verb = "looks" if len(moved) == 1 else "look"
    return (
        f"{len(moved)} of {len(verdicts)} classes {verb} different in {names}: "
        f"{names_in_words(list(moved), NAMED)}."
    )


def show_quality(
    maps: Sequence[EmbeddedMap], datasets: Sequence[ZSLDataset], *, compared: bool
) -> None:
    """Show the quality of the maps and, if data sets are ``compared``, the classes that differ."""
    for embedded in maps:
        _show_quality(embedded)
    if len(datasets) == 2 and compared:
        verdicts = mixing_verdicts(maps[0].mixing, "PCA", "map")
        st.markdown(f"**{differing_classes(verdicts, datasets)}**")
        _show_shifts(verdicts, maps[0])


def _show_quality(embedded: EmbeddedMap) -> None:
    """Show the quality of the map in one line."""
    q = embedded.quality
    st.caption(
        f"**{plain(' and '.join(map(title, embedded.names)))}**, {embedded.settings.caption()}. "
        f"Neighbours preserved ({q.k}) {percent(q.knn_recall)}; trustworthiness "
        f"{percent(q.trustworthiness)}, continuity {percent(q.continuity)} (50 % is chance); k-NN "
        f"accuracy {percent(q.class_accuracy_pca)} in the PCA, {percent(q.class_accuracy_map)} on "
        f"the map; the PCA explains {percent(float(embedded.pca.explained.sum()))} of the variance."
    )


def _show_shifts(verdicts: pd.DataFrame, embedded: EmbeddedMap) -> None:
    """Draw the mixing of the two data sets in each class, in the PCA and on the map."""
    count = verdicts["verdict"].value_counts()
    shown, hidden, invented, none = (
        count.get(v, 0) for v in ("shown", "hidden", "invented", "no shift")
    )
    chart(
        mixing_dumbbells(verdicts),
        f"Mixing of {' and '.join(map(title, embedded.names))} in {len(verdicts)} classes. "
        f"The map shows the shifts of {shown} classes, hides {hidden} shifts and invents "
        f"{invented}; {none} classes have no shift.",
        key="awa1_mixing",
    )
    st.caption(
        "Mixing is the entropy of the data sets among the 15 nearest images of the same class, "
        "divided by its value for randomly mixed images: 1 without a shift, 0 if no neighbour is "
        "from the other data set. A class looks different if p in the PCA, adjusted by Holm over "
        f"{len(verdicts)} classes, is below 0.05. With many images even a small shift is "
        "significant; mixing shows its size."
    )
    downloads.offer_table(verdicts, f"mixing_{embedded.names[0]}_{embedded.names[1]}")


def show_limits() -> None:
    """Show common misreadings of a map."""
    with st.expander("How not to read this map", icon=":material/visibility_off:"):
        st.markdown(
            "- **Distances between groups mean little.** The layout preserves near neighbours "
            "only. The distance and direction between two clusters mostly come from the "
            "initialisation.\n"
            "- **Sizes mean nothing.** t-SNE expands dense clusters and contracts sparse ones.\n"
            "- **Clusters can be artefacts.** Low perplexity, or few neighbours, breaks one group "
            "into many.\n"
            "- **A gap between data sets, or its absence, may be an artefact of the map.** Mixing "
            "is shown both in the PCA and on the map.\n"
            "- **Methods do not use this map.** They use all features; two classes that overlap "
            "here may be far apart there."
        )
