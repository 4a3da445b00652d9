r"""Check printed tables against themselves, their text and the released files.

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

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.cross_tests import PRINTED_CLAIM, claim_explained, cross_tests
from zslcore.datasets.action_facts import action_facts
from zslcore.datasets.facts import class_facts, published, published_tables
from zslcore.leakage.contamination.counting import cells, pretraining_sets
from zslcore.metrics import harmonic_mean

#: Half of the last digit of percent with one decimal, as a fraction.
HALF = 0.0005
#: Splits that the action paper compares with, the first of those released.
DRAWN = 30
#: Sums of rounded numbers are not exact.
TINY = 1e-9

Tables = Mapping[str, pd.DataFrame]
#: Table, method, data set, split (empty where the table has none) and column of a printed figure.
Cell = tuple[str, str, str, str, str]


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
        low = harmonic_mean(max(s - HALF, 0.0), max(u - HALF, 0.0))
        high = harmonic_mean(s + HALF, u + HALF)
        if not low - HALF - TINY <= printed <= high + HALF + TINY:
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


def _versions(tables: Tables) -> tuple[int, list[str]]:
    """Compare table 4 and what another paper quotes with tables 3 and 6 of either version."""
    earlier = _earlier(tables)
    checked, found = 0, []
    for where, cell, figure in _repeated(tables):
        checked += 1
        printed = _cell(tables, cell)
        if abs(figure - printed) <= TINY:
            continue
        before = earlier.get(cell)
        explained = before is not None and abs(figure - before) <= TINY
        table = TITLES[cell[0]].replace("GBU, ", "table ")
        found.append(
            f"{_in_words(cell)}: {where} has {_percent(figure)}, "
            + (f"as the earlier version of {table} had; " if explained else "in neither version; ")
            + f"{table} prints {_percent(printed)}."
        )
    return checked, found


def _repeated(tables: Tables) -> Iterator[tuple[str, Cell, float]]:
    """Yield where a cell of table 3 or 6 is printed again, the cell, and the figure there."""
    crossed = tables["cross_dataset_awa"]
    for row in crossed[crossed["train_dataset"] == crossed["test_dataset"]].to_dict("records"):
        cell = ("zsl_top1", row["method"], row["test_dataset"], "PS", "top1_per_class")
        yield "table 4", cell, row["top1_per_class"]
    for row in tables["text_figures"].query("paper == 'CAL'").to_dict("records"):
        yield f"CAL, {row['section']},", _quoted_cell(row), row["quoted"]


def _quoted_cell(row: Mapping[Any, Any]) -> Cell:
    split = row["split"] if isinstance(row["split"], str) else ""
    return (row["table"], row["method"], row["dataset"], split, row["column"])


def _earlier(tables: Tables) -> dict[Cell, float]:
    """Return the cells that an earlier version of tables 3 and 6 had otherwise."""
    rows = tables["earlier_version"].to_dict("records")
    return {_quoted_cell(row): row["earlier"] for row in rows}


def _cell(tables: Tables, cell: Cell) -> float:
    """Return a printed figure; empty names of a cell leave the choice to the others."""
    table, method, dataset, split, column = cell
    rows = tables[table]
    for name, value in (("method", method), ("dataset", dataset), ("split", split)):
        if value:
            rows = rows[rows[name] == value]
    return float(rows[column].iloc[0])


def _in_words(cell: Cell) -> str:
    _, method, dataset, split, column = cell
    return f"{method} on {dataset}{split and f', {split}'} ({column.replace('_', ' ')})"


def _repeated_rows(tables: Tables) -> tuple[int, list[str]]:
    """Look for two methods with the same three figures on a data set."""
    t, figures = tables["gzsl_ps"], ["unseen", "seen", "harmonic"]
    earlier, found = _earlier(tables), []
    same = t.duplicated(["dataset", *figures], keep=False)
    for _, rows in t[same].groupby(["dataset", *figures]):
        first = rows.iloc[0]
        same_figures = " / ".join(_percent(float(first[name])) for name in figures)
        line = f"{' and '.join(rows['method'])} on {first['dataset']}: the same {same_figures}"
        before = [_row_before(earlier, row) for row in rows.to_dict("records")]
        if len(set(before)) == len(before):
            line += f"; {' and '.join(before)} in the earlier version"
        found.append(f"{line}.")
    return len(t), found


def _row_before(earlier: Mapping[Cell, float], row: Mapping[Any, Any]) -> str:
    """Return u, s and H of a row of table 6 as its earlier version had them."""
    return " / ".join(
        _percent(earlier.get(("gzsl_ps", row["method"], row["dataset"], "", name), row[name]))
        for name in ("unseen", "seen", "harmonic")
    )


def _text_figures(tables: Tables) -> tuple[int, list[str]]:
    """Compare figures that the benchmark paper's text gives with the cells they are of."""
    quoted = tables["text_figures"].query("paper == 'GBU'").to_dict("records")
    found = []
    for row in quoted:
        cell = _quoted_cell(row)
        printed = _cell(tables, cell)
        if abs(printed - row["quoted"]) > TINY:
            found.append(
                f"{_in_words(cell)}: GBU, {row['section']}, states {_percent(row['quoted'])}, the "
                f"table ({TITLES[cell[0]]}) {_percent(printed)}."
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


#: Section 3.2 on ImageNet: of 1,000 classes for training, 200 are for validation.
_IMAGENET_TEXT = {"train": 800, "val": 200}


def _released_imagenet(tables: Tables) -> tuple[int, list[str]]:
    """Compare numbers of classes; the paper gives that of all classes as approximate."""
    printed = tables["imagenet_splits"].set_index("split")["classes"].to_dict() | _IMAGENET_TEXT
    rows = tables["imagenet_released"].query("split != 'All'").to_dict("records")
    found = [
        f"{row['split']}: the paper states {printed[row['split']]:,} classes, the released file "
        f"has {row['classes']:,}."
        for row in rows
        if printed[row["split"]] != row["classes"]
    ]
    return len(rows), found


def _paired_test(tables: Tables) -> tuple[int, list[str]]:
    tests = cross_tests(tables["cross_dataset_awa"])
    explained = claim_explained(tests)
    so = round(tests[PRINTED_CLAIM.question].p, PRINTED_CLAIM.decimals) == PRINTED_CLAIM.p
    return 1, [] if so else [explained]


def _other_tests(tables: Tables) -> tuple[int, list[str]]:
    """Compare test classes, pre-training and mean of table 2's figures with those of table 3."""
    notes = tables["reproduction_notes"].to_dict("records")
    found = []
    for row in notes:
        method, data = row["method"], row["dataset"]
        two = _percent(_cell(tables, ("reproduction", method, data, "", "reproduced")))
        three = _percent(_cell(tables, ("zsl_top1", method, data, "SS", "top1_per_class")))
        tested = int((class_facts(data).classes["ss"] == "test").sum())
        line = f"{method} on {data}: table 2's {two} is of "
        if (few := int(row["test_classes"])) != tested:
            line += f"{few} test classes (chance {100 / few:.1f} %), "
            line += f"the standard split has {tested} ({100 / tested:.1f} %)"
        elif isinstance(pretraining := row["pretraining"], str):
            cell = cells()[data, "SS", pretraining]
            line += f"features trained on {pretraining_sets()[pretraining].title}, which has "
            line += f"{cell.n_certain} of {tested} test classes by name and "
            line += f"{cell.n_possible} more possibly"
        elif not pd.isna(per_class := row["per_class"]):
            line += f"the mean per image; per class it is {_percent(per_class)}"
        else:
            continue
        found.append(f"{line}; table 3 prints {three}.")
    return len(notes), found


def _action_text(tables: Tables) -> tuple[int, list[str]]:
    """Compare figures of the action paper's text with its table 4 and the released data."""
    rows = tables["action_text"].to_dict("records")
    found = []
    for row in rows:
        what, data, stated = row["what"], row["dataset"], row["stated"]
        low, high, digits = _supported(tables, what, data, row["semantics"])
        half = 0.5 * 10.0**-digits
        if not low - half - TINY <= stated <= high + half + TINY:
            expected = f"{low:,.{digits}f}" if low == high else f"{low:.2f} to {high:.2f}"
            found.append(
                f"{data}, {what}: section {row['section']} states {stated:,.{digits}f}, "
                f"{SOURCES[what]} {'has' if low == high else 'gives'} {expected}."
            )
    return len(rows), found


#: What the text of the action paper states -> what it is compared with.
SOURCES = {
    "videos": "the release",
    "known classes of previous splits": "the mean of the first 30 released splits",
    "more known classes": "the difference of the shares",
    "relative rise": "its table 4",
}


def _supported(tables: Tables, what: str, data: str, semantics: object) -> tuple[float, float, int]:
    """Return the smallest and largest value that agree, and the decimals of the stated one."""
    facts = action_facts(data)
    if what == "videos":
        n = float(facts.videos.sum())
        return n, n, 0
    known = facts.overlapping["Sports-1M"]
    share = 100 * float(np.mean([known[test].mean() for test in facts.released[:DRAWN]]))
    digits = 1 if data == "UCF101" else 2
    if what == "known classes of previous splits":
        return share, share, digits
    if what == "more known classes":
        (drawn,) = (
            tables["action_splits"]
            .query("dataset == @data and pretraining == 'Sports-1M'")
            .to_dict("records")
        )
        more = 100 * drawn["test_overlapping"] / drawn["test_classes"] - share
        return more, more, digits
    cells_of = tables["action_bidilel_splits"].query(
        "dataset == @data and semantics == @semantics and features == 'C3D'"
    )
    before, after = (
        cells_of.loc[cells_of["splits"] == name, "top1"].iloc[0]
        for name in ("previous", "controlled")
    )
    low, high = (after - HALF) / (before + HALF), (after + HALF) / (before - HALF)
    return 100 * (low - 1), 100 * (high - 1), 2


RULES = (
    Rule("H", "H of the benchmark paper's table 6 from its u and s.", _harmonic),
    Rule("averages", "Averages of the calibration paper's table 2 from its cells.", _averages),
    Rule("totals", "Totals of classes and images from their parts.", _totals),
    Rule(
        "versions",
        "Figures of the benchmark paper's tables 3 and 6 in its table 4 and in the calibration "
        "paper.",
        _versions,
    ),
    Rule("repeated rows", "Two methods with the same u, s and H on a data set.", _repeated_rows),
    Rule("text", "Figures in the benchmark paper's text against its tables.", _text_figures),
    Rule("folds", "Training and validation classes against the released folds.", _released_folds),
    Rule(
        "ImageNet", "Classes of the ImageNet splits against the released file.", _released_imagenet
    ),
    Rule(
        "other tests",
        "Figures of table 2 against table 3: test classes, what trained the features, the mean.",
        _other_tests,
    ),
    Rule(
        "action text",
        "The action paper's numbers of videos, shares of known classes and relative rises.",
        _action_text,
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
