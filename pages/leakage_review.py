"""Can I trust this split?"""

from dataclasses import dataclass, replace
from typing import BinaryIO

import streamlit as st

from ui import cache, controls, decisions, terms, uploads
from ui.frame import errors_as_sentences, open_page
from ui.reading import read_or_cancel
from ui.sections.against import show_against
from ui.sections.audit import Review, show_findings, show_verdict
from ui.sections.correction import show_corrected, show_decisions
from ui.sections.leak_cost import show_cost
from ui.sections.limits import choose_limits
from ui.sections.quiz import show_quiz
from ui.text import on_screen
from ui.visitors import available
from zslcore.datasets import Split, ZSLDataset
from zslcore.datasets.trained_on import pretraining_of
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.store import RunStore
from zslcore.exceptions import ZSLError
from zslcore.leakage import VOCABULARY_NAMES, AuditContext, Provenance, Vocabulary, get_vocabulary
from zslcore.leakage.loading import context_of_dataset

CHOSEN_ON = ["unknown", "validation", "given", "test", "none"]
#: Fitted on request to measure what overlapping classes gain.
MEASURED = ("LinearS2V", "LinearV2S", "ESZSL")

header = open_page("Leakage review", "Can I trust this split?", icon=":material/policy:")


# --- What is chosen -------------------------------------------------------------------------------


def choose_dataset_and_split():
    """Choose a data set and one of its splits, to begin with one that leaks.

    With another data set, what its extractor was trained on is what that data set declares.
    """
    name = controls.choose(
        "Data set",
        available(),
        key="dataset",
        default="simulated-AWA2",
        on_change=lambda: st.session_state.pop("leakage_vocabularies", None),
    )
    dataset = cache.dataset(name)
    split = controls.choose("Split", list(dataset.splits), key="split", default="SS")
    return dataset, dataset.split(split)


def choose_vocabularies(dataset: ZSLDataset | None) -> list[str]:
    """Choose what the feature extractor was trained on, from lists that are known.

    Where the data set does not declare it, ImageNet-1K is the field's usual answer.
    """
    declared = pretraining_of(dataset) if dataset is not None else ()
    return st.multiselect(
        "Extractor trained on",
        VOCABULARY_NAMES,
        list(declared) or ["imagenet-1k"],
        key="leakage_vocabularies",
        bind="query-params",
        help="The classes that the feature extractor was trained on. Test classes among them are "
        "not unseen to it.",
    )


@dataclass(frozen=True)
class Said:
    """What the visitor says about a split; ``groups`` and ``own`` are uploaded files."""

    provenance: Provenance
    own: BinaryIO | None
    groups: BinaryIO | None
    pattern: str
    measure: bool


def choose_provenance(*, measurable: bool) -> Said:
    """Take in what the author says, lists, and whether the effect is to be measured."""
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
        groups = st.file_uploader(
            "Which rows come from one photograph or video (names, one a line, or a CSV)",
            type=list(uploads.GROUP_ENDINGS),
            key="leakage_groups",
        )
        pattern = st.text_input(
            "Pattern whose first group is the photograph in a file's name",
            key="leakage_pattern",
            bind="query-params",
            placeholder="(.*)_aug[0-9]+",
            help="A regular expression, for frames of a video or changed copies of a picture.",
        )
        measure = measurable and st.toggle(
            f"Measure the effect with {', '.join(MEASURED)}",
            key="leakage_measure",
            bind="query-params",
            help="Runs on this split that the app has kept count in any case.",
        )
    return Said(Provenance(**chosen), own, groups, pattern, measure)


def uploaded(said: Said) -> tuple[str, AuditContext]:
    """Take in a split file; what is refused leaves the page as it was."""
    files = st.file_uploader(
        "Split file (att_splits.mat, .npz, .json), perhaps with labels and features (res101.mat)",
        type=list(uploads.SPLIT_ENDINGS),
        accept_multiple_files=True,
        key="leakage_files",
    )
    if not files:
        st.info(
            "Upload a split file. A separate process reads it, runs nothing in it, and keeps "
            "nothing. "
            "Checks of classes and of features need a second file with labels and features.",
            icon=":material/upload_file:",
        )
        st.stop()
    key = " ".join(file.file_id for file in files) + grouped_key(said)

    def read() -> AuditContext:
        return uploads.context_of_files(files, said.groups, said.pattern)

    return key, cache.split_to_review(key, lambda: read_or_cancel(key, read))


def of_dataset(dataset: ZSLDataset, split: Split, said: Said) -> tuple[str, AuditContext]:
    """Return a split of a data set, with what is known of its rows."""

    def read() -> AuditContext:
        found = uploads.photographs_of_dataset(dataset, said.groups, said.pattern)
        return context_of_dataset(dataset, split, found)

    key = cache.split_key(dataset, split) + grouped_key(said)
    return key, cache.split_to_review(key, read)


def grouped_key(said: Said) -> str:
    """Name what tells photographs, where the visitor says it."""
    if said.groups is None and not said.pattern:
        return ""
    return f" {said.groups.file_id if said.groups else ''} {said.pattern}"


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
        st.error(on_screen(str(error)), icon=":material/block:")
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
        names = choose_vocabularies(dataset)
        said = choose_provenance(measurable=dataset is not None)
        thresholds, fail_on = choose_limits()
    if dataset is None:
        key, as_it_came = uploaded(said)
    else:
        key, as_it_came = of_dataset(dataset, split, said)
        runs = kept_runs(dataset, split.name)
    if said.measure:
        accuracies = {
            method: cache.class_accuracy(RunSpec.among_unseen(dataset, split.name, method))
            for method in MEASURED
        }
    context = replace(
        as_it_came,
        vocabularies=(*map(get_vocabulary, names), *brought(said.own)),
        decisions=decisions.decisions_on(as_it_came.name),
        thresholds=thresholds,
        provenance=said.provenance,
        accuracies=accuracies,
        runs=runs,
    )
    lists = (*names, *([said.own.file_id] if said.own else []))
    of_runs = [(run.spec.key, run.created) for run in runs]
    told = [lists, context.decisions, thresholds, said.provenance, sorted(accuracies), of_runs]
    report = cache.report(key, repr(told), as_it_came, context)

review = Review(key, repr(told), as_it_came, context, report, lists, dataset, fail_on)
verdict = st.container()
findings, decided, corrected, against, cost, quiz = terms.tabs(
    [
        "Findings",
        "Confirm or reject",
        "Corrected split",
        "Against another split",
        "What leaks cost",
        "Quiz",
    ],
    key="leakage_tab",
    bind="query-params",
)
if not quiz.open:  # which asks about splits of its own
    with verdict:
        show_verdict(review)
for tab, show in (
    (findings, lambda: show_findings(review)),
    (decided, lambda: show_decisions(review)),
    (corrected, lambda: show_corrected(review)),
    (against, lambda: show_against(review)),
    (cost, lambda: show_cost(dataset, review.report.split)),
    (quiz, show_quiz),
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
