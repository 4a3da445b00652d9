"""The board that comes along: ``data/board`` filled from ``results/real_features.csv``.

Every row of the file of results becomes one JSON: what was run, on which rows, how parameters and
gamma were chosen, by which version. The file has no accuracies of classes, on which intervals
rest. A new fit with the same parameters and gamma gives them, and they are used only where its ZSL
and H at gamma are the same; ``--fit`` makes those fits and stores them, so that an interrupted
command resumes. An entry whose row has not changed keeps what it
says of classes. Of stochastic methods the first seed stands there, and the spread of all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.real_features import FEATURES
from benchmarks.real_features import sources as of_folder
from benchmarks.sweep import label
from benchmarks.writing import RESULTS
from zslcore.board.entry import (
    BoardEntry,
    Data,
    Figures,
    Gamma,
    Parameters,
    Seeds,
    SplitMark,
    read_entry,
)
from zslcore.board.making import add_entry, entry_of_run, entry_of_scores, file_name, split_name
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.runs import RunResult, execute
from zslcore.evaluation.specs import RunSpec
from zslcore.methods import get_method
from zslcore.results.store import ResultStore
from zslcore.scores import interpreted, judge
from zslcore.scores.reading import read_scores
from zslcore.storage.files import FACTS
from zslcore.version import read_stamped, sources, version

WHO = "Zero-shot lab"
#: Data set -> what its features' extractor was trained on.
PRETRAINING = {"CUB-vgg_fc7": "imagenet-1k", "AWA1-lss": "none", "AWA1-phog": "none"}
#: By how much a new fit may differ, in a figure of the table.
SAME = 5e-4
#: Score files of other people: file -> method, whose, link, features.
SCORES = {
    "AWA1_LAGO.npz": (
        "LAGO",
        "Atzmon and Chechik 2018",
        "https://arxiv.org/abs/1806.02664",
        "deep features; the file does not say which",
    ),
    "CUB_XianGAN.npz": (
        "f-CLSWGAN",
        "Xian, Lorenz, Schiele, Akata 2018",
        "https://arxiv.org/abs/1712.00981",
        "deep features; the file does not say which",
    ),
}
FIGURES = {
    "zsl": "zsl",
    "u": "plain_unseen",
    "s": "plain_seen",
    "H": "plain_harmonic",
    "u_gamma": "calibrated_unseen",
    "s_gamma": "calibrated_seen",
    "H_gamma": "calibrated_harmonic",
    "ausuc": "ausuc",
}


def groups() -> Iterator[pd.DataFrame]:
    """Yield the rows of one result, seed by seed."""
    table = read_stamped(RESULTS / "real_features.csv")
    table = table.assign(name=table.apply(label, axis=1))
    for _, rows in table.groupby(["dataset", "split", "name", "select_for"], sort=False):
        yield rows.sort_values("seed")


def refitted(row: pd.Series, dataset: ZSLDataset, *, fit: bool) -> RunResult | None:
    """Return a new fit with what was chosen then; None where none is stored nor to be made."""
    spec = RunSpec(
        dataset.name,
        row["split"],
        row["method"],
        params=json.loads(row["params"]),
        gamma=None if pd.isna(row["gamma"]) else float(row["gamma"]),
        select_for=row["select_for"],
        digest=dataset.digest,
    )
    store = ResultStore()
    known = store.get(spec.key)
    if known is None and fit:
        known = execute(spec, dataset, with_oracle=False)
        store.put(known)
    return known


def entry_of(rows: pd.DataFrame, dataset: ZSLDataset, *, fit: bool) -> BoardEntry:
    """Return the entry of a result, with the accuracies of classes where a new fit agrees."""
    row = rows.iloc[0]
    name, split = row["dataset"], dataset.split(row["split"])
    figures = {ours: float(row[theirs]) for ours, theirs in FIGURES.items()}
    figures = {ours: None if pd.isna(v) else round(v, 6) for ours, v in figures.items()}
    tested = figures["H"] is not None
    std = rows[["zsl", "calibrated_harmonic"]].std()
    spread = [None if pd.isna(v) else round(float(v), 6) for v in std]
    return BoardEntry(
        method=row["method"],
        who=WHO,
        link=get_method(row["method"]).card.url,
        data=Data(
            name,
            FEATURES[name][0],
            FEATURES[name][2].partition(", ")[2],
            (PRETRAINING[name],),
            digest=row["digest"],
        ),
        split=SplitMark(split_name(dataset, split), split.digests),
        gamma=Gamma(row["gamma_origin"], float(row["gamma"])) if tested else Gamma("none"),
        parameters=Parameters(row["params_origin"], row["select_for"], json.loads(row["params"])),
        figures=Figures(**figures),
        seeds=Seeds(len(rows), *spread),
        unseen_classes=tuple(dataset.class_names[c] for c in split.unseen_classes),
        per_class=classes_of(refitted(row, dataset, fit=fit), dataset, figures),
        spec=_spec_of(row),
        versions=_versions(row),
    )


def classes_of(
    fitted: RunResult | None, dataset: ZSLDataset, figures: dict[str, float | None]
) -> dict[str, dict[str, float]]:
    """Return the accuracies of classes of a new fit, nothing where its figures are others."""
    if fitted is None:
        return {}
    entry = entry_of_run(fitted, dataset, who=WHO)
    both = [(figures[name], getattr(entry.figures, name)) for name in ("zsl", "H_gamma")]
    same = all(then is None or abs(then - (now or 0)) <= SAME for then, now in both)
    return dict(entry.per_class) if same else {}


def _versions(row: pd.Series) -> dict[str, str]:
    """Return what made a row: the release, its commit or the digest of the sources, where known."""
    names = {"zslcore": "version", "commit": "commit", "sources": "sources"}
    made = {name: row[column] for name, column in names.items() if row[column]}
    revisions = json.loads(row["revisions"] or "{}")
    return made | {f"revision of {name}": str(number) for name, number in revisions.items()}


def _spec_of(row: pd.Series) -> dict[str, Any]:
    fields = ("key", "dataset", "split", "method", "select_for", "features", "prototypes")
    return {name: row[name] for name in fields} | {"seed": int(row["seed"])}


def of_scores(folder: Path) -> Iterator[BoardEntry]:
    """Yield the entries of other people's score files, where they are there."""
    for file, (method, who, link, features) in SCORES.items():
        if not (folder / file).exists():
            continue
        matrix, _ = interpreted(read_scores(folder / file), ["as-is"])
        assert matrix is not None
        entry = entry_of_scores(
            json.loads(judge(matrix).to_json()),
            method=method,
            who=who,
            link=link,
            features=features,
            provenance="Their score matrix of the test images, judged by zslcore score.",
        )
        yield replace(entry, created="", versions={"zslcore": version(), "sources": sources()})


def _named(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was run, whatever its key."""
    return {name: value for name, value in spec.items() if name != "key"}


def put(entry: BoardEntry, folder: Path) -> str:
    """Write an entry in place of an earlier one of the same name; tell what it says."""
    path = folder / file_name(entry)
    if path.exists() and not entry.per_class:
        known = read_entry(path.read_bytes(), path.name)
        if (_named(known.spec), known.figures) == (_named(entry.spec), entry.figures):
            entry = replace(entry, per_class=known.per_class)
    path.unlink(missing_ok=True)
    name = add_entry(entry, folder).name
    return f"{name}: {'with the accuracies of its classes' if entry.per_class else 'figures alone'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", default="../shared/data/xlsa17", type=Path)
    parser.add_argument("--scores", default="../shared/data/gzsl_scores", type=Path)
    parser.add_argument("--only", nargs="+", default=list(FEATURES), choices=FEATURES)
    parser.add_argument("--output", default=FACTS / "board", type=Path)
    parser.add_argument("--fit", action="store_true", help="make the missing fits")
    args = parser.parse_args()
    args.output.mkdir(exist_ok=True)
    opened = {name: of_folder(args.folder)[name].open() for name in args.only}
    for rows in groups():
        if rows["dataset"].iloc[0] in opened:
            entry = entry_of(rows, opened[rows["dataset"].iloc[0]], fit=args.fit)
            sys.stderr.write(f"{put(entry, args.output)}\n")
    for entry in of_scores(args.scores):
        sys.stderr.write(f"{put(entry, args.output)}\n")


if __name__ == "__main__":
    main()
