"""Import dialog: read files or a folder in a sandbox and store a data set."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import streamlit as st

from ui.intake import uploads
from ui.intake.reading_progress import READING, progress
from ui.shell import site_map, terms, visitors
from ui.shell.text import on_screen, plain
from zslcore.datasets import ZSLDataset, intake
from zslcore.datasets.facts import FINE_TUNED, benchmark_of, unlisted_sets
from zslcore.datasets.table import MIN_SEEN, RANDOM
from zslcore.exceptions import ZSLError
from zslcore.leakage import PRETRAINING_NAMES
from zslcore.leakage.contamination import titles_of_sets
from zslcore.leakage.vocabularies import NOTHING
from zslcore.untrusted.client import DEFAULT_LIMITS

CANCEL = "data_cancel"
#: Whether the dialog is open.
OPEN = "import_open"
#: Session key: whether files were just dropped.
DROPPED = "data_dropped"
#: Session key: name, split and message of an import that has just ended.
IMPORTED = "data_imported"
#: Message for the view of a new import.
MESSAGE = "data_message"
UNSEEN = "Unseen classes (only if the file has no split)"
#: Key, contents and choices of the last upload that was surveyed.
SURVEYED = "data_surveyed"
BY_NAME, DRAWN = "By name or number", "Drawn at random"


def offer() -> None:
    """Show the button that opens the dialog."""
    st.button("Import", icon=":material/upload:", key="import_offer", on_click=ask)


def ask() -> None:
    """Let the next run of the page open the dialog."""
    st.session_state[OPEN] = True


def show() -> None:
    """Go to the view of a new import, or show the dialog if it is open."""
    if (imported := st.session_state.pop(IMPORTED, None)) is not None:
        name, split, words = imported
        st.session_state["split"] = split  # otherwise the old split would stay
        st.session_state["dataset"] = name
        st.session_state[MESSAGE] = words
        query = site_map.query_of("splits", {"dataset": name})
        st.switch_page(site_map.page_of_view("splits").path, query_params=query)
    if words := st.session_state.pop(MESSAGE, ""):
        st.toast(words, icon=":material/check:", duration="long")
    if st.session_state.get(OPEN):
        _dialog()


def _close() -> None:
    st.session_state[OPEN] = False


@st.dialog("Import a data set", width="large", icon=":material/upload:", on_dismiss=_close)
def _dialog() -> None:
    """Show the forms for files and for a folder, and explain the accepted files."""
    _upload_form()
    if uploads.is_local():
        _folder_form()
    _explain_files()


def _upload_form() -> None:
    if st.session_state.get(CANCEL):
        st.info("The import was cancelled; nothing was stored.", icon=":material/block:")
    _choose_group()
    files = st.file_uploader(
        "Drop the files here",
        accept_multiple_files=True,
        key="data_files",
        on_change=lambda: st.session_state.update({DROPPED: True}),
        help="Features, labels and class embeddings in any number of files, with or without a "
        "split. MAT files in the benchmark layout and tables with the usual names are imported at "
        "once; for other files you first confirm the role of each array.",
    )
    top = st.container()
    survey = _survey(files or ())
    with top:  # above the table of arrays, which may be long
        with st.container(horizontal=True, vertical_alignment="bottom"):
            unseen = _choose_unseen(survey)
            name = st.text_input(
                "Name",
                key="data_name",
                placeholder=(survey.name if survey else "")
                or "from the file and its classes, such as CUB-vgg_fc7",
            )
            is_pressed = st.button(
                "Import the files", icon=":material/upload:", type="primary", disabled=not files
            )
        if survey is not None and (sides := _sides_in_words(unseen, survey.n_classes)):
            st.caption(sides)
        message = st.container()
    options = _choose_options("data")
    dropped = st.session_state.pop(DROPPED, False) and bool(files) and survey is None
    if (is_pressed or dropped) and survey is not uploads.NOTHING:
        options |= {"choices": survey.choices if survey else None}
        with message:
            _import(uploads.import_files, files or (), name=name, unseen=unseen, **options)


def _survey(files: Sequence[BinaryIO]) -> uploads.Survey | None:
    """Show the role of each array, with menus to correct it; None for files in a known layout."""
    if not files:
        return None
    files_key = uploads.key_of(*files)
    chosen = {part: st.session_state.get(f"data_part_{part}", "") for part in intake.CHOICES}
    if st.session_state.get(SURVEYED, ("", {}, None))[0] != files_key:
        chosen = dict.fromkeys(chosen, "")
        for part in chosen:
            st.session_state.pop(f"data_part_{part}", None)
    key = (files_key, chosen)
    if st.session_state.get(SURVEYED, ("", {}, None))[:2] != key:
        try:
            with st.spinner(READING):
                survey = uploads.survey_files(files, chosen)
        except ZSLError as error:
            st.error(on_screen(str(error)), icon=":material/block:")
            return uploads.NOTHING
        st.session_state[SURVEYED] = (*key, survey)
    survey = st.session_state[SURVEYED][2]
    if survey is None:
        return None
    st.markdown(f"**Read:** {plain(survey.sentence)}")
    names = ("array", "contents", "role")
    st.table([dict(zip(names, map(plain, row), strict=True)) for row in survey.rows])
    titles = [row[0] for row in survey.rows]
    with st.container(horizontal=True):
        for part, title in survey.choices.items():
            st.selectbox(
                intake.TITLES_OF_PARTS[part].capitalize(),
                ["", *titles],
                index=titles.index(title) + 1 if title in titles else 0,
                key=f"data_part_{part}",
                format_func=lambda text: text or "none",
                width=220,
            )
    for sentence in survey.unclear:
        st.warning(on_screen(sentence), icon=":material/help:")
    return survey


def _choose_unseen(survey: uploads.Survey | None) -> str:
    """If files have no split, choose the unseen classes: by name, by number or at random."""
    if survey is not None and survey.has_split:
        return ""
    if survey is None:
        return st.text_input(
            UNSEEN,
            key="data_unseen",
            placeholder="zebra, blue whale; or random:10",
            help=terms.tip(UNSEEN),
        )
    how = st.segmented_control(
        "The files have no split",
        (BY_NAME, DRAWN),
        default=BY_NAME,
        required=True,
        key="data_unseen_how",
    )
    if how == DRAWN:
        if (most := survey.n_classes - MIN_SEEN) < 1:
            st.caption(f"A draw needs at least {MIN_SEEN + 1} classes; name the unseen ones.")
            return ""
        usual = min(max(round(survey.n_classes / 5), 2), most)
        n = st.number_input("Number of classes", 1, most, usual, key="data_unseen_n", width=160)
        seed = st.number_input("Seed", 0, 10**6, 0, key="data_unseen_seed", width=160)
        return f"random:{n}:{seed}"
    if survey.class_names:
        chosen = st.multiselect(
            "Unseen classes",
            survey.class_names,
            key="data_unseen_names",
            placeholder="names, or random:10",
            accept_new_options=True,
        )
        return ",".join(name.replace(",", " ") for name in chosen)
    return st.text_input("Names or numbers", key="data_unseen", placeholder="zebra, blue whale, 7")


def _sides_in_words(unseen: str, n_classes: int) -> str:
    """Describe the numbers of unseen and seen classes; "" if they cannot be counted."""
    draw = RANDOM.fullmatch(unseen)
    n_unseen = int(draw[1]) if draw else len([name for name in unseen.split(",") if name.strip()])
    n_seen = n_classes - n_unseen
    if not n_unseen or n_seen < 0 or (":" in unseen and not draw):
        return ""
    if n_seen >= MIN_SEEN:
        return f"{n_unseen} unseen, {n_seen} seen"
    return (
        f":orange[{n_unseen} unseen, {n_seen} seen: methods need at least {MIN_SEEN} seen "
        "classes, so that each fold trains on two.]"
    )


def _choose_options(form_key: str) -> dict[str, Any]:
    """Choose the pre-training set, which files do not state, and whether to overwrite."""
    pretraining = st.multiselect(
        "Extractor trained on",
        PRETRAINING_NAMES,
        key=f"{form_key}_pretraining",
        placeholder="unknown, or as in the file",
        format_func=_in_words,
        help="The pre-training set of the feature extractor; none for hand-crafted features. The "
        "audit looks for test classes in it, and the table in Compare marks features that "
        "were fine-tuned on images of this data set.",
    )
    replace = st.checkbox("Overwrite an existing data set", key=f"{form_key}_replace")
    return {"pretraining": pretraining, "replace": replace}


def _in_words(name: str) -> str:
    """Return the label of a pre-training set in the menu."""
    if name in FINE_TUNED:
        return f"fine-tuned on {FINE_TUNED[name]}"
    if name in unlisted_sets():
        return f"{unlisted_sets()[name]}, classes not listed"
    return name if name == NOTHING else titles_of_sets([name])


def _choose_group() -> None:
    """On a public server, choose the group that sees an import."""
    if not visitors.is_public():
        return
    words = st.text_input(
        "Group passphrase (empty: only you see your imports)",
        key="data_group",
        type="password",
        help="Everyone with the same passphrase sees the imports of the group. The passphrase "
        f"needs at least {visitors.FEWEST} characters. Without a passphrase, only you see an "
        "import, and it is removed when your visit ends.",
    )
    if words:
        st.session_state[visitors.GROUP] = words.strip()


def _folder_form() -> None:
    with st.expander("From a folder on this computer", expanded=False):
        with st.form("data_folder", border=False):
            folder = st.text_input("Folder", key="data_folder_path", placeholder="/data/xlsa17/CUB")
            with st.container(horizontal=True):
                features = st.text_input("Feature file", "res101.mat", key="data_folder_features")
                splits = st.text_input(
                    "Split file",
                    "att_splits.mat",
                    key="data_folder_splits",
                    help="The standard split is in a subfolder: standard_split/att_splits.mat.",
                )
            name = st.text_input("Name", key="data_folder_name", placeholder="name of the folder")
            options = _choose_options("data_folder")
            st.caption(
                "Large files are read in place, without an upload, as with `zslcore import "
                "FOLDER`. The released folders of UCF101 and HMDB51 can also be read; if a "
                "folder has several feature files, name one."
            )
            is_pressed = st.form_submit_button("Import the folder", icon=":material/folder_open:")
        if is_pressed:
            options |= {"features": features, "splits": splits, "name": name}
            _import(uploads.import_folder, folder, **options)


def _import(import_function: Callable[..., ZSLDataset], *args: Any, **options: Any) -> None:
    """Import a data set and open its view; show a refusal as an error on the same page."""
    slot = st.empty()
    try:
        with progress(slot, CANCEL):
            dataset = import_function(*args, **options)
    except ZSLError as error:
        slot.empty()
        st.error(on_screen(str(error)), icon=":material/block:")
        return
    slot.empty()
    words = f"Imported as {plain(dataset.name)}, split {plain(', '.join(dataset.splits))}."
    if benchmark := benchmark_of(dataset):
        words += f" Recognised as {benchmark}: published results are shown next to yours."
    split = "PS" if "PS" in dataset.splits else next(iter(dataset.splits), "")
    st.session_state[IMPORTED] = dataset.name, split, words
    _close()
    st.rerun()


def programs() -> dict[str, str]:
    """Map questions to example programs that write importable files."""
    with Path(__file__).with_name("import_programs.toml").open("rb") as file:
        code_of: dict[str, str] = tomllib.load(file)["programs"]
    return code_of


def _explain_files() -> None:
    st.markdown(
        "This app needs features (one row of numbers per image), a class embedding for every "
        "class, and a split or the names of the unseen classes."
    )
    st.caption(
        f"At most {st.get_option('server.maxUploadSize')} MB per file, "
        f"{DEFAULT_LIMITS.max_bytes / 2**30:.3g} GB once unpacked. Files are parsed in a sandbox "
        "with limits on time and memory; no code in them runs."
    )
    for title, code in programs().items():
        with st.expander(title):
            st.code(code, language=None, wrap_lines=True)
    with st.expander("How are folds made?"):
        st.markdown(
            "Some copies of `att_splits.mat` have no folds, and in the first release the folds "
            "contain images of `test_seen_loc`. Folds come from the class lists "
            "`trainclasses1..3.txt` and `valclasses1..3.txt` if these are also uploaded; "
            "otherwise from the released lists, if the classes are those of a benchmark; "
            "otherwise from `train_loc` and `val_loc`; otherwise from thirds of the classes. "
            "Folds contain trainval images only."
        )
