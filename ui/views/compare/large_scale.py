"""What happens at 21K classes? Nine test sets of ImageNet, and what makes them hard."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ui import cache, controls, planted, waiting
from ui.frame import Header, errors_as_sentences, show_tabs
from ui.sections.large_scale import (
    Study,
    show_class,
    show_hardness,
    show_method,
    show_precision,
    show_sets,
    show_with_training,
    tell,
)
from ui.visitors import available
from zslcore import jobs
from zslcore.analysis.large_scale import LargeScale, LargeScaleStudy
from zslcore.datasets import imports
from zslcore.datasets.imagenet import known_ids
from zslcore.datasets.imagenet_simulated import SIMULATED_IMAGENET
from zslcore.large.ranks import KS

TABS = {
    "Nine sets": show_sets,
    "With training classes": show_with_training,
    "What makes it hard": show_hardness,
    "A class": show_class,
    "Hierarchical precision": show_precision,
    "Method": show_method,
}


def show(header: Header) -> None:
    """Choose a data set and a method, and show the study tab by tab."""
    with errors_as_sentences():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = controls.choose(
                "Data set",
                _with_ids(),
                key="large_dataset",
                width=280,
                help="Data of your own stand here once they are imported with WordNet ids such as "
                "n01440764 in the names of their classes.",
            )
            method = controls.choose_method(default="ESZSL")
            depths = {f"top-{k}": k for k in KS}
            k = depths[controls.choose("Accuracy", list(depths), key="large_k", width=150)]
            (name,) = planted.choose(name)
        dataset = cache.dataset(name)
        header.mark(dataset)
        spec = LargeScaleStudy(dataset.name, dataset.digest, method)
        study = Study(spec, dataset, _counted(spec), k)
        tell(study)
    show_tabs(TABS, study, key="large_tab")


def _counted(spec: LargeScaleStudy) -> LargeScale:
    """Return what is counted; a result of the package has no answers to single images."""
    brief = replace(spec, images=False)
    suffices = jobs.finished(spec) is None and jobs.finished(brief) is not None
    return waiting.result_of(brief if suffices else spec)


def _with_ids() -> list[str]:
    """Return the stand-in, and imports whose classes are called by ids of ImageNet-21K."""
    own = [name for name in available() if name in imports.names()]
    return [SIMULATED_IMAGENET[0], *(n for n in own if known_ids(cache.class_names(n)))]
