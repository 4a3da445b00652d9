"""Every inductive method trained on one stand-in for AWA1 and AWA2 and tested on both.

    python -m benchmarks.cross_dataset [FIRST SECOND] [--methods NAME ...]

FIRST and SECOND (default ``simulated-AWA1 simulated-AWA2``) are data sets that ``load`` knows, with
the same classes. Parameters are chosen for ZSL, and gamma, on the folds of the training set.
Finished fits are stored: an interrupted run resumes. Written to
``benchmarks/results/`` are ``cross_dataset.csv``, a row a method, training and test set, and
``cross_dataset.md``, the table next to the printed one with the paired tests of both.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import pandas as pd

from benchmarks.measuring import keep, markdown_table, percent
from zslcore.analysis.cross_dataset import cross_table
from zslcore.analysis.cross_tests import (
    as_table,
    claim_explained,
    cross_tests,
    four_cells,
    printed_table,
    with_printed,
)
from zslcore.datasets import load
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore


def rows_of(table: pd.DataFrame) -> Iterator[str]:
    """Yield the lines of a table of texts."""
    return markdown_table(table.columns, table.itertuples(index=False))


def accuracies(table: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return ZSL of the four cells here and as printed, one row a method."""
    both = with_printed(table, first, second)
    both["cell"] = both["trained"] + ":" + both["tested"]
    columns = {}
    for side, mark in (("here", ""), ("published", " printed")):
        wide = both.pivot_table(side, "method", "cell", sort=False, dropna=False)
        columns |= {cell + mark: wide[cell].map(percent) for cell in wide}
    return pd.DataFrame(columns).reset_index()


def harmonic(table: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return H after the gamma of the training set's folds, one row a method."""
    wide = four_cells(table, first, second, "calibrated_harmonic").map(percent)
    names = {first: "AWA1", second: "AWA2"}
    cells = [f"{names[train]}:{names[test]}" for train, test in wide.columns]
    return wide.set_axis(cells, axis=1).reset_index()


def tests_of(table: pd.DataFrame, first: str, second: str, figure: str) -> pd.DataFrame:
    """Return the paired tests over pairs and over methods as texts."""
    parts = [
        as_table(cross_tests(table, first, second, figure=figure, unit=unit))
        for unit in ("pair", "method")
    ]
    t = pd.concat(parts)
    interval = t["low"].map(lambda x: percent(x, "+")) + " to " + t["high"].map(percent)
    d = [
        f"{d:.2f} ({low:.2f} to {high:.2f})"
        for d, low, high in zip(t["d_z"], t["d_z_low"], t["d_z_high"], strict=True)
    ]
    return pd.DataFrame(
        {
            "asked": t["asked"],
            "n": t["pairs"].astype(str) + " " + t["of"],
            "mean difference": t["mean_difference"].map(lambda x: percent(x, "+")),
            "95 % interval": interval,
            "p, t-test": t["p"].map("{:.2g}".format),
            "p, signed rank": t["wilcoxon_p"].map("{:.2g}".format),
            "d_z": d,
            "rank-biserial": t["rank_biserial"].map("{:.2f}".format),
            "shift": t["shift"].map(lambda x: percent(x, "+")),
        }
    )


def markdown(table: pd.DataFrame, first: str, second: str, *, simulated: bool) -> str:
    """Return the whole report."""
    seconds = table.drop_duplicates(["method", "train_dataset"])["seconds"].sum()
    what = "Both are **simulated**: real classes and counts, numbers from a model."
    ours = (first, second)
    return "\n".join(
        [
            "# Trained on one, tested on both",
            "",
            "`python -m benchmarks.cross_dataset` writes this file and `cross_dataset.csv`.",
            "",
            f"{first} stands for AWA1, {second} for AWA2.",
            *[what] * simulated,
            "Printed figures are those of the comprehensive paper on the real images. Split PS;",
            "per-class accuracy in percent; training set left of the colon, test set right of it.",
            "Parameters are chosen for ZSL, and gamma, on the folds of the training set; one fit",
            f"is scored on both test sets; seed 0. All fits together took {seconds:.0f} s.",
            "",
            "## ZSL",
            "",
            *rows_of(accuracies(table, *ours)),
            "",
            "## H, calibrated with the gamma of the training set's folds",
            "",
            *rows_of(harmonic(table, *ours)),
            "",
            *paired_tests(table, ours),
        ]
    )


def paired_tests(table: pd.DataFrame, ours: tuple[str, str]) -> list[str]:
    """Return the section with the tests of the printed table and of our own."""
    printed = table[table["method"].isin(printed_table()["method"])]
    return [
        "## Paired tests",
        "",
        "Differences in points, first data set minus second. *training set*: two fits on the",
        "same test set; *test set*: one fit on two test sets; *larger*: size of the change by",
        "another training set, less that by another test set. Two pairs of a method are not",
        "independent, so each test is there again with every method counting once; methods",
        "with the same four figures (CMT and CMT* among unseen classes) count as one. d_z with",
        "its 95 % interval; the shift is Hodges and Lehmann's.",
        "",
        "### The printed table",
        "",
        *rows_of(tests_of(printed_table(), "AWA1", "AWA2", "top1_per_class")),
        "",
        claim_explained(),
        "",
        *_ours("### The same methods here, ZSL", printed, ours, "top1_per_class"),
        *_ours("### All methods here, ZSL", table, ours, "top1_per_class"),
        *_ours("### All methods here, calibrated H", table, ours, "calibrated_harmonic"),
    ]


def _ours(title: str, table: pd.DataFrame, names: tuple[str, str], figure: str) -> list[str]:
    return [title, "", *rows_of(tests_of(table, *names, figure)), ""]


def show(done: float, total: float, message: str) -> None:
    sys.stderr.write(f"\r{done:6.2f} of {total}  {message:40}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("first", nargs="?", default="simulated-AWA1")
    parser.add_argument("second", nargs="?", default="simulated-AWA2")
    parser.add_argument("--methods", nargs="+", choices=METHODS)
    args = parser.parse_args()

    first, second = load(args.first), load(args.second)
    table = cross_table(first, second, args.methods, store=ResultStore(), on_progress=show)
    text = markdown(table, args.first, args.second, simulated=first.simulated)
    keep("cross_dataset", text, table)


if __name__ == "__main__":
    main()
