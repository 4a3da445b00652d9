"""One test class from near, and what every test class was compared with.

Two tabs of Overlap gain. Each function is one of them and needs nothing of the page but the
:class:`ui.sections.study.Study` that it has made.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui import cache, controls, decisions, site_map, tables
from ui.figures import overlap as figures
from ui.figures.images import image_row
from ui.frame import chart
from ui.sections.study import Study
from ui.text import plain
from zslcore.analysis import overlap_tables
from zslcore.analysis.nearest import nearest_classes
from zslcore.leakage import get_vocabulary

__all__ = ["show_class", "show_matches"]

#: Pictures of a class that are shown.
PICTURES = 16


def show_class(study: Study) -> None:
    """Show a class: its matches, its accuracy under every method, its images, its neighbours."""
    name = controls.choose("Class", list(study.table["class"]), key="overlap_class", width=300)
    match = study.matches.set_index("class").loc[name]
    c = int(match["number"])
    left, right = st.columns([0.44, 0.56], gap="medium")
    with left:
        st.markdown(_match_in_words(match, study.vocabulary))
        tables.show(
            overlap_tables.class_under_methods(study.all_accuracies, c, study.images),
            f"overlap_class_{study.dataset.name}",
            labels={
                "method": "method",
                "accuracy": "accuracy",
                "low": "from",
                "high": "to",
                "correct": "right",
                "images": "test images",
            },
            percent=["accuracy", "low", "high"],
            height="content",
        )
        st.caption("Click a bar of the chart to choose its class.")
    with right:
        _show_images(study, name, c)
        _show_nearest(study, name, c)


def _match_in_words(match: pd.Series, vocabulary: str) -> str:
    """Say what of the vocabulary a class matches, and what was decided about it."""
    decided = {
        "confirmed": " **Confirmed by hand.**",
        "rejected": " **Rejected by hand:** it counts as clean.",
    }.get(match["decision"], "")
    if match["strength"] == "none":
        return f"No class of {vocabulary} was found to match it.{decided}"
    certainty = "Certainly" if match["strength"] == "strong" else "Possibly"
    return (
        f"{certainty} among the classes of {vocabulary} ({match['strength']} match): "
        f"**{plain(match['match'])}**. Evidence: {plain(match['evidence'])}."
        f"{decided}"
    )


def _show_images(study: Study, name: str, c: int) -> None:
    """Show some test images of a class, where there are any to show."""
    dataset, tested = study.dataset, study.split.test_unseen
    if dataset.images is None:
        return
    rows = tested[dataset.labels[tested] == c][:PICTURES]
    chart(
        image_row(dataset.images[rows] / 255),
        f"{len(rows)} test images of the class {name}.",
        key="overlap_images",
    )


def _show_nearest(study: Study, name: str, c: int) -> None:
    """Draw the classes that a class is most like."""
    dataset = study.dataset
    found = nearest_classes(dataset, c, cache.class_means(dataset.name, dataset.digest))
    chart(
        figures.nearest_classes(
            found, {dataset.class_names[k]: _role(study, k) for k in found["number"]}
        ),
        f"The classes most like {name}, by their descriptions and by their mean features.",
        key="overlap_nearest",
    )
    st.caption(
        "Likeness is the cosine after the average class is subtracted. ● seen, ◆ unseen, ▲ unseen "
        "and in the pre-training set. If the two lists differ, the descriptions mislead."
    )


def _role(study: Study, c: int) -> str:
    if c in study.known:
        return "both"
    if c in study.split.unseen_classes:
        return "unseen"
    return "seen" if c in study.split.seen_classes else "none"


def show_matches(study: Study) -> None:
    """List what every test class was compared with, and take in what a person decides."""
    dataset, split = study.dataset.name, study.split.name
    st.caption(
        "Certain matches count until they are rejected, possible ones once they are confirmed. The "
        "results above and Leakage review use your decisions, and the address keeps them."
    )
    decisions.edit(
        dataset,
        get_vocabulary(study.vocabulary),
        study.matches,
        key=f"overlap_editor_{dataset}_{split}_{study.vocabulary}",
    )
    tables.download(study.matches, f"overlap_matches_{dataset}_{split}")
    site_map.link(
        "drop",
        "Is this split clean?",
        icon=":material/policy:",
        query={"leakage_source": "a data set", "dataset": dataset, "split": split},
    )
