"""The caches of the app that Streamlit manages, which are all in this module.

Keys are names, numbers and specs, never arrays: Streamlit hashes an array of 500,000 values or more
by sampling it, so two different feature matrices could share a cache entry. Large objects are
cached as resources, one read-only object for all visitors. A spec contains the digest of its data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from ui.intake.memory import BUDGET
from zslcore import datasets, leakage
from zslcore.analysis import dataset_summary
from zslcore.analysis.maps import map as map_
from zslcore.analysis.maps import quality
from zslcore.analysis.maps.map import EmbeddedMap, add_quality, place_all_rows, sketch
from zslcore.analysis.method_table import MethodResult, MethodTable, cells_of_runs
from zslcore.analysis.papers import claims
from zslcore.analysis.papers.claims.evidence import (
    Body,
    ClaimEvidence,
    evidence_of,
    printed_evidence,
)
from zslcore.analysis.papers.claims.judging import Judgment
from zslcore.analysis.stored_runs import oracle_keys
from zslcore.analysis.study import Study
from zslcore.board.checking import Board, packaged_board
from zslcore.board.table import cells_of_board
from zslcore.datasets import Split, ZSLDataset, imports
from zslcore.datasets.facts import benchmark_of
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.runs import RunResult, run
from zslcore.evaluation.specs import RunSpec
from zslcore.leakage import AuditContext, CorrectedSplit, Report, Vocabulary, counts, quiz
from zslcore.leakage.correction import Policy
from zslcore.leakage.split_card import card_of_split
from zslcore.progress import silent
from zslcore.results.shipped import is_precomputed_only, load_results_only
from zslcore.results.store import ResultStore, StoredRun
from zslcore.scores.paired import Gammas, Pair

_BY_SPEC: dict[str | type[Any], Callable[[Any], Any]] = {RunSpec: RunSpec.to_json}


def dataset(name: str) -> ZSLDataset:
    """Return the data set called ``name``; open it again if it was replaced."""
    if is_precomputed_only(name):
        return load_results_only(name)
    return _dataset(name, imports.version_token(name))


@st.cache_resource(show_spinner="Opening the data set …", max_entries=8)
def _dataset(name: str, stamp: str) -> ZSLDataset:
    return datasets.load(name)


@st.cache_data(show_spinner=False, max_entries=256)
def facts_of_import(name: str, stamp: str) -> tuple[tuple[str, ...], str | None, int, bool]:
    """Return an import's classes, benchmark, number of features, and whether it is simulated."""
    data = dataset(name)
    return data.class_names, benchmark_of(data), data.features.shape[1], data.simulated


def _end_visit(session: str) -> None:
    """Delete the imports of a visit that has ended, and free its memory."""
    BUDGET.hold(session, 0)
    for name in imports.names():
        if name.endswith(f".v-{session}"):
            imports.remove(name)


@st.cache_resource(show_spinner=False, scope="session", on_release=_end_visit)
def visit(session: str) -> str:
    """Register a visit; its private imports are deleted when it ends."""
    return session


def names_of_classes(name: str) -> tuple[str, ...]:
    """Return the class names of the data set called ``name``, without keeping it open."""
    return _class_names(name, imports.version_token(name))


@st.cache_data(show_spinner=False, max_entries=256, ttl="1h")
def _class_names(name: str, stamp: str) -> tuple[str, ...]:
    if is_precomputed_only(name):
        return load_results_only(name).class_names
    return datasets.class_names(name)


@st.cache_resource(show_spinner=False, max_entries=32, hash_funcs=_BY_SPEC)
def quick_run(spec: RunSpec) -> tuple[RunResult, ScoredTest, str]:
    """Run ``spec`` in this process; pages call :func:`ui.state.waiting.run_of` for long runs.

    The third value is the reason why the result is not stored; empty for a stored result.
    """
    store = ResultStore()
    finished_run = run(spec, dataset(spec.dataset), store=store)
    return finished_run.result, finished_run.scores, store.not_stored_because


@st.cache_resource(show_spinner=False)
def quick_keys() -> set[str]:
    """Return the keys of the quick runs computed by this process, as a set that callers extend."""
    return set()


def all_runs() -> tuple[Sequence[StoredRun], Collection[str], str]:
    """Return all stored runs, the keys of oracle runs, and a note on unreadable results."""
    return _all_runs(_store_state())


def _store_state() -> str:
    """Return path, time and size of the run store, a cache key that changes with the store."""
    path = ResultStore().path
    state = path.stat() if path.exists() else None
    return f"{path} {state and (state.st_mtime_ns, state.st_size)}"


@st.cache_resource(show_spinner="Checking results …")
def board() -> Board:
    """Return the packaged board with every file checked; results of earlier checks are reused."""
    return packaged_board()


@st.cache_resource(show_spinner=False, max_entries=2)
def _all_runs(stamp: str) -> tuple[Sequence[StoredRun], Collection[str], str]:
    store = ResultStore()
    runs = store.stored()
    return runs, oracle_keys(runs), store.unreadable(runs)


def claim_evidence() -> Mapping[Body, ClaimEvidence]:
    """Return the evidence for claims: printed tables, our runs on real and simulated data."""
    return {"printed": printed_evidence(), **_evidence(_store_state())}


def judged_on(body: Body) -> Mapping[str, Judgment]:
    """Return the judgment of each claim on one body of evidence."""
    return _judged(body, "" if body == "printed" else _store_state())


@st.cache_resource(show_spinner=False, max_entries=2)
def _evidence(stamp: str) -> Mapping[Body, ClaimEvidence]:
    return evidence_of(run.result for run in all_runs()[0])


@st.cache_resource(show_spinner="Judging claims …", max_entries=6)
def _judged(body: Body, stamp: str) -> Mapping[str, Judgment]:
    if body == "printed":
        return claims.judge_on_printed_tables()
    by_claim = claims.judge_all(evidence={body: _evidence(stamp)[body]})
    return {id_: judgments[body] for id_, judgments in by_claim.items()}


def method_cells() -> Sequence[MethodResult]:
    """Return the stored results and the results of the board as cells of the table of methods."""
    return _method_cells(_results_state())


def method_table(*choices: Any) -> MethodTable:
    """Return the table of methods; ``choices`` are the fields of MethodTable after its cells."""
    return _method_table(_results_state(), choices)


def _results_state() -> str:
    """Return the digest of the board, and the id and data set of all runs, as a cache key."""
    runs = (f"{run.id} {run.result.spec.dataset}" for run in all_runs()[0])
    return " ".join([board().digest, *runs])


@st.cache_resource(show_spinner="Reading results …", max_entries=2)
def _method_cells(stamp: str) -> Sequence[MethodResult]:
    return [*cells_of_runs(all_runs()[0]), *cells_of_board(board().results)]


@st.cache_resource(show_spinner=False, max_entries=32)
def _method_table(stamp: str, choices: tuple[Any, ...]) -> MethodTable:
    return MethodTable(method_cells(), *choices)


@st.cache_resource(show_spinner="Opening the result …", max_entries=32)
def finished(key: str, _study: Study[Any], _folder: Path) -> Any:
    """Return the result of a study from its folder."""
    return _study.read(_folder)


@st.cache_resource(show_spinner="Averaging …", max_entries=8)
def mean_features(name: str, digest: str) -> np.ndarray:
    """Return the mean features of each class of the data set called ``name``."""
    return dataset_summary.class_means(dataset(name))


@st.cache_resource(show_spinner=False, max_entries=256, hash_funcs=_BY_SPEC)
def class_accuracy(spec: RunSpec) -> Mapping[int, float]:
    """Return the accuracy of each unseen class among unseen classes; compute no oracle."""
    finished_run = run(spec, dataset(spec.dataset), with_oracle=False)
    return finished_run.result.evaluation.per_class_zsl


@st.cache_resource(show_spinner=False, max_entries=32)
def computed(key: str, _study: Study[Any]) -> Any:
    """Compute a quick study in this process."""
    return _study.compute(silent)


@st.cache_data(show_spinner=False, max_entries=64)
def score_differences(first: str, second: str, gammas: Gammas, _pair: Pair) -> pd.DataFrame:
    """Return the differences between two score files, cached by their digests."""
    return _pair.differences


# --- Maps -----------------------------------------------------------------------------------------


@st.cache_resource(show_spinner="Drawing a first map …", max_entries=8)
def first_picture(digests: tuple[str, ...], _datasets: Sequence[ZSLDataset]) -> EmbeddedMap:
    """Return a sample of the images on the first two axes of the sample's PCA."""
    return sketch(_datasets)


@st.cache_resource(show_spinner="Comparing the classes …", max_entries=8)
def first_map_with_quality(
    digests: tuple[str, ...], _datasets: Sequence[ZSLDataset]
) -> EmbeddedMap:
    """Return the first map with its quality and the mixing of its classes."""
    return add_quality(first_picture(digests, _datasets), _datasets)


@st.cache_resource(show_spinner="Placing all images …", max_entries=4)
def all_rows(digests: tuple[str, ...], _datasets: Sequence[ZSLDataset]) -> EmbeddedMap:
    """Return all images on the axes of the first map."""
    return place_all_rows(first_picture(digests, _datasets), _datasets)


@st.cache_resource(show_spinner="Looking for neighbours …", max_entries=256)
def image_neighbours(
    digests: tuple[str, ...], part: int, row: int, _datasets: Sequence[ZSLDataset]
) -> pd.DataFrame:
    """Return the nearest images of one image in the original space."""
    return map_.nearest_images(_datasets, part, row)


@st.cache_resource(show_spinner="Looking for neighbours …", max_entries=8)
def neighbours_kept(
    settings: str,
    digests: tuple[str, ...],
    _map: EmbeddedMap,
    _datasets: Sequence[ZSLDataset],
) -> np.ndarray:
    """Return the share of each image's neighbours that a map with these settings keeps."""
    Z = map_.pca_coordinates(_map, _datasets)
    return quality.preserved_neighbours(Z, _map.coordinates, threads=_map.settings.threads)


# --- Leakage --------------------------------------------------------------------------------------

#: Checks that use a visitor's declarations in addition to the split.
_DECLARED = ("ZSL006", "ZSL007", "ZSL008", "ZSL009")


Contents = TypeVar("Contents")


def split_key(data: ZSLDataset, split: Split) -> str:
    """Return the cache key of a split: digests of the data, and of class names and rows."""
    sha = hashlib.sha256(repr((data.class_names, split.name)).encode())
    for rows in (split.trainval, split.test_seen, split.test_unseen, split.seen_classes):
        sha.update(rows.tobytes() + b"/")
    for fold in split.folds:
        sha.update(fold.train.tobytes() + b"/" + fold.val.tobytes())
    return f"{data.name} {data.digest} {sha.hexdigest()[:16]}"


def read_in_visit(key: str, read: Callable[[], Contents]) -> Contents:
    """Return the contents of files or of a split, read once for each ``key``: ids or a digest.

    The contents and the copies of uploaded files are deleted at the end of the visit. ``read`` is
    called outside of Streamlit's cache, so that it may show its progress.
    """
    entry = _contents_list(key)
    if not entry:
        entry.append(read())
    return entry[0]


@st.cache_resource(show_spinner=False, max_entries=8, scope="session")
def _contents_list(key: str) -> list[Any]:
    """Return a list, empty at first, for the contents under ``key`` in this visit."""
    return []


@st.cache_resource(show_spinner="Looking for leaks …", max_entries=16)
def _report_on_rows(key: str, thresholds: str, _context: AuditContext) -> Report:
    """Audit a split without declarations: the slow part, independent of declarations."""
    return leakage.audit_context(_context)


@st.cache_resource(show_spinner=False, max_entries=64)
def report(key: str, declarations: str, _split: AuditContext, _context: AuditContext) -> Report:
    """Return the audit of a split; ``declarations`` is the cache key of the declarations."""
    split = replace(_split, thresholds=_context.thresholds)
    on_rows = _report_on_rows(key, repr(split.thresholds), split)
    return leakage.audit_again(on_rows, _context, _DECLARED)


@st.cache_resource(show_spinner=False, max_entries=64)
def card(
    key: str,
    declarations: str,
    files: tuple[tuple[str, str], ...],
    _context: AuditContext,
    _report: Report,
) -> Report:
    """Return the card of an audited split."""
    return card_of_split(_context, _report, files)


@st.cache_resource(show_spinner=False, max_entries=64)
def leaking(
    key: str, declarations: str, _context: AuditContext, _report: Report
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the row counts of a split by class and by part, with leaking rows separate."""
    return counts.leaks_by_class(_context, _report), counts.leaks_by_part(_context, _report)


@st.cache_resource(show_spinner="Correcting the split …", max_entries=16, scope="session")
def corrected(key: str, policy: Policy, thresholds: str, _context: AuditContext) -> CorrectedSplit:
    """Return the corrected split under ``key``, without leaking rows."""
    return leakage.correct_context(_context, policy)


@st.cache_resource(show_spinner="Comparing names …", max_entries=64)
def class_overlaps(
    key: str,
    vocabulary: str,
    decisions: str,
    _context: AuditContext,
    _vocabulary: Vocabulary,
    *,
    every_class: bool = False,
) -> pd.DataFrame:
    """Return the overlap table of the unseen or of all classes, with a person's ``decisions``."""
    classes = range(len(_context.class_names)) if every_class else None
    return counts.overlap_table(_context, _vocabulary, classes)


@st.cache_resource(show_spinner="Preparing a question …", max_entries=16)
def quiz_question(question: str) -> tuple[AuditContext, list[tuple[str, str]], quiz.Answer]:
    """Return a split of the digits with a planted fault, its clues and the audit's answer."""
    context = quiz.plant(question, dataset("digits"))
    return context, quiz.clues(context), quiz.answer_of(context)
