"""Scores and predictions that a visitor brings, and the ones that are there to begin with.

A file is read and judged once a visit, in a process of its own with bounded memory.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import streamlit as st

from ui.intake import memory, uploads
from ui.shell import visitors
from ui.shell.text import on_screen, plain
from ui.state import cache, waiting
from zslcore.datasets import ZSLDataset
from zslcore.evaluation import State, is_predictions
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ParameterError, ZSLError
from zslcore.leakage.published import PredictedScores, checked, read_predicted
from zslcore.scores import FIXES, Question, ScoreReport
from zslcore.scores.judging import judge_predicted
from zslcore.scores.reading import JudgedScores
from zslcore.scores.sandboxed import COPIES, Asked, Given, judge_in_sandbox, memory_for
from zslcore.scores.two_files import Blocks, find_blocks
from zslcore.storage import artifacts
from zslcore.texts import clean_text
from zslcore.untrusted.client import Limits

#: Endings that are welcome; what a file is, its first bytes tell.
ENDINGS = ("npz", "npy", "csv", "parquet", "mat", "h5", "hdf5", "json", "pt", "safetensors")
TEXTS = ("txt", "csv", "npy", "npz")
TWO_MODELS = "No, each has the scores of all classes"
#: Where the session keeps what was made of files, what of it this run of the page uses,
#: and what the visitor has brought.
_MADE, _ASKED, _BROUGHT = "scores_made", "scores_asked", "scores_brought"

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Brought:
    """Scores that are understood and judged; ``command`` repeats it in a shell."""

    report: ScoreReport
    command: str

    @property
    def matrix(self) -> JudgedScores:
        """The scores as they were understood."""
        return self.report.matrix

    @property
    def state(self) -> State:
        """Their reliability; a score matrix has nothing to be checked against."""
        return self.matrix.state if isinstance(self.matrix, PredictedScores) else State.STATED

    @property
    def gamma(self) -> float | None:
        """The gamma that was chosen for them; None without one, and where it is an oracle."""
        return self.report.chosen


@dataclass(frozen=True, eq=False)
class Sent:
    """A file of scores as it was sent, and what the visitor says of it.

    ``unseen`` are names or numbers, separated by commas, empty where the file says it;
    ``unseen_scores`` are the columns of unseen classes, where ``file`` has those of seen ones.
    """

    file: BinaryIO
    labels: BinaryIO | None = None
    unseen: str = ""
    unseen_scores: BinaryIO | None = None

    @property
    def key(self) -> str:
        """What tells it from others of the visit, whatever they are called."""
        said = [_of(self.file), self.labels and _of(self.labels), self.unseen.strip()]
        said += [_of(self.unseen_scores)] if self.unseen_scores else []
        return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def _of(file: Any) -> str:
    return str(getattr(file, "file_id", file.name))


# --- What the session keeps -----------------------------------------------------------------------


def _once(key: str, make: Callable[[], T]) -> T:
    """Return what was made of a file before, or make it now."""
    made: dict[str, Any] = st.session_state.setdefault(_MADE, {})
    st.session_state.setdefault(_ASKED, set()).add(key)
    if key not in made:
        made[key] = make()
    return made[key]


def keep(found: Sequence[Brought]) -> None:
    """Keep what the visitor has brought, for other pages; what was made of other files goes."""
    st.session_state[_BROUGHT] = tuple(found)
    asked = st.session_state.pop(_ASKED, set())
    made = st.session_state.get(_MADE, {})
    st.session_state[_MADE] = left = {k: value for k, value in made.items() if k in asked}
    reports = {id(each): each for each in (*left.values(), *(one.report for one in found))}
    held = sum(each.nbytes for each in reports.values() if isinstance(each, ScoreReport))
    memory.BUDGET.hold(cache.visit(visitors.session()), held)


def withdraw() -> None:
    """Take back what was brought, because other files come; what was made of those stays."""
    st.session_state[_BROUGHT] = ()


def kept_ones() -> tuple[Brought, ...]:
    """Return what the visitor has brought on this visit."""
    return st.session_state.get(_BROUGHT, ())


def forget() -> None:
    """Forget everything that the visitor has brought."""
    st.session_state[_BROUGHT], st.session_state[_MADE] = (), {}
    memory.BUDGET.hold(visitors.session(), 0)


# --- From a file to figures -----------------------------------------------------------------------


def example(dataset: ZSLDataset, split: str, method: str) -> Brought:
    """Return the predictions of a method of this package as if they had come from elsewhere."""
    spec = RunSpec(dataset=dataset.name, split=split, method=method, digest=dataset.digest)
    return _once(f"example {spec.key}", lambda: _example(spec, dataset))


def _example(spec: RunSpec, dataset: ZSLDataset) -> Brought:
    make, _ = waiting.predictions_of(spec, *waiting.run_of(spec))
    predicted = checked(make(), f"{spec.method} on {dataset.name}", load=permitted)
    return Brought(judge_predicted(predicted), spec.command())


def brought(sent: Sent, validation: Sent | None = None) -> Brought | None:
    """Return scores of test images with their figures; None while one of its questions is open."""
    fixes: dict[bool, tuple[str, ...]] = {False: (), True: ()}
    while True:
        try:
            found = _judged(sent, fixes[False], validation, fixes[True])
        except ZSLError as error:
            st.error(on_screen(str(error)), icon=":material/block:")
            return None
        if isinstance(found, ScoreReport):
            if isinstance(found.matrix, PredictedScores):
                return _of_predictions(found, found.matrix, sent, validation)
            return Brought(found, _command(sent, fixes[False], validation, fixes[True]))
        about = validation if found.of_validation and validation else sent
        answer = _answer(found.question, f"scores_{about.key}_{found.question.fix}")
        if answer is None:
            return None
        fixes[found.of_validation] += (answer,)


def judged_predictions(sent: Sent) -> ScoreReport:
    """Return the figures of predictions, also where a claim of theirs is wrong."""
    found = _judged(sent, (), None, ())
    assert isinstance(found, ScoreReport)  # predictions leave no question open
    return found


def _of_predictions(
    report: ScoreReport, predicted: PredictedScores, sent: Sent, validation: Sent | None
) -> Brought | None:
    """Return predictions with their command; say what of the controls is not used for them."""
    if predicted.reasons:
        said = on_screen(f"{predicted.name}, {predicted.reasons[0]}")
        st.error(said, icon=":material/block:")
        return None
    if sent.labels is not None or _listed(sent.unseen) or validation is not None:
        st.caption(
            f":material/info: {plain(predicted.name)} holds its own labels, unseen classes and "
            "validation rows. Those under More are not used for it."
        )
    return Brought(report, shlex.join(["zslcore", "score", sent.file.name]))


def _command(
    sent: Sent,
    fixes: Sequence[str],
    validation: Sent | None,
    of_validation: Sequence[str],
) -> str:
    words = ["zslcore", "score", sent.file.name]
    words += ["--unseen-scores", sent.unseen_scores.name] if sent.unseen_scores else []
    for fix in _in_order(fixes):
        words += ["--fix", fix]
    if validation is not None and {*of_validation} != {*fixes}:
        for fix in _in_order(of_validation) or ("as-is",):
            words += ["--validation-fix", fix]
    for each, option in ((sent, "--"), (validation, "--validation-")):
        if each is not None and each is validation:
            words += ["--validation", each.file.name]
        if each is not None and each.labels is not None:
            words += [f"{option}labels", each.labels.name]
        if each is not None and (unseen := _listed(each.unseen)):
            words += [f"{option}unseen", *unseen]
    return shlex.join(words)


def _in_order(fixes: Sequence[str]) -> tuple[str, ...]:
    return tuple(fix for fix in FIXES if fix in fixes)


def _listed(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _judged(
    sent: Sent, fixes: tuple[str, ...], validation: Sent | None, of_validation: tuple[str, ...]
) -> ScoreReport | Asked:
    """Judge a file in a process of its own, once for each of its answers."""
    key = f"judged {sent.key} {fixes} {validation and validation.key} {of_validation}"
    return _once(key, lambda: _apart(sent, fixes, validation, of_validation))


def _apart(
    sent: Sent, fixes: tuple[str, ...], validation: Sent | None, of_validation: tuple[str, ...]
) -> ScoreReport | Asked:
    visitor = visitors.session()
    with artifacts.scratch() as folder:
        given = _put(sent, fixes, folder / "given")
        if is_predictions(given.path):
            return _predicted(given.path, visitor)
        chosen_on = _put(validation, of_validation, folder / "validation") if validation else None
        files = given.files + (chosen_on.files if chosen_on else [])
        with memory.BUDGET.lent(visitor, memory_for(files), clean_text(sent.file.name)) as lent:
            return judge_in_sandbox(given, chosen_on, memory=lent, whose=whose_memory())


def _predicted(path: Path, visitor: str) -> ScoreReport:
    """Read, check and judge a file of predictions."""
    with memory.BUDGET.lent(visitor, memory_for([path]), path.name) as lent:
        limits = Limits(most=lent // COPIES, whose=whose_memory())
        return judge_predicted(
            read_predicted(path, limits=limits, load=permitted, refuse_wrong=False)
        )


def permitted(name: str) -> ZSLDataset:
    """Open data that predictions name, where this visitor may."""
    if name not in visitors.available():
        raise ParameterError(f"{name}: expected data that this visitor may open.")
    return cache.dataset(name)


def whose_memory() -> str:
    """Return what limits the memory of a file, for the sentence of a refusal."""
    return (
        f"that a visitor's memory allows (ZSL_MEMORY_A_VISITOR: {memory.a_visitor():,} bytes for a "
        "file and its copies)"
    )


def _put(sent: Sent, fixes: tuple[str, ...], folder: Path) -> Given:
    """Write what was sent into a folder."""
    (folder / "labels").mkdir(parents=True)
    (path,) = uploads.put([sent.file], folder, ENDINGS)
    labels = sent.labels and uploads.put([sent.labels], folder / "labels", TEXTS)[0]
    unseen = tuple(_listed(sent.unseen)) or None
    second = None
    if sent.unseen_scores:
        (folder / "unseen").mkdir()
        second = Path(uploads.put([sent.unseen_scores], folder / "unseen", ENDINGS)[0])
    return Given(Path(path), Path(labels) if labels else None, unseen, fixes, second)


def joined(sent: Sequence[Sent]) -> list[Sent] | None:
    """Join two files that have the columns of one side each; None while it is asked whether."""
    if len(sent) != 2:
        return [*sent]
    first, second = sent
    blocks = _once(f"blocks {first.key} {second.key}", lambda: _find_blocks(first, second))
    if blocks is None:
        return [first, second]
    pair = f"{first.file.name} ({blocks.shapes[0]}) and {second.file.name} ({blocks.shapes[1]})"
    seen, unseen = sent[blocks.seen], sent[blocks.unseen]
    if blocks.certain:
        st.caption(f"{plain(pair)}: read as the columns of seen and of unseen classes.")
        return [replace(seen, unseen_scores=unseen.file)]
    with st.container(border=True):
        st.markdown(f":material/help: {plain(pair)}: are these the two sides of one model?")
        options = {
            f"Seen classes in {one.file.name}, unseen classes in {other.file.name}": (one, other)
            for one, other in ((seen, unseen), (unseen, seen))
        }
        chosen = st.radio(
            "Answer",
            [*options, TWO_MODELS],
            index=None,
            key=f"scores_blocks_{first.key}_{second.key}",
            label_visibility="collapsed",
        )
    if chosen is None:
        return None
    if chosen == TWO_MODELS:
        return [first, second]
    one, other = options[chosen]
    return [replace(one, unseen_scores=other.file)]


def _find_blocks(first: Sent, second: Sent) -> Blocks | None:
    with artifacts.scratch() as folder:
        paths = []
        for k, each in enumerate((first, second)):
            (folder / str(k)).mkdir()
            paths.append(Path(uploads.put([each.file], folder / str(k), ENDINGS)[0]))
        return find_blocks(*paths)


def _answer(question: Question, key: str) -> str | None:
    """Ask one question; None while it is open."""
    with st.container(border=True):
        st.markdown(f":material/help: **Unknown.** {on_screen(question.said)}")
        yes, no = f"Yes: {FIXES[question.fix]}", "No, the file is right as it is"
        options = [yes] if question.open else [yes, no]
        chosen = st.radio("Answer", options, index=None, key=key, label_visibility="collapsed")
    if chosen is None:
        return None
    return question.fix if chosen == yes else "as-is"
