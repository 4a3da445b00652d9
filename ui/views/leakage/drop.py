"""Is it clean? A card for a split, scores, predictions or a result, and below it every finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import streamlit as st

from ui import (
    cache,
    controls,
    data_menu,
    decisions,
    memory,
    scores,
    site_map,
    terms,
    uploads,
    visitors,
)
from ui.components import window
from ui.dropzone import Sorted, put_and_sort
from ui.frame import Header, errors_as_sentences
from ui.reading import read_or_cancel
from ui.scores import Sent
from ui.sections.against import show_against
from ui.sections.audit import Review, show_findings
from ui.sections.card import show_card
from ui.sections.correction import show_corrected, show_decisions
from ui.sections.declaring import MEASURED, Declared, declare
from ui.text import on_screen
from zslcore.board.card import card_of_result
from zslcore.datasets import ZSLDataset
from zslcore.datasets.imports import pretraining_of
from zslcore.datasets.sandbox.client import Limits, read_lines
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import FileRefusedError, ZSLError
from zslcore.leakage import VOCABULARY_NAMES, AuditContext, Vocabulary, get_vocabulary
from zslcore.leakage.cards import card_of_classes, card_of_split
from zslcore.leakage.cards.card import USUAL, read_card
from zslcore.leakage.cards.kinds import ENDINGS, MAX_LIST
from zslcore.leakage.loading import context_of_dataset, context_of_split
from zslcore.results.store import ResultStore
from zslcore.scores.apart import COPIES, memory_for
from zslcore.scores.card import card_of_predictions, card_of_scores
from zslcore.scores.joined import Judged, Printed, joined_cards, read_printed
from zslcore.storage import artifacts
from zslcore.storage.files import FACTS

#: The card of a real file that is in circulation, made by ``zslcore check``.
EXAMPLE = FACTS / "measured" / "example_card.json"
HELP = (
    "A split (att_splits.mat, .npz, .json), alone or with its labels or features; a score matrix "
    "(.npz, .csv) with its labels; both together for H without leaked rows; predictions "
    "(.parquet); the JSON of a run or of the board; a list of classes (.txt). Each file is read in "
    "a separate process that runs nothing in it."
)
#: Pixels of height of an upload without files.
_UPLOAD = 100
ON_FILE, ON_DATASET = "files", "a data set"
DECLARED = f"as declared (else {USUAL} is assumed)"


def show(header: Header) -> None:
    """Take files or a data set, and answer with a card; without files show an example."""
    chosen = controls.choose("Check", [ON_FILE, ON_DATASET], key="leakage_source", width=180)
    if chosen == ON_DATASET:
        with errors_as_sentences():
            _check_dataset(header)
        return
    # An upload begins in a higher form than its own: without files its height is certain.
    certain = not (st.session_state.get("drop_files") or window.is_narrow())
    with st.container(height=_UPLOAD if certain else "content", border=False):
        files = st.file_uploader(
            "Drop a split, scores or both, predictions or a result here",
            list(ENDINGS),
            accept_multiple_files=True,
            key="drop_files",
            help=HELP,
        )
    place = st.empty()  # where a card of before never stands while files are read
    if files:
        place.caption("Checking the files …")
        with errors_as_sentences():
            _check_files(files)
        place.empty()
        return
    with place.container():
        st.caption(
            "Example: a split of AWA2 that is still in circulation. Drop a file to replace it."
        )
        show_card(read_card(EXAMPLE.read_bytes(), EXAMPLE.name))


# --- A data set of the app ------------------------------------------------------------------------


def _check_dataset(header: Header) -> None:
    """Choose a split, to begin with one that leaks, and what is known of it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = data_menu.choose_name(
            "Data set",
            data_menu.offered(results_only=False),
            default=data_menu.first_real("simulated-AWA2"),
        )
        dataset = cache.dataset(name)
        header.mark(dataset)
        chosen = controls.choose("Split", list(dataset.splits), key="split", default="SS")
        split = dataset.split(chosen)
        given = _choose_pretraining()
        said = declare(measurable=True)

    def read() -> AuditContext:
        found = uploads.photographs_of_dataset(dataset, said.groups, said.pattern)
        return context_of_dataset(dataset, split, found)

    key = cache.split_key(dataset, split) + said.key
    as_it_came = cache.split_to_review(key, read)
    given = given or [get_vocabulary(each) for each in pretraining_of(dataset)]
    measured = _measured(dataset, split.name, measure=said.measure)
    files = [(dataset.name, dataset.digest)]
    judged, review = _judged_split(key, as_it_came, files, given, said, dataset, measured)
    show_card(judged.card, findings_below=True)
    _show_below(review)


def _measured(dataset: ZSLDataset, split: str, *, measure: bool) -> dict[str, Any]:
    """Return runs on the split and, where it is to be measured, the accuracy of its classes."""
    accuracies = {
        method: cache.class_accuracy(RunSpec.among_unseen(dataset, split, method))
        for method in MEASURED
        if measure
    }
    return {"runs": _runs_on(dataset, split), "accuracies": accuracies}


def _runs_on(dataset: ZSLDataset, split: str) -> list[RunResult]:
    """Return what the run store has of a split, and say what it has that cannot be read."""
    store = ResultStore()
    if unreadable := store.unreadable():
        st.caption(f":material/info: {unreadable}")
    return store.runs_on(dataset, split)


def _judged_split(
    key: str,
    as_it_came: AuditContext,
    files: Sequence[tuple[str, str]],
    given: Sequence[Vocabulary],
    said: Declared,
    dataset: ZSLDataset | None = None,
    measured: dict[str, Any] | None = None,
) -> tuple[Judged, Review]:
    """Audit a split with all that is said of it; return its card and what stands below."""
    own = _own_list(said.own)
    lists = (*given, *own) or (get_vocabulary(USUAL),)
    context = replace(
        as_it_came,
        vocabularies=lists,
        decisions=decisions.decisions_on(as_it_came.name),
        provenance=said.provenance,
        **(measured or {}),
    )
    names = (*(v.name for v in lists), *([said.own.file_id] if said.own else []))
    of_runs = [(run.spec.key, run.created) for run in context.runs]
    known = context.decisions, context.provenance
    identity = repr([list(names), *known, sorted(context.accuracies), of_runs])
    report = cache.report(key, identity, as_it_came, context)
    card = card_of_split(context, report, files, assumed=not (given or own))
    review = Review(key, identity, as_it_came, context, report, names, dataset)
    return Judged(card, context=context, audited=report), review


def _own_list(own: BinaryIO | None) -> tuple[Vocabulary, ...]:
    """Read the visitor's own list of classes, if there is one that can be read."""
    try:
        return () if own is None else (uploads.vocabulary_of_file(own),)
    except ZSLError as error:
        st.error(on_screen(str(error)), icon=":material/block:")
        return ()


def _show_below(review: Review) -> None:
    """Show every finding of a split, what a person decides, and the corrected file."""
    tabs: dict[str, Callable[[], None]] = {
        "Findings": lambda: show_findings(review),
        "Confirm or reject": lambda: show_decisions(review),
        "Corrected file": lambda: show_corrected(review),
        "Diff": lambda: show_against(review),
    }
    drawn = terms.tabs(list(tabs), key="leakage_tab", bind="query-params")
    for tab, show_tab in zip(drawn, tabs.values(), strict=True):
        if tab.open:
            with tab, errors_as_sentences():
                show_tab()


# --- Files ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Answered:
    """What came of files: a card, None while a question of theirs is open; scores, a split."""

    of: Judged | None
    brought: scores.Brought | None = None
    review: Review | None = None


def _check_files(files: Sequence[BinaryIO]) -> None:
    """Recognise the files, ask what belongs to them, and show a card of each and one of both."""
    with artifacts.scratch() as folder:
        found = put_and_sort(files, folder)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            given, printed = _choose_pretraining(), _ask_printed(found)
            said = declare(measurable=False)
        judged = [_judged(each, given, said) for each in found]
    scores.keep([each.brought for each in judged if each.brought is not None])
    cards = joined_cards([each.of for each in judged if each.of is not None], printed)
    reviews = [each.review for each in judged if each.review is not None]
    for k, card in enumerate(cards):
        below = len(reviews) == 1 and card.kind.startswith("split") and len(cards) == 1
        show_card(card, key=str(k), findings_below=below)
    for each, answered in zip(found, judged, strict=True):
        if answered.of is not None:
            _link(each)
    if len(reviews) == 1:
        _show_below(reviews[0])
    elif reviews:
        st.caption("Findings, corrected file and diff are shown of one split at a time.")


def _ask_printed(found: Sequence[Sorted]) -> tuple[Printed, ...]:
    """Ask what a paper prints of scores, where there are any."""
    if not any(each.main.kind in ("scores", "predictions") for each in found):
        return ()
    text = st.text_input(
        "Printed in the paper, percent",
        key="drop_printed",
        placeholder="H 49.8, u 45.1",
        max_chars=200,
        width=360,
        help="ZSL, u, s, H or AUSUC as the paper prints them: are they found again?",
    )
    return read_printed(text or "")


def _choose_pretraining() -> list[Vocabulary]:
    """Choose what the feature extractor was trained on; nothing where it is not declared."""
    chosen = st.selectbox(
        "Extractor trained on",
        [DECLARED, *VOCABULARY_NAMES],
        key="drop_pretraining",
        bind="query-params",
        width=360,
        help="Test classes among the classes of the pre-training set are not unseen.",
    )
    return [] if chosen in (None, DECLARED) else [get_vocabulary(chosen)]


def _judged(found: Sorted, given: list[Vocabulary], said: Declared) -> _Answered:
    """Return what the file is found to be."""
    assumed, vocabularies = not given, given or [get_vocabulary(USUAL)]
    match found.main.kind:
        case "split":
            key = found.key + said.key
            read = partial(read_or_cancel, key, partial(_read_split, found, said))
            as_it_came = cache.split_to_review(key, read)
            judged, review = _judged_split(key, as_it_came, found.named, given, said)
            return _Answered(judged, review=review)
        case "scores":
            sent = Sent(found.file, found.others[0] if found.others else None)
            brought = scores.brought(sent)
            if brought is None:
                return _Answered(None)
            card = card_of_scores(brought.report, found.named, vocabularies, assumed=assumed)
            return _Answered(Judged(card, report=brought.report), brought)
        case "predictions":
            return _of_predictions(found, given)
        case "classes":
            names = read_lines(found.main.path, max_bytes=MAX_LIST)
            card = card_of_classes(names, found.named, vocabularies, assumed=assumed)
            return _Answered(Judged(card))
        case "run" | "entry":
            names = tuple(vocabulary.name for vocabulary in given)
            card = card_of_result(found.main.path, found.named, names, load=scores.permitted)
            return _Answered(Judged(card))
    raise FileRefusedError(f"{found.main.name}: expected a file to be checked; got none.")


def _read_split(found: Sorted, said: Declared) -> AuditContext:
    if said.groups is not None or said.pattern:
        return uploads.context_of_files((found.file, *found.others), said.groups, said.pattern)
    images = found.companions[0].path if found.companions else None
    return uploads.kept_with_folder(
        lambda folder: context_of_split(found.main.path, images, folder)
    )


def _of_predictions(found: Sorted, given: list[Vocabulary]) -> _Answered:
    path: Path = found.main.path
    with memory.BUDGET.lent(visitors.session(), memory_for([path]), found.main.name) as lent:
        limits = Limits(most=lent // COPIES, whose=scores.whose_memory())
        card = card_of_predictions(path, found.named, given, limits=limits, load=scores.permitted)
    if card.verdict == "Contradicted":
        return _Answered(Judged(card))
    brought = scores.brought(Sent(found.file))
    return _Answered(Judged(card, report=brought.report if brought else None), brought)


def _link(found: Sorted) -> None:
    """Lead to the view that looks closer, which has the files already."""
    if found.main.kind in ("scores", "predictions"):
        site_map.link("scores", "All metrics of these scores", icon=":material/grid_on:")
    elif found.main.kind == "entry":
        site_map.link(
            "table",
            "Others' results",
            icon=":material/leaderboard:",
            query={"table_whose": "others'"},
        )
