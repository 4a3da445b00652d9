"""Class embeddings compared on real features: attributes, word vectors and a hierarchy.

    python -m benchmarks.class_embeddings [FOLDER] [--methods NAME ...] [--seeds N] [--report]

FOLDER (default ``../shared/data/xlsa17``) holds ``CUB/`` with ``vgg_fc7.mat`` and
``class_embeddings.mat``, ``AWA1/`` with ``lss.mat`` and, for attributes that are 0 or 1,
``AWA2/binary/att_splits.mat``. Every method is run with every embedding on PS, once with parameters
chosen for ZSL and once for GZSL, both and gamma on the folds. Finished runs are
stored: an interrupted command resumes. ``--report`` runs nothing and writes what is
finished: ``results/class_embeddings.md``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.measuring import keep, markdown_table, percent
from zslcore.analysis.comparison import accuracies
from zslcore.analysis.resampling import drawn_figure
from zslcore.datasets import ZSLDataset, read_xlsa17
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import DatasetError, closest_name
from zslcore.metrics.significance import N_DRAWS, class_draws, holm, interval, paired_test
from zslcore.results.planning import Plan, first_specs
from zslcore.results.store import ResultStore

#: Cheap ones first; those that take ten minutes an embedding are run by name.
METHODS = ("LinearS2V", "ESZSL", "ALE", "DEVISE", "SJE", "SAE", "LinearV2S")
INTRO = """# Class embeddings on real features

`python -m benchmarks.class_embeddings` writes this file.

Split PS 2.0, accuracy per class in percent; features and embeddings of unit length; parameters and
gamma chosen on the three folds, for ZSL and for H each; one seed. CUB: VGG fc7 of the whole image,
and the class embeddings of Akata et al. (CVPR 2015): 312 continuous attributes, word2vec and GloVe
of 400 dimensions, the hierarchy of WordNet. AWA1: hand-crafted features, and its 85 attributes as
they were judged or as 0 and 1, which are those of AWA2. Intervals are over classes that are drawn
again, differences on the same draws; p is of a paired t-test over classes, after Holm.
Methods that are not there were not finished; the command goes on where it stopped.
"""
#: What is compared: title -> embedding -> how the data set is read.
Openers = Mapping[str, Callable[[], ZSLDataset]]


def groups(folder: Path) -> dict[str, Openers]:
    """Return data sets that differ in their prototypes only, by what their images are."""
    cub = partial(read_xlsa17, folder / "CUB", "vgg_fc7.mat")
    vectors = partial(cub, prototypes=folder / "CUB" / "class_embeddings.mat")
    awa = partial(read_xlsa17, folder / "AWA1", "lss.mat")
    binary = folder / "AWA2" / "binary" / "att_splits.mat"
    return {
        "CUB, VGG fc7": {
            "attributes": cub,
            "word2vec": partial(vectors, embedding="word2vec"),
            "GloVe": partial(vectors, embedding="glove"),
            "hierarchy": partial(vectors, embedding="wordnet"),
        },
        "AWA1, local self-similarity": {
            "continuous attributes": awa,
            "binary attributes": partial(awa, prototypes=binary, name="AWA1-lss-binary"),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", default="../shared/data/xlsa17", type=Path)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--seeds", type=int, default=1, help="of stochastic methods (1)")
    parser.add_argument("--report", action="store_true", help="run nothing")
    args = parser.parse_args()
    todo = groups(args.folder)
    if not args.report:
        with threadpool_limits(1):
            for line in run(todo, args.methods, args.seeds):
                sys.stderr.write(line + "\n")
    write(finished_tables(todo))


def run(todo: Mapping[str, Openers], methods: tuple[str, ...], seeds: int) -> Iterator[str]:
    """Make the missing runs; yield the time of each."""
    store = ResultStore()
    for method in methods:
        for group, openers in todo.items():
            for embedding, opener in openers.items():
                cpu, data = time.process_time(), opener()
                runs = first_specs(data, "PS", method, ("zsl", "gzsl"))
                made = Plan(runs, seeds).complete_all(data, store)
                cpu = time.process_time() - cpu
                yield f"{group}, {embedding}, {method}: {made} runs, {cpu:.0f} s of processor"


def finished_tables(todo: Mapping[str, Openers]) -> dict[str, pd.DataFrame]:
    """Return what is finished of every group: accuracies by class, first seeds."""
    store, tables = ResultStore(), {}
    for group, openers in todo.items():
        results = {
            embedding: [
                result
                for method in METHODS
                for spec in first_specs(opener(), "PS", method, ("zsl", "gzsl"))
                if (result := store.get(spec.key)) is not None
            ]
            for embedding, opener in openers.items()
        }
        table = per_class(results)
        there = table.groupby("method")["embedding"].nunique()
        complete = there.index[there == len(openers)]
        tables[group] = table[table["method"].isin(complete)]
    return {group: table for group, table in tables.items() if len(table)}


def write(tables: Mapping[str, pd.DataFrame]) -> None:
    """Write figures, intervals and differences."""
    keep("class_embeddings", "\n".join(markdown(tables)))


def markdown(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """Yield the lines of the file of results: figures, intervals and differences in percent."""
    yield INTRO
    for group, table in tables.items():
        reference = table["embedding"].iloc[0]
        compared = compare_embeddings(table)
        yield from (f"## {group}", "", in_a_sentence(compared, reference), "")
        for figure, part in compared.groupby("figure", sort=False):
            yield from (f"### {figure}", "")
            head = [
                "method",
                "class embedding",
                str(figure),
                "95 %",
                f"to {reference}",
                "95 %",
                "p",
            ]
            yield from markdown_table(head, (cells(row) for _, row in part.iterrows()))
            yield ""


def cells(row: pd.Series) -> list[str]:
    """Return a row of the comparison as it is written."""
    difference = ["", ""]
    if pd.notna(row["difference"]):
        difference = [
            percent(row["difference"], "+"),
            f"{percent(row['difference_low'], '+')} to {percent(row['difference_high'], '+')}",
        ]
    return [
        *(row["method"], row["embedding"], percent(row["value"])),
        f"{percent(row['low'])} to {percent(row['high'])}",
        *difference,
        "" if pd.isna(row["p_holm"]) else f"{row['p_holm']:.2g}",
    ]


# --- Embeddings compared, class by class ----------------------------------------------------------


#: Of a table of accuracies by class, see :func:`per_class`.
COLUMNS = ("embedding", "method", "class", "role", "zsl", "gzsl")
FIGURES = ("ZSL", "H at gamma")
#: Below this p, adjusted over methods and embeddings, a difference is called one.
SIGNIFICANT = 0.05


def per_class(results: Mapping[str, Iterable[RunResult]]) -> pd.DataFrame:
    """Return the accuracies of every class under every embedding and method.

    Parameters
    ----------
    results : embedding -> runs on one split of the same images, at most one a method and task

    Returns
    -------
    DataFrame with the columns of :data:`COLUMNS`
        ``zsl`` is the accuracy among unseen classes of the run for ZSL; ``gzsl`` that among all
        classes at the validated gamma of the run for GZSL. Missing where there is no such run.
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

    Two runs of one method that differ in nothing but their features or prototypes answer the same
    test images. Accuracies are compared class by class on the same draws of test classes, so that
    what makes a class hard for both cancels. For ZSL the p-value is that of a paired t-test over
    the unseen classes, adjusted by Holm over all methods and embeddings. H has an interval only.

    Returns
    -------
    DataFrame, a row a figure, method and embedding; accuracies as fractions
        ``difference`` to the reference, with its interval, is missing for the reference itself.

    Raises
    ------
    UnknownNameError, DatasetError
        When no run has the reference, or runs of one method do not have the same classes.
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


if __name__ == "__main__":
    main()
