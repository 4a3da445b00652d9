"""Accuracies of the test classes of a split under several methods, as one job."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.datasets import load
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs.work import Work
from zslcore.results.store import ResultStore

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "read"]

NAME = "class_accuracies"
#: Counted up when the same arguments leave another result than before.
REVISION = 1


def ask(specs: Sequence[RunSpec]) -> Work:
    """Return the work that runs several methods on one split of one data set."""
    title = f"{len(specs)} methods on {specs[0].dataset}, split {specs[0].split}"
    arguments = {"specs": [spec.to_json() for spec in specs]}
    return Work(title, NAME, arguments, made_by={"revision": REVISION})


def do(folder: Path, report: Report, *, specs: Sequence[str]) -> None:
    """Run methods, or take what the run store has; keep the accuracy of every unseen class."""
    report(0, 0, "Opening the data set")
    asked = [RunSpec.from_json(text) for text in specs]
    data, store, found = load(asked[0].dataset), ResultStore(), {}
    for done, spec in enumerate(asked):
        report(done, len(asked), f"{spec.method}, {done + 1} of {len(asked)}")
        result, _ = store.run(spec, data, with_oracle=False)
        found[spec.method] = {str(c): v for c, v in result.evaluation.per_class_zsl.items()}
    (folder / "accuracies.json").write_text(json.dumps(found), encoding="utf-8")


def read(folder: Path, work: Work) -> dict[str, dict[int, float]]:
    """Read what :func:`do` wrote: method -> class -> accuracy."""
    found = json.loads((folder / "accuracies.json").read_text(encoding="utf-8"))
    return {m: {int(c): value for c, value in of.items()} for m, of in found.items()}
