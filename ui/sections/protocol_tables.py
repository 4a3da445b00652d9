"""Scores under every protocol, and the difference of two score files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from ui.intake.scores import EvaluatedScores, short_names
from ui.shell.numbers import percent, signed, three_digits
from ui.shell.text import on_screen, plain
from ui.state import cache
from ui.takeaway import tables
from zslcore.exceptions import ZSLError
from zslcore.scores.paired import COMPARED_METRICS, Pair, compare_scores, differences_by_protocol
from zslcore.scores.protocols import CHOSEN, PROTOCOLS, Words, metrics_of_test, table_of_protocols

#: Column of an interval, in percent or points -> its heading.
INTERVALS = {
    "low": "classes: from",
    "high": "classes: to",
    "low_images": "images: from",
    "high_images": "images: to",
}
#: Column of a p-value -> its heading.
P_VALUES = {"p": "classes: p", "p_images": "images: p"}
_EXPLAINED = (
    "95 % bootstrap intervals. Those over *classes* apply to other classes of the same kind, those "
    "over *images* to other images of these classes."
)


@dataclass(frozen=True, eq=False)
class FileComparison:
    """Files ranked by the first metric that all have; each is compared with the best.

    Attributes
    ----------
    files : the files, best first; those that cannot be compared are last
    conclusion, details : clauses on the best file and on the test, not escaped
    at : condition of the metrics, such as ", γ = 0"
    table : one row per file: file, H, verdict ("worse" if the interval is below 0), u, s, AUSUC,
        low, high (95 % interval of the difference from the best file)
    reasons : why files cannot be compared with the first
    """

    files: tuple[EvaluatedScores, ...]
    conclusion: str
    details: str
    at: str
    table: pd.DataFrame
    reasons: tuple[str, ...]


def compare_files(files: Sequence[EvaluatedScores]) -> FileComparison:
    """Rank the files that can be compared with the first; compare each with the best."""
    first, *others = files
    comparable, reasons = [first], {}
    for other in others:
        try:
            compare_scores(first.matrix, other.matrix)
            comparable.append(other)
        except ZSLError as error:
            reasons[other] = str(error)
    metrics = {each: metrics_of_test(each.matrix.predicted_rows, each.gamma) for each in files}
    common = (
        n for n in COMPARED_METRICS if all(metrics[each][n] is not None for each in comparable)
    )
    name = next(common, "")
    letter, at = COMPARED_METRICS.get(name, ("", ""))
    comparable.sort(key=lambda each: metrics[each].get(name) or 0.0, reverse=True)
    best, *worse = comparable
    pairs = [compare_scores(best.matrix, f.matrix, (best.gamma, f.gamma)) for f in worse]
    few = pairs[0].too_few(name) if pairs and name else ""  # all have the same test classes
    intervals = dict.fromkeys(files, (np.nan, np.nan))
    verdicts = dict.fromkeys(files, "not tested") | dict.fromkeys(reasons, "not comparable")
    verdicts[best] = "highest" if pairs and name else "–"
    differences = [
        cache.score_differences(best.matrix.digest, f.matrix.digest, pair.gammas, pair)
        for f, pair in zip(worse, pairs, strict=True)
    ]
    for each, table in zip(worse, differences, strict=True):
        if name and not few:
            intervals[each] = table["low"][name], table["high"][name]
            verdicts[each] = "worse" if intervals[each][1] < 0 else "not worse"
    point, ranked = name.partition("_")[0], (*comparable, *reasons)
    rows = [
        (
            each.matrix.name,
            metrics[each].get(f"{point}_harmonic"),
            verdicts[each],
            *(metrics[each].get(f"{point}_{side}") for side in ("unseen", "seen")),
            metrics[each]["ausuc"],
            *intervals[each],
        )
        for each in ranked
    ]
    columns = ["file", "H", "verdict", "u", "s", "AUSUC", "low", "high"]
    numbers = dict.fromkeys(["H", *columns[3:]], float)
    details = ""
    if not pairs:
        conclusion = (
            f"The {len(files)} files are not comparable: their test images, labels or unseen "
            "classes differ"
        )
        details = "the metrics below are those of each file alone"
    elif len(pairs) == 1:
        conclusion, details = pairs[0].conclusion(differences[0])
    elif not name:
        conclusion = "The files have no metric in common"
    else:
        close = [*verdicts.values()].count("not worse")
        is_or_are = "is" if close == 1 else "are"
        rest = f"{close} of {len(worse)} others {is_or_are} not significantly worse"
        extremes = {0: "all others are significantly worse"}
        extremes[len(worse)] = "no other is significantly worse"
        test = f"{extremes.get(close, rest)} (95 %)"
        conclusion = (
            f"{best.matrix.name} has the highest {letter} of {len(comparable)} files, "
            f"{percent(metrics[best][name] or 0.0)} per class{at}; "
            f"{f'not tested: {few}' if few else test}"
        )
        clauses = [
            f"{each.matrix.name} {signed(low)} to {signed(high)} points"
            for each, (low, high) in ((each, intervals[each]) for each in worse)
        ]
        details = "" if few else f"95 % intervals of differences over classes: {', '.join(clauses)}"
    if pairs and reasons:
        conclusion += f"; {len(reasons)} of {len(files)} files cannot be compared"
    table = pd.DataFrame(rows, columns=columns).astype(numbers)
    return FileComparison(ranked, conclusion, details, at, table, tuple(reasons.values()))


def show_files(comparison: FileComparison, name: str) -> None:
    """Show the metrics and the verdict of each file, best first."""
    table = comparison.table.dropna(axis="columns", how="all")
    table["file"] = short_names(comparison.files)
    labels = {str(column): str(column) for column in table if column not in ("low", "high")}
    tables.show(
        table,
        name,
        labels=labels | {"file": f"file{comparison.at}", "verdict": "significance"},
        percent=[column for column in ("H", "u", "s", "AUSUC") if column in table],
        widths={"file": 119, "H": 53, "verdict": 108, "u": 53, "s": 53, "AUSUC": 56},
        marked=0,
        height=250,
    )
    if comparison.reasons:
        words = "\n\n".join(map(on_screen, comparison.reasons))
        st.warning(words, icon=":material/compare_arrows:")


def show_pairs(
    first: EvaluatedScores, others: list[EvaluatedScores], gamma: float | None, words: Words
) -> None:
    """Compare the first matrix with the other matrices, each at its chosen gamma."""
    for other in others:
        pair = compare_scores(first.matrix, other.matrix, (gamma or None, other.gamma))
        digests = first.matrix.digest, other.matrix.digest
        with st.spinner("Resampling classes and images …"):
            differences = cache.score_differences(*digests, pair.gammas, pair)
        st.markdown(plain(words.translate(pair.sentence(differences))))
        st.markdown(f"**{plain(other.matrix.name)} minus {plain(first.matrix.name)}**, in points")
        _show_differences(pair, differences, words, name=f"scores_differences_{digests[1]}")
        st.caption(
            f"The files agree on {percent(pair.agreement)} of the images. {pair.only_second:,} "
            f"images are right only in the second file, {pair.only_first:,} only in the first "
            f"(McNemar, p = {three_digits(pair.p)})."
        )
        for test in pair.class_tests:
            st.caption(plain(words.translate(test.sentence)))
        tables.show(
            pair.classes,
            f"scores_pair_{other.matrix.digest}",
            labels={
                "class": "class",
                "seen": words.seen,
                "images": "test images",
                "first": "first",
                "second": "second",
                "difference": "difference",
            },
            percent=["first", "second"],
            points=["difference"],
            height=380,
        )


def show_protocols(first: EvaluatedScores, words: Words) -> None:
    """Show metrics without sides, reasons for missing metrics, and protocols; offer intervals."""
    table = first.report.table(words)
    _show_other_metrics(first, table)
    if st.toggle("95 % intervals", key="scores_intervals", bind="query-params"):
        with st.spinner("Resampling classes and images …"):
            table = first.report.table(words, with_intervals=True)
        labels = {"protocol": "protocol", "line": "metric", "average": "average", "value": "value"}
        columns, name = ["value", *INTERVALS], f"scores_{first.stem}_intervals"
        tables.show(table, name, labels=labels | INTERVALS, percent=columns, height="content")
        st.caption(f"{_EXPLAINED} {words.translate(first.report.caution)}")
    _show_reasons(table)
    st.markdown(
        "\n".join(
            f"- **{words.translate(p.name)}.** {words.translate(p.steps)} "
            f"*Use:* {words.translate(p.users)}."
            for p in PROTOCOLS
        )
    )


def _at_own_gamma(first: EvaluatedScores, words: Words, gamma: float | None) -> pd.DataFrame:
    """Return the metrics at ``gamma``; an empty table if it is 0, the chosen gamma or None."""
    if gamma in (None, 0.0, first.gamma):
        return pd.DataFrame()
    table = table_of_protocols(metrics_of_test(first.matrix.predicted_rows, gamma), words=words)
    is_chosen = table["protocol"] == words.translate(CHOSEN)
    return table[is_chosen].assign(protocol=f"Joint label space, γ = {three_digits(gamma)}")


def show_values(
    files: Sequence[EvaluatedScores], words: Words, gamma: float | None, *, per_image: bool
) -> None:
    """Show the accuracies of both sides and H of each file and protocol, per class or over images.

    A ``gamma`` of the first file that was set by hand has a separate row.
    """
    gammas = [gamma, *[None] * (len(files) - 1)]
    by_file = [
        _values_of(each, words, at, per_image=per_image)
        for each, at in zip(files, gammas, strict=True)
    ]
    table = pd.concat(by_file, ignore_index=True)
    order = {name: k for k, name in enumerate(table["protocol"].unique())}
    table = table.sort_values("protocol", key=lambda names: names.map(order), kind="stable")
    columns = [str(name) for name in table if name not in ("file", "protocol")]
    labels = {"protocol": f"protocol, {'per image' if per_image else 'per class'}"}
    if len(files) > 1:
        labels = {"file": "file"} | labels
        # shorter, since the column of files needs the room
        table["protocol"] = table["protocol"].str.replace(" label spaces?", "", regex=True)
    labels |= {name: name.removesuffix(", per image") for name in columns}
    name = f"scores_{files[0].stem}_protocols{len(files)}"
    tables.show(
        table.drop(columns=["file"] * (len(files) == 1)),
        name,
        labels=labels,
        percent=columns,
        widths={"file": 130, "protocol": 118} if len(files) > 1 else None,
        height="content",
    )


def _values_of(
    first: EvaluatedScores, words: Words, gamma: float | None, *, per_image: bool
) -> pd.DataFrame:
    """Return the accuracies of both sides and H of a file by protocol, after its name."""
    table = first.report.table(words)
    table["protocol"] = table["protocol"].str.replace("chosen", first.report.origin or "chosen")
    protocols = pd.concat([table[_has_sides(table)], _at_own_gamma(first, words, gamma)])
    column = protocols["line"].str.split().str[-1]  # "seen" of "seen among seen"
    column += protocols["average"].map({"per class": "", "per image": ", per image"})
    by_side = _wide(protocols.assign(column=column), "protocol")
    columns = [name for name in [*by_side][1:] if name.endswith(", per image") == per_image]
    by_side = by_side.dropna(subset=columns, how="all")[["protocol", *columns]]
    by_side.insert(0, "file", first.matrix.name)
    return by_side


def _has_sides(table: pd.DataFrame) -> pd.Series:
    """Return whether each row belongs to a protocol with seen and unseen accuracy."""
    return table.groupby("protocol")["line"].transform(lambda lines: "H" in set(lines))


def _show_other_metrics(first: EvaluatedScores, table: pd.DataFrame) -> None:
    """Show the metrics of the protocols without sides."""
    rows = table[~_has_sides(table)]
    gamma_0 = rows["protocol"].str.extract("(, γ = 0)", expand=False).fillna("")
    by_metric = _wide(rows.assign(metric=rows["line"] + gamma_0, column=rows["average"]), "metric")
    name = f"scores_{first.stem}_metrics"
    tables.show(by_metric, name, percent=[*by_metric][1:], height="content")


def _wide(table: pd.DataFrame, rows: str) -> pd.DataFrame:
    """Return the values by ``rows`` and ``column`` in the order of the table, per class first."""
    wide = table.pivot_table("value", rows, "column", sort=False, dropna=False)
    columns = sorted(table["column"].unique(), key=lambda name: name.endswith("per image"))
    return wide.reindex(index=table[rows].unique(), columns=columns).reset_index()


def _show_reasons(table: pd.DataFrame) -> None:
    """Show the reasons for missing metrics."""
    without = table[table["reason"] != ""]
    for reason, rows in without.groupby("reason", sort=False):
        which = ", ".join(rows["protocol"].unique())
        st.caption(f"{which}: {plain(str(reason))}.")


def _show_differences(pair: Pair, differences: pd.DataFrame, words: Words, *, name: str) -> None:
    """Show the differences of all shared metrics, from joint resamples."""
    labels = {"protocol": "protocol", "line": "metric", "average": "average", "value": "difference"}
    tables.show(
        differences_by_protocol(differences, words),
        name,
        labels=labels | INTERVALS | P_VALUES,
        points=["value", *INTERVALS],
        significant=list(P_VALUES),
        height=380,
    )
    st.caption(
        f"{_EXPLAINED} Both files are resampled together; they differ significantly if an "
        f"interval excludes 0. p is two-sided and at least 0.002. {words.translate(pair.caution)}"
    )
