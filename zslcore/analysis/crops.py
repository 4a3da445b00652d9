"""What ten crops add: the printed table, and data sets that differ in nothing but their crops.

The calibration paper averages the features of ten crops of an image (its table 3), and uses those
of the middle one elsewhere (tables 1 and 2). Two data sets that ``zslcore extract`` made of the
same images with the same encoder state in their provenance how many crops they are of.

References
----------
Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019, tables 1 to 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.facts import published
from zslcore.evaluation.protocol import Task
from zslcore.evaluation.runs import RunResult

__all__ = ["FIGURES", "crop_pairs", "crops_of", "measured_crops", "printed_crops"]

#: Figure -> the task for which its parameters are chosen here.
FIGURES: dict[str, Task] = {"ZSL": "zsl", "H at gamma": "gzsl"}
#: How the provenance of features states it, see
#: :func:`zslcore.extraction.extracting.provenance_of`.
_CROPS = re.compile(r"(?:middle crop|mean over (\d+) crops) of (?=\d)")
_RECIPE = re.compile(r"encoder .*; SHA-256 .*?; shorter side .*(?=; zslcore )")


def crops_of(dataset: ZSLDataset) -> tuple[str, int] | None:
    """Return the recipe of features without their crops, and the number of crops.

    Parameters
    ----------
    dataset : ZSLDataset

    Returns
    -------
    Encoder, weights and size in words, and a number; None where the provenance does not say it
    """
    recipe = _RECIPE.search(dataset.source)
    crops = recipe and _CROPS.search(recipe[0])
    if not recipe or not crops:
        return None
    return _CROPS.sub("", recipe[0]), int(crops[1] or 1)


def crop_pairs(datasets: Mapping[str, ZSLDataset]) -> list[tuple[str, str]]:
    """Return pairs of data sets that differ in their crops alone, the one with fewer crops first.

    Parameters
    ----------
    datasets : name -> ZSLDataset
    """
    known = {name: made for name, data in datasets.items() if (made := crops_of(data))}
    return [
        (one, other)
        for one, (recipe, few) in known.items()
        for other, (same, many) in known.items()
        if recipe == same and few < many and _same_images(datasets[one], datasets[other])
    ]


def _same_images(one: ZSLDataset, other: ZSLDataset) -> bool:
    return (
        one.class_names == other.class_names
        and np.array_equal(one.labels, other.labels)
        and np.array_equal(one.prototypes, other.prototypes)
        and list(one.splits) == list(other.splits)
        and all(
            np.array_equal(getattr(one.split(name), part), getattr(other.split(name), part))
            for name in one.splits
            for part in ("trainval", "test_seen", "test_unseen")
        )
    )


def printed_crops(benchmark: str, figure: str) -> pd.DataFrame:
    """Return what the paper prints on a benchmark for one crop and for ten.

    Parameters
    ----------
    benchmark : "CUB" or "AWA2"
    figure : of :data:`FIGURES`

    Returns
    -------
    DataFrame, a row a method: method, "1 per class", "10 per class", "10 per sample"; fractions
    """
    ten = published("calibration_10crop")
    ten = ten[ten["dataset"] == benchmark].set_index("method")
    if figure == "ZSL":
        one = published("calibration_zsl_top1")
        one, column, letter = one[one["split"] == "PS"], "top1_per_class", "zsl"
    else:
        one = published("calibration_gzsl_harmonic")
        chosen = (one["calibrated"] == "yes") & (one["lambda_selected_for"] == "gzsl")
        one, column, letter = one[chosen], "harmonic", "harmonic"
    one = one[one["dataset"] == benchmark].set_index("method")
    return pd.DataFrame(
        {
            "1 per class": one[column].reindex(ten.index),
            "10 per class": ten[f"{letter}_per_class"],
            "10 per sample": ten[f"{letter}_per_sample"],
        }
    ).reset_index()


def measured_crops(runs: Mapping[int, Iterable[RunResult]], figure: str) -> pd.DataFrame:
    """Return what methods reach with the features of so many crops.

    Parameters
    ----------
    runs : number of crops -> runs, at most one for each method, on data that differ in crops alone
    figure : of :data:`FIGURES`

    Returns
    -------
    DataFrame, a row a method: method, and for each number of crops, as in "10 per class" and
    "10 per sample", a fraction; missing where there is no run or no such figure
    """
    columns: dict[str, dict[str, float]] = {}
    for crops, of in runs.items():
        for run in of:
            e = run.evaluation
            points = e.calibrated, e.calibrated_per_sample
            harmonic = [np.nan if p is None else p.harmonic for p in points]
            values = [e.zsl, e.zsl_per_sample] if figure == "ZSL" else harmonic
            for mean, value in zip(("class", "sample"), values, strict=True):
                columns.setdefault(f"{crops} per {mean}", {})[run.spec.method] = value
    return pd.DataFrame(columns).rename_axis("method").reset_index()
