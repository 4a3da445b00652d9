r"""Check printed tables for consistency with their text and released files.

    python -m tools.lint

Writes ``data/lint.json``. The tables do not change, so ``zslcore claims --lint`` only reads this
file. A printed number x with d decimals can be any value within :math:`\tfrac12 10^{-d}` of x: only
contradictions for all such values are listed. A printed H therefore agrees with printed u and s if

.. math::
    H(u - \tfrac12 10^{-d}, s - \tfrac12 10^{-d}) - \tfrac12 10^{-d} \; \le \; H \; \le \;
    H(u + \tfrac12 10^{-d}, s + \tfrac12 10^{-d}) + \tfrac12 10^{-d},
    \qquad H(u, s) = \frac{2 u s}{u + s}

since H increases with u and with s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.cross_dataset import PRINTED_CLAIM, cross_tests, explain_claim
from zslcore.analysis.papers.claims import LINT_FILE, LintRule
from zslcore.datasets.facts import action_facts, class_facts, published_table, published_tables
from zslcore.leakage.contamination import cells, pretraining_sets
from zslcore.metrics import harmonic_mean
from zslcore.numbers import bare_percent
from zslcore.storage.files import open_atomically

#: Rounding of a percentage with one decimal, as a fraction.
HALF = 0.0005
#: Number of splits in the comparison of the action paper, the first of the released splits.
DRAWN = 30
#: Tolerance for floating-point sums of rounded numbers.
TINY = 1e-9

Tables = Mapping[str, pd.DataFrame]
#: Table, method, data set, split (empty if the table has none) and column of a printed number.
Cell = tuple[str, str, str, str, str]
#: Whether two numbers agree, and a line with the arithmetic in case they do not.
Comparison = tuple[bool, str]


def lint(tables: Tables) -> list[LintRule]:
    """Apply all rules to tables by name, see :func:`zslcore.datasets.facts.published_table`."""
    linted = []
    for name, (checks, compare) in RULES.items():
        compared = [*compare(tables)]
        lines = tuple(line for agrees, line in compared if not agrees)
        linted.append(LintRule(name, checks, len(compared), lines))
    return linted


def lint_printed() -> list[LintRule]:
    """Apply all rules to the tables of the papers."""
    return lint({name: published_table(name) for name in published_tables()})


def main() -> None:
    """Write the results of all rules."""
    with open_atomically(LINT_FILE) as file:
        text = json.dumps([asdict(rule) for rule in lint_printed()], ensure_ascii=False, indent=1)
        file.write(text.encode("utf-8") + b"\n")


# --- Tables against themselves --------------------------------------------------------------------


def _harmonic(tables: Tables) -> Iterator[Comparison]:
    for row in tables["gzsl_ps"].dropna().to_dict("records"):
        u, s, printed = row["unseen"], row["seen"], row["harmonic"]
        low = harmonic_mean(max(s - HALF, 0.0), max(u - HALF, 0.0))
        high = harmonic_mean(s + HALF, u + HALF)
        agrees = low - HALF - TINY <= printed <= high + HALF + TINY
        yield (
            agrees,
            (
                f"{row['method']} on {row['dataset']}: u = {bare_percent(u)} and "
                f"s = {bare_percent(s)} give H = {bare_percent(harmonic_mean(s, u), '.2f')}, with "
                f"rounding {bare_percent(low, '.2f')} to {bare_percent(high, '.2f')}; printed "
                f"{bare_percent(printed)}."
            ),
        )


def _averages(tables: Tables) -> Iterator[Comparison]:
    setting = ["dataset", "calibrated", "lambda_selected_for"]
    cells = tables["calibration_gzsl_harmonic"].groupby(setting, as_index=False)["harmonic"].mean()
    both = tables["calibration_gzsl_average"].merge(cells, on=setting, suffixes=("", "_of_cells"))
    for row in both.to_dict("records"):
        agrees = abs(row["harmonic_of_cells"] - row["harmonic"]) <= 2 * HALF + TINY
        yield (
            agrees,
            (
                f"{row['dataset']}, calibrated: {row['calibrated']}, λ for "
                f"{row['lambda_selected_for']}: the cells average to "
                f"{bare_percent(row['harmonic_of_cells'], '.2f')}; printed "
                f"{bare_percent(row['harmonic'])}."
            ),
        )


#: Table, total, and the parts that add up to it.
_TOTALS = (
    ("dataset_statistics", "classes", ["train_classes", "val_classes", "test_classes"]),
    (
        "dataset_statistics",
        "images",
        ["ps_trainval_images", "ps_test_seen_images", "ps_test_unseen_images"],
    ),
    ("dataset_statistics", "images, SS", ["ss_train_images", "ss_test_unseen_images"]),
    ("action_splits", "classes", ["overlapping", "non_overlapping"]),
    ("action_splits", "classes, splits", ["train_classes", "test_classes"]),
    ("action_splits", "test_classes", ["test_overlapping", "test_non_overlapping"]),
)


def _totals(tables: Tables) -> Iterator[Comparison]:
    for name, total, parts in _TOTALS:
        for row in tables[name].to_dict("records"):
            numbers, printed = [int(row[part]) for part in parts], row[total.partition(",")[0]]
            yield (
                sum(numbers) == printed,
                (
                    f"{name}, {row['dataset']}: {' + '.join(map(str, numbers))} = {sum(numbers)} "
                    f"{total}; printed {printed}."
                ),
            )


# --- Numbers that are printed again ---------------------------------------------------------------

#: Names of tables in the papers.
TITLES = {"reproduction": "GBU, 2", "zsl_top1": "GBU, 3", "gzsl_ps": "GBU, 6"}


def _versions(tables: Tables) -> Iterator[Comparison]:
    earlier = _earlier(tables)
    for where, cell, figure in _repeated(tables):
        printed, before = _printed_number(tables, cell), earlier.get(cell)
        explained = before is not None and abs(figure - before) <= TINY
        table = TITLES[cell[0]].replace("GBU, ", "table ")
        version = f"as the earlier version of {table} had" if explained else "in neither version"
        yield (
            abs(figure - printed) <= TINY,
            (
                f"{_in_words(cell)}: {where} has {bare_percent(figure)}, {version}; {table} prints "
                f"{bare_percent(printed)}."
            ),
        )


def _repeated(tables: Tables) -> Iterator[tuple[str, Cell, float]]:
    """Yield the place, cell and value of cells of tables 3 and 6 that are printed again."""
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
    """Return the cells of tables 3 and 6 with a different value in the earlier version."""
    rows = tables["earlier_version"].to_dict("records")
    return {_quoted_cell(row): row["earlier"] for row in rows}


def _printed_number(tables: Tables, cell: Cell) -> float:
    """Return the printed number of a cell; empty names in the cell match anything."""
    table, *names, column = cell
    rows = tables[table]
    for name, value in zip(("method", "dataset", "split"), names, strict=True):
        rows = rows[rows[name] == value] if value else rows
    return float(rows[column].iloc[0])


def _in_words(cell: Cell) -> str:
    _, method, dataset, split, column = cell
    return f"{method} on {dataset}{split and f', {split}'} ({column.replace('_', ' ')})"


def _repeated_rows(tables: Tables) -> Iterator[Comparison]:
    figures, earlier = ["unseen", "seen", "harmonic"], _earlier(tables)
    for _, rows in tables["gzsl_ps"].groupby(["dataset", *figures], dropna=False):
        same = [float(rows[name].iloc[0]) for name in figures]
        line = f"{' and '.join(rows['method'])} on {rows['dataset'].iloc[0]}: the same "
        line += " / ".join(map(bare_percent, same))
        before = [_row_before(earlier, row) for row in rows.to_dict("records")]
        if len(set(before)) == len(before):
            line += f"; {' and '.join(before)} in the earlier version"
        yield len(rows) == 1 or bool(np.isnan(same).any()), f"{line}."
        yield from [(True, "")] * (len(rows) - 1)


def _row_before(earlier: Mapping[Cell, float], row: Mapping[Any, Any]) -> str:
    """Return u, s and H of a row of table 6 in the earlier version."""
    return " / ".join(
        bare_percent(earlier.get(("gzsl_ps", row["method"], row["dataset"], "", name), row[name]))
        for name in ("unseen", "seen", "harmonic")
    )


def _text_figures(tables: Tables) -> Iterator[Comparison]:
    """Compare numbers in the text of both versions with the tables of the same version."""
    earlier = _earlier(tables)
    for row in tables["text_figures"].query("paper in ('GBU', 'CVPR')").to_dict("records"):
        cell = _quoted_cell(row)
        printed = _printed_number(tables, cell)
        if row["paper"] == "CVPR":
            printed = earlier.get(cell, printed)
        yield (
            abs(printed - row["quoted"]) <= TINY,
            (
                f"{_in_words(cell)}: {row['paper']}, {row['section']}, states "
                f"{bare_percent(row['quoted'])}; the "
                f"table ({TITLES[cell[0]]}) has {bare_percent(printed)}."
            ),
        )


#: Number of validation splits per data set, from section 5.2.
VALIDATION_SPLITS = 3


def counted_in_tables(tables: Tables, unit: str) -> int:
    """Count the "methods", "models", "data sets" or "observations" in figures 3 and 4."""
    if unit == "models":
        return int(tables["zsl_mean_ranks"]["method"].nunique())
    if unit == "methods":
        return int(tables["zsl_top1"]["method"].nunique())
    data_sets = int(tables["zsl_top1"]["dataset"].nunique())
    return data_sets * (VALIDATION_SPLITS if unit == "observations" else 1)


def _captions(tables: Tables) -> Iterator[Comparison]:
    for row in tables["captions"].to_dict("records"):
        counted = counted_in_tables(tables, row["what"])
        line = (
            f"Figure {row['figure']}: the caption counts {row['stated']} {row['what']}; there are "
            f"{counted}."
        )
        yield row["stated"] == counted, line


# --- Images per class -----------------------------------------------------------------------------


def images_by_part(benchmark: str) -> dict[str, list[int]]:
    """Return the images per class in "all", "trainval" and "test" (unseen) of PS."""
    t = class_facts(benchmark).classes
    trained, tested = t[t["ps"] == "trainval"], t[t["ps"] == "test"]
    return {
        "all": [*map(int, t["images"])],
        "trainval": [*map(int, trained["images"] - trained["test_seen"])],
        "test": [*map(int, tested["images"])],
    }


def variation(images: Iterable[int]) -> float:
    """Return the coefficient of variation of numbers of images per class."""
    x = np.array([*images], dtype=float)
    return float(x.std() / x.mean())


def _balance(tables: Tables) -> Iterator[Comparison]:
    first, second = images_by_part("AWA1"), images_by_part("AWA2")
    for part in first:
        a, b = variation(first[part]), variation(second[part])
        line = (
            f"Section 6.1 calls AWA2 slightly more balanced than AWA1; over classes ({part}) "
            f"images vary by {b:.3f} of their mean in AWA2 and by {a:.3f} in AWA1."
        )
        yield b < a, line


# --- Tables against released files ----------------------------------------------------------------


def _released_folds(tables: Tables) -> Iterator[Comparison]:
    for row in tables["dataset_statistics"].to_dict("records"):
        t = class_facts(row["dataset"]).classes
        printed = (int(row["train_classes"]), int(row["val_classes"]))
        for split, column in (("SS", "ss_fold1"), ("PS", "fold1")):
            released = tuple(int((t[column] == part).sum()) for part in ("train", "val"))
            yield (
                released == printed,
                (
                    f"{row['dataset']}, {split}: printed {printed[0]} + {printed[1]} training and "
                    f"validation classes; the released folds have {released[0]} + {released[1]}."
                ),
            )


#: Section 4.2 on ImageNet: of 1,000 classes for training, 200 are for validation.
_IMAGENET_TEXT = {"train": 800, "val": 200}


def _released_imagenet(tables: Tables) -> Iterator[Comparison]:
    printed = tables["imagenet_splits"].set_index("split")["classes"].to_dict() | _IMAGENET_TEXT
    for row in tables["imagenet_released"].query("split != 'All'").to_dict("records"):
        stated = printed[row["split"]]
        yield (
            stated == row["classes"],
            (
                f"{row['split']}: the paper states {stated:,} classes; the released file has "
                f"{row['classes']:,}."
            ),
        )


def _other_tests(tables: Tables) -> Iterator[Comparison]:
    for row in tables["reproduction_notes"].to_dict("records"):
        method, data = row["method"], row["dataset"]
        two = bare_percent(
            _printed_number(tables, ("reproduction", method, data, "", "reproduced"))
        )
        three = bare_percent(
            _printed_number(tables, ("zsl_top1", method, data, "SS", "top1_per_class"))
        )
        other_test = _other_test(row)
        line = f"{method} on {data}: table 2's {two} is {other_test}; table 3 prints {three}."
        yield other_test is None, line


def _other_test(row: Mapping[Any, Any]) -> str | None:
    """Describe how the test in a note differs from the test of table 3."""
    tested = int((class_facts(row["dataset"]).classes["ss"] == "test").sum())
    if (few := int(row["test_classes"])) != tested:
        return (
            f"for {few} test classes (chance {100 / few:.1f} %), not for the {tested} of the "
            f"standard split ({100 / tested:.1f} %)"
        )
    if isinstance(pretraining := row["pretraining"], str):
        cell = cells()[row["dataset"], "SS", pretraining]
        return (
            f"for features trained on {pretraining_sets()[pretraining].title}, which has "
            f"{cell.n_certain} of {tested} test classes by name and possibly {cell.n_possible} more"
        )
    if pd.isna(row["per_class"]):
        return None
    return f"the mean per image; per class it is {bare_percent(row['per_class'])}"


# --- The action paper, and the paired test --------------------------------------------------------

#: Sources to compare statements of the action paper with, by statement.
SOURCES = {
    "videos": "the release",
    "overlapping classes of previous splits": "the mean of the first 30 released splits",
    "more overlapping classes": "the difference of the shares",
    "relative rise": "its table 4",
}


def _action_text(tables: Tables) -> Iterator[Comparison]:
    for row in tables["action_text"].to_dict("records"):
        unit, data, stated = row["what"], row["dataset"], row["stated"]
        low, high, digits = _supported(tables, unit, data, row["semantics"])
        half = 0.5 * 10.0**-digits
        expected = f"has {low:,.{digits}f}" if low == high else f"gives {low:.2f} to {high:.2f}"
        yield (
            low - half - TINY <= stated <= high + half + TINY,
            (
                f"{data}, {unit}: section {row['section']} states {stated:,.{digits}f}; "
                f"{SOURCES[unit]} {expected}."
            ),
        )


def _supported(tables: Tables, unit: str, data: str, semantics: object) -> tuple[float, float, int]:
    """Return the smallest and largest consistent value, and the decimals of the stated value."""
    facts = action_facts(data)
    if unit == "videos":
        n = float(facts.videos.sum())
        return n, n, 0
    overlapping = facts.overlapping["Sports-1M"]
    share = 100 * float(np.mean([overlapping[test].mean() for test in facts.released[:DRAWN]]))
    digits = 1 if data == "UCF101" else 2
    if unit == "overlapping classes of previous splits":
        return share, share, digits
    if unit == "more overlapping classes":
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


def _paired_test(tables: Tables) -> Iterator[Comparison]:
    tests = cross_tests(tables["cross_dataset_awa"])
    follows = round(tests[PRINTED_CLAIM.question].p, PRINTED_CLAIM.decimals) == PRINTED_CLAIM.p
    yield follows, explain_claim(tests)


#: Description and comparisons of each rule, by name.
RULES: Mapping[str, tuple[str, Callable[[Tables], Iterator[Comparison]]]] = {
    "H": ("H of the benchmark paper's table 6 from its u and s.", _harmonic),
    "averages": ("Averages of the calibration paper's table 2 from its cells.", _averages),
    "totals": ("Totals of classes and images from their parts.", _totals),
    "versions": (
        "Numbers of the benchmark paper's tables 3 and 6 that its table 4 or the calibration paper "
        "prints again.",
        _versions,
    ),
    "repeated rows": ("Two methods with the same u, s and H on a data set.", _repeated_rows),
    "text": ("Numbers in the text of both benchmark papers against their tables.", _text_figures),
    "captions": (
        "Methods, data sets and observations that captions of the benchmark paper count.",
        _captions,
    ),
    "balance": (
        "Spread of images over the classes of AWA1 and AWA2 against the benchmark paper's text.",
        _balance,
    ),
    "folds": ("Training and validation classes against the released folds.", _released_folds),
    "ImageNet": ("Classes of the ImageNet splits against the released file.", _released_imagenet),
    "other tests": (
        "Numbers of table 2 with other test classes, features or means than the numbers of "
        "table 3.",
        _other_tests,
    ),
    "action text": (
        "The action paper's numbers of videos, shares of overlapping classes and relative rises.",
        _action_text,
    ),
    "paired test": ("The p-value of the cross-data-set test from its table.", _paired_test),
}


if __name__ == "__main__":
    main()
