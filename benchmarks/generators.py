"""Methods that generate features, and the price of choosing their epochs on the test set.

    python -m benchmarks.generators [FOLDER] [--only NAME ...] [--rows "ALE 0" ...]

Three generators and, for comparison, ALE on the digits and on real features, CUB (VGG fc7) and AWA1
(hand-crafted) from FOLDER (default ``../shared/data/xlsa17``) where it is there. Every point of a
grid of epochs is judged on the folds and on the test set, seed by seed. Written to
``benchmarks/results/generators.md`` and ``.csv`` after every method and seed; what stands there is
not run again unless ``--again`` says so. The prices of two seeds or more also go to
``data/measured/epoch_choice.csv``, from which a finding and a view are made.
"""

from __future__ import annotations

import json
import time
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.measuring import (
    FEATURES,
    RESULTS,
    Experiment,
    markdown_table,
    opened,
    percent,
    traced,
)
from zslcore.analysis.leak_cost import MEASURED, choices, points, prices
from zslcore.evaluation.protocol import Setting
from zslcore.methods import get_method
from zslcore.storage.files import written_whole
from zslcore.version import read_stamped

TITLES = {"digits": "digits", **{name: title for name, (*_, title) in FEATURES.items()}}
#: What the features were trained on, with their name.
FEATURES_OF = TITLES | {"digits": "digits (pixels)"}
METHODS = ("f-CLSWGAN", "CADA-VAE", "CE-GZSL", "ALE")
NAMES = ("epochs", "classifier_epochs")
#: As many steps on each: AWA1 has three times the images of CUB, and the digits a seventh.
GRIDS: dict[str, dict[str, tuple[int, ...]]] = {
    "digits": {"epochs": (5, 10, 20, 30, 40), "classifier_epochs": (3, 10)},
    "CUB-vgg_fc7": {"epochs": (5, 10, 15, 20, 30), "classifier_epochs": (3, 10)},
    "AWA1-lss": {"epochs": (2, 4, 6, 8, 12), "classifier_epochs": (3, 10)},
}
FIXED_PARAMETERS: dict[str, dict[str, Any]] = {
    "digits": {"batch_size": 32},
    "CUB-vgg_fc7": {"warm_up": 30},
    "AWA1-lss": {"warm_up": 12},
}
INTRO = """# Methods that generate features, and the price of choosing epochs on the test set

`python -m benchmarks.generators` writes this file and `generators.csv`.

Split PS 2.0; per-class accuracy in percent; features and prototypes of unit length. All parameters
but the epochs are the defaults (f-CLSWGAN and CE-GZSL draw 100 features an unseen class, CADA-VAE
400 codes of an unseen and 200 of a seen one), but for batches of 32 digits and the warm-up of
CADA-VAE, which ends with the grid. **These generators are of small networks on principal
components, with the departures that their cards name: they stay below the published systems, and
below ALE on CUB, and no row here says what the published systems reach.** One training a fold and
one on all training classes, a seed; each is judged after some numbers of epochs, of the generator
and of its softmax. A seed with its four trainings took the seconds of the last column, on a
machine shared with other work.

The first table of a data set: figures at the epochs that the folds choose for H with calibration,
mean and, from two seeds on, standard deviation over seeds. ZSL is read off the scores among all
classes.

The second: H at the epochs that the folds choose, that the test set would choose, and at the last
ones of the grid; then what choosing on the test set adds to either, in points, with a 95 % interval
over seeds (Student's; none for one seed). "plain": gamma = 0, epochs chosen for that. "calibrated":
the gamma of every point is that of the folds. Epochs alone are chosen on the test set here; where
seeds or other parameters are chosen on it as well, the bound cannot be lower. The best of the same
points is never below another choice from them, for noise alone as well: an interval above 0 says
how large the price is, not that there is one.

Data sets and seeds that are not there were not finished; the command goes on where it stopped. A
table of one seed ranks neither methods nor choices. "(before)" marks a method whose numbers are of
an earlier revision: of CADA-VAE with all training rows as seen codes, of CE-GZSL with steps of the
generator that train the embedding as well. `--again` measures them anew.
"""


def measure(folder: Path, name: str, row: str) -> pd.DataFrame:
    """Return the points of one method and seed on one data set."""
    method, seed = row.rsplit(" ", 1)
    data, began = opened(folder, name), time.perf_counter()
    parameters = get_method(method)().get_params()
    model = get_method(method)(
        **{k: v for k, v in FIXED_PARAMETERS[name].items() if k in parameters}
    )
    grid = {k: values for k, values in GRIDS[name].items() if k in parameters}
    table = points(model, Setting(data, data.split("PS"), seed=int(seed)), grid)
    labels = {"dataset": name, "row": row, "method": method, "seed": int(seed)}
    return traced(table.assign(**labels, digest=data.digest, seconds=time.perf_counter() - began))


def is_of_today(table: pd.DataFrame) -> pd.Series:
    """Return which rows are of the method's present revision."""
    today = {name: get_method(name).revision for name in table["method"].unique()}
    return pd.Series(
        [
            json.loads(row.revisions)[row.method] == today[row.method]
            for row in table[["method", "revisions"]].itertuples()
        ],
        index=table.index,
    )


def markdown(table: pd.DataFrame) -> str:
    """Return two tables a data set, a row a method."""
    table = table.assign(
        method=table["method"].where(is_of_today(table), table["method"] + " (before)")
    )
    priced, lines = prices(table, NAMES), [INTRO]
    for name, of_data in table.groupby("dataset", sort=False):
        lines += [f"## {TITLES[name]}", ""]
        head = ["method", "seeds", "epochs", "ZSL", "u", "s", "H plain", "H calibrated", "AUSUC"]
        rows = (_figures(*of_method) for of_method in of_data.groupby("method", sort=False))
        lines += [*markdown_table([*head, "seconds a seed"], rows), ""]
        head = ["method", "H", "by the folds", "by the test set", "last"]
        head += ["test set over folds", "test set over last"]
        rows = (_price(row) for _, row in priced[priced["dataset"] == name].iterrows())
        lines += [*markdown_table(head, rows), ""]
    return "\n".join(lines)


def _figures(method: str, table: pd.DataFrame) -> list[str]:
    names = [name for name in NAMES if name in table.dropna(axis=1, how="all")]
    chosen = pd.DataFrame(
        [choices(of_seed, "calibrated", names).loc["folds"] for _, of_seed in table.groupby("seed")]
    )
    epochs = "; ".join("/".join(str(int(n)) for n in row) for row in chosen[names].to_numpy())
    figures = ["zsl", "unseen_plain", "seen_plain", "test_plain", "test_calibrated", "ausuc"]
    cells = [_spread(chosen[figure]) for figure in figures]
    seconds = f"{chosen['seconds'].astype(float).mean():.0f}"
    return [method, str(len(chosen)), epochs, *cells, seconds]


def _spread(values: pd.Series) -> str:
    values = values.astype(float)
    deviation = f" ± {100 * values.std():.1f}" if len(values) > 1 else ""
    return percent(values.mean()) + deviation


def _price(row: pd.Series) -> list[str]:
    cells = [percent(row[choice]) for choice in ("folds", "test", "last")]
    for other in ("over_folds", "over_last"):
        low, high = (percent(row[f"{other}_{end}"], "+") for end in ("low", "high"))
        cells.append(percent(row[other], "+") + (f" ({low} to {high})" if low else ""))
    return [row["method"], row["figure"], *cells]


def shipped(table: pd.DataFrame) -> str:
    """Return the prices of present revisions over two seeds or more, as the package holds them."""
    table = prices(table[is_of_today(table)], NAMES).query("seeds > 1").round(6)
    table.insert(1, "features", table["dataset"].map(FEATURES_OF))
    return f"# python -m benchmarks.generators\n{table.to_csv(index=False)}"


def main() -> None:
    Experiment(
        "generators",
        ("dataset", "row"),
        [*GRIDS],
        ["digits"],
        [f"{method} {seed}" for method, seed in product(METHODS, range(5))],
        measure,
        markdown,
    ).run(__doc__)
    with written_whole(MEASURED) as file:
        file.write(shipped(read_stamped(RESULTS / "generators.csv")).encode())


if __name__ == "__main__":
    # Imported by its name, by which other processes find its functions.
    from benchmarks import generators

    generators.main()
