"""Your scores: all metrics of an uploaded score matrix under every protocol."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import BinaryIO, Literal

import pandas as pd
import streamlit as st

from ui.intake import scores
from ui.intake.layouts import SCORES, show_layouts
from ui.intake.scores import EvaluatedScores, ScoreUpload
from ui.sections.protocol_tables import (
    FileComparison,
    compare_files,
    show_files,
    show_pairs,
    show_protocols,
    show_values,
)
from ui.shell import site_map, terms
from ui.shell.folds import fold
from ui.shell.frame import Header, place_answer
from ui.shell.guard import fragment
from ui.shell.numbers import percent
from ui.shell.text import on_screen, plain
from ui.shell.visitors import available_datasets
from ui.state import cache, controls
from ui.takeaway import downloads, tables
from ui.takeaway.curves import draw_curves, released_value
from zslcore.evaluation.predicted_tests import origin_in_words
from zslcore.evaluation.verification import State
from zslcore.exceptions import ZSLError
from zslcore.interactive.seen_unseen import GHOSTS, InteractiveCurve, line_of
from zslcore.scores import FIXES, sandboxed
from zslcore.scores.explain import MAX_READINGS, explain
from zslcore.scores.judging import predictions_of_scores
from zslcore.scores.matrix import Scores, fits_test_set
from zslcore.scores.predicted import VERIFIED_REMARK, PredictedScores
from zslcore.scores.printed import read_printed
from zslcore.scores.protocols import WORDS, Words

EXAMPLES = ("LinearS2V", "ESZSL", "LinearV2S")
UNSEEN = "6, 8, 22, names or all"
#: Key of the menu for printed metrics.
CHECK_MENU = "scores_check"


def show(header: Header) -> None:
    """Show the metrics of the visitor's files, or of an example."""
    answer = place_answer()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        files, labels, unseen, validation, words = _take_files()
        with st.popover(
            "Check printed metrics",
            icon=":material/functions:",
            key=CHECK_MENU,
            on_change=_keep_menu,
        ):
            text = scores.ask_printed("scores_printed", width=260, on_change=_close_menu)
    if files:
        names = plain(", ".join(file.name for file in files))
        answer.say("Reading the scores …", names)
        try:
            pair = scores.pair_files(scores.uploads_of_models(files, labels, unseen))
            evaluated: list[EvaluatedScores | None] = [
                scores.evaluate_upload(each, validation) for each in pair or ()
            ]
        except ZSLError as error:
            advice = "Upload another file; the layout and an example are below."
            answer.refuse(error, [file.name for file in files], advice)
            show_layouts(SCORES)
            return
        scores.keep([each for each in evaluated if each is not None])
        if not evaluated:
            return
    elif not (evaluated := [*scores.kept_scores()]):
        evaluated = [*_examples(header)]
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("Your files from earlier in this visit.")
            st.button(
                "Remove them",
                type="tertiary",
                key="scores_forget",
                on_click=scores.remove_uploads,
            )
    complete = [each for each in evaluated if each is not None]
    if len(complete) == len(evaluated):
        has_uploads = bool(scores.kept_scores())
        comparison = None
        if has_uploads and len(complete) > 1:
            answer.say("Comparing the files …", "Resampling classes and images.")
            comparison = compare_files(complete)
            complete = [*comparison.files]
        first, *others = complete
        headline = _headline(first, words)
        evidence = _identity(first, words, is_example=not has_uploads)
        if comparison:
            headline = plain(words.translate(f"{comparison.conclusion}."))
            if details := comparison.details:
                evidence = plain(words.translate(f"{details[:1].upper()}{details[1:]}."))
        answer.say(headline, evidence)
        if isinstance(first.matrix, PredictedScores):
            state = first.matrix.state
            tip = VERIFIED_REMARK if state is State.VERIFIED else None
            badge, color = STATES[state]
            answer.mark.badge(badge, color=color, help=tip)
        _show_scores(first, others, words, text, comparison, has_uploads=has_uploads)


def _keep_menu() -> None:
    """Do nothing: with a callback, the state of the menu is on the server, which can close it."""


def _close_menu() -> None:
    """Close the menu for printed metrics, which would cover the answer."""
    st.session_state[CHECK_MENU] = False


def _headline(first: EvaluatedScores, words: Words) -> str:
    """Return the effect of the protocol on H, or the accuracy of scores without a curve."""
    tested, report = first.matrix.predicted_rows, first.report
    if not tested.has_curve:
        zsl = f"The mean accuracy per class is {percent(report.evaluation.zsl)}."
        return plain(words.translate(report.headline)) if tested.limits else zsl
    joint, separate = tested.curve.at(0.0).harmonic, report.metrics["separate_harmonic"]
    if separate is None:
        return f"H is {percent(joint)} at γ = 0."
    moved = abs(round(separate, 3) - round(joint, 3))  # the sentence shows both rounded numbers
    return (
        f"The protocol moves H by {100 * moved:.1f} points: {percent(separate)} in "
        f"separate label spaces, {percent(joint)} in the joint label space at γ = 0."
    )


def _take_files() -> tuple[
    Sequence[BinaryIO], BinaryIO | None, tuple[str, ...], ScoreUpload | None, Words
]:
    """Return files, labels, unseen classes, validation scores and the names of the two sides."""
    sandboxed.preload_scores()
    files = st.file_uploader(
        "Your model's scores",
        accept_multiple_files=True,
        key="scores_files",
        on_change=scores.withdraw,
        help="A score matrix (images × classes), the class of each image and the unseen classes, "
        "named scores, y and unseen_classes, or in one file each; or one predicted class per "
        "image, named y_true and y_pred. Each row is a test image. The test sets of AWA1, AWA2, "
        "CUB, SUN and aPY are recognised by their labels. Predictions files (.parquet) are "
        "verified.",
    )
    with st.popover("More", icon=":material/more_horiz:"):
        labels = st.file_uploader("Labels, one per line", key="scores_labels")
        unseen = _ask_unseen("Unseen classes", "scores_unseen")
        chosen_on = st.file_uploader("Validation scores, to choose γ", key="scores_val")
        validation = None
        if chosen_on is not None:
            validation = ScoreUpload(
                chosen_on,
                st.file_uploader("Their labels", key="scores_val_labels"),
                _ask_unseen("Their unseen classes", "scores_val_unseen"),
            )
        words = choose_words()
    return files, labels, unseen, validation, words


def _ask_unseen(label: str, key: str) -> tuple[str, ...]:
    """Ask which classes are unseen, by number or name."""
    text = st.text_input(label, key=key, placeholder=UNSEEN, help=terms.tip(label))
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _examples(header: Header) -> list[scores.EvaluatedScores]:
    digits = cache.dataset("digits")
    header.mark(digits)
    examples = [scores.example(digits, "PS", method) for method in EXAMPLES]
    scores.keep(())
    return examples


GAMMA, CURVE = "scores_gamma", "scores_curve"
#: State of predictions -> its badge and colour.
STATES: dict[State, tuple[str, Literal["green", "gray"]]] = {
    State.VERIFIED: ("rows, labels and γ verified", "green"),
    State.STATED: ("rows, labels and γ not verified", "gray"),
}


@fragment
def _show_scores(
    first: EvaluatedScores,
    others: list[EvaluatedScores],
    words: Words,
    text: str,
    comparison: FileComparison | None,
    *,
    has_uploads: bool,
) -> None:
    """Show score matrices, with a table at the gamma chosen with the handle of the first curve."""
    matrix, tested = first.matrix, first.matrix.predicted_rows
    if text:
        _show_explanation([first, *others], text, words)
    with st.container(key="scores_pictures"):
        left, right = st.columns([0.385, 0.615], gap="medium")
    gamma = _gamma_of_handle(first) if tested.has_curve else None
    with right.container(key=None if gamma is None else "scores_slot"):
        if gamma is None:
            _show_accuracy(first, words)
        else:
            _draw_curves(first, others, words, gamma)
    with left.container(key="scores_values"):
        if comparison:
            show_files(comparison, f"scores_{first.stem}_files")
            st.caption(f"Handle and protocols: {_identity(first, words, is_example=False)}")
        tip = terms.tip("Per image")
        per_image = st.toggle("Per image", key="scores_per_image", bind="query-params", help=tip)
        show_values([first], words, gamma, per_image=per_image)
        _show_remarks(first, words)
        with st.container(border=has_uploads, gap="small"):
            if has_uploads:
                st.markdown("**Next steps**")
            if first.report.origin is None and tested.has_curve:
                st.caption(
                    "No validated γ. A γ chosen on test images is an upper bound (oracle). "
                    "Add validation scores under *More* to choose one."
                )
            show_split_of(matrix, is_example=not has_uploads)
        with st.container(horizontal=True, vertical_alignment="center"):
            downloads.show_command(first.command)
            if not isinstance(matrix, PredictedScores) and not tested.limits:
                downloads.offer_predictions(lambda: predictions_of_scores(first.report), first.stem)
    show_metrics = partial(show_protocols, first, words)
    fold("Other metrics, intervals and protocols", show_metrics, key="scores_all", in_address=True)
    if others:

        def compare() -> None:
            compared = [each for each in others if each.matrix.predicted_rows.has_curve]
            show_values([first, *compared], words, gamma, per_image=per_image)
            show_pairs(first, others, gamma, words)

        fold("Compare the files", compare, key="scores_compare", in_address=True)


def _show_accuracy(first: EvaluatedScores, words: Words) -> None:
    """Show the accuracy of scores without a curve, or a sentence on the missing metrics."""
    if first.matrix.predicted_rows.limits:
        show = st.warning if first.report.verdict != "clean" else st.info
        show(plain(words.translate(first.report.headline)), icon=":material/visibility_off:")
        return
    label = "ZSL accuracy" if first.matrix.seen.any() else "Accuracy, mean per class"
    terms.metric(label, percent(first.report.evaluation.zsl))


def _draw_curves(
    first: EvaluatedScores, others: list[EvaluatedScores], words: Words, gamma: float
) -> None:
    """Draw the curve of each file, with the handle of the first at ``gamma``."""
    files = [first, *others]
    looks = zip(files, scores.short_names(files), ["harmonic", *GHOSTS], strict=False)
    lines = [
        line_of(
            *(name, each.matrix.predicted_rows.curve, look, each.gamma),
            gamma if each is first else each.gamma or 0.0,
            each.report.origin,
        )
        for each, name, look in looks
        if each.matrix.predicted_rows.has_curve
    ]
    matrix, sides = first.matrix, (words.seen, words.unseen)
    curve = InteractiveCurve(lines, matrix.predicted_rows, matrix.class_names, sides=sides)
    draw_curves(curve, key=CURVE, on_change=_store_gamma)


def _gamma_of_handle(first: EvaluatedScores) -> float:
    """Return the gamma at which the handle was released; else the chosen gamma, or 0."""
    of = first.matrix.digest
    if st.session_state.setdefault(f"{GAMMA}_of", of) != of:  # gamma was set for other scores
        st.session_state[f"{GAMMA}_of"], st.session_state[GAMMA] = of, None
    gamma: float | None = st.session_state.get(GAMMA)
    return (first.gamma or 0.0) if gamma is None else gamma


def _show_explanation(of: list[EvaluatedScores], text: str, words: Words) -> None:
    """Show the protocols that reproduce the printed numbers, like ``zslcore explain``."""
    try:
        explanation = explain([each.report for each in of], read_printed(text))
    except ZSLError as error:
        st.error(on_screen(str(error)), icon=":material/error:")
        return
    with st.container(border=True):
        for sentence in explanation.sentences:
            st.markdown(f"**{plain(words.translate(sentence))}**")
        for k, (printed, nearest) in enumerate(
            zip(explanation.printed, explanation.comparisons, strict=True)
        ):
            if not nearest:
                continue
            readings = [
                (words.translate(d.name), d.value, d.points / 100, d.explains)
                for d in nearest[:MAX_READINGS]
            ]
            tables.show(
                pd.DataFrame(readings, columns=["reading", "value", "points", "explains"]),
                f"scores_readings_{printed.name}_{k}",
                labels={
                    "value": printed.name,
                    "points": "distance, points",
                    "reading": f"readings of {printed.name} {printed.text}, nearest first",
                    "explains": "equal if rounded",
                },
                percent=["value"],
                points=["points"],
                height="content",
            )
        with st.expander("What scores alone cannot show", expanded=True):
            st.markdown(
                "\n".join(f"- {plain(words.translate(line))}" for line in explanation.other_causes)
            )


def _store_gamma() -> None:
    """Store the gamma at which the handle was released."""
    if (gamma := released_value(CURVE, "gamma")) is not None:
        st.session_state[GAMMA] = gamma


def _identity(first: EvaluatedScores, words: Words, *, is_example: bool) -> str:
    """Return a sentence on the content of the file and on how it was read."""
    m = first.matrix
    parts = [
        f"{len(m.y):,} images",
        f"{int(m.seen.sum())} {words.seen} and {int((~m.seen).sum())} {words.unseen} classes",
    ]
    if m.benchmark:
        parts.insert(
            0,
            f"recognised by its image counts per class as the test set of {m.benchmark}, split "
            f"{m.split}",
        )
    if done := [words.translate(FIXES[fix]) for fix in m.fixes if fix != "as-is"]:
        parts.append(f"read with {' and '.join(done)}")
    return f"{'Example: ' * is_example}{plain(m.name)}, {', '.join(parts)}."


def _show_remarks(first: EvaluatedScores, words: Words) -> None:
    """Show remarks on the metrics."""
    report = first.report
    if report.origin == "oracle":
        st.warning(plain(words.translate(report.note)), icon=":material/visibility_off:")
    elif report.note:
        st.caption(plain(words.translate(report.note)))
    if report.origin == "given":
        st.caption(f"γ: {origin_in_words('given')}.")
    remarks = [each for each in first.matrix.remarks if each != VERIFIED_REMARK]
    if isinstance(first.matrix, PredictedScores) and first.matrix.predicted_rows.zsl_ranks is None:
        remarks.append("Top-k accuracy is unknown: the file lacks zsl_rank for some unseen images.")
    for remark in remarks:
        st.caption(plain(words.translate(remark)))


def choose_words() -> Words:
    """Choose the names for seen and unseen classes."""
    tip = "Names of the two sides: " + ", ".join(
        f"{name} in {each.field}" for name, each in WORDS.items()
    )
    name = controls.choose_option("Terms", list(WORDS), key="scores_words", help=tip)
    terms.set_side_names(WORDS[name])
    return WORDS[name]


#: Split -> note on its versions with the same test images.
VERSIONS = {
    "PS": "Versions 1 and 2.0 of the proposed split have the same test images: scores do not show "
    "which version the model was trained on."
}


def show_split_of(matrix: Scores, *, is_example: bool) -> None:
    """Name the published split of the scores, with a link to its audit."""
    if note := VERSIONS.get(matrix.split):
        st.caption(note)
    elif not (matrix.benchmark or is_example):
        st.caption("No benchmark has a test set with these numbers of images per class.")
    of = _data_with(matrix)
    if of:
        name, split = of
        site_map.link_to_audit(f"Is the {name} {split} split clean?", name, split)
    else:
        site_map.link("drop", "Add the split file", leakage_source="files")
        st.caption("Shows H without test images that were trained on.")


def _data_with(matrix: Scores) -> tuple[str, str] | None:
    """Return an available data set and split with the test images of the scores; None without any.

    Simulated data are compared only if the scores are not those of a benchmark.
    """
    for name in available_datasets():
        simulated = name.startswith("simulated-")
        if simulated and (matrix.benchmark or name.endswith("-full")):
            continue
        if len(cache.names_of_classes(name)) == len(matrix.seen):
            dataset = cache.dataset(name)
            for split in dataset.splits:
                if fits_test_set(matrix, dataset, split):
                    return name, split
    return None
