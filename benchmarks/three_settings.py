"""The calibration paper's table 2, whole: three settings, all methods, mean and deviation.

    python -m benchmarks.three_settings

Nothing is run: the figures are those that :mod:`benchmarks.real_features` and
:mod:`benchmarks.simulated_features` have left in ``benchmarks/results/``. Written there are
``three_settings.md`` and ``three_settings.csv``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from benchmarks.writing import RESULTS, keep, markdown_table, percent
from zslcore.analysis.three_settings import SETTINGS, average, settings_table

#: Data set -> benchmark of the paper, what the features are.
SHOWN = {
    "CUB-vgg_fc7": ("CUB", "CUB, VGG fc7 (trained on ImageNet-1K)"),
    "simulated-CUB": ("CUB", "CUB, simulated"),
    "simulated-AWA2": ("AWA2", "AWA2, simulated"),
}
HEAD = {
    "plain": "no calibration, lambda for ZSL",
    "calibrated": "calibrated, lambda for ZSL",
    "for_gzsl": "calibrated, lambda for GZSL",
}
INTRO = """# H in three settings, as in table 2 of the calibration paper

`python -m benchmarks.three_settings` writes this file and `three_settings.csv` from the runs that
`real_features.csv` and `simulated_features.csv` hold.

Split PS 2.0; harmonic mean of per-class accuracies, percent; features and prototypes of unit
length. Lambda stands for the parameters of a method's grid; they and gamma are chosen on the three
folds. Stochastic methods on real features: mean +- standard deviation of five seeds, with what the
first chose. CAL: the printed figures, on ResNet-101 features. The averages are over the methods
that the paper has too.
"""


def lines(name: str, runs: pd.DataFrame) -> Iterator[str]:
    """Yield the table of one data set."""
    benchmark, title = SHOWN[name]
    table = settings_table(runs, benchmark)
    head = [cell for setting in SETTINGS for cell in (HEAD[setting], "CAL")]
    rows = [
        [f"{row.method} ({row.variant})" if row.variant else row.method, *cells(row)]
        for row in table.itertuples()
    ]
    mean = average(table)
    rows.append([f"average of {mean['methods']:.0f}", *cells(mean)])
    yield from (f"## {title}", "", *markdown_table(["method", *head], rows), "")
    gains = [mean["calibrated"] - mean["plain"], mean["for_gzsl"] - mean["calibrated"]]
    printed = [
        mean["calibrated_paper"] - mean["plain_paper"],
        mean["for_gzsl_paper"] - mean["calibrated_paper"],
    ]
    ours, theirs = ([percent(gain, "+") for gain in each] for each in (gains, printed))
    yield (
        f"Calibration adds {ours[0]} points on average (CAL {theirs[0]}), a lambda for GZSL "
        f"{ours[1]} more (CAL {theirs[1]})."
    )
    yield ""


def cells(row) -> Iterator[str]:
    """Yield mean and deviation, then the printed figure, of every setting."""
    for setting in SETTINGS:
        deviation = getattr(row, f"{setting}_std", float("nan"))
        spread = "" if pd.isna(deviation) else f" +- {percent(deviation)}"
        yield percent(getattr(row, setting)) + spread
        yield percent(getattr(row, f"{setting}_paper"))


def main() -> None:
    files = [RESULTS / f"{name}_features.csv" for name in ("real", "simulated")]
    runs = pd.concat([pd.read_csv(path) for path in files], ignore_index=True)
    runs = runs[runs["split"] == "PS"]
    text, tables = [INTRO], []
    for name, (benchmark, _) in SHOWN.items():
        of_set = runs[runs["dataset"] == name]
        text += lines(name, of_set)
        tables.append(settings_table(of_set, benchmark).assign(dataset=name))
    keep("three_settings", "\n".join(text), pd.concat(tables))


if __name__ == "__main__":
    main()
