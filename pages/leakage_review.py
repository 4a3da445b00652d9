"""Can I trust this split?"""

from dataclasses import replace

import streamlit as st

from ui import cache, controls, decisions, uploads
from ui.frame import errors_as_sentences, open_page
from ui.sections.audit import Review, show_findings, show_verdict
from ui.sections.correction import show_corrected, show_decisions
from ui.sections.leak_cost import show_cost
from ui.sections.quiz import show_quiz
from ui.text import plain
from zslcore.datasets import ZSLDataset, available
from zslcore.exceptions import ZSLError
from zslcore.leakage import (
    VOCABULARY_NAMES,
    AuditContext,
    Provenance,
    Vocabulary,
    get_vocabulary,
)
from zslcore.runs import RunResult, RunSpec, RunStore

CHOSEN_ON = ["unknown", "validation", "given", "test", "none"]
#: Fitted on request to measure what overlapping classes gain.
MEASURED = ("LinearS2V", "LinearV2S", "ESZSL")

header = open_page("Leakage review", "Can I trust this split?", icon=":material/policy:")


# --- What is chosen -------------------------------------------------------------------------------


def choose_dataset_and_split():
    """Choose a data set and one of its splits, to begin with one that leaks."""
    name = controls.choose("Data set", available(), key="dataset", default="simulated-AWA2")
    dataset = cache.dataset(name)
    split = controls.choose("Split", list(dataset.splits), key="split", default="SS")
    return dataset, dataset.split(split)


def choose_vocabularies() -> list[str]:
    """Choose what the feature extractor was trained on, from lists that are known."""
    return st.multiselect(
        "Extractor trained on",
        VOCABULARY_NAMES,
        ["imagenet-1k"],
        key="leakage_vocabularies",
        bind="query-params",
        help="The classes that the feature extractor had met before; test classes among them are "
        "not unseen to it.",
    )


def choose_provenance(*, measurable: bool):
    """Take in what the author says, a list of classes, and whether the effect is to be measured."""
    with st.popover("What else is known", icon=":material/fact_check:"):
        chosen = {
            what: controls.choose(label, CHOSEN_ON, key=f"leakage_{what}")
            for what, label in (
                ("hyperparameters", "Hyper-parameters were chosen on"),
                ("epochs", "Epochs were chosen on"),
                ("gamma", "Gamma was chosen on"),
            )
        }
        chosen["prototypes"] = controls.choose(
            "Prototypes were made from",
            ["unknown", "independent", "test images"],
            key="leakage_prototypes",
        )
        own = st.file_uploader(
            "Pre-training classes of your own, one a line", type=["txt"], key="leakage_list"
        )
        measure = measurable and st.toggle(
            f"Measure the effect with {', '.join(MEASURED)}",
            key="leakage_measure",
            bind="query-params",
            help="Runs on this split that the app has kept count in any case.",
        )
    return Provenance(**chosen), own, measure


def uploaded() -> tuple[str, AuditContext]:
    """Take in a split file; what is refused leaves the page as it was."""
    files = st.file_uploader(
        "Split file (att_splits.mat, .npz, .json), perhaps with labels and features (res101.mat)",
        type=list(uploads.SPLIT_ENDINGS),
        accept_multiple_files=True,
        key="leakage_files",
    )
    if not files:
        st.info(
            "Drop a split file: it is read by a separate process, nothing in it is run, and "
            "nothing is kept. Without labels what classes and features would tell stays open.",
            icon=":material/upload_file:",
        )
        st.stop()
    key = " ".join(file.file_id for file in files)
    return key, cache.split_to_review(key, lambda: uploads.context_of_files(files))


def kept_runs(dataset: ZSLDataset, split: str) -> list[RunResult]:
    """Return what the run store has of a split, and say what it has that cannot be read."""
    store = RunStore()
    if unreadable := store.unreadable():
        st.caption(f":material/info: {unreadable}")
    return store.runs_on(dataset, split)


def brought(own) -> tuple[Vocabulary, ...]:
    """Read the visitor's own list of classes, if there is one that can be read."""
    try:
        return () if own is None else (uploads.vocabulary_of_file(own),)
    except ZSLError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return ()


# --- The page -------------------------------------------------------------------------------------

with errors_as_sentences():
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sources = ["a data set", "a file of my own"]
        source = controls.choose("Review", sources, key="leakage_source", width=180)
        dataset, runs, accuracies = None, (), {}
        if source == "a data set":
            dataset, split = choose_dataset_and_split()
            header.mark(dataset)
        names = choose_vocabularies()
        provenance, own, measure = choose_provenance(measurable=dataset is not None)
    if dataset is None:
        key, as_it_came = uploaded()
    else:
        key = cache.split_key(dataset, split)
        as_it_came = cache.split_to_review(key, lambda: AuditContext.of_dataset(dataset, split))
        runs = kept_runs(dataset, split.name)
    if measure:
        accuracies = {
            method: cache.class_accuracy(RunSpec.among_unseen(dataset, split.name, method))
            for method in MEASURED
        }
    context = replace(
        as_it_came,
        vocabularies=(*map(get_vocabulary, names), *brought(own)),
        decisions=decisions.decisions_on(as_it_came.name),
        provenance=provenance,
        accuracies=accuracies,
        runs=runs,
    )
    lists = (*names, *([own.file_id] if own else []))
    of_runs = [(run.spec.key, run.created) for run in runs]
    said = repr([lists, context.decisions, provenance, sorted(accuracies), of_runs])
    report = cache.report(key, said, as_it_came, context)

review = Review(key, as_it_came, context, report, lists, dataset)
show_verdict(review)
findings, decided, corrected, cost, quiz = st.tabs(
    ["Findings", "Confirm or reject", "Corrected split", "What leaks cost", "Quiz"],
    key="leakage_tab",
    bind="query-params",
)
for tab, show in (
    (findings, lambda: show_findings(review)),
    (decided, lambda: show_decisions(review)),
    (corrected, lambda: show_corrected(review)),
    (cost, lambda: show_cost(dataset, review.report.split)),
    (quiz, show_quiz),
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
