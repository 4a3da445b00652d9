"""Published: the printed tables with our results, claims judged, findings, and the lint.

Each function is a tab of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from ui import cache, controls, scores, site_map, tables, takeaway
from ui.figures.published import differences
from ui.frame import Header, chart
from ui.text import plain
from zslcore.analysis.papers.alongside import PRINTED_TABLES, candidates, with_runs
from zslcore.analysis.papers.claims.evidence import Body
from zslcore.analysis.papers.findings import FINDINGS
from zslcore.analysis.papers.lint import lint_printed
from zslcore.evaluation import State
from zslcore.scores.context import rows_beside

__all__ = ["link_to_page", "show_findings", "show_lint", "show_tables"]

OURS: dict[str, Body] = {"real features": "real", "simulated data": "simulated"}
#: Headings of columns that are not their names with blanks.
HEADINGS = {
    "dataset": "data set",
    "lambda_selected_for": "λ for",
    "earlier": "earlier version",
    "on": "ours on",
    "why": "why they differ",
}
#: Where a claim is asked of one's own runs, by how its id begins; the first that fits: view, words
#: of the link, what it opens there.
ZSL_RANKS = {"compare_task": "ZSL", "compare_figure": "ZSL"}
GZSL_RANKS = {"compare_figure": "H", "compare_tab": "Ranks"}
#: View, words of the link, what it opens there.
Place = tuple[str, str, dict[str, str]]
CROSS: Place = ("crossed", "AWA1 and AWA2, crossed", {})
EXTRACTORS: Place = ("contamination", "What extractors have seen", {})
PATHS: Place = ("play", "Results over λ", {"method": "SAE", "playground_ruler": "lambda"})
GAINS: Place = ("gains", "What known classes gain", {})
ACTIONS: Place = ("gains", "What known actions gain", {"gain_data": "UCF101 actions, simulated"})
IMAGENET: Place = ("large_scale", "The nine ImageNet test sets", {})
UNLABELLED: Place = ("play", "With unlabelled test images", {"playground_ruler": "images"})
CALIBRATED: Place = ("play", "The curve", {})
SEE: dict[str, Place] = {
    "gbu-imagenet": IMAGENET,
    "gbu-eight": CROSS,
    "gbu-only-three": CROSS,
    "gbu-cross": CROSS,
    "gbu-training-set": CROSS,
    "gbu-known": GAINS,
    "gbu-transduction": UNLABELLED,
    "gbu-folds": (
        "methods",
        "What each fold chooses",
        ZSL_RANKS | {"compare_tab": "Robustness"},
    ),
    **dict.fromkeys(
        ("gbu-gzsl", "gbu-compat", "gbu-class", "gbu-first", "gbu-best-h", "gbu-gfzsl-poor"),
        ("methods", "Methods ranked by H", GZSL_RANKS),
    ),
    "gbu-detector": ("methods", "Methods ranked by H", GZSL_RANKS),
    "gbu": ("methods", "Methods ranked by ZSL", ZSL_RANKS | {"compare_tab": "Ranks"}),
    "cal-gzsl-lambda": PATHS,
    "cal-devise": PATHS,
    "cal": CALIBRATED,
    "fair": ACTIONS,
}
#: Printed table -> where it is computed.
COMPUTED: dict[str, Place] = {
    "dataset_statistics": ("splits", "A data set next to its printed counts", {}),
    "zsl_top1": ("methods", "Methods compared by ZSL", ZSL_RANKS),
    "gzsl_ps": ("methods", "Methods compared by H", {"compare_figure": "H"}),
    "cross_dataset_awa": CROSS,
    **dict.fromkeys(("imagenet_splits", "imagenet_released", "imagenet_zsl_top1"), IMAGENET),
    "transductive_text": UNLABELLED,
    "overlap_imagenet1k_ss": GAINS,
    "action_features": EXTRACTORS,
    "calibration_zsl_top1": ("methods", "Methods compared by ZSL", ZSL_RANKS),
    **dict.fromkeys(("calibration_gzsl_harmonic", "calibration_gzsl_average"), CALIBRATED),
    "calibration_10crop": ("methods", "Crops compared", {"compare_tab": "Crops"}),
    **dict.fromkeys(
        ("earlier_version", "text_figures", "reproduction_notes", "action_text"),
        ("checks", "The checks", {}),
    ),
    **dict.fromkeys(
        ("action_splits", "overlap_action", "overlap_gain_action", "action_bidilel_splits"),
        ACTIONS,
    ),
}


# --- Tables ---------------------------------------------------------------------------------------


def show_tables(header: Header) -> None:
    """Choose a printed table; show our results, coloured differences, and why they differ."""
    titles = {f"{table.source}: {table.title}": name for name, table in PRINTED_TABLES.items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        start = next(title for title, name in titles.items() if name == "zsl_top1")
        name = titles[controls.choose("Table", list(titles), key="published_table", default=start)]
        evidence = cache.evidence()
        usual = "simulated data" if evidence["real"].figures.empty else "real features"
        chosen = controls.choose(
            "Ours on", list(OURS), key="published_ours", default=usual, width=180
        )
        ours = OURS[chosen]
        on = _choose_data(candidates(name, evidence[ours]))
    if name in COMPUTED:
        view, words, choices = COMPUTED[name]
        site_map.link(view, words, icon=":material/arrow_forward:", query=choices)
    made = with_runs(name, evidence[ours], on)
    if PRINTED_TABLES[name].columns:
        if ours == "simulated":
            header.mark_simulated(
                "Ours are runs on simulated data: they say nothing about the printed figures."
            )
        _show_differences(name, made, chosen)
        _show_beside(name, _with_own(name, made))
    else:
        st.info(PRINTED_TABLES[name].why_alone, icon=":material/info:")
        _show_as_printed(name, made)
    if experiments := PRINTED_TABLES[name].experiments:
        takeaway.show_command("\n".join(f"zslcore reproduce {each}" for each in experiments))


def _show_differences(name: str, made: pd.DataFrame, chosen: str) -> None:
    """Draw ours minus printed, or say how to make runs where there are none."""
    there = made[made["ours"].notna()]
    if there.empty:
        st.info(
            f"There is no run on {chosen} for this table yet. The page Compare methods makes "
            f"runs of "
            "many methods at once. Choose “Parameters for: ZSL” there.",
            icon=":material/info:",
        )
    else:
        chart(
            differences(there),
            f"Ours minus printed, in points: {len(there)} of {len(made)} results; mean "
            f"{100 * there['difference'].mean():+.1f}.",
            key=f"published_differences_{name}",
        )
        st.caption(
            f"Ours minus printed, in points, where there is a run: {len(there)} of {len(made)} "
            "results. Blue: ours is higher, orange: the published result is higher."
        )


def _choose_data(there: Mapping[str, Sequence[str]]) -> list[str]:
    """Choose which data set counts, of every benchmark that several stand for."""
    return [
        controls.choose(f"Ours of {benchmark}", names, key=f"published_{benchmark}", width=180)
        for benchmark, names in there.items()
        if len(names) > 1
    ]


def _with_own(name: str, made: pd.DataFrame) -> pd.DataFrame:
    """Put the figures of scores that the visitor has brought first, where this table has such."""
    made = made.assign(state=State.PRINTED.value)
    own = [
        rows_beside(each.report, name).assign(method=m, state=each.state.value)
        for m, each in scores.named().items()
    ]
    own = [rows for rows in own if len(rows)]
    if not own:
        return made
    st.caption("The first rows are of your scores, then come those of the same benchmark.")
    of = made["dataset"].isin({each["dataset"].iloc[0] for each in own})
    return pd.concat([*own, made[of], made[~of]], ignore_index=True).reindex(columns=made.columns)


def _labels(table: pd.DataFrame) -> dict[str, str]:
    """Return the headings of a table's columns, in words."""
    return {c: HEADINGS.get(c, c.replace("_", " ")) for c in map(str, table.columns)}


def _show_beside(name: str, made: pd.DataFrame) -> None:
    if "figure" in made:
        made = made.assign(figure=_named_means(made["figure"]))
    if "earlier" in made:
        st.caption(
            f"Earlier version: {made['earlier'].notna().sum()} numbers of this table were "
            "different in an earlier version, which the paper's source still has."
        )
    tables.show(
        made,
        f"published_{name}",
        labels=_labels(made),
        percent=[c for c in ("printed", "earlier", "ours") if c in made],
        points=["difference"],
    )


def _named_means(figures: pd.Series) -> pd.Series:
    """Write figures as the screen does; say which are per class where others are per sample."""
    figures = figures.str.replace("zsl", "ZSL")
    per_sample = figures.str.contains("per sample")
    return figures.where(per_sample, figures + " per class") if per_sample.any() else figures


def _show_as_printed(name: str, table: pd.DataFrame) -> None:
    floats = [column for column in table.columns if table[column].dtype.kind == "f"]
    shares = [column for column in floats if table[column].abs().max() <= 1]
    tables.show(table, f"published_{name}", labels=_labels(table), percent=shares)


# --- Claims ---------------------------------------------------------------------------------------


def link_to_page(id_: str) -> None:
    """Link to where a claim can be explored on one's own runs."""
    view, words, choices = next(where for begins, where in SEE.items() if id_.startswith(begins))
    site_map.link(view, words, icon=":material/arrow_forward:", query=choices)


# --- Findings and lint ----------------------------------------------------------------------------


def show_findings() -> None:
    """List what was found in the field's data and tables, with the command that shows it."""
    places = {"data": "In released files", "tables": "In printed tables", "runs": "In our runs"}
    for where, heading in places.items():
        st.header(heading, anchor=False)
        lines = [f for f in FINDINGS if f.where == where]
        st.markdown("\n".join(f"- {plain(f.said)} `{f.command}`" for f in lines))
    st.caption(
        "A test computes each number again. FOLDER is the unpacked archive of the benchmark. Other "
        "commands need no file."
    )


def show_lint() -> None:
    """Show what of the printed tables does not agree, with the arithmetic."""
    for rule in lint_printed():
        found = len(rule.found)
        summary = f"{found} of {rule.checked} {'does' if found == 1 else 'do'} not agree"
        summary = summary if found else f"All {rule.checked} agree"
        st.markdown(
            f"**{plain(rule.checks)}** {summary}.\n"
            + "\n".join(f"- {plain(x)}" for x in rule.found)
        )
    st.caption(
        "A printed number stands for every value that rounds to it. Only what none of these values "
        "can explain is listed."
    )
