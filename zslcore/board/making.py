"""Entries for the board, from runs of this package or from evaluated scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.board.entry import (
    MAX_TEXT,
    BoardEntry,
    Data,
    Gamma,
    Parameters,
    Seeds,
    SplitMark,
    StatedMetrics,
    check_entry,
    read_entry,
)
from zslcore.board.table import variant_of
from zslcore.datasets import ZSLDataset
from zslcore.datasets.base import Split
from zslcore.datasets.facts import benchmark_of
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import FileRefusedError, ParameterError
from zslcore.leakage.published import known_splits, known_tests
from zslcore.metrics import OperatingPoint
from zslcore.storage.files import open_atomically
from zslcore.texts import clean_text

#: Decimals of stored class accuracies.
DIGITS = 6


def entry_of_run(
    result: RunResult,
    dataset: ZSLDataset | None = None,
    *,
    who: str,
    link: str = "",
    features: str = "",
    pretraining: tuple[str, ...] = (),
    code: str = "",
) -> BoardEntry:
    """Return the entry of a run; ``dataset`` is the data set of the run, if available.

    Parameters
    ----------
    link, code : addresses of a page on the result and of its code
    features, pretraining : description of the features, and pre-training sets of the extractor; by
        default those of ``dataset``

    Raises
    ------
    DatasetError
        If ``dataset`` is not the data set of the run.
    """
    spec, e = result.spec, result.evaluation
    if dataset is None:
        data = Data(spec.dataset, simulated=result.simulated, digest=spec.digest or "")
        split = SplitMark(spec.split)
        unseen = tuple(result.class_names[c] for c in e.per_class_zsl)
    else:
        dataset = dataset.require_digest(spec.digest)
        split_parts = dataset.split(spec.split)
        data = Data(
            name=dataset.name,
            benchmark="" if dataset.simulated else benchmark_of(dataset) or "",
            features=clean_text(features or dataset.source, MAX_TEXT),
            pretraining=pretraining or dataset.pretraining,
            simulated=dataset.simulated,
            digest=dataset.digest,
        )
        split = SplitMark(split_name(dataset, split_parts), split_parts.digests)
        unseen = tuple(dataset.class_names[c] for c in split_parts.unseen_classes)
    with_gamma = None not in (e.plain, result.gamma, result.gamma_origin)
    chosen_for = spec.select_for if e.plain else "zsl"
    return BoardEntry(
        method=spec.method,
        who=who,
        link=link,
        code=code,
        data=data,
        split=split,
        gamma=Gamma(result.gamma_origin or "none", result.gamma) if with_gamma else Gamma("none"),
        parameters=Parameters(
            result.params_origin,
            chosen_for if result.params_origin == "validated" else "",
            dict(result.params),
        ),
        unseen_classes=unseen,
        **_metrics_of(asdict(e), with_gamma, result.class_names),
        spec=json.loads(spec.to_json()),
        versions={"zslcore": result.version, "commit": result.commit} | result.environment,
        created=result.created,
    )


def entry_of_scores(
    report: Mapping[str, Any],
    *,
    method: str,
    who: str,
    provenance: str,
    link: str = "",
    features: str = "",
    pretraining: tuple[str, ...] = (),
    parameters: Parameters | None = None,
    code: str = "",
    other_seeds: Sequence[Mapping[str, Any]] = (),
) -> BoardEntry:
    """Return the entry of evaluated scores.

    Parameters
    ----------
    report : output of ``zslcore score --json`` or :meth:`zslcore.scores.ScoreReport.to_json`; if it
        was written with ``--data``, the entry names that data set and split
    provenance : sentence on the source of the scores
    pretraining : pre-training sets of the feature extractor; empty if unknown
    parameters : choice of the parameters of the method; "not stated" by default
    other_seeds : reports of the same model with other seeds, for standard deviations

    Raises
    ------
    FileRefusedError
        If ``report`` is not the output of ``zslcore score --json``.
    """
    try:
        e, names = report["evaluation"], report["unseen_classes"]
        with_gamma = report["gamma_origin"] is not None
        entry = BoardEntry(
            method=method,
            who=who,
            link=link,
            code=code,
            data=_data(report, features, pretraining),
            split=_split(report),
            gamma=Gamma(report["gamma_origin"] or "none", report["gamma"]),
            parameters=parameters or _parameters(report),
            seeds=_seeds([report, *other_seeds]),
            unseen_classes=tuple(names),
            **_metrics_of(e, with_gamma),
            provenance=provenance,
            versions={"zslcore": report["version"], "commit": report["commit"]},
            created=datetime.now(UTC).date().isoformat(),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FileRefusedError(
            f"{clean_text(method)}: expected the output of `zslcore score --json`; got other JSON."
        ) from None
    return entry


def _data(report: Mapping[str, Any], features: str, pretraining: tuple[str, ...]) -> Data:
    """Return the data set of a report; without one, describe its score file."""
    if (data := report.get("data")) is None:
        file, benchmark = report["file"], report["benchmark"]
        return Data(file, benchmark, features, pretraining, digest=report["digest"])
    return Data(
        data["name"],
        data["benchmark"],
        features or data["features"],
        pretraining or tuple(data["pretraining"]),
        data["simulated"],
        data["digest"],
    )


def _split(report: Mapping[str, Any]) -> SplitMark:
    """Return the split with the digests of its rows, else with the numbers of its test images."""
    if (rows := report.get("rows")) is not None:
        return SplitMark(rows["name"], dict(rows["parts"]))
    test = report["benchmark"], report["split"]
    return SplitMark(test[1] or "own", counts=_counts(*test))


def _parameters(report: Mapping[str, Any]) -> Parameters:
    """Return the parameters that a report states."""
    params = report.get("params") or {"origin": "unknown", "params": {}}
    if params["origin"] in ("validated", "given", "oracle"):
        return Parameters(params["origin"], params=dict(params["params"]))
    return Parameters("not stated", params=dict(params["params"]))


def _seeds(reports: Sequence[Mapping[str, Any]]) -> Seeds:
    """Return the number of seeds and the standard deviations over them."""

    def std(values: Sequence[Mapping[str, Any] | float | None]) -> float | None:
        numbers = [_point(v).harmonic if isinstance(v, Mapping) else v for v in values]
        values_of_seeds = [float(number) for number in numbers if number is not None]
        complete = len(values_of_seeds) == len(reports) > 1
        return round(float(np.std(values_of_seeds, ddof=1)), DIGITS) if complete else None

    evaluations = [report["evaluation"] for report in reports]
    return Seeds(
        len(reports), *(std([e[name] for e in evaluations]) for name in ("zsl", "calibrated"))
    )


def add_entry(entry: BoardEntry, folder: Path) -> Path:
    """Check an entry and write it to a folder of results; return its file.

    Raises FileRefusedError or ParameterError if the entry is refused, or if the file exists.
    """
    path = folder / file_name(entry)
    check_entry(entry, path.name)
    content = entry.to_json().encode()
    read_entry(content, path.name)
    if path.exists() and path.read_bytes() != content:
        raise ParameterError(
            f"{path.name}: expected a new name; another result has this name already."
        )
    with open_atomically(path) as file:
        file.write(content)
    return path


def file_name(entry: BoardEntry) -> str:
    """Return a descriptive file name that depends only on the result."""
    words = (entry.data.name, entry.split.name, entry.method, *variant_of(entry), entry.who)
    task_or_origin = entry.parameters.chosen_for or entry.parameters.origin
    plain = ("".join(c if c.isalnum() else "-" for c in word) for word in (*words, task_or_origin))
    return "_".join(word.strip("-").lower()[:40] for word in plain if word.strip("-")) + ".json"


def split_name(dataset: ZSLDataset, split: Split) -> str:
    """Return the published name of a split if its rows are published, else its own name.

    Releases with the same rows differ only in their folds. Runs of this package use folds within
    the trainval rows, as in the current release, so they get the name of the current release.
    """
    if dataset.simulated or split.name not in ("PS", "PS v1"):
        return split.name
    parts = split.digests
    same = [s for s in known_splits() if all(s.parts.get(p) == d for p, d in parts.items())]
    return next((s.name for s in same if not s.superseded), split.name)


def _metrics_of(
    e: Mapping[str, Any], with_gamma: bool, names: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Return the metrics of an evaluation and its accuracies by class, all rounded."""
    metrics = {"zsl": e["zsl"], "ausuc": e["ausuc"]}
    of_class = {"zsl": e["per_class_zsl"], "plain": e["per_class_plain"]}
    of_class |= {"at_gamma": e["per_class"]} if with_gamma else {}
    for name, tail in (("plain", ""), ("calibrated", "_gamma")):
        if e[name] and (with_gamma or not tail):
            point = _point(e[name])
            metrics |= {
                f"u{tail}": point.unseen,
                f"s{tail}": point.seen,
                f"H{tail}": point.harmonic,
            }
    return {
        "figures": StatedMetrics(**{k: v if v is None else _round(v) for k, v in metrics.items()}),
        "per_class": {
            metric: {(names[c] if names else c): _round(value) for c, value in values.items()}
            for metric, values in of_class.items()
            if values
        },
    }


def _round(value: float) -> float:
    return round(float(value), DIGITS)


def _point(values: Mapping[str, Any]) -> OperatingPoint:
    return OperatingPoint(values["gamma"], values["seen"], values["unseen"])


def _counts(benchmark: str, split: str) -> dict[str, int]:
    """Return the numbers of seen and unseen test images of a recognised test set."""
    for test in known_tests():
        if (test.benchmark, test.split) == (benchmark, split):
            sides = {"test_seen": ~test.unseen, "test_unseen": test.unseen}
            counts = {part: int(test.counts[side].sum()) for part, side in sides.items()}
            return {part: n for part, n in counts.items() if n}
    return {}
