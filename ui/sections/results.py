"""Results of methods: names of metrics, curve, printed values, source and files of a result.

Text from submitted results is escaped, and never read as Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from ui.figures.curve import curve_with_points
from ui.figures.palette import UNCALIBRATED, VALIDATED, Mark
from ui.shell import site_map, terms, visitors
from ui.shell.frame import chart
from ui.shell.guard import errors_as_sentences
from ui.shell.numbers import duration, percent, three_digits
from ui.shell.text import AUSUC, names_in_words, plain
from ui.state import cache, controls
from ui.takeaway import downloads
from ui.takeaway.curves import draw_curves
from zslcore.analysis.method_table import SHARED_SPLITS, Column, MethodResult, MethodTable, task_of
from zslcore.analysis.metric_names import Metric
from zslcore.analysis.papers.claims import PAPERS
from zslcore.analysis.papers.printed import why_different
from zslcore.board.checking import CheckedEntry
from zslcore.board.making import entry_of_run
from zslcore.datasets.facts import title
from zslcore.evaluation import plugins
from zslcore.evaluation.predicted_tests import origin_in_words
from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import State
from zslcore.exceptions import ParameterError
from zslcore.interactive.seen_unseen import InteractiveCurve, line_of
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore, StoredRun

#: Label of a metric -> metric.
METRICS: dict[str, Metric] = {
    "H at γ": "H at gamma",
    "ZSL": "zsl",
    "AUSUC": "AUSUC",
    "u at γ": "u at gamma",
    "s at γ": "s at gamma",
    "H, γ = 0": "H",
    "u, γ = 0": "u",
    "s, γ = 0": "s",
}
#: Points of a curve that a result may state: label, unseen and seen accuracy, mark.
STATED: Sequence[tuple[str, Metric, Metric, Mark]] = (
    ("γ = 0", "u", "s", UNCALIBRATED),
    ("validated γ", "u at gamma", "s at gamma", VALIDATED),
)
#: Session key of a message for the next run: a busy server drops messages sent just before a rerun.
MESSAGE = "table_message"
#: State of a result -> its mark and the meaning of the mark.
MARKS: Mapping[State, tuple[str, str]] = {
    State.VERIFIED: ("✓", "verified: recomputed from predictions, or computed here"),
    State.STATED: ("○", "stated: metrics without predictions"),
}


def result_title(of: MethodResult | Column) -> str:
    """Return the title of a data set; without a title, its benchmark and the rest of its name."""
    name = title(of.data)
    if isinstance(of, Column) and of.split not in SHARED_SPLITS:
        return f"{name}, split {of.split}"
    if name != of.data or not of.benchmark:
        return name
    variant = of.data.removeprefix(of.benchmark).lstrip("-_").removesuffix(".npz")
    return f"{of.benchmark}, {variant}" if variant else of.data


def metric_label(metric: Metric) -> str:
    """Return the label of a metric."""
    return next(label for label, name in METRICS.items() if name == metric)


def lead_in_words(column: Column, metric: str) -> str:
    """Return the leaders by the metric with this label, and the number of close rows.

    With too few test classes on a side, there is no leader, and the reason is returned.
    """
    if len(column.ranks) > 1 and column.too_few:
        return f"no ranking, since {column.too_few}"
    n, leaders = len(column.ranks), column.leaders
    value = percent(column.ranks["value"][column.leader])
    name, _, at = metric.replace(" at γ", ", the validated γ").partition(", ")
    value = f"{name} = {value} at {at}" if at else f"{name} = {value}"
    if n == 1:
        return f"{plain(column.leader)}, {value}, is the only result"
    if len(leaders) == 1:
        leads = f"{plain(column.leader)} leads the {n} methods with {value}"
    else:
        leads = f"{names_in_words(leaders)} share the lead of the {n} methods with {value}"
    if column.ranks["first"].isna().all():
        why = plain(as_clause(column.ranks["why"].iloc[0]))
        return f"{leads}; ranks have no interval: {why}"
    if len(leaders) == n:
        return leads
    if not column.n_close:
        return f"{leads}; all others are significantly worse"
    if column.n_close == n - len(leaders):
        return f"{leads}; no other is significantly worse (95 %)"
    verb = "other is" if column.n_close == 1 else "others are"
    return f"{leads}; {column.n_close} {verb} not significantly worse (95 %)"


def as_clause(sentence: str) -> str:
    """Return a sentence as a clause: first letter in lower case, without full stop."""
    return f"{sentence[:1].lower()}{sentence[1:].rstrip('.')}"


# --- One result -----------------------------------------------------------------------------------


def show_result(table: MethodTable, column: Column, row: str, cell: MethodResult | None) -> None:
    """Show a result: metrics, curve, printed values, origin and files.

    Without a result, show the printed values of the cell.
    """
    if cell is None:
        st.info(plain(f"{row} has no result on {result_title(column)}."), icon=":material/info:")
        _show_printed(table, column, row)
        return
    _show_metrics(cell)
    _show_curve(column, cell)
    _show_printed(table, column, row)
    if isinstance(cell.source, CheckedEntry):
        _show_entry(cell.source)
    else:
        _show_run(cell.source, cell)


def draw_stored_curve(cell: MethodResult, name: str, *, key: str) -> bool:
    """Draw the curve of the predictions stored with a result; return whether there is one."""
    predictions = _predictions_of(cell)
    if predictions is None or not predictions.test.generalized:
        return False
    gamma = predictions.gamma
    line = line_of(name, predictions.test.curve, "harmonic", gamma, gamma or 0.0)
    draw_curves(InteractiveCurve([line], sends_value=False), key=key)
    return True


def _show_curve(column: Column, cell: MethodResult) -> None:
    """Draw the full curve of the predictions or, without predictions, the stated points."""
    if draw_stored_curve(cell, f"{cell.row}, {result_title(column)}", key="table_curve"):
        return
    f = cell.metrics
    points = [
        (label, f[unseen], f[seen], mark)
        for label, unseen, seen, mark in STATED
        if unseen in f and seen in f
    ]
    if points:
        words = "; ".join(f"{at}: unseen {percent(u)}, seen {percent(s)}" for at, u, s, _ in points)
        alt = f"{cell.row} on {result_title(column)}. {words}."
        chart(curve_with_points((), (), points, height=320), alt, key="table_points")
        st.caption("This result states points of its curve. The full curve needs predictions.")
    else:
        why = "Split SS has no test images of seen classes, so it has no seen-unseen curve."
        message = "This result has no accuracies of seen and unseen classes."
        st.info(why if column.split == "SS" else message, icon=":material/info:")


def _predictions_of(cell: MethodResult) -> Predictions | None:
    """Return the predictions stored with a result; None without any."""
    source = cell.source
    return ResultStore().predictions(source.id) if isinstance(source, StoredRun) else None


def _show_metrics(cell: MethodResult) -> None:
    labels: dict[str, Metric] = {
        "ZSL accuracy": "zsl",
        "H at γ": "H at gamma",
        "H at γ = 0": "H",
        AUSUC: "AUSUC",
    }
    with st.container(horizontal=True):
        for label, name in labels.items():
            if name in cell.metrics:
                terms.metric(label, percent(cell.metrics[name]))


def cite_table(name: str) -> str:
    """Return first author, year and number of a printed table, such as "CAL 2"."""
    paper, _, number = name.partition(" ")
    author, *_, venue = PAPERS[paper].split(", ")
    return f"{author} {venue.rpartition(' ')[2]}, table {number}"


def _show_printed(table: MethodTable, column: Column, row: str) -> None:
    """List the printed values of this cell, also from the first version of a paper."""
    lines = []
    for _, one in table.prints(row, column.benchmark).iterrows():
        first = one["first_version"]
        before = "" if np.isnan(first) else f" (first version of the paper: {percent(first)})"
        lines.append(f"{cite_table(one['table'])}: {percent(one['value'])}{before}")
    if lines:
        st.markdown(
            f"**Printed** for {column.benchmark}, with ResNet-101 features and parameters chosen "
            f"for {task_of(table.metric).upper()}: {'; '.join(lines)}."
        )
    for difference in why_different(column.data, row.partition(" (")[0]):
        st.caption(plain(difference.sentence))


def _state_in_words(state: State, *, is_own: bool = False) -> str:
    """Return the mark and the state of one result as a sentence."""
    mark, meaning = MARKS[state]
    if state is State.VERIFIED:
        how = (
            "computed in this data folder" if is_own else "metrics recomputed from its predictions"
        )
        meaning = f"verified: {how}"
    return f"{mark} {meaning.capitalize()}."


def _show_run(one: StoredRun, cell: MethodResult) -> None:
    """Show the origin and command of a run; offer its files and its deletion."""
    result, spec = one.result, one.result.spec
    is_own = cell.origin == "mine"
    origin = "" if is_own else " Precomputed, included in the package."
    st.markdown(f"{_state_in_words(cell.state, is_own=is_own)}{origin}")
    params = plain(controls.params_in_words(spec.method, result.params))
    gamma = "" if result.gamma is None else f"γ = {three_digits(result.gamma)}, "
    st.caption(
        f"{gamma}{origin_in_words(result.gamma_origin)}. Parameters ({result.params_origin}): "
        f"{params}. Computed in {duration(result.seconds)}, {plain(result.created[:10])}. "
        f"{plain(result.source)}",
        help=f"Computed by version {plain(result.version)} on data {plain(spec.digest)}.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        downloads.show_command(spec.command())
        _offer_board_file(one)
        downloads.offer_run(one, f"run_{result.key}", key="table_run_json")
        if (predictions := _predictions_of(cell)) is not None:
            downloads.offer_predictions(lambda: predictions, f"predictions_{result.key}")
        _link_to_play(one)
        _offer_to_delete(one)


def _offer_board_file(one: StoredRun) -> None:
    """Offer a run as a board entry, if its data set is available to name the rows."""
    result, spec = one.result, one.result.spec
    if spec.dataset not in visitors.available_datasets():
        return
    dataset = cache.dataset(spec.dataset)
    if dataset.digest == spec.digest:
        downloads.download(
            "JSON for the board",
            entry_of_run(result, dataset, who="me").to_json(),
            f"{spec.method}_{spec.dataset}_{spec.split}.json".replace(" ", "-"),
            "table_board_json",
            icon=":material/social_leaderboard:",
            type="secondary",
            help="Add this one file to data/board in a pull request.",
        )


def play_parameters(spec: RunSpec) -> dict[str, str] | None:
    """Return the parameters that open this run on Play; None if Play cannot show it.

    Play shows only runs with parameters and gamma chosen on the folds for GZSL.
    """
    if spec.method not in METHODS:
        return None
    shown = RunSpec(spec.dataset, spec.split, spec.method, digest=spec.digest)
    if shown.key != spec.key:
        return None
    return {"dataset": spec.dataset, "split": spec.split, "method": spec.method}


def _link_to_play(one: StoredRun) -> None:
    spec = one.result.spec
    if (address := play_parameters(spec)) is not None:
        site_map.link("play", "Open in Playground", **address)
    elif plugins.is_plugin_name(spec.method):
        st.caption("This is an external method; set `ZSL_METHODS` to its file.")
    elif spec.method not in METHODS:
        st.caption("This version lacks the method of this run.")


def _offer_to_delete(one: StoredRun) -> None:
    """Offer to delete a run of this visitor, after a confirmation."""
    data = one.result.spec.dataset
    if one.shipped:
        return
    if not visitors.may_delete(data):
        st.caption("Only the owner can delete a run. This run belongs to the server.")
        return
    with st.popover("Delete …", icon=":material/delete:", type="tertiary"):
        st.markdown(
            f"Delete **{plain(one.id)}** permanently? All visitors of this server share it."
        )
        if st.button("Delete this run", icon=":material/delete:", key="table_delete"):
            with errors_as_sentences():
                if not visitors.may_delete(data):  # the visitor may have left the group
                    raise ParameterError("Only the owner can delete a run.")
                ResultStore().delete(one.id)
                st.session_state[MESSAGE] = "The run was deleted."
            st.rerun()


def _show_entry(one: CheckedEntry) -> None:
    """Show a submitted result, with the findings of the board's checks."""
    entry = one.entry
    st.markdown(f"{_state_in_words(one.state)} Submitted by {plain(entry.who)}.")
    st.markdown(f"**Rows: {one.split_kind}.** {plain(one.rows.sentence)}")
    st.markdown(f"**Overlap: {one.overlap_word}.** {plain(one.overlap.sentence)}")
    params = ", ".join(f"{name} = {value}" for name, value in entry.parameters.params.items())
    gamma = "" if entry.gamma.value is None else f" {three_digits(entry.gamma.value)}"
    words = [
        f"γ{gamma} ({entry.gamma.origin})",
        f"parameters ({entry.parameters.origin}){': ' * bool(params)}{plain(params)}",
        *(plain(text) for text in (entry.data.features, entry.created[:10]) if text),
        *(f"{plain(name)} {plain(number)}" for name, number in entry.versions.items() if number),
    ]
    seeds = f" Metrics are those of the first of {entry.seeds.n} seeds." * (entry.seeds.n > 1)
    st.caption(f"{'; '.join(words)}. {plain(entry.provenance)}{seeds}")
    with st.container(horizontal=True):
        if entry.link:
            st.link_button("Web page", entry.link, icon=":material/open_in_new:", type="tertiary")
        downloads.download("Result as JSON", entry.to_json, one.file, "table_entry_json")
