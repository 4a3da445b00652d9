r"""The same methods with other inputs: other features of the same images, or other prototypes.

Two runs of one method on the same images and split, which differ in nothing but their features, or
in nothing but the prototypes, answer the same test images. Their accuracies are compared class by
class,

.. math:: d_c = acc_c(\text{input}) - acc_c(\text{reference}),

on the same draws of test classes, so that what makes a class hard for both cancels. Classes are
the unit: another benchmark would have other classes. For ZSL the p-value is that of a paired t-test
over the unseen classes, adjusted by Holm over all methods and embeddings. H has an interval only.

References
----------
Z. Akata, S. Reed, D. Walter, H. Lee, B. Schiele, "Evaluation of output embeddings for fine-grained
image classification", CVPR 2015, section 4: attributes, word2vec, GloVe and WordNet on CUB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.comparison import accuracies
from zslcore.analysis.resampling import drawn_figure
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import DatasetError, closest_name
from zslcore.metrics.bootstrap import N_DRAWS, class_draws, interval
from zslcore.metrics.significance import holm, paired_test

#: Of a table of accuracies by class, see :func:`per_class`.
COLUMNS = ("embedding", "method", "class", "role", "zsl", "gzsl")
FIGURES = ("ZSL", "H at gamma")
#: Below this p, adjusted over methods and embeddings, a difference is called one.
SIGNIFICANT = 0.05


def per_class(results: Mapping[str, Iterable[RunResult]]) -> pd.DataFrame:
    """Return the accuracies of every class under every embedding and method.

    Parameters
    ----------
    results : embedding -> runs on one split of the same images, at most one for each method and
        each task

    Returns
    -------
    DataFrame with the columns of :data:`COLUMNS`
        ``role`` is "seen" or "unseen". ``zsl`` is the accuracy among unseen classes, of the run
        whose parameters were chosen for ZSL; ``gzsl`` that among all classes at the validated
        gamma, of the run for GZSL. Missing where there is no such run.
    """
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for embedding, runs in results.items():
        for run in runs:
            for_zsl = run.spec.select_for == "zsl"
            column = "zsl" if for_zsl else "gzsl"
            unseen, seen = accuracies(run, "zsl" if for_zsl else "H at gamma")
            for role, of_role in (("unseen", unseen), ("seen", seen)):
                for c, value in of_role.items():
                    key = (embedding, run.spec.method, run.class_names[c])
                    found.setdefault(key, {"role": role})[column] = value
    rows = [dict(zip(COLUMNS, key, strict=False)) | values for key, values in found.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def compare_embeddings(
    table: pd.DataFrame, reference: str | None = None, n_draws: int = N_DRAWS
) -> pd.DataFrame:
    """Compare every embedding with a reference, by default the first, method by method.

    Returns
    -------
    DataFrame, a row a figure, method and embedding; accuracies as fractions
        ``value`` with ``low`` and ``high``; ``difference`` to the reference with ``difference_low``
        and ``difference_high``, missing for the reference itself; ``p`` and ``p_holm`` for ZSL.

    Raises
    ------
    UnknownNameError
        When no run has the reference as its embedding.
    DatasetError
        When runs of one method do not have the same classes.
    """
    embeddings = list(dict.fromkeys(table["embedding"]))
    reference = embeddings[0] if reference is None and embeddings else reference
    if reference not in embeddings:
        raise closest_name("class embedding", reference, embeddings)
    rows: list[dict[str, Any]] = []
    for method, of_method in table.groupby("method", sort=False):
        for figure in FIGURES:
            rows += _compared(str(method), figure, of_method, str(reference), n_draws)
    columns = ["figure", "method", "embedding", "value", "low", "high"]
    columns += ["difference", "difference_low", "difference_high", "p"]
    found = pd.DataFrame(rows, columns=columns)
    tested = found["p"].notna()
    found["p_holm"] = np.nan
    found.loc[tested, "p_holm"] = holm(found.loc[tested, "p"].tolist()) if tested.any() else []
    return found.sort_values("figure", key=lambda names: names != FIGURES[0], kind="stable")


def _compared(
    method: str, figure: str, table: pd.DataFrame, reference: str, n_draws: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one method and figure, for every embedding that has it."""
    column = "zsl" if figure == FIGURES[0] else "gzsl"
    part = table.dropna(subset=[column])
    if reference not in set(part["embedding"]):
        return
    wide = part.pivot_table(column, ["role", "class"], "embedding", sort=False)
    if wide.isna().any(axis=None):
        raise DatasetError(
            f"{method}: expected the same classes under every embedding; got "
            f"{', '.join(f'{n} under {name}' for name, n in wide.notna().sum().items())}."
        )
    seen = (wide.index.get_level_values("role") == "seen").astype(bool)
    if figure != FIGURES[0] and (seen.all() or not seen.any()):
        return
    drawn = class_draws(np.asarray(seen), n_draws)
    values = {str(name): drawn_figure(drawn, seen, wide[name].to_numpy()) for name in wide}
    for name, value in values.items():
        low, high = interval(value)
        row = {"figure": figure, "method": method, "embedding": name, "value": value[0]}
        row |= {"low": low, "high": high}
        if name != reference:
            difference = value - values[reference]
            low, high = interval(difference)
            row |= {"difference": difference[0], "difference_low": low, "difference_high": high}
            if figure == FIGURES[0]:
                by_class = wide[name] - wide[reference]
                row["p"] = paired_test("Do they differ?", by_class, of="classes").p
        yield row


def in_a_sentence(compared: pd.DataFrame, reference: str) -> str:
    """Return in how many comparisons for ZSL the reference is better, worse or not different."""
    zsl = compared[(compared["figure"] == FIGURES[0]) & compared["difference"].notna()]
    if zsl.empty:
        return "There is nothing to compare yet."
    significant = zsl["p_holm"] < SIGNIFICANT
    better = int((significant & (zsl["difference"] < 0)).sum())
    worse = int((significant & (zsl["difference"] > 0)).sum())
    rest = len(zsl) - better - worse
    return (
        f"For ZSL, the accuracy with {reference} is higher in {better} of {len(zsl)} comparisons, "
        f"lower in {worse}, and not significantly different in {rest} (paired t-test over "
        f"classes, p below {SIGNIFICANT} after Holm)."
    )
