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
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from zslcore.analysis.action_tables import (
    action_gains,
    compared_semantics,
    compared_splits,
    drawn_classes,
)
from zslcore.analysis.actions import (
    CONFIGURATIONS,
    DRAWS,
    USUAL_METHODS,
    ActionSpec,
    ActionStudy,
    Parameters,
    baseline_of,
    feature_sets,
    semantics_in_words,
    splits_of,
    stored_study,
    title_of,
    usual_sets,
)
from zslcore.analysis.papers.experiments.actions import study_pieces
from zslcore.analysis.papers.experiments.reproducing import run_pieces
from zslcore.commands.options import percent, show_standing
from zslcore.datasets import ZSLDataset, load
from zslcore.exceptions import ParameterError, closest_name
from zslcore.jobs.studies import stored_result
from zslcore.storage.files import write_out
from zslcore.storage.tables import harmless_csv
from zslcore.version import stamped

#: Columns of the printed tables: headings, and the ends of their intervals.
GAINS = {
    "acc_ouc": ("known",),
    "acc_tuc": ("others",),
    "gain": ("gain", "low", "high"),
    "minus": ("gain - baseline's", "minus_low", "minus_high"),
    "draws_minus": ("mean of draws", "draws_low", "draws_high"),
    "printed": ("printed",),
}
SEMANTICS = {
    "acc_attributes": ("attributes",),
    "acc_word2vec": ("word vectors",),
    "accuracy_difference": ("difference", "accuracy_low", "accuracy_high"),
    "gain_attributes": ("gain, attributes",),
    "gain_word2vec": ("gain, word vectors",),
    "gain_difference": ("difference of gains", "gain_low", "gain_high"),
}
SPLITS = {
    "released": ("released",),
    "controlled": ("controlled",),
    "difference": ("difference", "low", "high"),
    "rise": ("relative rise",),
    "printed_released": ("released, printed",),
    "printed_controlled": ("controlled, printed",),
    "printed_rise": ("relative rise, printed",),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
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


def run(args: argparse.Namespace) -> object:
    """Make what is missing of the study, and return its tables."""
    for option in ("draws", "jobs"):
        if getattr(args, option) < 1:
            raise ParameterError(f"--{option} must be at least 1; got {getattr(args, option)}.")
    for option, path in (("output", args.output), ("splits", args.splits)):
        if path is not None and path.suffix != ".csv":
            raise ParameterError(f"--{option}: expected a name that ends in .csv; got {path}.")
    spec, datasets = _spec(args)
    if args.splits is not None:
        _write(drawn_classes(spec), args.splits)
        return None
    study = _study(spec, datasets, args)
    gains = action_gains(study, baseline_of(spec.sets), configuration=spec.configuration)
    if args.output is not None:
        _write(gains, args.output)
    simulated = any(data.simulated for data in datasets.values())
    if args.json:
        return gains.assign(
            configuration=spec.configuration, draws=spec.n_draws, simulated=simulated
        )
    return "\n\n".join(_texts(spec, study, gains, simulated=simulated))


def _spec(args: argparse.Namespace) -> tuple[ActionSpec, dict[str, ZSLDataset]]:
    """Return the specification of the study, and its data sets by name."""
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
    methods, parameters = tuple(args.method), args.parameters
    splits, draws, seed = splits_of(methods), args.draws, args.seed
    spec = ActionSpec(args.configuration, sets, methods, parameters, splits, draws, seed)
    return spec.with_digests({name: data.digest for name, data in datasets.items()}), datasets


def _study(
    spec: ActionSpec, datasets: dict[str, ZSLDataset], args: argparse.Namespace
) -> pd.DataFrame:
    """Return the study: shipped, made by the app, or made here from what fits are stored."""
    made = stored_result(ActionStudy.of(spec, datasets))
    if made is not None:
        return made
    units = spec.units()
    for _ in run_pieces(study_pieces(units), args.jobs, args.dask, show_standing):
        pass
    return stored_study(units)


def _texts(
    spec: ActionSpec, study: pd.DataFrame, gains: pd.DataFrame, *, simulated: bool
) -> list[str]:
    """Return what was studied, the gains, and both comparisons where the study has them."""
    setting = spec.setting
    lines = [
        f"{spec.configuration}: {setting.dataset} with {setting.pretraining}, {spec.n_draws} draws "
        f"of {setting.n_ouc} known and {setting.n_tuc} other test classes; parameters: "
        f"{spec.parameters}.",
        "Accuracy per class and OverlapGain in percent; 95 % intervals over classes, of the mean "
        "of draws over draws; p adjusted after Holm.",
        "Figures of simulated data say nothing about the paper." * simulated,
    ]
    parts = ["\n".join(filter(None, lines)), _as_text(gains, GAINS), _verdict(gains)]
    if len(of_kinds := compared_semantics(study)):
        sentence = semantics_in_words(gains, spec.sets, setting.pretraining)
        parts.append(f"Attributes and word vectors\n{_as_text(of_kinds, SEMANTICS)}\n{sentence}")
    if len(of_splits := compared_splits(study, spec.configuration)):
        parts.append("Released and controlled splits\n" + _as_text(of_splits, SPLITS))
    return parts


def _verdict(gains: pd.DataFrame) -> str:
    """Say in how many comparisons known classes gain more than with the baseline, and in which."""
    compared = gains[gains["p_holm"].notna()]
    shown = compared[(compared["p_holm"] < 0.05) & (compared["minus_low"] > 0)]
    which = [
        f"{title_of(row['features'])}, {row['semantics'].replace('word2vec', 'word vectors')}, "
        f"{row['method']}, {_interval(row, 'minus', 'minus_low', 'minus_high')} %"
        for row in shown.to_dict("records")
    ]
    return (
        f"Known classes gain more than with the baseline in {len(shown)} of {len(compared)} "
        "comparisons (interval above 0, p below 0.05 after Holm)"
    ) + (f": {'; '.join(which)}." if which else ": no effect is shown.")


def _as_text(table: pd.DataFrame, columns: dict[str, tuple[str, ...]]) -> str:
    """Return a table with its intervals in words; columns without any figure are left out."""
    texts = pd.DataFrame({"features": table["features"].map(title_of)})
    if "semantics" in table:
        texts["prototypes"] = table["semantics"].replace("word2vec", "word vectors")
    if "method" in table:
        texts["method"] = table["method"]
    for column, (heading, *ends) in columns.items():
        if table[column].notna().any():
            texts[heading] = [_interval(row, column, *ends) for row in table.to_dict("records")]
    if "p_holm" in table:
        texts["p"] = [f"{value:.3g}" if pd.notna(value) else "-" for value in table["p_holm"]]
    return texts.to_string(index=False)


def _interval(row: Mapping[Hashable, Any], column: str, *ends: str) -> str:
    """Return a figure of a row in percent, with the ends of its interval where it has one."""
    text = percent(row[column])
    if not ends or text == "-":
        return text
    low, high = (100 * row[end] for end in ends)
    return f"{text} ({low:.1f} to {high:.1f})"


def _write(table: pd.DataFrame, path: Path) -> None:
    write_out(path, harmless_csv(stamped(table), index=False))
    sys.stderr.write(f"{path} written.\n")
