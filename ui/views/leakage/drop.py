"""Is it clean? One card for a split, a score matrix, predictions or a result of the visitor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import streamlit as st

from ui import cache, memory, scores, site_map, uploads, visitors
from ui.components import window
from ui.dropped import Sorted, carry_over, put_and_sort
from ui.frame import Header, errors_as_sentences
from ui.reading import read_or_cancel
from ui.scores import Sent
from ui.sections.card import show_card
from zslcore.board.card import card_of_result
from zslcore.datasets.sandbox.client import Limits, read_lines
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import (
    VOCABULARY_NAMES,
    AuditContext,
    Vocabulary,
    get_vocabulary,
)
from zslcore.leakage.cards import card_of_classes, card_of_split
from zslcore.leakage.cards.card import USUAL, read_card
from zslcore.leakage.cards.kinds import ENDINGS, MAX_LIST
from zslcore.leakage.loading import context_of_split
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
UNDECLARED = f"not declared ({USUAL} is assumed)"


def show(header: Header) -> None:
    """Take files, recognise them and answer with cards; without files show an example."""
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
            _answer(files)
        place.empty()
        return
    with place.container():
        st.caption(
            "Example: a split of AWA2 that is still in circulation. Drop a file to replace it."
        )
        show_card(read_card(EXAMPLE.read_bytes(), EXAMPLE.name))


def _answer(files: Sequence[BinaryIO]) -> None:
    """Recognise the files, ask what belongs to them, and show a card of each and one of both."""
    with artifacts.scratch() as folder:
        found = put_and_sort(files, folder)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            given, printed = _choose_pretraining(), _ask_printed(found)
        judged = [_judged(each, given) for each in found]
    scores.keep([each.brought for each in judged if each.brought is not None])
    carry_over(found)
    cards = joined_cards([each.of for each in judged if each.of is not None], printed)
    for k, card in enumerate(cards):
        show_card(card, key=str(k))
    for each, answered in zip(found, judged, strict=True):
        if answered.of is not None:
            _link(each)


@dataclass(frozen=True, eq=False)
class _Answered:
    """What came of files: a card, None while a question of theirs is open, and scores to keep."""

    of: Judged | None
    brought: scores.Brought | None = None


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
        [UNDECLARED, *VOCABULARY_NAMES],
        key="drop_pretraining",
        bind="query-params",
        width=360,
        help="Test classes among the classes of the pre-training set are not unseen.",
    )
    return [] if chosen in (None, UNDECLARED) else [get_vocabulary(chosen)]


def _judged(found: Sorted, given: list[Vocabulary]) -> _Answered:
    """Return what the file is found to be."""
    assumed, vocabularies = not given, given or [get_vocabulary(USUAL)]
    match found.main.kind:
        case "split":
            return _Answered(_of_split(found, vocabularies, assumed=assumed))
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


def _of_split(found: Sorted, vocabularies: list[Vocabulary], *, assumed: bool) -> Judged:
    """Read a split once a visit, where the review of the split finds it, and audit it."""
    as_it_came = cache.split_to_review(
        found.key, lambda: read_or_cancel(found.key, partial(_read_split, found))
    )
    context = replace(as_it_came, vocabularies=tuple(vocabularies))
    said = repr([v.name for v in vocabularies])
    report = cache.report(found.key, said, as_it_came, context)
    card = card_of_split(context, report, found.named, assumed=assumed)
    return Judged(card, context=context, audited=report)


def _read_split(found: Sorted) -> AuditContext:
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
    if found.main.kind == "split":
        query = {"leakage_source": "a file of my own"}
        site_map.link("review", "Every finding, correction and diff of this split",
                      icon=":material/policy:", query=query)  # fmt: skip
    elif found.main.kind in ("scores", "predictions"):
        site_map.link("scores", "All metrics of these scores", icon=":material/grid_on:")
    elif found.main.kind == "entry":
        site_map.link("board", "The board", icon=":material/social_leaderboard:")
