r"""Tables of a study of actions: gains over the baseline, and splits.

The overlap gain of a method is the relative difference between its accuracies on test classes in
the pre-training set and on all other test classes (:mod:`zslcore.analysis.overlap`). The gain with
pre-trained features is compared with the gain with baseline features, which are not pre-trained.
The difference has two intervals. The interval over classes is a bootstrap-t interval; the value of
a class is its mean over the draws that test it. The interval over draws of splits is Student's,
since draws are independent given the classes: :math:`\bar g \pm t_{n-1} \, \mathrm{sd}(g) /
\sqrt{n}` for the difference of gains :math:`g` in each draw. The p-value is from a permutation of
the labels "overlapping" among classes, with Holm's adjustment for all comparisons with the
baseline.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from zslcore.analysis.overlap import gains_by_draw, study_summary
from zslcore.analysis.resampling import student_interval
from zslcore.datasets.facts import published_table
from zslcore.exceptions import ParameterError
from zslcore.metrics.significance import holm, welch

#: Extractor -> name of its features in the paper's printed tables.
PRINTED_FEATURES = {"idt": "IDT", "sports": "C3D", "kinetics": "deep"}
#: Configuration -> data set of its splits in the paper's table 4; both overlap with Sports-1M.
PRINTED_SPLITS = {"OS2": "UCF101", "OS4": "HMDB51"}
_GROUP = ["features", "semantics", "method"]


def action_gains(study: pd.DataFrame, baseline: str, *, configuration: str = "") -> pd.DataFrame:
    """Return overlap gains by features, prototypes and method, with differences from the baseline.

    Rows of released splits are ignored. ``minus`` is the gain minus the baseline's gain, and
    ``draws_minus`` its mean over draws. The intervals over classes are ``low`` to ``high`` for
    ``gain`` and ``minus_low`` to ``minus_high`` for ``minus``; ``draws_low`` to ``draws_high`` is
    the interval of ``draws_minus`` over draws. ``printed`` is NaN without a configuration. Raises
    ParameterError if no features are called ``baseline``.
    """
    controlled = study[study["splits"] == "controlled"]
    tables = []
    for semantics, part in controlled.groupby("semantics", sort=False):
        if not (part["features"] == baseline).any():
            continue  # imported features may have only one kind of prototypes
        summary = study_summary(part, baseline=baseline)
        summary.insert(1, "semantics", semantics)
        tables.append(summary)
    if not tables:
        raise ParameterError(f"Baseline: expected features of the study; got {baseline!r}.")
    table = pd.concat(tables, ignore_index=True).drop(columns=["p", "p_holm"])
    table = table.rename(columns={"gain_minus_baseline": "minus", "minus_p": "p"})
    gains = {
        tuple(map(str, key)): gains_by_draw(part)
        for key, part in controlled.groupby(_GROUP, sort=False)
    }
    keys = list(zip(*(table[name] for name in _GROUP), strict=True))
    differences_over_draws = [_difference_over_draws(gains, key, baseline) for key in keys]
    table = table.join(pd.DataFrame(differences_over_draws, index=table.index))
    is_baseline = table["features"] == baseline
    table.loc[is_baseline, ["minus", "minus_low", "minus_high", "p"]] = np.nan
    table["p_holm"] = np.nan
    table.loc[~is_baseline, "p_holm"] = holm(table.loc[~is_baseline, "p"].to_numpy())
    table["printed"] = [_printed_gain(configuration, *key) for key in keys]
    return table


def _difference_over_draws(
    gains: Mapping[tuple[str, ...], pd.Series],
    key: tuple[str, str, str],
    baseline: str,
) -> dict[str, float]:
    """Return the mean over draws of the gain minus the baseline's gain, with its interval."""
    features, semantics, method = key
    if features == baseline:
        return dict.fromkeys(("draws_minus", "draws_low", "draws_high"), np.nan)
    differences = (gains[key] - gains[baseline, semantics, method]).dropna().to_numpy()
    low, high = student_interval(differences)
    return {"draws_minus": float(differences.mean()), "draws_low": low, "draws_high": high}


def _printed_gain(configuration: str, features: str, semantics: str, method: str) -> float:
    """Return the printed gain minus the gain of IDT, as a fraction; NaN if it is not printed."""
    printed_name = PRINTED_FEATURES.get(features)
    if printed_name is None:
        return np.nan
    table = published_table("overlap_gain_action")
    cell = table[
        (table["configuration"] == configuration)
        & table["features"].str.startswith(printed_name)
        & (table["semantics"] == semantics)
        & (table["method"] == method.replace(" ", "_"))
    ]
    return float(cell["overlap_gain_minus_idt"].iloc[0]) if len(cell) else np.nan


def accuracies_by_split(study: pd.DataFrame, configuration: str) -> pd.DataFrame:
    """Return the accuracies of BiDiLEL on released and on controlled splits.

    As in the paper's table 4, there is one row per kind of features and prototypes with results on
    both kinds of splits. ``low`` to ``high`` is Welch's interval of ``difference`` over draws;
    ``rise`` is the difference relative to ``released``, as in the paper's text; ``ouc_`` columns
    have the share of overlapping test classes; ``printed_`` columns are NaN except for OS2 and OS4.
    """
    rows = []
    bidilel = study[study["method"] == "BiDiLEL"]
    for (features, semantics), part in bidilel.groupby(["features", "semantics"], sort=False):
        by_draw = part.groupby(["splits", "draw"])["accuracy"].mean()
        if set(by_draw.index.get_level_values("splits")) != {"controlled", "released"}:
            continue
        released, controlled = (by_draw[kind].to_numpy() for kind in ("released", "controlled"))
        shares = part.groupby("splits")["overlapping"].mean()
        low, high, _ = welch(controlled, released)
        row = {"features": features, "semantics": semantics}
        row |= {"released": released.mean(), "controlled": controlled.mean()}
        row |= {"difference": controlled.mean() - released.mean(), "low": low, "high": high}
        row |= {"rise": controlled.mean() / released.mean() - 1 if released.mean() else np.nan}
        row |= {f"ouc_{kind}": shares[kind] for kind in ("released", "controlled")}
        rows.append(row | _printed_accuracies(configuration, str(features), str(semantics)))
    return pd.DataFrame(rows)


def _printed_accuracies(configuration: str, features: str, semantics: str) -> dict[str, float]:
    """Return the printed accuracies and their rise, as fractions; NaN if they are not printed."""
    table = published_table("action_bidilel_splits")
    cells = table[
        (table["dataset"] == PRINTED_SPLITS.get(configuration))
        & (table["features"] == PRINTED_FEATURES.get(features, ""))
        & (table["semantics"] == semantics)
    ].set_index("splits")["top1"]
    released, controlled = (cells.get(name, np.nan) for name in ("previous", "controlled"))
    rise = controlled / released - 1
    rates = {"released": released, "controlled": controlled, "rise": rise}
    return {f"printed_{name}": value for name, value in rates.items()}
