"""Is it clean? The verdict on a split, scores, predictions or a result, with every finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.intake import scores, uploads
from ui.intake.layouts import SCORES, SPLIT, show_layouts
from ui.intake.reading_progress import read_or_cancel
from ui.intake.scores import ScoreUpload
from ui.intake.uploads import UploadedGroup, recognise_uploads
from ui.sections.audit import (
    VERDICT_COLORS,
    Review,
    list_findings,
    show_findings,
    show_picture_and_metrics,
)
from ui.sections.declaration import MEASURED, Declared, choose_pretraining, declare
from ui.sections.split_tools import show_against, show_corrected, show_decisions
from ui.shell import site_map
from ui.shell.folds import fold, menu
from ui.shell.frame import Header, ViewAnswer, place_answer, show_tabs
from ui.shell.guard import fragment
from ui.shell.text import on_screen, plain
from ui.state import cache, controls, data_menu, decisions
from ui.takeaway import downloads
from ui.takeaway.downloads import download
from zslcore.board.card import card_of_result
from zslcore.datasets import ZSLDataset
from zslcore.datasets.imports import pretraining_of
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.leakage import AuditContext, Vocabulary, get_vocabulary
from zslcore.leakage.file_kinds import KIND_NAMES, class_list_of
from zslcore.leakage.loading import context_of
from zslcore.leakage.render import read_report, reports_html, to_json, to_paragraph
from zslcore.leakage.report import STATUS, Report, Verdict
from zslcore.leakage.split_card import NOT_TRAINED_ON, card_of_classes
from zslcore.leakage.vocabularies import USUAL
from zslcore.results.store import ResultStore
from zslcore.scores import sandboxed
from zslcore.scores.card import card_of_predictions, card_of_scores
from zslcore.scores.joined import JOINT, CheckedFile, CheckedScores, CheckedSplit, joint_cards
from zslcore.scores.predicted import PredictedScores
from zslcore.scores.printed import PrintedMetric, read_printed
from zslcore.storage import artifacts
from zslcore.storage.files import FACTS
from zslcore.texts import refusal_of

#: Card of a real split file in circulation, made by ``zslcore check``.
EXAMPLE = FACTS / "measured" / "example_card.json"
HELP = (
    "A split (att_splits.mat, .npz, .json), with or without its labels or features; a score matrix "
    "(.npz, .csv) with its labels; or a split and scores, for H without test images that were "
    "trained on; "
    "predictions (.parquet); the JSON of a run or of a board entry; a list of classes (.txt). Each "
    "file is read in a separate process that runs no code from it."
)
#: Description of the example.
IN_CIRCULATION = "Example: an AWA2 split file in circulation"
ON_DATASET = "a data set"
#: Frame while files are read. A single element replaces the previous card at once; in a container,
#: the elements of that card would stay until the page run ends.
CHECKING = '<div class="checking">Checking the files …</div>'


def show(header: Header) -> None:
    """Show the verdict on files or a data set; without files, show an example."""
    answer = place_answer()
    source = st.query_params.get("leakage_source")
    controls.write_address({"leakage_source": source})  # links within a page do not change it
    if source == ON_DATASET:
        _check_dataset(header, answer, [])
        return
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        upload = st.empty()
        site_map.link("drop", "Check a data set", leakage_source=ON_DATASET)
    sandboxed.preload_scores()
    files = upload.file_uploader(
        "Split, scores, predictions or results file",
        accept_multiple_files=True,
        key="drop_files",
        help=HELP,
    )
    slot = st.empty()
    if files:
        slot.html(CHECKING)
        try:
            _check_files(files, answer, row, slot)
        except ZSLError as error:
            advice = "Upload another file; the layouts and examples are below."
            answer.refuse(error, [file.name for file in files], advice)
            show_layouts(SPLIT, SCORES)
            icon = ":material/description:"
            fold(IN_CIRCULATION, _show_example, key="leakage_example", icon=icon)
        finally:
            slot.empty()
        return
    _say(answer, _example(), IN_CIRCULATION)
    with slot.container():
        _show_example()


def _example() -> Report:
    return read_report(EXAMPLE.read_bytes(), EXAMPLE.name)


def _show_example() -> None:
    show_card(_example())


# --- A data set of the app ------------------------------------------------------------------------


@fragment
def _check_dataset(header: Header, answer: ViewAnswer, described: list[str]) -> None:
    """Choose a split, declare how results were produced, and show the check in a fragment.

    ``described`` gets the name of the data set that the heading describes. If another data set is
    chosen, the whole page runs again, not only this fragment.
    """
    downloads.clear()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = data_menu.choose_name(
            "Data set",
            data_menu.offered(results_only=False),
            default=data_menu.first_import("simulated-AWA2"),
        )
        dataset = cache.dataset(name)
        if not described:
            header.mark(dataset)
            described.append(name)
        elif described != [name]:
            st.rerun()
        header.cite(dataset)
        names = list(dataset.splits)
        chosen = controls.choose_option("Split", names, key="split", default="SS")
        split = dataset.split(chosen)
        pretraining = choose_pretraining()
        declared = declare(measurable=True)
        site_map.link("drop", "Check files", leakage_source="files")

    def read() -> AuditContext:
        photographs = uploads.photographs_of_dataset(dataset, declared.groups, declared.pattern)
        return context_of(dataset, split=split, groups=photographs)

    pretraining = pretraining or [get_vocabulary(name) for name in pretraining_of(dataset)]
    measured = _measurements(dataset, split.name, measure=declared.measure)
    key, files = cache.split_key(dataset, split), [(dataset.name, dataset.digest)]
    review = _review(key, read, files, pretraining, declared, dataset, **measured)
    _say(answer, review.card)
    show_card(review.card, review=review)


def _measurements(dataset: ZSLDataset, split: str, *, measure: bool) -> dict[str, Any]:
    """Return the runs on the split and, with ``measure``, the accuracies of its classes."""
    store = ResultStore()
    if unreadable := store.unreadable():
        st.caption(plain(unreadable))
    accuracies = {
        method: cache.class_accuracy(RunSpec.among_unseen(dataset, split, method))
        for method in MEASURED
        if measure
    }
    return {"runs": store.runs_on(dataset, split), "accuracies": accuracies}


def _review(
    key: str,
    read: Callable[[], AuditContext],
    files: Sequence[tuple[str, str]],
    pretraining: Sequence[Vocabulary],
    declared: Declared,
    dataset: ZSLDataset | None = None,
    **measured: Any,
) -> Review:
    """Read a split and audit it; read it again only if the declared photographs change."""
    context = cache.read_in_visit(key := key + declared.key, read)
    return Review.of(
        key,
        context,
        files,
        [*pretraining, *_own_list(declared.class_list)],
        own=declared.class_list.file_id if declared.class_list else "",
        dataset=dataset,
        decisions=decisions.decisions_on(context.name),
        provenance=declared.provenance,
        **measured,
    )


def _own_list(upload: BinaryIO | None) -> tuple[Vocabulary, ...]:
    """Read the visitor's list of classes; show an error if it cannot be read."""
    try:
        return () if upload is None else (uploads.vocabulary_of_file(upload),)
    except ZSLError as error:
        st.error(on_screen(str(error)), icon=":material/block:")
        return ()


def _show_below(card: Report, key: str, review: Review | None) -> None:
    """Show findings and files and, for a split, decisions and a comparison.

    A joint card and a card without a split list all their findings; other cards show the review.
    """
    tabs: dict[str, Callable[[], None]] = {"Findings": partial(list_findings, card, f"drop{key}")}
    if review is not None:
        if card.kind != JOINT:
            tabs["Findings"] = partial(show_findings, review)
        tabs["Confirm or reject"] = partial(show_decisions, review)
        tabs["Diff"] = partial(show_against, review)
    tabs["Files read"] = partial(_show_files, card)
    if review is None:
        show_tabs(tabs, key=f"leakage_tabs{key}", in_address=False)
    else:
        show_tabs(tabs, key="leakage_tab")


# --- Files ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Checked:
    """Checked upload: card, scores and split; ``file`` is None while a question is open."""

    file: CheckedFile | None
    evaluated: scores.EvaluatedScores | None = None
    review: Review | None = None


def _check_files(
    files: Sequence[BinaryIO], answer: ViewAnswer, row: DeltaGenerator, wait: DeltaGenerator
) -> None:
    """Recognise the files, and show joint cards or, without any, one card per file.

    ``row`` has the controls; ``wait`` is emptied before the cards are drawn.
    """
    with artifacts.scratch() as folder:
        groups = recognise_uploads(files, folder)
        with row:
            pretraining, printed = choose_pretraining(), _ask_printed(groups)
            declared = declare(measurable=False)
        checked_groups = [_check_group(group, pretraining, declared) for group in groups]
    scores.keep([checked.evaluated for checked in checked_groups if checked.evaluated is not None])
    cards = joint_cards(
        [checked.file for checked in checked_groups if checked.file is not None], printed
    )
    cards = [card for card in cards if card.kind == JOINT] or cards
    reviews = [checked.review for checked in checked_groups if checked.review is not None]
    wait.empty()
    worst = min(cards, key=lambda card: list(STATUS).index(card.verdict), default=None)
    if worst is not None:
        _say(answer, worst)
    for k, card in enumerate(cards):
        review = reviews[0] if len(reviews) == len(cards) == 1 else None
        show_card(card, str(k), review=review, with_verdict=card is not worst)
    for group, checked in zip(groups, checked_groups, strict=True):
        if checked.file is not None and group.main.kind in ("scores", "predictions"):
            site_map.link("scores", "All metrics of these scores")
        elif checked.file is not None and group.main.kind == "entry":
            site_map.link("table", "Others' results", table_whose="from others")
    if len(reviews) > 1:
        st.caption("To confirm findings, correct a split or compare it, upload this split alone.")


def _ask_printed(groups: Sequence[UploadedGroup]) -> tuple[PrintedMetric, ...]:
    """Ask for printed metrics if the files include scores."""
    if not any(group.main.kind in ("scores", "predictions") for group in groups):
        return ()
    return read_printed(scores.ask_printed("drop_printed", width=200))


def _check_group(
    files: UploadedGroup, pretraining: list[Vocabulary], declared: Declared
) -> _Checked:
    """Check a recognised file."""
    assumed, vocabularies = not pretraining, pretraining or [get_vocabulary(USUAL)]
    match files.main.kind:
        case "split":
            key = files.key + declared.key
            split = partial(uploads.read_uploaded_split, files, declared.groups, declared.pattern)
            read = partial(read_or_cancel, key, split)
            review = _review(files.key, read, files.names_and_digests, pretraining, declared)
            return _Checked(CheckedSplit(review.card, review.context, review.report), review=review)
        case "scores":
            file, *labels = files.uploads
            upload = ScoreUpload(file, labels[0] if labels else None)
            evaluated = scores.evaluate_upload(upload)
            if evaluated is None:
                return _Checked(None)
            card = card_of_scores(
                evaluated.report, files.names_and_digests, vocabularies, assumed=assumed
            )
            return _Checked(CheckedScores(card, evaluated.report), evaluated)
        case "predictions":
            return _of_predictions(files, pretraining)
        case "classes":
            listed = class_list_of(files.main)
            card = card_of_classes(listed, files.names_and_digests, vocabularies, assumed=assumed)
            return _Checked(CheckedFile(card))
        case "run" | "entry":
            names = tuple(vocabulary.name for vocabulary in pretraining)
            card = card_of_result(
                files.main.path, files.names_and_digests, names, load=scores.open_permitted
            )
            return _Checked(CheckedFile(card))
    raise refusal_of(files.main.path, "a file to check", KIND_NAMES[files.main.kind])


def _of_predictions(files: UploadedGroup, pretraining: list[Vocabulary]) -> _Checked:
    upload = ScoreUpload(files.uploads[0])
    predicted = scores.judge_predictions(upload).matrix
    assert isinstance(predicted, PredictedScores)
    card = card_of_predictions(
        predicted, files.names_and_digests, pretraining, load=scores.open_permitted
    )
    if card.verdict == "broken":
        return _Checked(CheckedFile(card))
    evaluated = scores.evaluate_upload(upload)
    return _Checked(
        CheckedScores(card, evaluated.report) if evaluated else CheckedFile(card), evaluated
    )


# --- The card -------------------------------------------------------------------------------------


#: Verdict -> start of the answer to the title.
ANSWERS: dict[Verdict, str] = {
    "leaks": "No: it leaks.",
    "broken": "No: it is broken.",
    "unknown": "Unknown.",
    "clean": "Yes: it is clean.",
}
#: Most characters in the heading of a reason of one sentence, and of several sentences.
MOST_IN_ONE, MOST_IN_SEVERAL = 200, 130


def _say(answer: ViewAnswer, card: Report, source: str = "") -> None:
    """Show a card's verdict and reason as the page's answer; ``source`` describes the files.

    If the verdict is Unknown, the heading starts with the sentence on the test rows, if any.
    """
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", card.sentence)
    n = int(len(sentences[0]) <= MOST_IN_ONE)
    while 0 < n < len(sentences) and len(" ".join(sentences[: n + 1])) <= MOST_IN_SEVERAL:
        n += 1
    color, word, start = VERDICT_COLORS[card.verdict], ANSWERS[card.verdict], ""
    if card.verdict == "unknown" and sentences[0].startswith(NOT_TRAINED_ON):
        start, word = f"{plain(sentences.pop(0))} ", "Unknown:"
        n = max(n - 1, 1)
        opening = sentences[0].removeprefix("Not checked: ")
        sentences[0] = opening[0].lower() + opening[1:]
    reason, more = (plain(" ".join(part)) for part in (sentences[:n], sentences[n:]))
    evidence = f"{more} {_source_of(card, source)}".strip()
    answer.say(f"{start}:{color}[{word}] {reason}".strip(), evidence)


def _source_of(card: Report, source: str = "") -> str:
    kind = source or plain(card.kind[0].upper() + card.kind[1:])
    return f"{kind}: {plain(', '.join(name for name, _ in card.files))}"


def show_card(
    card: Report, key: str = "", *, review: Review | None = None, with_verdict: bool = False
) -> None:
    """Show a card, and offer its paragraph for a review, its report and the corrected file.

    Its findings and files are below. ``with_verdict`` adds the verdict; it is for cards other than
    the card with the verdict in the heading.
    """
    with st.container(border=True, key=f"leakage_card{key}"):
        if with_verdict:
            st.markdown(f"## :{VERDICT_COLORS[card.verdict]}[{card.word}]")
            st.markdown(f"**{plain(card.sentence)}**")
            st.caption(_source_of(card))
        show_picture_and_metrics(card, f"drop_picture{key}")
        _show_takeaway(card, key, review)
    _show_below(card, key, review)


def _show_takeaway(card: Report, key: str, review: Review | None) -> None:
    """Offer a paragraph for a review, the report as HTML and JSON, and the corrected file."""
    stem = card.files[0][0].rpartition(".")[0] or "report"
    with st.container(horizontal=True, gap="small"):
        menu(
            "Copy for a review",
            lambda: st.code(to_paragraph(card), language=None, wrap_lines=True, width=560),
            icon=":material/content_copy:",
            key=f"leakage_copy{key}",
            type="secondary",
        )
        page = partial(reports_html, card)
        download("HTML report", page, f"check_{stem}.html", f"drop_report{key}", type="secondary")
        download("JSON", partial(to_json, card), f"check_{stem}.json", f"drop_json{key}")
        if review is not None and review.has_rows_to_correct:
            corrected = partial(show_corrected, review)
            icon = ":material/build:"
            menu("Corrected file", corrected, icon=icon, key="leakage_fix", type="secondary")


def _show_files(card: Report) -> None:
    """Show the files of a card and how they were read."""
    st.table({plain(a): plain(b) for a, b in card.read_as.items()}, border="horizontal")
