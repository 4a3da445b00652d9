"""``python -m zslcore actions``: what classes of actions gain that the pre-training data have.

Test classes are drawn half from those that the pre-training set has, half from the others. The gain
of every method, kind of features and of prototypes is compared with that of a baseline trained on
nothing. Data sets of your own are UCF101 or HMDB51 with features of networks, and one with features
that were trained on nothing: `zslcore import --pretraining` declares what they were trained on.
Finished fits are stored: a study that is stopped goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from zslcore.commands.options import show_standing
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from zslcore.analysis.actions import ActionSpec
    from zslcore.datasets import ZSLDataset


#: Columns of the text, in percent, and the ends of their intervals.
SHOWN = {
    "acc_ouc": ("known", "", ""),
    "acc_tuc": ("others", "", ""),
    "gain": ("gain", "low", "high"),
    "minus": ("gain - baseline's", "minus_low", "minus_high"),
    "draws_minus": ("mean of draws", "draws_low", "draws_high"),
    "printed": ("printed", "", ""),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from zslcore.analysis.actions import CONFIGURATIONS, DRAWS, USUAL_METHODS, Parameters

    option = parser.add_argument
    text = f"{', '.join(CONFIGURATIONS)} of the paper's table 2 (OS1)"
    option("configuration", nargs="?", default="OS1", help=text)
    text = "features of your own (simulated ones)"
    option("--dataset", nargs="+", default=(), metavar="NAME", help=text)
    option("--unplanted", action="store_true", help="simulated features without a planted gain")
    usual = " ".join(USUAL_METHODS)
    text = f"of the paper, or any other ({usual})"
    option("--method", nargs="+", default=USUAL_METHODS, metavar="NAME", help=text)
    text = "of the paper, chosen on folds of each draw, or defaults (paper)"
    option("--parameters", choices=get_args(Parameters), default="paper", help=text)
    option("--draws", type=int, default=DRAWS, help=f"of test classes ({DRAWS})")
    option("--seed", type=int, default=0, help="of the draws and of methods that draw (0)")
    option("--jobs", type=int, default=2, help="fits at a time, one thread each (2)")
    option("--dask", default="", metavar="ADDRESS", help="Dask cluster that shares our data folder")
    option("--output", type=Path, metavar="FILE.csv", help="write the gains as CSV, in fractions")
    text = "write the classes of every controlled draw as CSV, and fit nothing"
    option("--splits", type=Path, metavar="FILE.csv", help=text)
    option("--json", action="store_true", help="print the gains as JSON, in fractions")


def run(args: argparse.Namespace) -> None:
    """Make what is missing of the study, and print its tables."""
    from zslcore.analysis.action_tables import action_gains, drawn_classes
    from zslcore.analysis.actions import baseline_of

    for option in ("draws", "jobs"):
        if getattr(args, option) < 1:
            raise ParameterError(f"--{option} must be at least 1; got {getattr(args, option)}.")
    for option, path in (("output", args.output), ("splits", args.splits)):
        if path is not None and path.suffix != ".csv":
            raise ParameterError(f"--{option}: expected a name that ends in .csv; got {path}.")
    spec, datasets = _asked(args)
    if args.splits is not None:
        _write(drawn_classes(spec), args.splits)
        return
    study = _study(spec, datasets, args.jobs, args.dask)
    gains = action_gains(study, baseline_of(spec.sets), configuration=spec.configuration)
    if args.output is not None:
        _write(gains, args.output)
    if args.json:
        rows = gains.assign(
            configuration=spec.configuration,
            draws=spec.n_draws,
            simulated=any(data.simulated for data in datasets.values()),
        )
        print(rows.to_json(orient="records", double_precision=15))
        return
    print("\n\n".join(_texts(spec, datasets, study, gains)))


def _asked(args: argparse.Namespace) -> tuple[ActionSpec, dict[str, ZSLDataset]]:
    """Return the specification of the study, and its data sets by name."""
    from zslcore.analysis.actions import (
        CONFIGURATIONS,
        ActionSpec,
        feature_sets,
        splits_of,
        usual_sets,
    )
    from zslcore.datasets import load
    from zslcore.exceptions import closest_name

    if args.configuration not in CONFIGURATIONS:
        raise closest_name("configuration", args.configuration, CONFIGURATIONS)
    configuration = CONFIGURATIONS[args.configuration]
    if args.dataset and args.unplanted:
        raise ParameterError("--unplanted belongs to simulated features; got --dataset, too.")
    datasets = {name: load(name) for name in args.dataset}
    sets = usual_sets(configuration, planted=not args.unplanted)
    if datasets:
        sets = feature_sets(configuration, datasets)
    else:
        datasets = {each.dataset: load(each.dataset) for each in sets}
    methods = tuple(args.method)
    splits = splits_of(methods)
    spec = ActionSpec(
        args.configuration, sets, methods, args.parameters, splits, args.draws, args.seed
    )
    return spec.with_digests({name: data.digest for name, data in datasets.items()}), datasets


def _study(
    spec: ActionSpec, datasets: dict[str, ZSLDataset], n_jobs: int, dask: str
) -> pd.DataFrame:
    """Return the study: shipped, made by the app, or made here from what fits are stored."""
    from zslcore.analysis.actions import ActionStudy, stored_study
    from zslcore.analysis.papers.experiments.actions import study_pieces
    from zslcore.analysis.papers.experiments.reproducing import do_all
    from zslcore.jobs.studies import result

    made = result(ActionStudy.of(spec, datasets), make=False)
    if made is not None:
        return made
    units = spec.units()
    for _ in do_all(study_pieces(units), n_jobs, dask, show_standing):
        pass
    return stored_study(units)


def _texts(
    spec: ActionSpec, datasets: dict[str, ZSLDataset], study: pd.DataFrame, gains: pd.DataFrame
) -> list[str]:
    """Return what was studied, the gains, and both comparisons where the study has them."""
    from zslcore.analysis.action_tables import compared_semantics, compared_splits
    from zslcore.analysis.actions import said_of_semantics

    setting = spec.setting
    simulated = any(data.simulated for data in datasets.values())
    lines = [
        f"{spec.configuration}: {setting.dataset} with {setting.pretraining}, {spec.n_draws} draws "
        f"of {setting.n_ouc} known and {setting.n_tuc} other test classes; parameters: "
        f"{spec.parameters}.",
        "Accuracy per class and OverlapGain in percent; 95 % intervals over classes, of the mean "
        "of draws over draws; p adjusted after Holm.",
        "Figures of simulated data say nothing about the paper." * simulated,
    ]
    parts = ["\n".join(filter(None, lines)), _as_text(gains, SHOWN, "p_holm"), _verdict(gains)]
    if len(of_kinds := compared_semantics(study)):
        said = said_of_semantics(gains, spec.sets, setting.pretraining)
        parts.append(f"Attributes and word vectors\n{_as_text(of_kinds, _SEMANTICS)}\n{said}")
    if len(of_splits := compared_splits(study, spec.configuration)):
        parts.append("Released and controlled splits\n" + _as_text(of_splits, _SPLITS))
    return parts


def _verdict(gains: pd.DataFrame) -> str:
    """Say in how many comparisons known classes gain more than with the baseline, and in which."""
    from zslcore.analysis.actions import title_of

    compared = gains[gains["p_holm"].notna()]
    shown = compared[(compared["p_holm"] < 0.05) & (compared["minus_low"] > 0)]
    said = (
        f"Known classes gain more than with the baseline in {len(shown)} of {len(compared)} "
        "comparisons (interval above 0, p below 0.05 after Holm)"
    )
    which = [
        f"{title_of(row['features'])}, {row['semantics'].replace('word2vec', 'word vectors')}, "
        f"{row['method']}, {_percent(row['minus'], row['minus_low'], row['minus_high'])} %"
        for row in shown.to_dict("records")
    ]
    return said + (f": {'; '.join(which)}." if which else ": no effect is shown.")


_SEMANTICS = {
    "acc_attributes": ("attributes", "", ""),
    "acc_word2vec": ("word vectors", "", ""),
    "accuracy_difference": ("difference", "accuracy_low", "accuracy_high"),
    "gain_attributes": ("gain, attributes", "", ""),
    "gain_word2vec": ("gain, word vectors", "", ""),
    "gain_difference": ("difference of gains", "gain_low", "gain_high"),
}
_SPLITS = {
    "released": ("released", "", ""),
    "controlled": ("controlled", "", ""),
    "difference": ("difference", "low", "high"),
    "rise": ("relative rise", "", ""),
    "printed_released": ("released, printed", "", ""),
    "printed_controlled": ("controlled, printed", "", ""),
    "printed_rise": ("relative rise, printed", "", ""),
}


def _as_text(table: pd.DataFrame, shown: dict[str, tuple[str, str, str]], p: str = "") -> str:
    """Return a table with its intervals in words; columns without any figure are left out."""
    import pandas as pd

    from zslcore.analysis.actions import title_of

    texts = pd.DataFrame({"features": table["features"].map(title_of)})
    if "semantics" in table:
        texts["prototypes"] = table["semantics"].replace("word2vec", "word vectors")
    if "method" in table:
        texts["method"] = table["method"]
    for column, (heading, low, high) in shown.items():
        if table[column].notna().any():
            texts[heading] = [
                _percent(row[column], row[low] if low else None, row[high] if high else None)
                for row in table.to_dict("records")
            ]
    if p:
        texts["p"] = [f"{value:.3g}" if pd.notna(value) else "-" for value in table[p]]
    return texts.to_string(index=False)


def _percent(value: float, low: float | None, high: float | None) -> str:
    if value != value:  # missing
        return "-"
    interval = "" if low is None or high is None else f" ({100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * value:.1f}{interval}"


def _write(table: pd.DataFrame, path: Path) -> None:
    from zslcore.storage.files import write_out
    from zslcore.storage.spreadsheets import harmless_csv
    from zslcore.version import stamped

    write_out(path, harmless_csv(stamped(table), index=False))
    sys.stderr.write(f"{path} written.\n")
