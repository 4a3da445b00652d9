"""Metrics of one score file under every protocol, with the users of each protocol.

The metrics are registered in :mod:`zslcore.evaluation.registry`. Texts use the words seen and
unseen, which :meth:`Words.translate` replaces by base and new, or by known and unknown.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from zslcore.analysis.resampling import draws_of, tested_sides
from zslcore.evaluation.bootstrap import BootstrapMetrics, depends_on_candidates
from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.evaluation.registry import PER_SAMPLE, REGISTRY
from zslcore.exceptions import closest_name
from zslcore.metrics.significance import Over, fewest_classes, interval
from zslcore.numbers import percent
from zslcore.storage.tables import frame

if TYPE_CHECKING:
    import pandas as pd

#: The word "seen" or "unseen", with an article if there is one; not in names such as unseen.npz.
_SIDE = re.compile(
    r"(?<![\w./-])(?:(?P<article>an?) )?(?P<side>unseen|seen)(?![\w-]|\.\w)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a ``field`` for classes with and without training images."""

    seen: str
    unseen: str
    field: str

    @property
    def name(self) -> str:
        """Value of the option ``words``, such as "base-new"."""
        return f"{self.seen}-{self.unseen}"

    def translate(self, text: str) -> str:
        """Replace seen and unseen in a sentence by these words, except in names of files.

        Examples
        --------
        >>> WORDS["base-new"].translate("An unseen class of unseen.npz: test seen")
        'A new class of unseen.npz: test base'
        """
        return _SIDE.sub(self._side, text) if self.seen != "seen" else text

    def _side(self, match: re.Match[str]) -> str:
        article, side = match["article"], match["side"]
        word = self.unseen if side.lower() == "unseen" else self.seen
        if not article:
            return word.capitalize() if side[0].isupper() else word
        right = "an" if word[0] in "aeiou" else "a"
        return f"{right.capitalize() if article[0].isupper() else right} {word}"


#: Words by the value of the option.
WORDS: dict[str, Words] = {
    words.name: words
    for words in (
        Words("seen", "unseen", "zero-shot learning"),
        Words("base", "new", "prompt tuning"),
        Words("known", "unknown", "open-set recognition"),
    )
}


def words_of(name: str) -> Words:
    """Return the words for a name; UnknownNameError suggests the nearest name."""
    if name not in WORDS:
        raise closest_name("words", name, WORDS)
    return WORDS[name]


NO_GAMMA = "No γ was chosen; the choice needs scores of validation classes"
NO_SEEN_IMAGES = "No image belongs to a seen class"
SCORES_NEEDED = "The file has one predicted class per image; this requires scores of every class"
SIDES_GIVEN = "The side of every image was given: nothing is scored among all classes"
#: Protocols at a chosen gamma, and at the best gamma on the test images.
CHOSEN, ORACLE = "Joint label space, chosen γ", "Joint label space, oracle γ"
#: Suffix of a column of intervals -> units that are resampled.
UNIT_OF_SUFFIX: dict[str, Over] = {"": "classes", "_images": "images"}


@dataclass(frozen=True, slots=True)
class Line:
    """Line of a protocol: heading, and names of its metric per class and per image, or ""."""

    heading: str
    per_class: str = ""
    per_sample: str = ""

    @property
    def metrics(self) -> dict[str, str]:
        """Metrics of the line by average, "per class" and "per image"."""
        both = {"per class": self.per_class, "per image": self.per_sample}
        return {average: name for average, name in both.items() if name}


@dataclass(frozen=True, slots=True)
class Protocol:
    """Protocol: its steps, its users with the averages that they report, and its metrics."""

    name: str
    steps: str
    users: str
    lines: tuple[Line, ...]


def _lines(point: str) -> tuple[Line, ...]:
    return tuple(
        Line(heading, f"{point}_{side}", f"{point}_{side}{PER_SAMPLE}")
        for heading, side in (("seen", "seen"), ("unseen", "unseen"), ("H", "harmonic"))
    )


#: All protocols in the order of presentation.
PROTOCOLS = (
    Protocol(
        "Separate label spaces",
        "Seen images are scored among seen classes only and unseen images among unseen classes "
        "only: the side of each image is given to the model.",
        "Base-to-new tests of prompt tuning (CoOp, CoCoOp), per image; unseen among unseen is "
        "ZSL accuracy, per class",
        (
            Line("seen among seen", "separate_seen", f"separate_seen{PER_SAMPLE}"),
            Line("unseen among unseen", "zsl", f"zsl{PER_SAMPLE}"),
            Line("H", "separate_harmonic", f"separate_harmonic{PER_SAMPLE}"),
        ),
    ),
    Protocol(
        "Joint label space, γ = 0",
        "Every image is scored among all classes, seen and unseen, and the class with the "
        "largest score is predicted.",
        "Generalized zero-shot learning (Xian et al. 2019), per class",
        _lines("plain"),
    ),
    Protocol(
        CHOSEN,
        "Predictions among all classes after calibrated stacking: γ, one number chosen on "
        "validation classes, is subtracted from the scores of seen classes; nothing is retrained.",
        "Calibrated zero-shot learning (Chao et al. 2016, Le Cacheux et al. 2019), per class",
        _lines("calibrated"),
    ),
    Protocol(
        ORACLE,
        "Predictions among all classes at the γ with the highest H on these test images: an upper "
        "bound, not a result.",
        "Upper bound on H for any γ",
        _lines("best"),
    ),
    Protocol(
        "Every γ",
        "Area under the curve of seen accuracy against unseen accuracy for every γ: of all pairs "
        "with one image of each side, the share in which both are right within their side and the "
        "seen image has the larger margin.",
        "AUSUC (Chao et al. 2016), per class; OpenworldAUC (Hua et al. 2025), which is the same "
        "per image",
        (Line("AUSUC", "ausuc", f"ausuc{PER_SAMPLE}"),),
    ),
    Protocol(
        "Seen or unseen",
        "How well the margin, best seen score minus best unseen score, separates seen from "
        "unseen images, whichever class is predicted; FPR95 is the share of unseen images with a "
        "margin above the value that 95 % of seen images reach.",
        "Detection of out-of-distribution images (Hendrycks and Gimpel 2017, Liang et al. 2018)",
        (Line("AUROC", per_sample="auroc"), Line("FPR95", per_sample="fpr95")),
    ),
    Protocol(
        "One accuracy, γ = 0",
        "All test images in one pool, scored among all classes; the accuracy depends on the "
        "shares of seen images and classes in the test set.",
        "Open-world prompt tuning (DeCoOp, Zhou et al. 2024), per image; the evaluator of CoOp "
        "(Dassl) also prints macro F1",
        (Line("accuracy", "accuracy", f"accuracy{PER_SAMPLE}"), Line("macro F1", "macro_f1")),
    ),
)


# --- Metrics --------------------------------------------------------------------------------------


def metrics_of_test(test: PredictedTest, gamma: float | None) -> dict[str, float | None]:
    """Return all metrics of the registry; None if the predictions do not determine a metric.

    ``gamma`` is the chosen gamma, or None.
    """
    missing, once = reasons_of(test, gamma), BootstrapMetrics.once(test, gamma or 0.0)
    return {
        name: None if name in missing else float(metric.drawn(once)[0])
        for name, metric in REGISTRY.items()
        if metric.drawn is not None
    }


def reasons_of(test: PredictedTest, gamma: float | None, why: str = NO_GAMMA) -> dict[str, str]:
    """Return the reason for every metric that the predictions do not determine.

    ``why`` is the reason for metrics at gamma if ``gamma`` is None.
    """
    dependent = not test.limits and depends_on_candidates(test)
    reasons = {}
    for name, metric in REGISTRY.items():
        separate = metric.needs_fixed_scores  # true for metrics of separate label spaces
        if test.limits == "predicted classes":
            if not name.startswith(("plain_", "accuracy", "macro_f1")):
                reasons[name] = SCORES_NEEDED
            elif not test.generalized and not name.startswith("plain_unseen"):
                reasons[name] = NO_SEEN_IMAGES
        elif test.limits == "sides given" and metric.needs_gzsl and not separate:
            reasons[name] = SIDES_GIVEN
        elif metric.needs_gzsl and not test.seen[test.y].any():
            reasons[name] = NO_SEEN_IMAGES
        elif metric.at_gamma and gamma is None:
            reasons[name] = why
        elif metric.needs_fixed_scores and dependent:
            reasons[name] = (
                "The scores depend on the candidates (zsl_class is not always unseen_class), and "
                "the file has no predictions among seen classes alone"
            )
    return reasons


def intervals_of(test: PredictedTest, names: Collection[str], gamma: float | None) -> pd.DataFrame:
    """Return 95 % intervals of metrics, over classes and over images within their class.

    One row per metric (the index): ``low``, ``high`` over classes, and ``low_images``,
    ``high_images`` over images.
    """
    columns: dict[str, dict[str, float]] = {}
    for end, over in UNIT_OF_SUFFIX.items():
        draws = draws_of(test, names, gamma or 0.0, over=over)
        few = {name: fewest_classes(tested_sides(test), name) for name in draws}
        if over != "classes":
            few = {}
        ends = {name: interval(values, few.get(name)) for name, values in draws.items()}
        for name, (low, high) in ends.items():  # all resampled metrics are in [0, 1]
            ends[name] = max(low, 0.0), min(high, 1.0)
        columns[f"low{end}"] = {name: low for name, (low, _) in ends.items()}
        columns[f"high{end}"] = {name: high for name, (_, high) in ends.items()}
    return frame(columns, index=list(names))


def table_of_protocols(
    metrics: Mapping[str, float | None],
    missing: Mapping[str, str] | None = None,
    words: Words = WORDS["seen-unseen"],
    intervals: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return all metrics by protocol as a tidy table, one metric per row, in ``words``.

    Columns are ``protocol``, ``line``, ``average`` ("per class", "per image"), ``metric`` (its
    name in the registry), ``value`` (a fraction), ``reason`` for a missing value, and the columns
    of ``intervals``. The arguments are results of :func:`metrics_of_test`, :func:`reasons_of` and
    :func:`intervals_of`.
    """
    rows = [
        {
            "protocol": words.translate(protocol.name),
            "line": words.translate(line.heading),
            "average": average,
            "metric": name,
            "value": metrics.get(name),
            "reason": words.translate((missing or {}).get(name, "")),
        }
        for protocol in PROTOCOLS
        for line in protocol.lines
        for average, name in line.metrics.items()
    ]
    table = frame(rows).astype({"value": float})
    return table if intervals is None else table.join(intervals, on="metric")


# --- As text --------------------------------------------------------------------------------------

_WIDTH = 100


def format_lines(
    table: pd.DataFrame,
    words: Words = WORDS["seen-unseen"],
    notes: Mapping[str, str] | None = None,
) -> list[str]:
    """Format every protocol as lines of text, in percent: metrics, steps and users.

    ``table`` is a result of :func:`table_of_protocols`; ``notes`` maps names of protocols to
    appended notes. Protocols without metrics follow in one line with the reason.
    """
    averages = ["per class", "per image"]
    with_intervals = "low" in table
    wide = 37 if with_intervals else 12
    lines = [" " * 24 + "".join(f"{average:>{wide}}" for average in averages)]
    if with_intervals:
        legend = "95 % over classes; over images"
        lines.append(" " * 24 + "".join(f"{legend:>{wide}}" for _ in averages))
    without: dict[str, list[str]] = {}
    for protocol in PROTOCOLS:
        name = words.translate(protocol.name)
        protocol_rows = table[table["protocol"] == name]
        if (
            protocol_rows["value"].isna().all()
            and (protocol_rows["reason"] == protocol_rows["reason"].iloc[0]).all()
        ):
            without.setdefault(str(protocol_rows["reason"].iloc[0]), []).append(name)
            continue
        note = (notes or {}).get(protocol.name, "")
        lines += ["", (f"{name}: {note}" if note else name).replace("γ", "gamma")]
        for heading, rows in protocol_rows.groupby("line", sort=False):
            cells = rows.set_index("average").apply(_cell, axis=1).reindex(averages, fill_value="")
            lines.append(f"  {heading:<22}" + "".join(f"{cell:>{wide}}" for cell in cells))
        lines += _wrap(f"{words.translate(protocol.steps)} Use: {words.translate(protocol.users)}.")
        for reason in dict.fromkeys(protocol_rows["reason"][protocol_rows["reason"] != ""]):
            lines += _wrap(f"{reason}.")
    for reason, names in without.items():
        lines += ["", f"Not computed: {'; '.join(names)}".replace("γ", "gamma")]
        lines += _wrap(f"{reason}.")
    return [line.rstrip() for line in lines]


def _cell(row: pd.Series) -> str:
    if np.isnan(row["value"]):
        return "-"
    value = percent(row["value"])
    if "low" not in row:
        return value
    ends = (f"{100 * row[f'low{e}']:.1f} to {100 * row[f'high{e}']:.1f}" for e in UNIT_OF_SUFFIX)
    return f"{value} ({'; '.join(ends)})"


def _wrap(text: str) -> Sequence[str]:
    indent = "    "
    text = text.replace("γ", "gamma")
    return textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
