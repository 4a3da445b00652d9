"""Images on a map: one image with its nearest neighbours, and selected images."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

from ui.figures.images import picture
from ui.maps.colours import method_predictions, roles
from ui.maps.drawing import ink
from ui.maps.scene import Scene
from ui.shell.frame import chart
from ui.shell.text import plain
from ui.state import cache
from ui.takeaway import downloads, tables
from ui.takeaway.exports import table_as_csv
from zslcore.analysis.maps.joint_pca import why_incompatible
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import title

#: Column of tables of images -> its heading.
NAMES = {"data_set": "data set", "row": "image"}
#: Maximum number of rows of a table on screen; the download has all rows.
SHOWN = 300


def image_address(scene: Scene, image: object) -> str | None:
    """Return the name of an image in the address; None if it is not on the map."""
    if not isinstance(image, int) or not 0 <= image < len(scene):
        return None
    return f"{scene.part[image]}.{scene.row[image]}"


def image_in_address(scene: Scene) -> int | None:
    """Return the image named in the address; None if it is not on the map."""
    part, _, row = st.query_params.get("awa1_image", "").partition(".")
    if not (part.isdecimal() and row.isdecimal()) or len(part + row) > 12:
        return None
    images = np.flatnonzero((scene.part == int(part)) & (scene.row == int(row)))
    return int(images[0]) if len(images) else None


def show_image(scene: Scene, image: int, split: str, method: str | None) -> None:
    """Show one image and its nearest neighbours in the original space."""
    part, row = int(scene.part[image]), int(scene.row[image])
    dataset = scene.datasets[part]
    c = dataset.labels[row]
    with st.container(border=True):
        left, right = st.columns([0.34, 0.66], gap="medium")
        with left:
            st.markdown(f"**{plain(dataset.class_names[c])}**")
            st.caption(
                f"{plain(title(dataset.name))}, image {row:,}; {_role_of(dataset, c, split)}."
            )
            if method is not None:
                st.markdown(_answer(dataset, row, split, method))
            if dataset.images is not None:
                chart(
                    picture(ink(dataset.images[[row]])[0] / 255, height=170),
                    f"Image {row} of {title(dataset.name)}.",
                    key="awa1_picture",
                )
            most = np.argsort(-dataset.prototypes[c], kind="stable")[:8]
            words = ", ".join(plain(dataset.attribute_names[a]) for a in most)
            st.markdown(f"Strongest attributes of its class: {words}.")
        with right:
            _show_nearest(scene, dataset, row)


def _answer(dataset: ZSLDataset, row: int, split: str, method: str) -> str:
    """Return the prediction of a method for one image."""
    predictions = method_predictions(dataset, split, method)
    if not predictions.tested[row]:
        return f"No prediction by {plain(method)}: the image is not in the test set."
    name = plain(dataset.class_names[predictions.predicted[row]])
    verdict = "right" if predictions.right[row] else "wrong"
    return f"{plain(method)} predicts **{name}**: {verdict}."


def _show_nearest(scene: Scene, dataset: ZSLDataset, row: int) -> None:
    """List the nearest images of one image, from all shown data sets with the same features."""
    sets = tuple(other for other in scene.datasets if not why_incompatible(dataset, other))
    digests = tuple(other.digest for other in sets)
    table = cache.image_neighbours(digests, sets.index(dataset), row, sets)
    names = np.array([other.name for other in sets])
    shown = table.assign(data_set=names[table["part"]])
    st.markdown("**Nearest in the original space**")
    _list_images(
        scene,
        shown[["data_set", "row", "class", "same_class", "distance"]],
        key=f"awa1_nearest_{dataset.name}_{row}",
        height="content",
        same_class="same class",
        distance=st.column_config.NumberColumn(format="%.3f"),
    )
    st.caption(
        f"Nearest by all features, not on the map. {table['same_class'].sum()} of {len(table)} "
        "belong to the same class."
    )


def _list_images(
    scene: Scene, table: pd.DataFrame, *, key: str, height: int | Literal["content"], **columns: Any
) -> None:
    """List images; the image of a newly ticked row is marked on the map."""
    event: Any = st.dataframe(
        table,
        hide_index=True,
        height=height,
        column_config=NAMES | columns,
        on_select="rerun",
        selection_mode="single-row",
        key=key,
    )
    if not event.selection.rows:
        return
    chosen = table.iloc[event.selection.rows[0]]
    part = [dataset.name for dataset in scene.datasets].index(chosen["data_set"])
    address = f"{part}.{chosen['row']}"
    if st.session_state.get("awa1_ticked") != address:
        st.session_state["awa1_ticked"] = address
        st.query_params["awa1_image"] = address
        st.rerun(scope="fragment")


def _role_of(dataset: ZSLDataset, c: int, split: str) -> str:
    role = roles(dataset, split)[np.flatnonzero(dataset.labels == c)[0]]
    return {"seen": ":blue[●] seen", "unseen": ":orange[◆] unseen"}.get(role, role)


def show_selected(scene: Scene, chosen: np.ndarray) -> None:
    """List the selected images."""
    n = int(chosen.sum())
    st.markdown(f"**{n:,} of {len(scene):,} images selected**")
    if not n:
        return
    names = [dataset.name for dataset in scene.datasets]
    count = pd.crosstab(
        np.asarray(scene.classes, dtype=object)[scene.labels[chosen]],
        np.array(names, dtype=object)[scene.part[chosen]],
    )
    count = count.assign(images=count.sum(axis=1)).sort_values("images", ascending=False)
    table = scene.table()[chosen]
    left, right = st.columns([0.42, 0.58], gap="medium")
    with left:
        totals = np.bincount(scene.labels, minlength=len(scene.classes))
        of_class = {name: totals[c] for c, name in enumerate(scene.classes)}
        count["share"] = count["images"] / [of_class[name] for name in count.index]
        shown = count.rename_axis("class").reset_index()
        labels = {str(name): str(name) for name in shown} | {"share": "of the class"}
        tables.show(shown, "selected_classes", labels=labels, percent=["share"], height=260)
    with right:
        _list_images(scene, table.head(SHOWN), key=f"awa1_selected_{n}", height=260)
        first = (
            f" The first {SHOWN} of {n:,} are listed; the download has all." if n > SHOWN else ""
        )
        st.caption(f"A ticked row is marked on the map.{first}")
    downloads.download("Selected images", lambda: table_as_csv(table), "selected.csv")
