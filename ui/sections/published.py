"""Published: the printed tables with ours beside, claims judged, findings, and the lint.

Each function is a tab of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from ui import cache, controls, scores, tables
from ui.figures.published import differences, judgment_forest
from ui.frame import chart
from ui.text import plain
from zslcore.analysis.papers import claims
from zslcore.analysis.papers.alongside import PRINTED_TABLES, beside, candidates
from zslcore.analysis.papers.claims import BODIES, CLAIMS, PAPERS, Judgment
from zslcore.analysis.papers.findings import FINDINGS
from zslcore.analysis.papers.lint import lint_printed
from zslcore.evaluation import State
from zslcore.scores.context import rows_beside

__all__ = ["show_claims", "show_findings", "show_lint", "show_tables"]

OURS = {"real features": "real", "simulated data": "simulated"}
#: A verdict is told by a sign and words, not by colour.
SIGNS = {
    "holds": "✓ holds",
    "does not hold": "✗ does not hold",
    "cannot be told": "? cannot be told",
    "no verdict": "simulated, no verdict",
}


#: Headings of columns that are not their names with blanks.
HEADINGS = {
    "dataset": "data set",
    "lambda_selected_for": "λ for",
    "earlier": "earlier version",
    "on": "ours on",
    "why": "why they differ",
}
#: Where a claim is asked of one's own runs, by how its id begins; the first that fits: page, words
#: of the link, what it opens there.
ZSL_RANKS = {"compare_task": "ZSL", "compare_figure": "ZSL"}
GZSL_RANKS = {"compare_figure": "H", "compare_tab": "Ranks"}
CROSS = (
    "pages/awa1_and_awa2.py",
    "AWA1 and AWA2, crossed",
    {"awa1_tab": "Cross-data-set accuracy"},
)
PATHS = ("pages/regularization.py", "Figures over λ", {})
GAINS = ("pages/overlap_gain.py", "What known classes gain", {})
SEE: dict[str, tuple[str, str, dict[str, str]]] = {
    "gbu-imagenet": ("pages/large_scale.py", "The nine ImageNet test sets", {}),
    "gbu-eight": CROSS,
    "gbu-only-three": CROSS,
    "gbu-cross": CROSS,
    "gbu-training-set": CROSS,
    "gbu-known": GAINS,
    "gbu-transduction": ("pages/transductive.py", "With unlabelled test images", {}),
    "gbu-folds": (
        "pages/compare.py",
        "What each fold chooses",
        ZSL_RANKS | {"compare_tab": "Robustness"},
    ),
    **dict.fromkeys(
        ("gbu-gzsl", "gbu-compat", "gbu-class", "gbu-first", "gbu-best-h", "gbu-gfzsl-poor"),
        ("pages/compare.py", "Methods ranked by H", GZSL_RANKS),
    ),
    "gbu-detector": ("pages/compare.py", "Methods ranked by H", GZSL_RANKS),
    "gbu": ("pages/compare.py", "Methods ranked by ZSL", ZSL_RANKS | {"compare_tab": "Ranks"}),
    "cal-gzsl-lambda": PATHS,
    "cal-devise": PATHS,
    "cal": ("pages/calibration.py", "The curve, and the three settings", {}),
    "fair": GAINS,
}


# --- Tables ---------------------------------------------------------------------------------------


def show_tables() -> None:
    """Choose a printed table; show ours beside, the difference coloured, and why they differ."""
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
    described, made = PRINTED_TABLES[name], beside(name, evidence[ours], on)
    if not described.columns:
        st.info(described.why_alone, icon=":material/info:")
        _show_as_printed(name, made)
        return
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
            f"Ours less printed, in points, for {len(there)} of {len(made)} printed figures; mean "
            f"{100 * there['difference'].mean():+.1f}.",
            key=f"published_differences_{name}",
        )
        st.caption(
            f"Ours less printed, in points, where there is a run: {len(there)} of {len(made)} "
            "figures. Blue: ours is higher, orange: the printed figure is higher."
        )
    _show_beside(name, _with_own(name, made))


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
            f"Earlier version: {made['earlier'].notna().sum()} figures of this table were others "
            "in an earlier version, which the paper's source still has."
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


def show_claims() -> None:
    """List all claims with their verdicts, and open one."""
    judged = cache.judged()
    _show_counts(judged)
    chosen = controls.choose("Claim", list(CLAIMS), key="published_claim", default="gbu-cross-p")
    _show_claim(chosen, judged[chosen])
    papers = st.pills(
        "Papers",
        list(PAPERS),
        selection_mode="multi",
        default=list(PAPERS),
        key="published_papers",
        bind="query-params",
    )
    rows = [
        {"id": id_, "paper": CLAIMS[id_].paper, "statement": CLAIMS[id_].statement}
        | {body: _signed(judgment) for body, judgment in of.items()}
        for id_, of in judged.items()
        if CLAIMS[id_].paper in papers
    ]
    labels = {"paper": "paper", "statement": "statement", **BODIES, "id": "id"}
    if rows:
        tables.show(pd.DataFrame(rows), "claims", labels=labels, height="content")
    st.caption("; ".join(f"{name}: {plain(paper)}" for name, paper in PAPERS.items()) + ".")


def _show_counts(judged: Mapping[str, Mapping[str, Judgment]]) -> None:
    """Say how often each verdict was given on each body of evidence."""
    counts = claims.as_table(judged).groupby(["evidence", "verdict"]).size()
    for body, place in zip(BODIES, st.columns(len(BODIES)), strict=True):
        holds, fails, shown = (
            int(counts.get((body, v), 0)) for v in ("holds", "does not hold", "no verdict")
        )
        if body == "simulated":
            place.metric(
                BODIES[body].capitalize(),
                f"{shown} with figures",
                help="Simulated data say nothing about a paper: figures, and no verdict.",
            )
            continue
        place.metric(
            BODIES[body].capitalize(),
            f"{holds} of {holds + fails} hold",
            help=f"{len(judged) - holds - fails} claims cannot be judged.",
        )


def _show_claim(id_: str, of: Mapping[str, Judgment]) -> None:
    claim = CLAIMS[id_]
    with st.container(border=True):
        st.markdown(f"**{plain(claim.statement)}**")
        st.caption(
            f"{plain(PAPERS[claim.paper])}, {plain(claim.section)}. Computed: "
            f"{plain(claim.computed)} Command: `zslcore claims --id {id_}`"
        )
        left, right = st.columns([0.55, 0.45], gap="medium")
        with left:
            for body, judgment in of.items():
                st.markdown(
                    f"**{BODIES[body].capitalize()}: {_signed(judgment)}.** {plain(judgment.said)}"
                )
            _link_to_own_runs(id_)
        if any(judgment.number is not None for judgment in of.values()):
            with right:
                chart(
                    judgment_forest(of),
                    "; ".join(f"{BODIES[body]}: {j.verdict}" for body, j in of.items()),
                    key="published_forest",
                )


def _signed(judgment: Judgment) -> str:
    """Return a verdict with its sign and its exceptions."""
    return plain(judgment.words.replace(judgment.verdict, SIGNS[judgment.verdict], 1))


def _link_to_own_runs(id_: str) -> None:
    page, words, choices = next(where for begins, where in SEE.items() if id_.startswith(begins))
    st.page_link(page, label=words, icon=":material/arrow_forward:", query_params=choices)


# --- Findings and lint ----------------------------------------------------------------------------


def show_findings() -> None:
    """List what was found in the field's data and tables, with the command that shows it."""
    for where, heading in (("data", "In released files"), ("tables", "In printed tables")):
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
        told = f"{found} of {rule.checked} {'does' if found == 1 else 'do'} not agree"
        told = told if found else f"All {rule.checked} agree"
        st.markdown(
            f"**{plain(rule.checks)}** {told}.\n" + "\n".join(f"- {plain(x)}" for x in rule.found)
        )
    st.caption(
        "A printed figure stands for every value that rounds to it. Only what none of these values "
        "can explain is listed."
    )
