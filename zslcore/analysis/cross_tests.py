r"""Whether one data set is a fair stand-in for another: what the crossed accuracies say.

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

import numpy as np
import pandas as pd

from zslcore.analysis.paired import PairedTest, paired_test
from zslcore.datasets.facts import published
from zslcore.exceptions import DatasetError, ParameterError

__all__ = [
    "PRINTED_CLAIM",
    "QUESTIONS",
    "PrintedClaim",
    "as_table",
    "beside_printed",
    "claim_explained",
    "cross_tests",
    "printed_table",
]

Unit = Literal["pair", "method"]

#: What the paired tests ask, of a first and a second data set.
QUESTIONS = {
    "training set": "{0} instead of {1} for training, same test set:",
    "test set": "{0} instead of {1} for testing, same training set:",
    "larger": "Size of the change by another training set, less that by another test set:",
}

#: Columns of the printed table: trained on, tested on.
PRINTED_CELLS = (("AWA1", "AWA1"), ("AWA1", "AWA2"), ("AWA2", "AWA2"), ("AWA2", "AWA1"))


def printed_table() -> pd.DataFrame:
    """Return the benchmark paper's table: AWA1 and AWA2, split PS, fractions."""
    return published("cross_dataset_awa")


def beside_printed(table: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Put a table beside the printed one.

    Parameters
    ----------
    table : see :func:`cross_table`
    first, second : names of the data sets that stand for AWA1 and AWA2

    Returns
    -------
    DataFrame
        In the printed order, one row per row of ``table`` and per printed cell without one:
        ``method``, ``trained`` and ``tested`` ("AWA1", "AWA2"), ``here``, ``published``,
        ``deviation`` (here - published).
    """
    sets, names = ["train_dataset", "test_dataset"], {first: "AWA1", second: "AWA2"}
    keys = ["method", "trained", "tested"]
    columns = dict(zip(sets, keys[1:], strict=True))
    here = table.replace(dict.fromkeys(sets, names)).rename(columns=columns)
    here = here.rename(columns={"top1_per_class": "here"})[[*keys, "here"]]
    there = printed_table().rename(columns=columns | {"top1_per_class": "published"})
    both = here.merge(there, on=keys, how="outer", sort=False)
    methods = dict.fromkeys([*there["method"], *here["method"]])
    place = {key: k for k, key in enumerate((m, *cell) for m in methods for cell in PRINTED_CELLS)}
    both.index = both[keys].apply(tuple, axis=1).map(place)
    both = both.sort_index().reset_index(drop=True)
    return both.assign(deviation=both["here"] - both["published"])


# --- What the table says --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PrintedClaim:
    """A p-value as a paper prints it, and the pairs that the paper says it is of.

    Attributes
    ----------
    question : key of ``QUESTIONS`` that the paper's description of its pairs answers
    pairs : number of pairs
    p : the printed p-value
    decimals : digits it is printed with
    source : where it stands
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
    table : the printed table or one of :func:`cross_table`
    first, second : names of the data sets in it
    figure : column
    unit : "pair" as in the paper, two pairs a method, or "method", their mean counting once

    Returns
    -------
    dict with the keys of ``QUESTIONS``

    Raises
    ------
    DatasetError
        When fewer than two methods have all four figures.
    """
    if unit not in ("pair", "method"):
        raise ParameterError(f"unit must be 'pair' or 'method'; got {unit!r}.")
    differences = _differences(table, first, second, figure)
    if unit == "method":
        differences = {key: pair.mean(axis=1, keepdims=True) for key, pair in differences.items()}
    return {
        key: paired_test(QUESTIONS[key].format(first, second), pair.ravel(), of=f"{unit}s")
        for key, pair in differences.items()
    }


def _differences(table: pd.DataFrame, first, second, figure: str) -> dict[str, np.ndarray]:
    """Return the two differences of every method, shape (n_methods, 2), by question."""
    cells = table.pivot_table(
        index="method", columns=["train_dataset", "test_dataset"], values=figure, sort=False
    )
    four = [(train, test) for train in (first, second) for test in (first, second)]
    cells = cells.reindex(columns=four).dropna()
    if len(cells) < 2:
        raise DatasetError(
            f"{first} and {second}: paired tests need two methods with all four figures; "
            f"got {len(cells)}."
        )
    a11, a12, a21, a22 = (cells[key].to_numpy() for key in four)
    training, testing = (a11 - a21, a12 - a22), (a11 - a12, a21 - a22)
    larger = (abs(training[1]) - abs(testing[0]), abs(training[0]) - abs(testing[1]))
    pairs = zip(QUESTIONS, (training, testing, larger), strict=True)
    return {key: np.stack(pair, axis=1) for key, pair in pairs}


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
    """Say whether a printed p-value follows from its table, and of which pairs it would be.

    Parameters
    ----------
    tests : of the table that the claim is about, the printed one by default
    claim : the printed p-value
    """
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
