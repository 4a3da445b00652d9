"""One method on the nine ImageNet test sets, as a job."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zslcore.analysis.large_scale import Answers, LargeScale, LargeScaleSpec, measure
from zslcore.datasets import load
from zslcore.evaluation.specs import revisions_of
from zslcore.jobs.work import Work
from zslcore.large.ranks import RankCounts
from zslcore.methods import get_method
from zslcore.results.result import Result, result_of
from zslcore.results.store import ResultStore

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "read"]

NAME = "large_scale"
#: Counted up when the same arguments leave another result than before: 2 scales features and
#: prototypes as all runs do.
REVISION = 2


def ask(spec: LargeScaleSpec, *, images: bool = True) -> Work:
    """Return the work that counts how a method does on the nine sets.

    Parameters
    ----------
    spec : LargeScaleSpec
    images : whether the answers to single images are stored, which take most of the bytes
    """
    method = get_method(spec.method)()
    made_by = {
        "revision": REVISION,
        "revisions": revisions_of(method),
        "grid": dict(method.param_grid),
    }
    # A block of images against 21,345 candidates is a long product: two threads pay.
    title = f"{spec.method} on the ImageNet test sets, {spec.dataset}"
    arguments = asdict(spec) | ({} if images else {"images": False})
    return Work(title, NAME, arguments, threads=2, made_by=made_by)


def do(
    folder: Path,
    report: Report,
    *,
    dataset: str,
    digest: str,
    method: str,
    seed: int,
    images: bool = True,
) -> None:
    """Measure, and store counts, the method's answers and its parameters."""
    report(0, 0, "Opening the data set")
    data = load(dataset).required(digest)
    found = measure(LargeScaleSpec(dataset, digest, method, seed), data, report)
    with (folder / "counts.npz").open("wb") as file:
        np.savez_compressed(file, **found.counts.arrays(), rows=found.rows, allow_pickle=False)
    if images and found.answers is not None:
        with (folder / "answers.npz").open("wb") as file:
            np.savez(file, **vars(found.answers), allow_pickle=False)
    chosen = {"params": dict(found.params), "validated": found.validated}
    (folder / "parameters.json").write_text(json.dumps(chosen), encoding="utf-8")
    ResultStore().try_put_result(_result(LargeScaleSpec(dataset, digest, method, seed), found))


def _result(spec: LargeScaleSpec, found: LargeScale) -> Result:
    """Return the accuracies as a result; counts and answers stay with the job."""
    about = asdict(spec) | {
        "params": json.dumps(dict(found.params)),
        "params_origin": "validated" if found.validated else "given",
        "revisions": json.dumps(revisions_of(get_method(spec.method)())),
    }
    return result_of("large-scale", ask(spec).key, about, found.as_runs())


def read(folder: Path, work: Work) -> LargeScale:
    """Read what :func:`do` wrote."""
    chosen = json.loads((folder / "parameters.json").read_text(encoding="utf-8"))
    with np.load(folder / "counts.npz", allow_pickle=False) as arrays:
        counts, rows = RankCounts.of_arrays(arrays), arrays["rows"]
    answers = None
    if (folder / "answers.npz").exists():
        with np.load(folder / "answers.npz", allow_pickle=False) as arrays:
            answers = Answers(**arrays)
    return LargeScale(chosen["params"], chosen["validated"], counts, rows, answers)
