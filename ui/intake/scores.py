"""Uploaded scores and predictions, and an example for visitors without a file.

A file is read and evaluated once per visit, in a worker process with limited memory.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import streamlit as st

from ui.intake import memory, uploads
from ui.shell import visitors
from ui.shell.text import on_screen, plain
from ui.state import cache, waiting
from zslcore.datasets import ZSLDataset
from zslcore.datasets.split_folders import read_classes
from zslcore.evaluation.predictions_file import is_predictions
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import State
from zslcore.exceptions import FileRefusedError, ParameterError
from zslcore.scores import FIXES, ScoreReport
from zslcore.scores.companions import FilesOfModels, files_of_models
from zslcore.scores.joined_sides import SideFiles, find_side_files
from zslcore.scores.judging import judge_predicted
from zslcore.scores.matrix import Scores
from zslcore.scores.predicted import PredictedScores, check_predictions, read_predicted
from zslcore.scores.sandboxed import COPIES, OpenQuestion, ScoreRequest, judge_in_worker, memory_for
from zslcore.storage import artifacts
from zslcore.texts import clean_text
from zslcore.untrusted.client import Limits

TWO_MODELS = "No, each file has the scores of all classes"
#: Session keys: results by file, the results used in this run of the page, and the evaluated
#: scores.
_RESULTS, _USED, _EVALUATED = "scores_made", "scores_asked", "scores_evaluated"

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class EvaluatedScores:
    """Evaluated scores; ``command`` repeats the evaluation in a shell."""

    report: ScoreReport
    command: str

    @property
    def matrix(self) -> Scores:
        """The scores as read from the file."""
        return self.report.matrix

    @property
    def state(self) -> State:
        """Verification state; "stated" for a score matrix, which cannot be checked."""
        return self.matrix.state if isinstance(self.matrix, PredictedScores) else State.STATED

    @property
    def stem(self) -> str:
        """The name of the scores for file names."""
        return "".join(c if c.isalnum() else "_" for c in self.matrix.name)

    @property
    def gamma(self) -> float | None:
        """The chosen gamma; None without a choice or for an oracle."""
        return self.report.reportable_gamma


def short_names(files: Sequence[EvaluatedScores]) -> list[str]:
    """Return the names of files, without extensions if these names differ."""
    names = [each.matrix.name for each in files]
    stems = [Path(name).stem for name in names]
    return stems if len({*stems}) == len(stems) else names


@dataclass(frozen=True, eq=False)
class ScoreUpload:
    """An uploaded score file with its labels and unseen classes.

    ``unseen`` lists names or numbers, and is empty if the file has them.
    ``unseen_scores`` has the columns of unseen classes if ``file`` has only columns of seen
    classes. ``fixes`` are the answers to questions on the file.
    """

    file: BinaryIO
    labels: BinaryIO | None = None
    unseen: tuple[str, ...] = ()
    unseen_scores: BinaryIO | None = None
    fixes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Key of the upload within the visit."""
        uploaded = self.file, self.labels, self.unseen_scores
        files = [file and uploads.key_of(file) for file in uploaded]
        return hashlib.sha256(repr([*files, self.unseen]).encode()).hexdigest()[:16]


# --- Session --------------------------------------------------------------------------------------


def _compute_once(key: str, make: Callable[[], T]) -> T:
    """Return the result stored under ``key``; compute it by ``make`` once per visit."""
    results: dict[str, Any] = st.session_state.setdefault(_RESULTS, {})
    st.session_state.setdefault(_USED, set()).add(key)
    if key not in results:
        results[key] = make()
    return results[key]


def keep(evaluated: Sequence[EvaluatedScores]) -> None:
    """Keep the evaluated scores for other pages, and drop the results of files no longer used."""
    st.session_state[_EVALUATED] = tuple(evaluated)
    used = st.session_state.pop(_USED, set())
    results = st.session_state.get(_RESULTS, {})
    st.session_state[_RESULTS] = kept_results = {
        k: value for k, value in results.items() if k in used
    }
    reports = {
        id(report): report
        for report in (*kept_results.values(), *(scores.report for scores in evaluated))
    }
    n_bytes = sum(report.nbytes for report in reports.values() if isinstance(report, ScoreReport))
    memory.BUDGET.hold(cache.visit(visitors.session()), n_bytes)


def withdraw() -> None:
    """Clear the evaluated scores before new files are read; keep the results by file."""
    st.session_state[_EVALUATED] = ()


def kept_scores() -> tuple[EvaluatedScores, ...]:
    """Return the evaluated scores of this visit."""
    return st.session_state.get(_EVALUATED, ())


def remove_uploads() -> None:
    """Remove all uploads of the visit."""
    st.session_state[_EVALUATED], st.session_state[_RESULTS] = (), {}
    memory.BUDGET.hold(visitors.session(), 0)


# --- Evaluation -----------------------------------------------------------------------------------


def example(dataset: ZSLDataset, split: str, method: str) -> EvaluatedScores:
    """Return the predictions of a method of this package, evaluated like an upload."""
    spec = RunSpec.of(dataset, split, method)
    return _compute_once(f"example {spec.key}", lambda: _example(spec, dataset))


def _example(spec: RunSpec, dataset: ZSLDataset) -> EvaluatedScores:
    make, _ = waiting.predictions_of(waiting.run_of(spec))
    predicted = check_predictions(make(), f"{spec.method} on {dataset.name}", load=open_permitted)
    return EvaluatedScores(judge_predicted(predicted), spec.command())


def evaluate_upload(
    upload: ScoreUpload, validation: ScoreUpload | None = None
) -> EvaluatedScores | None:
    """Evaluate scores of test images; None while a question is open."""
    while True:
        result = _judge_once(upload, validation)
        if isinstance(result, ScoreReport):
            if isinstance(result.matrix, PredictedScores):
                return _of_predictions(result, result.matrix, upload, validation)
            return EvaluatedScores(result, _command(upload, validation))
        about = validation if result.of_validation and validation else upload
        question = result.question
        options = {f"Yes, {FIXES[question.fix]}": question.fix}
        if not question.open:
            options["No, the file is correct as it is"] = "as-is"
        sentence = f"**Unknown.** {on_screen(question.sentence)}"
        if question.fix == "all-unseen":
            sentence += (
                " Otherwise, list the unseen classes under More, or add a file that lists them."
            )
        answer = _ask(sentence, options, f"scores_{about.key}_{question.fix}")
        if answer is None:
            return None
        answered = replace(about, fixes=(*about.fixes, answer))
        upload, validation = (upload, answered) if about is validation else (answered, validation)


def judge_predictions(upload: ScoreUpload) -> ScoreReport:
    """Return the metrics of predictions, even if the file contradicts itself or the data set."""
    report = _judge_once(upload, None)
    assert isinstance(report, ScoreReport)  # predictions leave no question open
    return report


def _of_predictions(
    report: ScoreReport,
    predicted: PredictedScores,
    upload: ScoreUpload,
    validation: ScoreUpload | None,
) -> EvaluatedScores:
    """Return evaluated predictions with their command; show a note if inputs are ignored."""
    if predicted.reasons:
        raise FileRefusedError(f"{predicted.name}: {predicted.reasons[0]}")
    if upload.labels is not None or upload.unseen or validation is not None:
        st.caption(
            f"{plain(predicted.name)} contains its own labels, unseen classes and validation "
            "rows; the inputs under More are ignored."
        )
    return EvaluatedScores(report, shlex.join(["zslcore", "score", upload.file.name]))


def _command(upload: ScoreUpload, validation: ScoreUpload | None) -> str:
    words = ["zslcore", "score", upload.file.name]
    words += ["--unseen-scores", upload.unseen_scores.name] if upload.unseen_scores else []
    for fix in _in_order(upload.fixes):
        words += ["--fix", fix]
    if validation is not None and {*validation.fixes} != {*upload.fixes}:
        for fix in _in_order(validation.fixes) or ("as-is",):
            words += ["--validation-fix", fix]
    for scores_file, option in ((upload, "--"), (validation, "--validation-")):
        if scores_file is not None and scores_file is validation:
            words += ["--validation", scores_file.file.name]
        if scores_file is not None and scores_file.labels is not None:
            words += [f"{option}labels", scores_file.labels.name]
        if scores_file is not None and scores_file.unseen:
            words += [f"{option}unseen", *scores_file.unseen]
    return shlex.join(words)


def _in_order(fixes: Sequence[str]) -> tuple[str, ...]:
    return tuple(fix for fix in FIXES if fix in fixes)


def _judge_once(upload: ScoreUpload, validation: ScoreUpload | None) -> ScoreReport | OpenQuestion:
    """Evaluate a file in a worker process, once for each set of answers."""
    answered = [(each.key, each.fixes) for each in (upload, validation) if each is not None]
    return _compute_once(f"judged {answered}", lambda: _judge_in_worker(upload, validation))


def _judge_in_worker(
    upload: ScoreUpload, validation: ScoreUpload | None
) -> ScoreReport | OpenQuestion:
    visitor = visitors.session()
    with artifacts.scratch() as folder:
        request = _write_request(upload, folder / "given")
        if is_predictions(request.path):
            return _judge_predictions(request.path, visitor)
        chosen_on = _write_request(validation, folder / "validation") if validation else None
        files = request.files + (chosen_on.files if chosen_on else [])
        name = clean_text(upload.file.name)
        with memory.BUDGET.reserve(visitor, memory_for(files), name) as lent:
            return judge_in_worker(request, chosen_on, memory=lent, origin=limit_clause())


def _judge_predictions(path: Path, visitor: str) -> ScoreReport:
    """Read, check and evaluate a file of predictions."""
    with memory.BUDGET.reserve(visitor, memory_for([path]), path.name) as lent:
        limits = Limits(declared_bytes=lent // COPIES, origin=limit_clause())
        read = read_predicted(path, limits=limits, load=open_permitted, refuse_wrong=False)
        return judge_predicted(read)


def open_permitted(name: str) -> ZSLDataset:
    """Open the data set that predictions name, if this visitor may open it."""
    if name not in visitors.available_datasets():
        raise ParameterError(f"{name}: expected data that this visitor may open.")
    return cache.dataset(name)


def limit_clause() -> str:
    """Return the memory limit of a visitor, as the end of a sentence that refuses a file."""
    return (
        f"that a visitor's memory allows (ZSL_MEMORY_A_VISITOR: {memory.visitor_limit():,} bytes "
        "for a file and its copies)"
    )


def _write_request(upload: ScoreUpload, folder: Path) -> ScoreRequest:
    """Write an upload into a folder."""
    path = uploads.put_one(upload.file, folder)
    labels = unseen = None
    if upload.labels is not None:
        labels = uploads.put_one(upload.labels, folder / "labels")
    if upload.unseen_scores is not None:
        unseen = uploads.put_one(upload.unseen_scores, folder / "unseen")
    return ScoreRequest(path, labels, upload.unseen or None, upload.fixes, unseen)


def uploads_of_models(
    files: Sequence[BinaryIO], labels: BinaryIO | None, unseen: tuple[str, ...]
) -> list[ScoreUpload]:
    """Return an upload per model; labels and a list of unseen classes may be among the files."""
    if len(files) < 2 or labels is not None or unseen:
        return [ScoreUpload(file, labels, unseen) for file in files]
    key = f"models {' '.join(map(uploads.key_of, files))}"
    divided, listed = _compute_once(key, lambda: _divide_files(files))
    labels = None if divided.labels is None else files[divided.labels]
    return [ScoreUpload(files[k], labels, listed) for k in divided.scores]


def _divide_files(files: Sequence[BinaryIO]) -> tuple[FilesOfModels, tuple[str, ...]]:
    with artifacts.scratch() as folder:
        paths = [uploads.put_one(file, folder / str(k)) for k, file in enumerate(files)]
        divided = files_of_models(paths)
        if divided.unseen is None:
            return divided, ()
        path = paths[divided.unseen]
        return divided, tuple(read_classes([path.name], path.parent))


def pair_files(files: Sequence[ScoreUpload]) -> list[ScoreUpload] | None:
    """Pair a file of seen with a file of unseen columns; None while the question is open."""
    if len(files) != 2:
        return [*files]
    first, second = files
    blocks = _compute_once(f"blocks {first.key} {second.key}", lambda: _find_blocks(first, second))
    if blocks is None:
        return [first, second]
    pair = f"{first.file.name} ({blocks.shapes[0]}) and {second.file.name} ({blocks.shapes[1]})"
    seen, unseen = files[blocks.seen], files[blocks.unseen]
    if blocks.certain:
        st.caption(f"{plain(pair)}: read as the scores of seen and of unseen classes.")
        return [replace(seen, unseen_scores=unseen.file)]
    options = {
        f"Seen classes in {seen_upload.file.name}, unseen classes in {unseen_upload.file.name}": [
            replace(seen_upload, unseen_scores=unseen_upload.file)
        ]
        for seen_upload, unseen_upload in ((seen, unseen), (unseen, seen))
    } | {TWO_MODELS: [first, second]}
    sentence = f"{plain(pair)}: are these one model's scores of seen and of unseen classes?"
    return _ask(sentence, options, f"scores_blocks_{first.key}_{second.key}")


def _find_blocks(first: ScoreUpload, second: ScoreUpload) -> SideFiles | None:
    with artifacts.scratch() as folder:
        first_file = uploads.put_one(first.file, folder / "first")
        return find_side_files(first_file, uploads.put_one(second.file, folder / "second"))


def _ask(sentence: str, options: Mapping[str, T], key: str) -> T | None:
    """Ask a question; return the value of the chosen answer, None while it is open."""
    with st.container(border=True):
        st.markdown(sentence)
        chosen = st.radio(
            "Answer", list(options), index=None, key=key, label_visibility="collapsed"
        )
    return None if chosen is None else options[chosen]


def ask_printed(key: str, *, width: int, on_change: Callable[[], None] | None = None) -> str:
    """Ask for the metrics that a paper prints for these scores; a new text calls ``on_change``."""
    text = st.text_input(
        "Printed metrics (%)",
        key=key,
        placeholder="H 52.8, u 45.1",
        max_chars=200,
        width=width,
        on_change=on_change,
        help="ZSL, u, s, H or AUSUC as printed: which reading of the scores gives each number?",
    )
    return (text or "").strip()
