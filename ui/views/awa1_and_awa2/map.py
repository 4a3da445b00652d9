"""Is AWA2 a fair replacement for AWA1? An answer from printed and imported data, with a map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.figures.cross import CROSS_LABELS, difference_strips, image_counts, mixing_dumbbells
from ui.figures.images import picture
from ui.maps import simulated_effects
from ui.maps.colours import (
    OF_ANSWERS,
    Colouring,
    answers_of,
    class_palette,
    colour_by_group,
    coloured,
    colours_of,
    roles,
)
from ui.maps.drawing import draw_map, ink, map_of, offer_map, scene_key
from ui.maps.scene import Scene, read_cameras, read_selection, write_cameras, write_selection
from ui.sections.pair_of_sets import about_simulated, choose_pair
from ui.shell.folds import fold
from ui.shell.frame import Header, chart, place_answer
from ui.shell.guard import fragment
from ui.shell.numbers import duration, in_points, percent
from ui.shell.text import plain
from ui.state import cache, controls, waiting
from ui.takeaway import downloads
from ui.takeaway.exports import table_as_csv
from zslcore import jobs
from zslcore.analysis import cross_dataset
from zslcore.analysis.dataset_summary import awa_image_counts, search_names
from zslcore.analysis.maps.joint_pca import MapData, match_classes, same_images, why_incompatible
from zslcore.analysis.maps.layout import METHOD_NAMES, MapSettings, Method
from zslcore.analysis.maps.map import EmbeddedMap, MapStudy, estimated_seconds
from zslcore.analysis.maps.quality import ALPHA, mixing_verdicts
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import title
from zslcore.interactive.point_map import MapPanel, PointMap
from zslcore.methods import METHODS
from zslcore.metrics.significance import PairedTest
from zslcore.numbers import signed

METHODS_BY_NAME: dict[str, Method] = {name: method for method, name in METHOD_NAMES.items()}
SAMPLES = {"2,000": 2_000, "8,000": 8_000, "all": None}
#: Number of images above which "all" is the default; for fewer images, it is a sample of 2,000.
LARGE = 20_000
#: Longest layout, in seconds, that is computed without a button.
AT_ONCE = 5.0
OVERLAY, PANELS, METHODS_BESIDE = "overlay", "side by side", "t-SNE next to UMAP"
#: Session keys: requested layouts, and data sets with all rows in their preview.
REQUESTED, FOLLOWED = "awa1_asked", "awa1_followed"
#: Maximum number of class names in a sentence.
NAMED = 8
#: Layout -> field of its settings -> label, key, values and default of its slider.
SLIDERS: Mapping[Method, Mapping[str, tuple[str, str, list[float], float]]] = {
    "tsne": {"perplexity": ("Perplexity", "awa1_perplexity", [5.0, 10.0, 30.0, 50.0, 100.0], 30.0)},
    "umap": {
        "n_neighbors": ("Neighbours", "awa1_neighbours", [5, 10, 15, 30, 50, 100], 15),
        "min_dist": ("min_dist", "awa1_distance", [0.0, 0.1, 0.25, 0.5, 0.8], 0.1),
    },
}
#: How to read a map of two data sets.
LOOK_FOR = "Colours mix where the data sets agree; an island of one colour is a class that differs."
#: Question of the paired tests -> label of its line.
QUESTIONS = {name: label.replace(" ", "<br>", 1) for name, label in CROSS_LABELS.items()}
#: Column of tables of images -> its heading.
NAMES = {"data_set": "data set", "row": "image"}
#: Maximum number of rows of a table on screen; the download has all rows.
SHOWN = 300


@dataclass(frozen=True, eq=False)
class Choices:
    """Chosen data sets and their split, layout, panels, colours, and the words of a search.

    ``method`` is the method of which the colours show predictions, if any.
    """

    datasets: tuple[ZSLDataset, ...]
    split: str
    settings: MapSettings
    view: str
    colour: str
    method: str | None
    sought: str

    @property
    def separate(self) -> bool:
        """Whether the features of two data sets differ, so that each has a map of its own."""
        return len(self.datasets) == 2 and bool(why_incompatible(*self.datasets))

    @property
    def groups(self) -> list[tuple[ZSLDataset, ...]]:
        """Data sets by map."""
        return [(each,) for each in self.datasets] if self.separate else [self.datasets]

    @property
    def layouts(self) -> list[tuple[tuple[ZSLDataset, ...], MapSettings]]:
        """Data sets and settings of each layout."""
        settings = [self.settings]
        if self.view == METHODS_BESIDE:
            settings = [replace(self.settings, method=method) for method in ("tsne", "umap")]
        return [(group, each) for group in self.groups for each in settings]


def show(header: Header) -> None:
    """Answer from the printed pairs; show them, the map, and the map's quality and limits."""
    answer, (headline, details) = place_answer(), _printed_answer()
    answer.say(headline, details)
    with st.container(key="awa1_pictures"):
        pairs, place = st.columns([0.36, 0.64], gap="medium")
    with pairs:
        _show_printed_pairs()
    with place:
        chosen, mark = _choose(header)
        simulated = [data for data in chosen.datasets if data.simulated]
        if simulated:
            words = simulated_effects.about_effects(simulated[0])
            mark.badge("simulated map", color="orange", help=words)
        scene, waits = _lay_out(chosen)
        _explore(scene, coloured(scene, chosen.colour, chosen.split, chosen.method), chosen, waits)
    _show_image_counts()
    maps = list(dict.fromkeys(scene.maps))
    if waits:
        maps = [cache.first_figures(_digests(group), group) for group in chosen.groups]
    compared = len(chosen.datasets) == 2 and not chosen.separate
    if compared and not simulated:
        verdicts = mixing_verdicts(maps[0].mixing, "PCA", "map")
        answer.say(_which_differ(verdicts, chosen.datasets), f"{headline} {details}")
    label = "About the simulated map" if simulated else "About the map"
    about = partial(_show_agreement, maps, chosen.datasets, compared=compared)
    fold(label, about, key="awa1_about", is_open=not simulated)
    show_limits()
    if waits:
        _let_all_rows_follow(chosen.groups, chosen.settings)


# --- Printed results ------------------------------------------------------------------------------


def _printed_answer() -> tuple[str, str]:
    """Return an answer from the 24 pairs of the benchmark paper: a sentence and its evidence."""
    changes, tests = _printed_changes()
    training, test = tests["training set"], tests["test set"]
    largest = changes.loc[changes["asked"] == "training set", "difference"].abs().max()
    most = in_points(largest).removeprefix("+")
    headline = (
        "Nearly: training on AWA2 instead of AWA1 changes accuracy by "
        f"{in_points(training.mean_difference)}{_doubt(training.p)}, testing on it by "
        f"{signed(test.mean_difference)}{_doubt(test.p)}."
    )
    return headline, (
        f"Means of {test.pairs} pairs of printed accuracies (Xian et al. 2019); training on AWA2 "
        f"changes the accuracy of a single method by up to {most}."
    )


def _doubt(p: float) -> str:
    return " (not significant)" if p >= ALPHA else " (significant)"


def _printed_changes() -> tuple[pd.DataFrame, dict[str, PairedTest]]:
    """Return the printed differences, AWA2 minus AWA1, and their tests."""
    table, pair = cross_dataset.printed_table(), ("AWA2", "AWA1")
    changes = cross_dataset.paired_differences(table, *pair)
    return changes, cross_dataset.cross_tests(table, *pair)


def _show_printed_pairs() -> None:
    """Draw the printed differences by training set and by test set; explain the printed p-value."""
    changes, tests = _printed_changes()
    drawn = changes[changes["asked"].isin(list(QUESTIONS))]
    shown = {question: tests[question] for question in QUESTIONS}
    chart(
        difference_strips({"printed accuracy, AWA2 minus AWA1": (drawn, shown)}, QUESTIONS),
        f"Differences of {tests['training set'].pairs} pairs of printed accuracies, in points, "
        "AWA2 minus AWA1. "
        f"{' '.join(test.sentence for test in shown.values())}",
        key="awa1_printed_pairs",
        table=lambda: changes,
    )
    finding, _, source_of_p = cross_dataset.claim_explained(tests).partition(". ")
    st.markdown(f"**{plain(finding.removesuffix('.'))}.**")
    st.caption(
        f"{plain(source_of_p)} Another training set changes single accuracies more, up or down, "
        f"than another test set (p = {tests['larger'].p:.2g}); the changes cancel in the mean.",
        help=f"{plain(cross_dataset.PRINTED_CLAIM.source)} `zslcore reproduce gbu:table4` computes "
        "the same pairs on imported data.",
    )


def _show_image_counts() -> None:
    """Draw the images per class of the real AWA1 and AWA2, as in the benchmark paper's figure 2."""
    table = awa_image_counts()
    totals = table[["AWA1", "AWA2"]].sum()
    spread = {name: table[name].std(ddof=0) / table[name].mean() for name in totals.index}
    st.subheader("Images per class", anchor=False)
    st.caption(
        "The figure counts the released labels, as the left half of the benchmark paper's figure "
        f"2 does: {totals['AWA1']:,} images of AWA1, {totals['AWA2']:,} of AWA2. AWA2 is less "
        f"balanced: the standard deviation of its images per class is {spread['AWA2']:.2f} of the "
        f"mean, against {spread['AWA1']:.2f} for AWA1."
    )
    chart(
        image_counts(table),
        f"Images per class of AWA1 and AWA2, from {table['AWA2'].max():,} of AWA2's "
        f"{plain(str(table['class'].iloc[0]))} to {table['AWA2'].min():,}.",
        key="awa1_images_per_class",
        table=lambda: table,
    )


def _which_differ(verdicts: pd.DataFrame, datasets: Sequence[ZSLDataset]) -> str:
    """Return a sentence with the number and names of the classes that differ."""
    moved = verdicts[verdicts["p_holm_PCA"] < ALPHA].sort_values("mixing_PCA")["class"]
    names = " and ".join(plain(title(dataset.name)) for dataset in datasets)
    if moved.empty:
        return f"None of the {len(verdicts)} classes looks different in {names}."
    listed = [plain(name) for name in moved[:NAMED]]
    if len(moved) > NAMED:
        listed.append(f"{len(moved) - NAMED} more")
    last = f" and {listed.pop()}" if len(listed) > 1 else ""
    verb = "looks" if len(moved) == 1 else "look"
    return (
        f"{len(moved)} of {len(verdicts)} classes {verb} different in {names}: "
        f"{', '.join(listed)}{last}."
    )


# --- Choices --------------------------------------------------------------------------------------


def _choose(header: Header) -> tuple[Choices, DeltaGenerator]:
    """Choose data sets, layout, panels and colours in a drawer, and classes next to it.

    Return the choices and the place of a mark at the end of their row.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="awa1_choices"):
        drawer = st.popover("Data, layout, colour", icon=":material/tune:", width=200)
        row = st.container(
            horizontal=True, vertical_alignment="center", width="content", gap="small"
        )
    with drawer:
        colours = st.container()  # first in the drawer; filled after other choices
        datasets, split = choose_pair(header)
        two = len(datasets) == 2
        separate = two and bool(why_incompatible(*datasets))
        settings = _choose_settings(sum(len(dataset.labels) for dataset in datasets))
        views = [PANELS] if separate else [OVERLAY, *[PANELS] * two, METHODS_BESIDE]
        view = controls.choose_option("View", views, key="awa1_view")
    with colours:
        linked = separate and same_images(*datasets)
        offered = colours_of(datasets, of_both=not linked, one_map=view != METHODS_BESIDE)
        usual = "data set" if "data set" in offered else "class"
        colour = controls.choose_option("Colour", offered, key="awa1_colour", default=usual)
        method = None
        if colour in OF_ANSWERS:
            usual = controls.METHOD
            method = controls.choose_option(
                "Method", list(METHODS), key="awa1_method", default=usual
            )
    with row:
        sought = st.text_input(
            "Find a class",
            key="awa1_find",
            bind="query-params",
            placeholder="Find: bear, whale",
            label_visibility="collapsed",
            width=120,
        )
    return Choices(datasets, split, settings, view, colour, method, sought), row


def _choose_settings(n: int) -> MapSettings:
    """Choose the layout of ``n`` images and its parameters."""
    name = st.segmented_control(
        "Layout",
        list(METHODS_BY_NAME),
        default="t-SNE",
        required=True,
        key="awa1_layout",
        bind="query-params",
    )
    method = METHODS_BY_NAME[name]
    own: dict[str, Any] = {}
    for field, (label, key, values, default) in SLIDERS.get(method, {}).items():
        own[field] = st.select_slider(
            label, values, default, key=key, format_func="{:g}".format, bind="query-params"
        )
    usual = "all" if n > LARGE else "2,000"
    sample = controls.choose_option(
        f"Images of {n:,}", list(SAMPLES), key="awa1_images", default=usual
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bound = controls.bind_number("awa1_seed")
        seed = st.number_input("Seed", 0, 9999, 0, key="awa1_seed", bind=bound)
        why = (
            "The number of threads changes the order of summation, and thus the last digits of "
            "the map's coordinates."
        )
        bound = controls.bind_number("awa1_threads")
        threads = st.number_input("Threads", 1, 2, 2, key="awa1_threads", bind=bound, help=why)
    return MapSettings(method, n_samples=SAMPLES[sample], seed=seed, threads=threads, **own)


# --- Previews and layouts -------------------------------------------------------------------------


def _offer_layouts(wanted: Sequence[tuple[Sequence[ZSLDataset], MapSettings]]) -> bool:
    """Offer to compute missing layouts if one of them is slow; return whether this was offered.

    Requested or running layouts, and layouts of at most ``AT_ONCE`` seconds, are not slow.
    """
    missing = [
        (MapStudy.of(group, layout), estimated_seconds(group, layout))
        for group, layout in wanted
        if jobs.finished(MapStudy.of(group, layout)) is None
    ]
    requested = st.session_state.setdefault(REQUESTED, set())
    slow = [
        (work, seconds)
        for work, seconds in missing
        if work.key not in requested and jobs.status(work.key) is None and seconds > AT_ONCE
    ]
    if not slow:
        return False
    names = " and ".join(dict.fromkeys(METHOD_NAMES[layout.method] for _, layout in wanted))
    seconds = sum(seconds for _, seconds in missing)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            f"Compute {names} (about {duration(seconds)})",
            icon=":material/play_arrow:",
            key="awa1_start",
        ):
            for work, _ in missing:
                requested.add(work.key)
                waiting.submit(work)
            st.rerun()
        st.caption("Preview: the first two principal components.")
    return True


def _first_picture(group: Sequence[ZSLDataset], settings: MapSettings) -> EmbeddedMap:
    """Return the preview: a sample of the images on the first two axes of the sample's PCA.

    Once :func:`_let_all_rows_follow` has added all images, they are shown on the same axes.
    """
    digests = _digests(group)
    if settings.n_samples is None and digests in st.session_state.get(FOLLOWED, ()):
        return cache.all_rows(digests, tuple(group))
    return cache.first_picture(digests, tuple(group))


def _digests(group: Sequence[ZSLDataset]) -> tuple[str, ...]:
    return tuple(dataset.digest for dataset in group)


def _let_all_rows_follow(groups: Sequence[Sequence[ZSLDataset]], settings: MapSettings) -> None:
    """Add all rows to the preview after the visitor has seen the sample."""
    followed = st.session_state.setdefault(FOLLOWED, set())
    digests = {_digests(group): group for group in groups}
    left = digests.keys() - followed
    if settings.n_samples is not None or not left:
        return
    for key in left:
        cache.all_rows(key, tuple(digests[key]))
        followed.add(key)
    st.rerun()


def _finished(group: Sequence[ZSLDataset], settings: MapSettings) -> EmbeddedMap:
    """Return the layout; if it is not finished, wait with a live picture."""
    work = MapStudy.of(group, settings)

    def draw(arrays: Mapping[str, np.ndarray]) -> None:
        by_now = _on_its_way(group, settings, arrays["coordinates"])
        draw_map(by_now, key=f"awa1_live_{work.key}")

    return waiting.study_result(work, draw=draw)


def _on_its_way(
    datasets: Sequence[ZSLDataset], settings: MapSettings, coordinates: np.ndarray
) -> PointMap:
    """Return a map of unfinished coordinates."""
    data = MapData.of(datasets, n_samples=settings.n_samples, seed=settings.sample_seed)
    palette, category = class_palette(data.class_names), data.labels
    if len(datasets) == 2:
        looks = colour_by_group(np.array(["1", "2"])[data.part], {"1": "first", "2": "second"})
        palette, category = looks.palette, looks.category
    return PointMap(
        key="awa1_on_its_way",
        file="map",
        panels=[MapPanel("", "The unfinished map.", np.arange(len(data)), coordinates)],
        palette=palette,
        category=category,
        classes=data.class_names,
        sets=[title(dataset.name) for dataset in datasets],
        class_of=data.labels,
        part=data.part,
        row=data.row,
        legend="none",
        tools=False,
    )


def _lay_out(chosen: Choices) -> tuple[Scene, bool]:
    """Return the maps as a scene, and whether these are previews of layouts that are offered."""
    if chosen.separate:
        st.caption(plain(why_incompatible(*chosen.datasets)))
    if waits := _offer_layouts(chosen.layouts):
        maps = [_first_picture(group, chosen.settings) for group in chosen.groups]
    else:
        maps = [_finished(group, settings) for group, settings in chosen.layouts]
    if chosen.separate:
        order, same = match_classes(*chosen.datasets), same_images(*chosen.datasets)
        return Scene.separate(chosen.datasets, maps, order, same=same), waits
    if chosen.view == PANELS:
        return Scene.side_by_side(chosen.datasets, maps[0]), waits
    return Scene.overlay(chosen.datasets, *maps), waits


def _sample_words(scene: Scene, *, first: bool) -> str:
    total = sum(len(dataset.labels) for dataset in scene.datasets)
    layouts = dict.fromkeys(METHOD_NAMES[one.settings.method] for one in scene.maps)
    layout, fitted = " and ".join(layouts), f"all {total:,}"
    if first:
        layout, fitted = "Preview", "a sample of 2,000"
    shown = f"{len(scene):,} of {total:,} images, sampled in proportion to class size"
    if len(scene) >= total:
        shown = f"All {total:,} images"
    reading = f"{LOOK_FOR} " * (len(scene.datasets) == 2)
    return f"{reading}{layout}: {shown}; PCA is fitted on {fitted}."


# --- Exploration ----------------------------------------------------------------------------------


@fragment
def _explore(scene: Scene, looks: Colouring, chosen: Choices, first: bool) -> None:
    """Draw the maps (with ``first``, the preview), then a caption and the selection."""
    key = scene_key(scene, first=first)
    selection = read_selection(key, st.query_params.get("awa1_lasso", ""))
    picked, classes = _picked(scene), search_names(scene.classes, chosen.sought)
    meant = None if classes is None else classes.tolist()
    draw_map(
        replace(
            map_of(scene, looks, chosen.colour, meant),
            key=key,
            selection=selection,
            picked=picked,
            cameras=read_cameras(key, st.query_params.get("awa1_look", "")),
        ),
        key="awa1_points",
        on_change=lambda: _remember(scene, key),
    )
    offer_map(scene, looks, chosen.colour)
    about = about_simulated(chosen.datasets)
    st.caption(f"{_sample_words(scene, first=first)} {about}".strip())
    if picked is not None:
        _show_image(scene, picked, chosen.split, chosen.method)
    if selection is not None:
        _show_selected(scene, scene.selected(selection))


def _remember(scene: Scene, key: str) -> None:
    """Write selection, view and image into the address."""
    did = st.session_state["awa1_points"]
    choices = {
        "awa1_lasso": did.selection and write_selection(key, did.selection),
        "awa1_look": did.cameras and write_cameras(key, did.cameras),
        "awa1_image": _address(scene, did.picked),
    }
    for name, text in choices.items():
        if text:
            st.query_params[name] = text
        else:
            st.query_params.pop(name, None)


def _address(scene: Scene, image: object) -> str | None:
    """Return the name of an image in the address; None if it is not on the map."""
    if not isinstance(image, int) or not 0 <= image < len(scene):
        return None
    return f"{scene.part[image]}.{scene.row[image]}"


def _picked(scene: Scene) -> int | None:
    """Return the image named in the address; None if it is not on the map."""
    part, _, row = st.query_params.get("awa1_image", "").partition(".")
    if not (part.isdecimal() and row.isdecimal()) or len(part + row) > 12:
        return None
    images = np.flatnonzero((scene.part == int(part)) & (scene.row == int(row)))
    return int(images[0]) if len(images) else None


def _show_image(scene: Scene, image: int, split: str, method: str | None) -> None:
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
    answers = answers_of(dataset, split, method)
    if not answers.tested[row]:
        return f"No prediction by {plain(method)}: the image is not in the test set."
    name = plain(dataset.class_names[answers.predicted[row]])
    verdict = "right" if answers.right[row] else "wrong"
    return f"{plain(method)} predicts **{name}**: {verdict}."


def _show_nearest(scene: Scene, dataset: ZSLDataset, row: int) -> None:
    """List the nearest images of one image, from all shown data sets with the same features."""
    sets = tuple(each for each in scene.datasets if not why_incompatible(dataset, each))
    digests = tuple(each.digest for each in sets)
    table = cache.image_neighbours(digests, sets.index(dataset), row, sets)
    names = np.array([each.name for each in sets])
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
        "are of the same class."
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


def _show_selected(scene: Scene, chosen: np.ndarray) -> None:
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
        whole = np.bincount(scene.labels, minlength=len(scene.classes))
        of_class = {name: whole[c] for c, name in enumerate(scene.classes)}
        count["share"] = 100 * count["images"] / [of_class[name] for name in count.index]
        st.dataframe(
            count.rename_axis("class").reset_index(),
            hide_index=True,
            height=260,
            column_config={
                "share": st.column_config.NumberColumn("of the class", format="%.1f %%")
            },
        )
    with right:
        _list_images(scene, table.head(SHOWN), key=f"awa1_selected_{n}", height=260)
        first = (
            f" The first {SHOWN} of {n:,} are listed; the download has all." if n > SHOWN else ""
        )
        st.caption(f"A ticked row is marked on the map.{first}")
    downloads.download("Selected images", lambda: table_as_csv(table), "selected.csv")


# --- Quality --------------------------------------------------------------------------------------


def _show_agreement(
    maps: Sequence[EmbeddedMap], datasets: Sequence[ZSLDataset], *, compared: bool
) -> None:
    """Show the quality of the maps and, if data sets are ``compared``, the classes that differ."""
    for one in maps:
        _show_quality(one)
    if len(datasets) == 2 and compared:
        verdicts = mixing_verdicts(maps[0].mixing, "PCA", "map")
        st.markdown(f"**{_which_differ(verdicts, datasets)}**")
        _show_shifts(verdicts, maps[0])


def _show_quality(one: EmbeddedMap) -> None:
    """Show the quality of the map in one line."""
    q = one.quality
    st.caption(
        f"**{plain(' and '.join(map(title, one.names)))}**, {one.settings.caption()}. "
        f"Neighbours kept ({q.k}) {percent(q.knn_recall)}; trustworthiness "
        f"{percent(q.trustworthiness)}, continuity {percent(q.continuity)} (50 % is chance); k-NN "
        f"accuracy {percent(q.class_accuracy_pca)} in the PCA, {percent(q.class_accuracy_map)} on "
        f"the map; the PCA explains {percent(float(one.pca.explained.sum()))} of the variance."
    )


def _show_shifts(verdicts: pd.DataFrame, one: EmbeddedMap) -> None:
    """Draw the mixing of the two data sets in each class, in the PCA and on the map."""
    count = verdicts["verdict"].value_counts()
    shown, hidden, invented, none = (
        count.get(v, 0) for v in ("shown", "hidden", "invented", "no shift")
    )
    chart(
        mixing_dumbbells(verdicts),
        f"Mixing of {' and '.join(map(title, one.names))} in {len(verdicts)} classes. Shifts of a "
        f"class: the map shows {shown}, hides {hidden} and invents {invented}; no shift: {none}.",
        key="awa1_mixing",
    )
    st.caption(
        "Mixing is the entropy of the data sets among the 15 nearest images of the same class, "
        "divided by its value for randomly mixed images: 1 without a shift, 0 if no neighbour is "
        "from the other data set. A class looks different if p in the PCA, adjusted by Holm over "
        f"{len(verdicts)} classes, is below 0.05. With many images even a small shift is "
        "significant; mixing shows its size."
    )
    downloads.offer_table(verdicts, f"mixing_{one.names[0]}_{one.names[1]}")


# --- Limits ---------------------------------------------------------------------------------------


def show_limits() -> None:
    """Show common misreadings of a map."""
    with st.expander("How not to read this map", icon=":material/visibility_off:"):
        st.markdown(
            "- **Distances between groups mean little.** The layout preserves near neighbours "
            "only. The distance and direction between two clusters mostly come from the "
            "initialisation.\n"
            "- **Sizes mean nothing.** t-SNE spreads dense groups and contracts loose ones.\n"
            "- **Clusters can be artefacts.** Low perplexity, or few neighbours, breaks one group "
            "into many.\n"
            "- **A gap between data sets, or its absence, may be an artefact of the map.** Mixing "
            "is shown both in the PCA and on the map.\n"
            "- **Methods do not use this map.** They use all features; two classes that overlap "
            "here may be far apart there."
        )
