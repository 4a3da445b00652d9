"""The dialog that imports: files or a folder are read in a sandbox and become a data set."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from ui import site_map, terms, uploads, visitors
from ui.reading_progress import progress
from ui.text import on_screen, plain
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import FINE_TUNED, benchmark_of, unlisted_sets
from zslcore.datasets.sandbox.client import DEFAULT_LIMITS
from zslcore.exceptions import ZSLError
from zslcore.leakage import PRETRAINING_NAMES

CANCEL = "data_cancel"
#: Whether the dialog is open.
OPEN = "import_open"
#: Whether files have just been dropped; name and words of the import that has just ended.
DROPPED, MADE = "data_dropped", "data_made"
#: Words for the view that opens the import.
SAID = "data_said"
UNSEEN = "Unseen classes (only if the file has no split)"


def offer() -> None:
    """Put a button here that opens the dialog."""
    st.button("Import", icon=":material/upload:", type="tertiary", key="import_offer", on_click=ask)


def ask() -> None:
    """Let the next run of the page open the dialog."""
    st.session_state[OPEN] = True


def show() -> None:
    """Open what has just been imported, or show the dialog where it is open."""
    if (made := st.session_state.pop(MADE, None)) is not None:
        name, words = made
        for choice in ("split", "data_tab"):
            st.session_state.pop(choice, None)
        st.session_state["dataset"] = name
        st.session_state[SAID] = words
        query = site_map.query_of("splits", {"dataset": name})
        st.switch_page(site_map.page_of("splits").path, query_params=query)
    if words := st.session_state.pop(SAID, ""):
        st.toast(words, icon=":material/check:", duration="long")
    if st.session_state.get(OPEN):
        _dialog()


def _close() -> None:
    st.session_state[OPEN] = False


@st.dialog("Import a data set", width="large", icon=":material/upload:", on_dismiss=_close)
def _dialog() -> None:
    """Take in features of the visitor's own, and explain what files can hold them."""
    _upload_form()
    if uploads.is_local():
        _folder_form()
    _explain_files()


def _upload_form() -> None:
    if st.session_state.get(CANCEL):
        st.info("The import was cancelled. Nothing of it is left.", icon=":material/block:")
    _choose_group()
    files = st.file_uploader(
        "Drop the files here; they are imported at once",
        type=list(uploads.ENDINGS),
        accept_multiple_files=True,
        key="data_files",
        on_change=lambda: st.session_state.update({DROPPED: True}),
        help="Two .mat files, one .npz or HDF5 file, or a CSV; and a second file for prototypes, "
        "such as text embeddings of the classes (.npz with prototypes and class_names, or a CSV).",
    )
    name = st.text_input(
        "Name",
        key="data_name",
        placeholder="proposed after the file and its classes, like CUB-vgg_fc7",
    )
    unseen = st.text_input(
        UNSEEN,
        key="data_unseen",
        placeholder="zebra, blue whale",
        help=terms.tip(UNSEEN),
    )
    pretraining = _choose_pretraining("data_pretraining")
    replace = st.checkbox("Overwrite if it exists", key="data_replace")
    wanted = st.button("Import the files", icon=":material/upload:", type="primary")
    dropped = st.session_state.pop(DROPPED, False) and bool(files)
    if wanted or dropped:
        said = {"name": name, "unseen": unseen, "pretraining": pretraining}
        _import(uploads.import_files, files or (), **said, replace=replace)


def _choose_pretraining(key: str) -> list[str]:
    """Take in what no file of the field's layout says; the audit compares classes with it."""
    return st.multiselect(
        "Features trained on",
        PRETRAINING_NAMES,
        key=key,
        placeholder="unknown, or as the file says",
        format_func=_in_words,
        help="The data that the feature extractor was trained on; none for features made by hand. "
        "The leakage review then looks for test classes among them, and the table of methods marks "
        "features that were fine-tuned on images of these data.",
    )


def _in_words(name: str) -> str:
    """Return what a name declares."""
    if name in FINE_TUNED:
        return f"fine-tuned on {FINE_TUNED[name]}"
    return f"{unlisted_sets()[name]}, classes not listed" if name in unlisted_sets() else name


def _choose_group() -> None:
    """Where visitors are strangers, say whose an import is."""
    if not visitors.is_public():
        return
    words = st.text_input(
        "Group passphrase (empty: only you see your imports)",
        key="data_group",
        type="password",
        help="Everybody who types the same words sees the imports of the group. They need at least "
        f"{visitors.FEWEST} letters. Without them an import is yours alone, and it is removed when "
        "your visit ends.",
    )
    if words:
        visitors.join(words)


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
            pretraining = _choose_pretraining("data_folder_pretraining")
            replace = st.checkbox("Overwrite if it exists", key="data_folder_replace")
            st.caption(
                "For large files: read from their folder, without an upload. The same as "
                "`zslcore import FOLDER`, which also reads the folders in which UCF101 "
                "and HMDB51 were released; of several files of features, name one."
            )
            wanted = st.form_submit_button("Import the folder", icon=":material/folder_open:")
        if wanted:
            _import(
                uploads.import_folder,
                folder,
                features=features,
                splits=splits,
                name=name,
                pretraining=pretraining,
                replace=replace,
            )


def _import(how: Callable[..., ZSLDataset], *args: Any, **options: Any) -> None:
    """Import, and choose what came of it; a refusal changes nothing on the page."""
    place = st.empty()
    try:
        with progress(place, CANCEL):
            made = how(*args, **options)
    except ZSLError as error:
        place.empty()
        st.error(on_screen(str(error)), icon=":material/block:")
        return
    place.empty()
    words = (
        f"Imported {plain(made.name)}: {len(made.labels):,} images, {made.n_classes:,} classes, "
        f"{made.prototypes.shape[1]:,} attributes, split {plain(', '.join(made.splits))}."
        f"{_recognised(made)}"
    )
    st.session_state[MADE] = made.name, words
    _close()
    st.rerun()


def _recognised(made: ZSLDataset) -> str:
    """Say which benchmark the data are, if any."""
    benchmark = benchmark_of(made)
    if benchmark is None:
        return ""
    return f" Recognised as {benchmark}: published results are shown next to yours."


def programs() -> dict[str, str]:
    """Return the programs that make files to import, by the question that each answers."""
    with Path(__file__).with_name("import_programs.toml").open("rb") as file:
        found: dict[str, str] = tomllib.load(file)["programs"]
    return found


def _explain_files() -> None:
    st.markdown(
        "Features are one row of numbers per image. With a description of every class and a split, "
        "they are all that this app needs."
    )
    st.caption(
        f"At most {st.get_option('server.maxUploadSize')} MB per file, "
        f"{DEFAULT_LIMITS.max_bytes / 2**30:.3g} GB once unpacked. Files are parsed in a sandbox "
        "with limits on time and memory; no code in them runs."
    )
    for title, code in programs().items():
        with st.expander(title):
            st.code(code, language=None, wrap_lines=True)
    with st.expander("Where are train_loc and val_loc?"):
        st.markdown(
            "Some copies of `att_splits.mat` lack them, and in the first release they hold images "
            "of `test_seen_loc`. Folds are made of the class lists `trainclasses1..3.txt` and "
            "`valclasses1..3.txt` where these are uploaded too. Else the released lists are used "
            "where the classes are those of a benchmark; else `train_loc` and `val_loc`; else "
            "thirds of the classes. Folds always hold trainval images only."
        )
