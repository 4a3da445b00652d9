r"""Test whether one data set can stand in for another, on the crossed accuracies.

Of two data sets 1 and 2, a method has four accuracies :math:`a_{train:test}`, see
:mod:`zslcore.analysis.cross_dataset`, and of them

- what another *training* set changes, the test set being the same:
  :math:`a_{1:1} - a_{2:1}` and :math:`a_{1:2} - a_{2:2}`;
- what another *test* set changes, the training set being the same:
  :math:`a_{1:1} - a_{1:2}` and :math:`a_{2:1} - a_{2:2}`;
- which of the two changes more. From a crossed result one comes to a plain one by exchanging either
  set: :math:`|a_{1:2} - a_{2:2}| - |a_{1:2} - a_{1:1}|` and
  :math:`|a_{2:1} - a_{1:1}| - |a_{2:1} - a_{2:2}|`.

The benchmark paper takes the two differences of a method for pairs of their own, 24 of 12 methods.
They are not independent; averaged within a method, every method counts once.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, section "Results on our proposed AWA2".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

import pandas as pd

from zslcore.datasets.facts import published
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.metrics.significance import PairedTest, paired_test

Unit = Literal["pair", "method"]

#: What the paired tests ask, of a first and a second data set.
QUESTIONS = {
    "training set": "{0} instead of {1} for training, same test set:",
    "test set": "{0} instead of {1} for testing, same training set:",
    "larger": "Size of the change by another training set, less that by another test set:",
}


def printed_table() -> pd.DataFrame:
    """Return the benchmark paper's table: AWA1 and AWA2, split PS, fractions."""
    return published("cross_dataset_awa")


def four_cells(
    table: pd.DataFrame, first: str, second: str, figure: str = "top1_per_class"
) -> pd.DataFrame:
    """Return a table as the paper prints it, one row a method.

    Parameters
    ----------
    table : the printed table or one of :func:`zslcore.analysis.cross_dataset.cross_table`
    first, second : names of the data sets in it

    Returns
    -------
    DataFrame
        Methods in the order of ``table``; columns (first, first), (first, second), (second,
        second), (second, first), trained on and tested on; missing where ``table`` has no such row.
    """
    wide = table.pivot_table(figure, "method", ["train_dataset", "test_dataset"], sort=False)
    wide = wide.reindex(
        columns=[(first, first), (first, second), (second, second), (second, first)]
    )
    return wide.reindex(table["method"].unique())


def with_printed(table: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Add the printed ZSL accuracies to a table.

    Parameters
    ----------
    first, second : names of the data sets that stand for AWA1 and AWA2

    Returns
    -------
    DataFrame
        One row per method, printed ones first, and cell, in the printed order: ``method``,
        ``trained`` and ``tested`` ("AWA1", "AWA2"), ``here`` and ``published`` (missing where there
        is none), ``deviation`` (here - published).
    """
    there = four_cells(printed_table(), "AWA1", "AWA2")
    here = four_cells(table, first, second).set_axis(there.columns, axis=1)
    rows = [
        (method, *cell, here[cell].get(method), there[cell].get(method))
        for method in dict.fromkeys([*there.index, *here.index])
        for cell in there.columns
    ]
    both = pd.DataFrame(rows, columns=["method", "trained", "tested", "here", "published"])
    both[["here", "published"]] = both[["here", "published"]].astype(float)
    return both.assign(deviation=both["here"] - both["published"])


# --- Tests of the table ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PrintedClaim:
    """A p-value as a paper prints it, and the pairs it is of according to the paper.

    Attributes
    ----------
    question : key of ``QUESTIONS`` that the paper's description of its pairs answers
    decimals : digits it is printed with
    source : section of the paper
    """

    question: str
    pairs: int
    p: float
    decimals: int
    source: str


PRINTED_CLAIM = PrintedClaim(
    question="training set",
    pairs=24,
    p=0.007,
    decimals=3,
    source="Xian et al., TPAMI 2019, “Results on our proposed AWA2”: paired t-test, 12 methods, "
    "pairs with the same test set (columns 1 and 4, 2 and 3 of the table).",
)


def differences(
    table: pd.DataFrame, first: str, second: str, figure: str = "top1_per_class"
) -> pd.DataFrame:
    """Return both differences of every method for every question.

    Methods without all four cells are left out, and methods with the same four (CMT* and CMT among
    unseen classes) count once.

    Returns
    -------
    DataFrame
        One row per question and pair: ``asked`` (key of ``QUESTIONS``), ``method``, ``pair`` (what
        is the same in both, or the crossed result that both start from), ``difference``.
    """
    cells = four_cells(table, first, second, figure).dropna().drop_duplicates()
    a11, a12, a22, a21 = (cells[column] for column in cells)
    pairs = {
        ("training set", f"tested on {first}"): a11 - a21,
        ("training set", f"tested on {second}"): a12 - a22,
        ("test set", f"trained on {first}"): a11 - a12,
        ("test set", f"trained on {second}"): a21 - a22,
        ("larger", f"from {first}:{second}"): (a12 - a22).abs() - (a12 - a11).abs(),
        ("larger", f"from {second}:{first}"): (a21 - a11).abs() - (a21 - a22).abs(),
    }
    parts = [
        pd.DataFrame({"asked": asked, "method": x.index, "pair": pair, "difference": x.to_numpy()})
        for (asked, pair), x in pairs.items()
    ]
    return pd.concat(parts, ignore_index=True)


def cross_tests(
    table: pd.DataFrame,
    first: str = "AWA1",
    second: str = "AWA2",
    *,
    figure: str = "top1_per_class",
    unit: Unit = "pair",
) -> dict[str, PairedTest]:
    """Test what the training set and what the test set change, over methods.

    Parameters
    ----------
    table, first, second, figure : as for :func:`four_cells`
    unit : "pair" as in the paper, two pairs a method, or "method", their mean counting once

    Raises
    ------
    DatasetError
        When fewer than two methods have all four figures.
    """
    if unit not in ("pair", "method"):
        raise ParameterError(f"unit must be 'pair' or 'method'; got {unit!r}.")
    x = differences(table, first, second, figure)
    if x["method"].nunique() < 2:
        raise DatasetError(
            f"{first} and {second}: paired tests need two methods with all four figures; "
            f"got {x['method'].nunique()}."
        )
    if unit == "method":
        x = x.groupby(["asked", "method"], sort=False, as_index=False)[["difference"]].mean()
    of = {asked: x["difference"][x["asked"] == asked].to_numpy() for asked in QUESTIONS}
    return {
        asked: paired_test(text.format(first, second), of[asked], of=f"{unit}s")
        for asked, text in QUESTIONS.items()
    }


def as_table(tests: Mapping[str, PairedTest]) -> pd.DataFrame:
    """Return tests as a table, one row a question.

    The intervals of the mean, of d_z and of the shift end in ``low`` and ``high``, ``d_z_low`` and
    ``d_z_high``, ``shift_low`` and ``shift_high``.
    """
    table = pd.DataFrame([asdict(test) for test in tests.values()])
    for name in ("interval", "d_z_interval", "shift_interval"):
        ends = [f"{name.removesuffix('interval')}{end}" for end in ("low", "high")]
        table[ends] = table.pop(name).tolist()
    table.insert(0, "asked", list(tests))
    return table


def claim_explained(
    tests: Mapping[str, PairedTest] | None = None, claim: PrintedClaim = PRINTED_CLAIM
) -> str:
    """Explain whether a printed p-value follows from its table, and of which pairs it would be."""
    tests = cross_tests(printed_table()) if tests is None else tests
    asked = tests[claim.question]
    if round(asked.p, claim.decimals) == claim.p:
        return f"The printed p = {claim.p:g} follows from the printed table."
    of = [key for key, test in tests.items() if round(test.p, claim.decimals) == claim.p]
    text = (
        f"The printed p = {claim.p:g} for the {claim.question} does not follow from the printed "
        f"table, whose {asked.pairs} pairs give p = {asked.p:.2g}."
    )
    if of:
        text += (
            f" It is, to the digit, what the same table gives for the {of[0]} "
            f"(p = {tests[of[0]].p:.2g})."
        )
    return text
