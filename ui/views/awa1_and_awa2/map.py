"""Is AWA2 a fair replacement for AWA1? An answer from printed and imported data, with a map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.figures.palette import FIRST, SECOND
from ui.maps import simulated_effects
from ui.maps.colours import (
    PREDICTION_COLOURS,
    Colouring,
    class_palette,
    colour_by_group,
    colour_images,
    colours_of,
)
from ui.maps.drawing import draw_map, map_of, offer_map, scene_key
from ui.maps.scene import Scene, read_cameras, read_selection, write_cameras, write_selection
from ui.sections.map_images import image_address, image_in_address, show_image, show_selected
from ui.sections.map_quality import differing_classes, show_limits, show_quality
from ui.sections.pair_of_sets import choose_pair
from ui.sections.printed_pairs import answer_from_pairs, show_image_counts, show_printed_pairs
from ui.shell.folds import fold
from ui.shell.frame import Header, place_answer
from ui.shell.guard import fragment
from ui.shell.numbers import duration
from ui.shell.text import plain
from ui.state import cache, controls, waiting
from zslcore import jobs
from zslcore.analysis.dataset_summary import search_names
from zslcore.analysis.maps.joint_pca import MapData, match_classes, same_images, why_incompatible
from zslcore.analysis.maps.layout import METHOD_NAMES, MapSettings, Method
from zslcore.analysis.maps.map import EmbeddedMap, MapStudy, estimated_seconds
from zslcore.analysis.maps.quality import mixing_verdicts
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import title
from zslcore.interactive.point_map import MapPanel, PointMap
from zslcore.methods import METHODS

METHODS_BY_NAME: dict[str, Method] = {name: method for method, name in METHOD_NAMES.items()}
SAMPLES = {"2,000": 2_000, "8,000": 8_000, "all": None}
#: Pairs with more images, such as the real ones, have by default a preview and a layout of all
#: images, which starts on a click; for other pairs, a layout of 2,000 images starts at once.
LARGE = 20_000
#: Longest layout, in seconds, that is computed without a button.
AT_ONCE = 5.0
OVERLAY, PANELS, METHODS_BESIDE = "overlay", "side by side", "t-SNE next to UMAP"
#: Session keys: requested layouts, and data sets with all rows in their preview.
REQUESTED, FOLLOWED = "awa1_asked", "awa1_followed"
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
    search: str

    @property
    def separate(self) -> bool:
        """Whether the features of two data sets differ, so that each has a separate map."""
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
        return [(group, setting) for group in self.groups for setting in settings]


def show(header: Header) -> None:
    """Answer from the printed pairs; show them, the map, and the map's quality and limits."""
    answer, (headline, details) = place_answer(), answer_from_pairs()
    answer.say(headline, details)
    with st.container(key="awa1_pictures"):
        pairs, side_column = st.columns(2, gap="medium")
    with pairs:
        show_printed_pairs()
    with side_column.container(
        horizontal=True, vertical_alignment="center", width="content", key="awa1_choices"
    ):
        chosen, mark = _choose(header)
    with side_column:
        simulated = [data for data in chosen.datasets if data.simulated]
        if simulated:
            words = simulated_effects.about_effects(*simulated)
            mark.badge("simulated map", color="yellow", help=words)
        scene, waits = _lay_out(chosen)
        _explore(
            scene, colour_images(scene, chosen.colour, chosen.split, chosen.method), chosen, waits
        )
    show_image_counts()
    maps = list(dict.fromkeys(scene.maps))
    if waits:
        maps = [cache.first_map_with_quality(_digests(group), group) for group in chosen.groups]
    compared = len(chosen.datasets) == 2 and not chosen.separate
    if compared and not simulated:
        verdicts = mixing_verdicts(maps[0].mixing, "PCA", "map")
        answer.say(differing_classes(verdicts, chosen.datasets), f"{headline} {details}")
    label = "About the simulated map" if simulated else "About the map"
    about = partial(show_quality, maps, chosen.datasets, compared=compared)
    fold(label, about, key="awa1_about", is_open=not simulated)
    show_limits()
    if waits:
        _let_all_rows_follow(chosen.groups, chosen.settings)


# --- Choices --------------------------------------------------------------------------------------


def _choose(header: Header) -> tuple[Choices, DeltaGenerator]:
    """Choose the layout and the classes to find; choose all else in a drawer.

    The drawer has data sets, panels and colours. Return the choices, and the
    element for a mark at the end of their row.
    """
    layout = controls.choose_segment(
        "Layout", METHODS_BY_NAME, key="awa1_layout", default="t-SNE", label_visibility="collapsed"
    )
    drawer = st.popover("Data, colour", icon=":material/tune:")
    row = st.container(horizontal=True, vertical_alignment="center", width="content", gap="small")
    with drawer:
        colours = st.container()  # first in the drawer; filled after other choices
        datasets, split = choose_pair(header)
        two = len(datasets) == 2
        separate = two and bool(why_incompatible(*datasets))
        settings = _choose_settings(
            METHODS_BY_NAME[layout], sum(len(dataset.labels) for dataset in datasets)
        )
        views = [PANELS] if separate else [OVERLAY, *[PANELS] * two, METHODS_BESIDE]
        view = controls.choose_option("View", views, key="awa1_view")
    with colours:
        linked = separate and same_images(*datasets)
        offered = colours_of(datasets, are_separate=not linked, one_map=view != METHODS_BESIDE)
        usual = "data set" if "data set" in offered else "class"
        colour = controls.choose_option("Colour", offered, key="awa1_colour", default=usual)
        method = None
        if colour in PREDICTION_COLOURS:
            method = controls.choose_method(
                list(METHODS), key="awa1_method", default=controls.METHOD
            )
    with row:
        find_text = st.text_input(
            "Find a class",
            key="awa1_find",
            bind="query-params",
            placeholder="bear, whale",
            icon=":material/search:",
            label_visibility="collapsed",
            width=120,
        )
    return Choices(datasets, split, settings, view, colour, method, find_text), row


def _choose_settings(method: Method, n: int) -> MapSettings:
    """Choose the parameters of a layout of ``n`` images."""
    parameters: dict[str, Any] = {}
    for field, (label, key, values, default) in SLIDERS.get(method, {}).items():
        parameters[field] = st.select_slider(
            label, values, default, key=key, format_func="{:g}".format, bind="query-params"
        )
    usual = "all" if n > LARGE else "2,000"
    sample = controls.choose_option(
        f"Images of {n:,}", list(SAMPLES), key="awa1_images", default=usual
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = controls.choose_number("Seed", 0, 9999, 0, key="awa1_seed")
        why = (
            "The number of threads changes the order of summation, and thus the last digits of "
            "the map's coordinates."
        )
        threads = controls.choose_number("Threads", 1, 2, 2, key="awa1_threads", help=why)
    return MapSettings(method, n_samples=SAMPLES[sample], seed=seed, threads=threads, **parameters)


# --- Previews and layouts -------------------------------------------------------------------------


def _offer_layouts(layouts: Sequence[tuple[Sequence[ZSLDataset], MapSettings]]) -> bool:
    """Offer to compute missing layouts if one of them is slow; return whether this was offered.

    Requested or running layouts, and layouts of at most ``AT_ONCE`` seconds, are not slow.
    """
    missing = [
        (MapStudy.of(group, layout), estimated_seconds(group, layout))
        for group, layout in layouts
        if jobs.finished(MapStudy.of(group, layout)) is None
    ]
    requested = st.session_state.setdefault(REQUESTED, set())
    slow = [
        (study, seconds)
        for study, seconds in missing
        if study.key not in requested and jobs.status(study.key) is None and seconds > AT_ONCE
    ]
    if not slow:
        return False
    names = " and ".join(dict.fromkeys(METHOD_NAMES[layout.method] for _, layout in layouts))
    seconds = sum(seconds for _, seconds in missing)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            f"Compute {names} (about {duration(seconds)})",
            icon=":material/play_arrow:",
            key="awa1_start",
        ):
            for study, _ in missing:
                requested.add(study.key)
                waiting.submit(study)
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


def _wait_for_layout(group: Sequence[ZSLDataset], settings: MapSettings) -> EmbeddedMap:
    """Return the layout; if it is not finished, wait with a live picture."""
    study = MapStudy.of(group, settings)

    def draw(arrays: Mapping[str, np.ndarray]) -> None:
        by_now = _unfinished_map(group, settings, arrays["coordinates"])
        draw_map(by_now, key=f"awa1_live_{study.key}")

    return waiting.study_result(study, draw=draw)


def _unfinished_map(
    datasets: Sequence[ZSLDataset], settings: MapSettings, coordinates: np.ndarray
) -> PointMap:
    """Return a map of unfinished coordinates."""
    data = MapData.of(datasets, n_samples=settings.n_samples, seed=settings.sample_seed)
    palette, category = class_palette(data.class_names), data.labels
    if len(datasets) == 2:
        looks = colour_by_group(np.array(["1", "2"])[data.part], {"1": FIRST, "2": SECOND})
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
        maps = [_wait_for_layout(group, settings) for group, settings in chosen.layouts]
    if chosen.separate:
        order, same = match_classes(*chosen.datasets), same_images(*chosen.datasets)
        return Scene.separate(chosen.datasets, maps, order, same=same), waits
    if chosen.view == PANELS:
        return Scene.side_by_side(chosen.datasets, maps[0]), waits
    return Scene.overlay(chosen.datasets, *maps), waits


def _sample_words(scene: Scene, *, first: bool) -> str:
    total = sum(len(dataset.labels) for dataset in scene.datasets)
    layouts = dict.fromkeys(METHOD_NAMES[embedded.settings.method] for embedded in scene.maps)
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
    picked, classes = image_in_address(scene), search_names(scene.classes, chosen.search)
    class_numbers = None if classes is None else classes.tolist()
    draw_map(
        replace(
            map_of(scene, looks, chosen.colour, class_numbers),
            key=key,
            selection=selection,
            picked=picked,
            cameras=read_cameras(key, st.query_params.get("awa1_look", "")),
        ),
        key="awa1_points",
        on_change=lambda: _write_address(scene, key),
    )
    offer_map(scene, looks, chosen.colour)
    about = simulated_effects.about_effects(*chosen.datasets)
    command = " `zslcore download xlsa17` replaces them with the real AWA1 and AWA2." * bool(about)
    st.caption(f"{_sample_words(scene, first=first)} {about}{command}".strip())
    if picked is not None:
        show_image(scene, picked, chosen.split, chosen.method)
    if selection is not None:
        show_selected(scene, scene.selected(selection))


def _write_address(scene: Scene, key: str) -> None:
    """Write selection, view and image into the address."""
    did = st.session_state["awa1_points"]
    controls.write_address(
        {
            "awa1_lasso": did.selection and write_selection(key, did.selection),
            "awa1_look": did.cameras and write_cameras(key, did.cameras),
            "awa1_image": image_address(scene, did.picked),
        }
    )
