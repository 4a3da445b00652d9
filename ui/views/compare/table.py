"""Table of methods: rows are methods, columns data sets; each number has its source.

Text from submitted results is escaped, and never read as Markdown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.components import window
from ui.figures.method_table import rank_diagram, rank_forest
from ui.sections.method_grid import (
    BORDER,
    DETAILS,
    FITTED,
    HEADINGS,
    ROW,
    grid_of,
    rank_with_interval,
    show_grid,
)
from ui.sections.results import (
    MESSAGE,
    METRICS,
    cite_table,
    lead_in_words,
    metric_label,
    result_title,
    show_result,
)
from ui.shell import site_map, terms, visitors
from ui.shell.folds import fold
from ui.shell.frame import Header, ViewAnswer, chart, place_answer
from ui.shell.numbers import duration, percent, three_digits
from ui.shell.text import plain
from ui.state import cache, controls, data_menu
from ui.state.waiting import offer_job
from ui.takeaway import downloads
from zslcore.analysis import ranking
from zslcore.analysis.comparison import ComparisonSpec, ComparisonStudy
from zslcore.analysis.method_table import (
    SHARED_SPLITS,
    Column,
    MethodResult,
    MethodTable,
    Origin,
    estimate_seconds,
    task_of,
)
from zslcore.analysis.metric_names import Metric
from zslcore.board.table import pretraining_finding
from zslcore.datasets.facts import fine_tuned_on, is_simulated_name, title
from zslcore.numbers import counted
from zslcore.results.store import StoredRun

ORIGINS: dict[str, Origin | None] = {
    "your runs": "mine",
    "precomputed": "shipped",
    "printed": None,
    "from others": "others",
}
#: Number of rows from which a table takes the reserved height.
FEW_ROWS = 9
#: Widths in pixels: choice of results, and menu of further choices.
PILLS, MORE = 432, 110
#: Keys of the opened cell, and of the result chosen in it.
CELL, RESULT = "table_result", "table_run"
#: Session key: whether a cell was clicked, even the cell that is open at first.
CLICKED = "table_clicked"


def show(_: Header) -> None:
    """Show the table, the opened cell, missing cells, and the ranks."""
    if message := st.session_state.pop(MESSAGE, ""):
        st.toast(message)
    answer = place_answer()
    table, details, hint = _choose()
    if table.columns:
        _show_table(table, details, hint, answer)
    else:
        nothing = f"No result with {metric_label(table.metric)} on split {plain(table.split)}."
        otherwise = (
            "Results computed in Playground, or by `zslcore run`, appear here at once as your runs."
        )
        words = f"{nothing} {_hidden_in_words(table) or otherwise}"
        st.info(words, icon=":material/filter_alt_off:")
    if unreadable := cache.all_runs()[2]:
        st.caption(plain(unreadable))


def _show_table(
    table: MethodTable, details: Sequence[str], hint: DeltaGenerator, answer: ViewAnswer
) -> None:
    """Show the table next to the intervals, then the opened cell; fill the ``hint``."""
    for column in table.columns:
        digests = {cell.digest: None for cell in column.cells.values() if cell.digest}
        kind = ", simulated" * column.simulated
        downloads.cite(f"{column.data}{kind}, data {', '.join(digests) or 'not stated'}")
    _say(table, answer)
    short = "_short" * (len(table.rows) < FEW_ROWS)  # frame.css reserves less height
    with st.container(key=f"table_pictures{short}"):
        grid, ranks = st.columns([0.69, 0.31], gap="small")
    with grid:
        show_grid(table, details, _open_cell)
    opened = _opened(table)
    hint.caption(_hint(table, *opened))
    with ranks:
        _show_ranks(table, opened[1])
    _show_cell(table)
    _show_missing(table)
    mean_ranks = partial(_show_mean_ranks, table)
    icon = ":material/leaderboard:"
    fold("Mean ranks over data sets", mean_ranks, key="table_ranks", icon=icon)


# --- Choices --------------------------------------------------------------------------------------


def _choose() -> tuple[MethodTable, list[str], DeltaGenerator]:
    """Choose results, metric, split, data sets and columns.

    Return the table, the names of the chosen optional columns, and the element for a hint.
    """
    cells = cache.method_cells()
    with st.container(horizontal=True, vertical_alignment="bottom", key="table_choices"):
        of_split, of_metric = st.container(width="content"), st.container(width="content")
        results = st.container(width="content", key="table_results")
        more = st.popover("More", icon=":material/tune:", width=MORE)
        hint = st.container(key="table_hint")
        if window.is_narrow():
            results = more.container()  # so that all choices are in one row
        available = {cell.origin for cell in cells}
        none_of = "_".join(sorted({"mine", "shipped", "others"} - available))
        with results, st.container(key=f"table_none_{none_of}"):  # frame.css marks these choices
            choices = _choose_origins()
        origins = [origin for name in choices if (origin := ORIGINS[name])]
        with more:
            data = _choose_data(cells, origins)
            details, variants, probes = _choose_rows_and_columns()
        with of_split:
            split = _choose_split(cells, data)
        # The standard split has no test images of seen classes.
        metrics = ["ZSL"] if split == "SS" else list(METRICS)
        with of_metric:
            label = controls.choose_option("Metric", metrics, key="table_metric", width=130)
    with_printed = "printed" in choices
    table = cache.method_table(METRICS[label], split, origins, data, with_printed, variants, probes)
    return table, details, hint


def _choose_split(cells: Sequence[MethodResult], data: Sequence[str]) -> str:
    """Choose the split, unless all ``data`` are the visitor's own with a single split."""
    own_splits = {cell.split for cell in cells if cell.split} - {*SHARED_SPLITS}
    splits = [*SHARED_SPLITS, *sorted(own_splits)]
    first = [name for name in _own_data(cells) if _is_first(name)]
    of_user = {cell.split for cell in cells if cell.origin == "mine"}
    if first and len(of_user) == 1 and {*data} <= {*first}:
        return splits[0]
    label, width = ("Split of benchmarks", 150) if first else ("Split", 84)
    tip = "Imported data keep their own split." * bool(first)
    return controls.choose_option(label, splits, key="table_split", width=width, help=tip)


def _choose_origins() -> list[str]:
    """Choose the sources of the results."""
    return st.pills(
        "Results",
        list(ORIGINS),
        selection_mode="multi",
        default=list(ORIGINS),
        key="table_whose",
        bind="query-params",
        width=PILLS,
        help=terms.tip(
            "Results",
            "Your runs come first, then precomputed results, then results *from others*, submitted "
            "to the board. *Printed* results are from tables of papers.",
        ),
    )


def _choose_rows_and_columns() -> tuple[list[str], bool, bool]:
    """Choose optional columns, and whether variants and runs of single folds are listed."""
    details = st.multiselect(
        "Columns",
        [*DETAILS, FITTED],
        key="table_details",
        bind="query-params",
        placeholder="year, family, setting, training data",
    )
    variants = st.toggle("Variants of methods", key="table_variants", bind="query-params")
    probes = st.toggle(
        "Runs of single folds",
        key="table_probes",
        bind="query-params",
        help="Runs with parameters chosen on a single fold.",
    )
    return details, variants, probes


def _choose_data(cells: Sequence[MethodResult], origins: Sequence[Origin]) -> list[str]:
    """Choose data sets.

    The default are the data sets of your runs, then the real benchmarks. Runs on simulated data
    come first only if these are the data set chosen for the visit, and are otherwise shown only
    without runs on real data, after the first benchmark. Without precomputed results, all data sets
    are shown.
    """
    own_data = _own_data(cells) if "mine" in origins else []
    first = [name for name in own_data if _is_first(name)]

    def order(cell: MethodResult) -> tuple[int, bool, bool, bool, bool, str]:
        rank = first.index(cell.data) if cell.data in first else len(first)
        is_of_others, real = cell.origin == "others", not cell.simulated and bool(cell.benchmark)
        return rank, is_of_others, cell.simulated, not real, cell.benchmark != "CUB", cell.data

    shown = sorted((cell for cell in cells if cell.origin in origins), key=order)
    names = {cell.data: result_title(cell) for cell in shown}
    chosen = st.multiselect(
        "Data sets",
        list(names),
        key="table_columns",
        format_func=names.__getitem__,
        placeholder="yours and the benchmarks",
        bind="query-params",
    )
    if chosen:
        return [name for name in names if name in chosen]
    if "shipped" not in origins:
        return list(names)
    usual = {c.data for c in shown if c.origin == "shipped" and c.benchmark and not c.simulated}
    data = [name for name in names if name in usual or name in (first or own_data)]
    return data[:1] + sorted(data[1:], key=lambda name: name not in own_data)


def _own_data(cells: Sequence[MethodResult]) -> list[str]:
    """Return the data sets with runs of this visitor, the chosen data set first."""
    names = dict.fromkeys(cell.data for cell in cells if cell.origin == "mine")
    return sorted(visitors.visible(names), key=lambda name: name != data_menu.chosen_dataset())


def _is_first(name: str) -> bool:
    """Return whether a data set is real or the chosen data set; such data sets come first."""
    return not is_simulated_name(name) or name == data_menu.chosen_dataset()


def _hidden_in_words(table: MethodTable) -> str:
    """Return the number of your hidden runs with advice to show them; empty without any."""
    steps, hidden = [], table.hidden()
    for choice, cells in hidden.items():
        names = " and ".join(dict.fromkeys(result_title(cell) for cell in cells))
        splits = " or ".join(dict.fromkeys(cell.split for cell in cells))
        step = {
            "Results": "turn on *your runs*",
            "Data sets": f"add {plain(names)} to *Data sets*",
            "Split": f"choose *Split* {plain(splits)}",
            "Metric": f"choose another *Metric* ({_unmeasured_in_words(table.metric, cells)})",
        }[choice]
        steps.append(f"{step} for {len(cells)} of them" if len(hidden) > 1 else step)
    n = sum(len(cells) for cells in hidden.values())
    state, them = ("is", "it") if n == 1 else ("are", "them")
    return f"{n} of your runs {state} hidden. To show {them}: {'; '.join(steps)}." * bool(n)


def _unmeasured_in_words(metric: Metric, cells: Sequence[MethodResult]) -> str:
    """Return the reasons why results lack a metric."""
    tasks = sorted({cell.task.upper() for cell in cells if metric in cell.metrics and cell.task})
    none = f"no {metric_label(metric)}" if any(metric not in cell.metrics for cell in cells) else ""
    chosen = f"parameters chosen for {', '.join(tasks)}" if tasks else ""
    return ", or ".join(filter(None, (none, chosen)))


# --- Answer ---------------------------------------------------------------------------------------


def _say(table: MethodTable, answer: ViewAnswer) -> None:
    """State the leader of the first data set, the number of ties, and leaks of all data sets."""
    concerns = {plain(result_title(column)): _concerns(column) for column in table.columns}
    shared, *differing = dict.fromkeys(briefly for briefly, _ in concerns.values())
    evidence = f"{shared[:1].upper()}{shared[1:]}."
    if differing:
        evidence = " ".join(f"**{name}**: {words}." for name, (words, _) in concerns.items())
    tip = "\n\n".join(f"**{name}**: {why}" for name, (_, why) in concerns.items())
    lead = lead_in_words(table.columns[0], metric_label(table.metric))
    evidence = f"{evidence} {_hidden_in_words(table)}".rstrip()
    answer.say(f"{next(iter(concerns))}: {lead}.", evidence, tip=tip)


def _concerns(column: Column) -> tuple[str, str]:
    """Return whether test classes are in the pre-training set, briefly and with the reason."""
    cells = list(column.cells.values())
    leak = pretraining_finding(cells)
    n = len(leak.classes)
    words = {
        "ok": "no leak found",
        "leak": f"{n} test class{'es' * (n != 1)} in the pre-training set",
    }
    concerns = [words.get(leak.mark, "not known whether there is a leak")]
    why = [plain(leak.sentence)]
    for images in {fine_tuned_on(cell.pretraining) for cell in cells} - {""}:
        concerns.append("fine-tuned features")
        why.append(
            f"Fine-tuned on {plain(images)}, as declared: "
            "compare only such results with each other."
        )
    concerns += ["simulated data"] * column.simulated
    return ", ".join(concerns), " ".join(why)


def _hint(table: MethodTable, row: str, column: Column) -> str:
    """Return the value of the opened result, which may be out of sight, or how to open a result."""
    rank = next((rank for name, rank in column.ranks.iterrows() if name == row), None)
    is_chosen = CLICKED in st.session_state or (row, column.data) != _default(table)
    if rank is not None and is_chosen:
        value = f"{metric_label(table.metric)} {percent(rank['value'])}"
        rank_text = (rank_with_interval(rank) or "unknown").lstrip("\N{FIGURE SPACE}")
        return (
            f"**{plain(f'{row} · {result_title(column)}')}**: {value}, rank {rank_text}. Its curve "
            "and source are below the table."
        )
    best = "Bold: best. " * any(column.is_ranked for column in table.columns)
    worse = any((column.ranks["first"] > 1).any() for column in table.columns)
    grey = "Grey, *: significantly worse (paired test). " * worse
    return f"{best}{grey}Click a number for its source."


# --- One cell -------------------------------------------------------------------------------------


def _label(row: str, data: str) -> str:
    """Return the name of a cell in the menu and in the address."""
    return f"{row} · {title(data)}"


def _default(table: MethodTable) -> tuple[str, str]:
    """Return row and data set of the cell opened at first: the leader of the first data set."""
    return table.columns[0].leader, table.columns[0].data


def _cells(table: MethodTable) -> dict[str, tuple[str, Column]]:
    return {_label(row, c.data): (row, c) for c in table.columns for row in table.rows}


def _opened(table: MethodTable) -> tuple[str, Column]:
    """Return row and column of the opened cell, before its menu is drawn."""
    opened = st.session_state.get(CELL, st.query_params.get(CELL))
    cells = _cells(table)
    return cells.get(opened, cells[_label(*_default(table))])


def _open_cell(row: str, data: str) -> None:
    st.session_state[CELL] = _label(row, data)
    st.session_state[CLICKED] = True


def _show_cell(table: MethodTable) -> None:
    """Show a result: curve, metrics, printed values, origin, files."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        cells, default = _cells(table), _label(*_default(table))
        menu = controls.choose_option("Result", list(cells), key=CELL, default=default, width=360)
        row, column = cells[menu]
        cell = _choose_result(table, column, row)
    show_result(table, column, row, cell)


def _choose_result(table: MethodTable, column: Column, row: str) -> MethodResult | None:
    """Choose a result of a cell; by default the result shown in the table."""
    counts = column.cells.get(row)
    results = {} if counts is None else {_key(counts): counts}
    results |= {_key(c): c for c in table.candidates(row, column.data) if _key(c) not in results}
    if len(results) < 2:
        return next(iter(results.values()), None)
    labels: dict[str, MethodResult] = {}
    for key, cell in results.items():
        label = _result_label(cell)
        labels[f"{label} · {key}" if label in labels else label] = cell
    return labels[controls.choose_option("Run", list(labels), key=RESULT, width=360)]


def _result_label(cell: MethodResult) -> str:
    """Return the label of a result: owner, and task for which its parameters were chosen."""
    owner = {"mine": "yours", "shipped": "precomputed", "others": f"by {cell.who}"}[cell.origin]
    task = f", tuned for {cell.task.upper()}" if cell.task else ""
    return f"{owner}{task}{', chosen on one fold' * cell.probe}"


def _key(cell: MethodResult) -> str:
    return cell.source.id if isinstance(cell.source, StoredRun) else cell.key


# --- Missing results ------------------------------------------------------------------------------


def _show_missing(table: MethodTable) -> None:
    """List missing cells with the time that their computation takes, and offer to compute them."""
    lacking = [(column, rows) for column in table.columns if (rows := table.missing(column))]
    if not lacking:
        return
    n = sum(len(rows) for _, rows in lacking)
    listed = "; ".join(f"{result_title(column)}: {', '.join(rows)}" for column, rows in lacking)
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        cells = "1 cell is" if n == 1 else f"{n} cells are"
        st.markdown(f"**{cells} missing** ({plain(listed)}). {_time_of(table, lacking)}")
        possible = next(((column, rows) for column, rows in lacking if _is_open(column)), None)
        if possible is not None:
            _compute(table, *possible)
        else:
            first = lacking[0][0]
            words = f"Import the features of {first.benchmark or first.data}"
            site_map.link("splits", words)


def _time_of(table: MethodTable, lacking: Sequence[tuple[Column, list[str]]]) -> str:
    """Return the estimated time of the missing cells, from the times of other results."""
    cells = [(row, column.data, column.split) for column, rows in lacking for row in rows]
    seconds = np.array([estimate_seconds(table.cells, *key) for key in cells])
    finite = seconds[np.isfinite(seconds)]
    if not len(finite):
        return "The duration is unknown."
    n_unknown = len(seconds) - len(finite)
    more = f", plus {n_unknown} of unknown duration" * (n_unknown > 0)
    seconds_in_words = duration(float(finite.sum()))
    return f"Computing them takes about {seconds_in_words}{more}; this needs the features."


def _is_open(column: Column) -> bool:
    """Return whether the features of a column are available to this visitor."""
    if column.data not in visitors.available_datasets():
        return False
    return cache.dataset(column.data).digest in {cell.digest for cell in column.cells.values()}


def _compute(table: MethodTable, column: Column, rows: Sequence[str]) -> None:
    """Compute the missing runs of a data set as one job."""
    methods = tuple(dict.fromkeys(row.partition(" (")[0] for row in rows))
    digests = {column.data: cache.dataset(column.data).digest}
    study = ComparisonStudy(
        ComparisonSpec(digests, (column.split,), methods, task_of(table.metric))
    )
    offer_job(
        study,
        f"Compute {counted(len(rows), 'method')} on {result_title(column)}",
        key="table_missing",
    )


# --- Ranks ----------------------------------------------------------------------------------------


def _show_ranks(table: MethodTable, column: Column) -> None:
    """Draw the metric of each method on the data set of the opened cell, with intervals."""
    rows, _ = grid_of(table)
    shown = column.ranks.reindex(rows)
    words = [rank_with_interval(rank) or "" for _, rank in shown.iterrows()]
    with_intervals = ", 95 % intervals" * bool(column.ranks["low"].notna().any())
    heading = f"{result_title(column)}: {metric_label(table.metric)}{with_intervals}"
    chart(
        rank_forest(shown.assign(ranks=words), heading, top=HEADINGS - 2 * BORDER, row=ROW),
        f"{metric_label(table.metric)} of {counted(len(column.ranks), 'method')} on "
        f"{result_title(column)}; best: {', '.join(column.leaders)}, "
        f"{percent(column.ranks['value'].max())}.",
        key="table_forest",
    )


def _show_mean_ranks(table: MethodTable) -> None:
    """Draw mean ranks over data sets, measured and as printed, and report Friedman's test."""
    where = f" ({cite_table(table.source)})" if table.source else ""
    sources = {"measured": "measured here", "printed": f"as printed{where}"}
    for name, values in table.rankings().items():
        matrix, methods = values.to_numpy(), values.columns.tolist()
        test, ranks = ranking.friedman_test(matrix), ranking.ranking(matrix[None]).mean_rank
        critical, heading = test.critical_difference, f"Mean ranks {sources[name]}"
        order = np.argsort(ranks, kind="stable")
        st.subheader(heading, anchor=False)
        chart(
            rank_diagram(ranks, methods, ranking.groups(ranks, critical), critical),
            f"{heading}: {', '.join(f'{methods[j]} {ranks[j]:.1f}' for j in order)}. "
            f"Critical difference {critical:.2f}.",
            key=f"table_mean_ranks_{name}",
        )
        st.caption(
            f"{test.methods} methods on {test.occasions} data sets "
            f"({plain(', '.join(values.index))}). Friedman's test: χ² = {test.statistic:.1f}, p "
            f"= {three_digits(test.p)} by permutation. A bar joins methods with mean ranks "
            "closer than Nemenyi's critical difference (CD) at 5 %. Data sets with the same "
            "images are not independent, which makes p too small."
        )
