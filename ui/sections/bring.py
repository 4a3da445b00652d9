"""Data of the visitor's own: files or a folder are read through the door and become a data set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui import uploads
from ui.text import plain
from zslcore.datasets import ZSLDataset
from zslcore.datasets.benchmarks import benchmark_of
from zslcore.exceptions import ZSLError

__all__ = ["show_import"]


def show_import() -> None:
    """Take in features of the visitor's own, and explain what files can hold them."""
    bring, explain = st.columns([0.5, 0.5], gap="large")
    with bring:
        _upload_form()
        if uploads.is_local():
            _folder_form()
    with explain:
        _explain_files()


def _upload_form() -> None:
    with st.form("data_upload", border=False):
        files = st.file_uploader(
            "Features, descriptions and split",
            type=list(uploads.ENDINGS),
            accept_multiple_files=True,
            key="data_files",
            help="Two .mat files, one .npz or HDF5 file, or a CSV and a second one for its "
            "prototypes.",
        )
        name = st.text_input(
            "Name",
            key="data_name",
            placeholder="proposed after the file and its classes, like CUB-vgg_fc7",
        )
        unseen = st.text_input(
            "Unseen classes, where the file holds no split",
            key="data_unseen",
            placeholder="zebra, blue whale",
        )
        replace = st.checkbox("Replace an import of this name", key="data_replace")
        wanted = st.form_submit_button("Import", icon=":material/upload:", type="primary")
    if wanted:
        _import(uploads.import_files, files or (), name=name, unseen=unseen, replace=replace)


def _folder_form() -> None:
    with st.expander("From a folder of this computer", expanded=False):
        with st.form("data_folder", border=False):
            folder = st.text_input("Folder", key="data_folder_path", placeholder="/data/xlsa17/CUB")
            with st.container(horizontal=True):
                features = st.text_input(
                    "File of features", "res101.mat", key="data_folder_features"
                )
                splits = st.text_input(
                    "File of splits",
                    "att_splits.mat",
                    key="data_folder_splits",
                    help="The standard split lies in a folder of its own: "
                    "standard_split/att_splits.mat.",
                )
            name = st.text_input("Name", key="data_folder_name", placeholder="after the folder")
            replace = st.checkbox("Replace an import of this name", key="data_folder_replace")
            st.caption(
                "For large files: read where they lie, without an upload. The same as "
                "`python -m zslcore import FOLDER`."
            )
            wanted = st.form_submit_button("Import the folder", icon=":material/folder_open:")
        if wanted:
            _import(
                uploads.import_folder,
                folder,
                features=features,
                splits=splits,
                name=name,
                replace=replace,
            )


def _import(how: Callable[..., ZSLDataset], *args: Any, **options: Any) -> None:
    """Import and say what came of it; a refusal changes nothing on the page."""
    try:
        with st.spinner("Reading the files …"):
            made = how(*args, **options)
    except ZSLError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    st.success(
        f"Imported {plain(made.name)}: {len(made.labels):,} images, {made.n_classes:,} classes, "
        f"{made.prototypes.shape[1]:,} attributes, split {plain(', '.join(made.splits))}."
        f"{_recognised(made)}",
        icon=":material/check:",
    )
    st.button(
        f"Look at {plain(made.name)}",
        icon=":material/arrow_forward:",
        on_click=_look_at,
        args=(made.name,),
    )


def _recognised(made: ZSLDataset) -> str:
    """Say which benchmark the data are, if any."""
    benchmark = benchmark_of(made)
    if benchmark is None:
        return ""
    return f" These are the classes of {benchmark}, so its printed figures stand beside yours."


def _look_at(name: str) -> None:
    """Choose a data set; a link from a page to itself does nothing."""
    st.session_state.pop("split", None)
    st.session_state["dataset"] = name
    st.session_state["data_tab"] = "Split and folds"


def _explain_files() -> None:
    st.markdown(
        "Features are what an image was turned into before learning starts: one line of numbers "
        "per image. With a description of every class and a split, every page works on them."
    )
    st.caption(
        f"At most {st.get_option('server.maxUploadSize')} MB per file, 4 GB once unpacked. Every "
        "file is read by a separate process that may fail without harm; nothing in it is run."
    )
    for title, code in (
        ("How do I make att_splits.mat and res101.mat?", uploads.MAKE_MAT),
        ("How do I make one .npz file?", uploads.MAKE_NPZ),
        ("How do I make two CSV files?", uploads.MAKE_CSV),
    ):
        with st.expander(title):
            st.code(code, language="python", wrap_lines=True)
    with st.expander("Where are train_loc and val_loc?"):
        st.markdown(
            "Some copies of `att_splits.mat` lack them, and in the first release they hold images "
            "of `test_seen_loc`. Folds are made of the class lists `trainclasses1..3.txt` and "
            "`valclasses1..3.txt` where these are uploaded too. Else the released lists are used "
            "where the classes are those of a benchmark; else `train_loc` and `val_loc`; else "
            "thirds of the classes. Folds always hold trainval images only."
        )
