r"""Whether printed tables agree with themselves, with their text and with the released files.

Every rule counts what it has checked and lists what does not agree, one line each with its
arithmetic. A printed figure x with d decimals stands for any value within
:math:`\tfrac12 10^{-d}` of x: only what no such values can explain is listed.
So a printed H agrees with printed u and s when

.. math::
    H(u - \tfrac12 10^{-d}, s - \tfrac12 10^{-d}) - \tfrac12 10^{-d} \; \le \; H \; \le \;
    H(u + \tfrac12 10^{-d}, s + \tfrac12 10^{-d}) + \tfrac12 10^{-d},
    \qquad H(u, s) = \frac{2 u s}{u + s}

since H grows with either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import pandas as pd

from zslcore.analysis.cross_tests import PRINTED_CLAIM, claim_explained, cross_tests
from zslcore.datasets.facts import class_facts, published, published_tables
from zslcore.metrics import harmonic_mean

__all__ = ["RULES", "Linted", "Rule", "as_text", "lint", "lint_printed"]

#: Half of the last digit of percent with one decimal, as a fraction.
HALF = 0.0005
#: Sums of rounded numbers are not exact.
TINY = 1e-9

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way in which tables can disagree.

    Attributes
    ----------
    name : str
    checks : what is compared, one sentence
    find : tables -> (how many were compared, what does not agree)
    """

    name: str
    checks: str
    find: Callable[[Tables], tuple[int, list[str]]]


@dataclass(frozen=True, slots=True)
class Linted:
    """What a rule has found.

    Attributes
    ----------
    name, checks : of the rule
    checked : how many comparisons were made
    found : what does not agree, one line each with its arithmetic
    """

    name: str
    checks: str
    checked: int
    found: tuple[str, ...]


def lint(tables: Tables) -> list[Linted]:
    """Apply every rule to tables by their names, as :func:`zslcore.datasets.facts.published`."""
    made = []
    for rule in RULES:
        checked, found = rule.find(tables)
        made.append(Linted(rule.name, rule.checks, checked, tuple(found)))
    return made


@cache
def lint_printed() -> tuple[Linted, ...]:
    """Apply every rule to the tables of the three papers."""
    return tuple(lint({name: published(name) for name in published_tables()}))


def _percent(fraction: float, digits: int = 1) -> str:
    return f"{100 * fraction:.{digits}f}"


# --- Rules ----------------------------------------------------------------------------------------


def _harmonic(tables: Tables) -> tuple[int, list[str]]:
    t = tables["gzsl_ps"].dropna()
    found = []
    for row in t.to_dict("records"):
        u, s, printed = row["unseen"], row["seen"], row["harmonic"]
        low = harmonic_mean(max(s - HALF, 0.0), max(u - HALF, 0.0)) - HALF
        high = harmonic_mean(s + HALF, u + HALF) + HALF
        if not low - TINY <= printed <= high + TINY:
            found.append(
                f"{row['method']} on {row['dataset']}: u = {_percent(u)} and s = {_percent(s)} "
                f"give H = {_percent(harmonic_mean(s, u), 2)}, with rounding "
                f"{_percent(low, 2)} to {_percent(high, 2)}; printed {_percent(printed)}."
            )
    return len(t), found


def _averages(tables: Tables) -> tuple[int, list[str]]:
    setting = ["dataset", "calibrated", "lambda_selected_for"]
    cells = tables["calibration_gzsl_harmonic"].groupby(setting, as_index=False)["harmonic"].mean()
    both = tables["calibration_gzsl_average"].merge(cells, on=setting, suffixes=("", "_of_cells"))
    found = [
        f"{row['dataset']}, calibrated: {row['calibrated']}, λ for {row['lambda_selected_for']}: "
        f"the cells average to {_percent(row['harmonic_of_cells'], 2)}; printed "
        f"{_percent(row['harmonic'])}."
        for row in both.to_dict("records")
        if abs(row["harmonic_of_cells"] - row["harmonic"]) > 2 * HALF + TINY
    ]
    return len(both), found


def _totals(tables: Tables) -> tuple[int, list[str]]:
    sums = {
        "dataset_statistics": {
            "classes": ["train_classes", "val_classes", "test_classes"],
            "images": ["ps_trainval_images", "ps_test_seen_images", "ps_test_unseen_images"],
            "images, SS": ["ss_train_images", "ss_test_unseen_images"],
        },
        "action_splits": {
            "classes": ["overlapping", "non_overlapping"],
            "classes, splits": ["train_classes", "test_classes"],
            "test_classes": ["test_overlapping", "test_non_overlapping"],
        },
    }
    checked, found = 0, []
    for name, of in sums.items():
        for total, parts in of.items():
            column = total.partition(",")[0]
            for row in tables[name].to_dict("records"):
                checked += 1
                numbers = [int(row[part]) for part in parts]
                if sum(numbers) != row[column]:
                    terms = " + ".join(map(str, numbers))
                    found.append(
                        f"{name}, {row['dataset']}: {terms} = {sum(numbers)} {total}; printed "
                        f"{row[column]}."
                    )
    return checked, found


def _same_cells(tables: Tables) -> tuple[int, list[str]]:
    """Compare the cells of table 4 with training and test set alike with those of table 3."""
    crossed = tables["cross_dataset_awa"]
    crossed = crossed[crossed["train_dataset"] == crossed["test_dataset"]]
    alone = tables["zsl_top1"].query("split == 'PS'")
    both = crossed.merge(
        alone,
        left_on=["method", "test_dataset"],
        right_on=["method", "dataset"],
        suffixes=("_crossed", "_alone"),
    )
    found = []
    for row in both.to_dict("records"):
        crossed_cell, alone_cell = row["top1_per_class_crossed"], row["top1_per_class_alone"]
        if abs(crossed_cell - alone_cell) > TINY:
            found.append(
                f"{row['method']}, trained and tested on {row['dataset']}: table 4 prints "
                f"{_percent(crossed_cell)}, table 3 {_percent(alone_cell)}."
            )
    return len(both), found


def _repeated_rows(tables: Tables) -> tuple[int, list[str]]:
    """Look for two methods with the same three figures on a data set."""
    t, figures = tables["gzsl_ps"], ["unseen", "seen", "harmonic"]
    found = []
    same = t.duplicated(["dataset", *figures], keep=False)
    for _, rows in t[same].groupby(["dataset", *figures]):
        first = rows.iloc[0]
        told = " / ".join(_percent(float(first[name])) for name in figures)
        found.append(f"{' and '.join(rows['method'])} on {first['dataset']}: the same {told}.")
    return len(t), found


def _text_figures(paper: str, tables: Tables) -> tuple[int, list[str]]:
    """Compare figures that a text, or another paper, quotes with the cells they are of."""
    quoted = tables["text_figures"].query("paper == @paper")
    found = []
    for row in quoted.to_dict("records"):
        cells = tables[row["table"]]
        for column in ("method", "dataset", "split"):
            if isinstance(row[column], str):
                cells = cells[cells[column] == row[column]]
        cell = float(cells[row["column"]].iloc[0])
        if abs(cell - row["quoted"]) > TINY:
            split = f", {row['split']}" if isinstance(row["split"], str) else ""
            found.append(
                f"{row['method']} on {row['dataset']}{split} ({row['column'].replace('_', ' ')}): "
                f"{paper}, {row['section']}, says {_percent(row['quoted'])}, the table "
                f"({TITLES[row['table']]}) {_percent(cell)}."
            )
    return len(quoted), found


#: Tables as a reader of the papers knows them.
TITLES = {"reproduction": "GBU, 2", "zsl_top1": "GBU, 3", "gzsl_ps": "GBU, 6"}


def _released_folds(tables: Tables) -> tuple[int, list[str]]:
    """Compare the printed numbers of training and validation classes with the released folds."""
    checked, found = 0, []
    for row in tables["dataset_statistics"].to_dict("records"):
        t = class_facts(row["dataset"]).classes
        printed = (int(row["train_classes"]), int(row["val_classes"]))
        for split, column in (("SS", "ss_fold1"), ("PS", "fold1")):
            checked += 1
            released = tuple(int((t[column] == part).sum()) for part in ("train", "val"))
            if released != printed:
                found.append(
                    f"{row['dataset']}, {split}: printed {printed[0]} + {printed[1]} training and "
                    f"validation classes, the released folds have {released[0]} + {released[1]}."
                )
    return checked, found


#: What section 3.2 says of ImageNet: of 1,000 classes for training, 200 are for validation.
_IMAGENET_TEXT = {"train": 800, "val": 200}


def _released_imagenet(tables: Tables) -> tuple[int, list[str]]:
    """Compare numbers of classes; the paper gives that of all classes as approximate."""
    printed = tables["imagenet_splits"].set_index("split")["classes"].to_dict() | _IMAGENET_TEXT
    rows = tables["imagenet_released"].query("split != 'All'").to_dict("records")
    found = [
        f"{row['split']}: the paper says {printed[row['split']]:,} classes, the released file has "
        f"{row['classes']:,}."
        for row in rows
        if printed[row["split"]] != row["classes"]
    ]
    return len(rows), found


def _paired_test(tables: Tables) -> tuple[int, list[str]]:
    tests = cross_tests(tables["cross_dataset_awa"])
    said = claim_explained(tests)
    so = round(tests[PRINTED_CLAIM.question].p, PRINTED_CLAIM.decimals) == PRINTED_CLAIM.p
    return 1, [] if so else [said]


def _of_paper(paper: str) -> Callable[[Tables], tuple[int, list[str]]]:
    return lambda tables: _text_figures(paper, tables)


RULES = (
    Rule("H", "H of the benchmark paper's table 6 from its u and s.", _harmonic),
    Rule("averages", "Averages of the calibration paper's table 2 from its cells.", _averages),
    Rule("totals", "Totals of classes and images from their parts.", _totals),
    Rule("same cells", "The same fit in tables 3 and 4 of the benchmark paper.", _same_cells),
    Rule("repeated rows", "Two methods with the same u, s and H on a data set.", _repeated_rows),
    Rule("text", "Figures in the benchmark paper's text against its tables.", _of_paper("GBU")),
    Rule(
        "quotations",
        "The benchmark paper's figures in the calibration paper against its own tables.",
        _of_paper("CAL"),
    ),
    Rule("folds", "Training and validation classes against the released folds.", _released_folds),
    Rule(
        "ImageNet", "Classes of the ImageNet splits against the released file.", _released_imagenet
    ),
    Rule("paired test", "The p-value of the cross-data-set test from its table.", _paired_test),
)


def as_text(linted: Iterable[Linted]) -> str:
    """Return what was found for the terminal."""
    lines = []
    for each in linted:
        lines.append(f"{each.name}: {each.checked} checked, {len(each.found)} found. {each.checks}")
        lines += [f"  {line}" for line in each.found]
    return "\n".join(lines)
