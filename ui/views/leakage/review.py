"""Can I trust this split? An audit of a split of the app or of the visitor's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import streamlit as st

from ui import cache, controls, decisions, terms, uploads
from ui.dropped import carried_over, key_of
from ui.frame import Header, errors_as_sentences
from ui.reading import read_or_cancel
from ui.sections.against import show_against
from ui.sections.audit import Review, show_findings, show_verdict
from ui.sections.correction import show_corrected, show_decisions
from ui.sections.declaring import MEASURED, Declared, declare
from ui.sections.leak_cost import show_cost
from ui.sections.limits import choose_limits
from ui.sections.quiz import show_quiz
from ui.text import on_screen, plain
from ui.visitors import available
from zslcore.datasets import Split, ZSLDataset
from zslcore.datasets.trained_on import pretraining_of
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.leakage import VOCABULARY_NAMES, AuditContext, Vocabulary, get_vocabulary
from zslcore.leakage.loading import context_of_dataset
from zslcore.results.store import ResultStore

ON_DATASET, ON_FILE = "a data set", "a file of my own"


def show(header: Header) -> None:
    """Choose a split and what is known of it, and show the audit tab by tab."""
    with errors_as_sentences():
        review = _choose(header)
    verdict = st.container()
    tabs = {
        "Findings": lambda: show_findings(review),
        "Confirm or reject": lambda: show_decisions(review),
        "Corrected split": lambda: show_corrected(review),
        "Diff": lambda: show_against(review),
        "Impact on accuracy": lambda: show_cost(review.dataset, review.report.split),
        "Quiz": show_quiz,
    }
    drawn = terms.tabs(list(tabs), key="leakage_tab", bind="query-params")
    opened = dict(zip(tabs, drawn, strict=True))
    if not opened["Quiz"].open:  # which asks about splits of its own
        with verdict:
            show_verdict(review)
    for name, show_tab in tabs.items():
        if opened[name].open:
            with opened[name], errors_as_sentences():
                show_tab()


def _choose(header: Header) -> Review:
    """Choose a split, what is known of it and the limits, and audit it."""
    dataset: ZSLDataset | None = None
    split: Split | None = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = controls.choose("Review", [ON_DATASET, ON_FILE], key="leakage_source", width=180)
        if source == ON_DATASET:
            dataset, split = _choose_split()
            header.mark(dataset)
        names = _choose_vocabularies(dataset)
        declared = declare(measurable=dataset is not None)
        thresholds, fail_on = choose_limits()
    if dataset is None or split is None:
        key, as_it_came = _uploaded(declared)
    else:
        key, as_it_came = _of_dataset(dataset, split, declared)
    context = replace(
        as_it_came,
        vocabularies=(*map(get_vocabulary, names), *_own_vocabulary(declared.own)),
        decisions=decisions.decisions_on(as_it_came.name),
        thresholds=thresholds,
        provenance=declared.provenance,
        **_measured(dataset, split, measure=declared.measure),
    )
    lists = (*names, *([declared.own.file_id] if declared.own else []))
    said = _identity(context, lists)
    report = cache.report(key, said, as_it_came, context)
    return Review(key, said, as_it_came, context, report, lists, dataset, fail_on)


def _identity(context: AuditContext, lists: tuple[str, ...]) -> str:
    """Return all that is known of a split as it came, in words by which audits are cached."""
    of_runs = [(run.spec.key, run.created) for run in context.runs]
    declared = context.decisions, context.thresholds, context.provenance
    return repr([list(lists), *declared, sorted(context.accuracies), of_runs])


def _measured(dataset: ZSLDataset | None, split: Split | None, *, measure: bool) -> dict[str, Any]:
    """Return runs on the split and, where it is to be measured, the accuracy of its classes."""
    if dataset is None or split is None:
        return {"runs": (), "accuracies": {}}
    accuracies = {
        method: cache.class_accuracy(RunSpec.among_unseen(dataset, split.name, method))
        for method in MEASURED
        if measure
    }
    return {"runs": _runs_on(dataset, split.name), "accuracies": accuracies}


def _choose_split() -> tuple[ZSLDataset, Split]:
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


def _choose_vocabularies(dataset: ZSLDataset | None) -> list[str]:
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


def _uploaded(declared: Declared) -> tuple[str, AuditContext]:
    """Read a split file; what is refused leaves the page as it was."""
    files: Sequence[BinaryIO] = st.file_uploader(
        "Split file (att_splits.mat, .npz, .json), perhaps with labels and features (res101.mat)",
        type=list(uploads.SPLIT_ENDINGS),
        accept_multiple_files=True,
        key="leakage_files",
    )
    if not files and (files := carried_over()):
        names = " and ".join(plain(file.name) for file in files)
        st.caption(f"Under review: {names}, dropped earlier on this visit.")
    if not files:
        st.info(
            "Upload a split file. A separate process reads it and runs nothing in it. "
            "Checks of classes and of features need a second file with labels and features.",
            icon=":material/upload_file:",
        )
        st.stop()
    key = key_of(files) + declared.key

    def read() -> AuditContext:
        return uploads.context_of_files(files, declared.groups, declared.pattern)

    return key, cache.split_to_review(key, lambda: read_or_cancel(key, read))


def _of_dataset(dataset: ZSLDataset, split: Split, declared: Declared) -> tuple[str, AuditContext]:
    """Return a split of a data set, with what is known of its rows."""

    def read() -> AuditContext:
        found = uploads.photographs_of_dataset(dataset, declared.groups, declared.pattern)
        return context_of_dataset(dataset, split, found)

    key = cache.split_key(dataset, split) + declared.key
    return key, cache.split_to_review(key, read)


def _runs_on(dataset: ZSLDataset, split: str) -> list[RunResult]:
    """Return what the run store has of a split, and say what it has that cannot be read."""
    store = ResultStore()
    if unreadable := store.unreadable():
        st.caption(f":material/info: {unreadable}")
    return store.runs_on(dataset, split)


def _own_vocabulary(own: BinaryIO | None) -> tuple[Vocabulary, ...]:
    """Read the visitor's own list of classes, if there is one that can be read."""
    try:
        return () if own is None else (uploads.vocabulary_of_file(own),)
    except ZSLError as error:
        st.error(on_screen(str(error)), icon=":material/block:")
        return ()
