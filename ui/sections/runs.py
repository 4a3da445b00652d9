"""The run store on screen: the list, one run, a diff of two runs, imported results.

Parts of the page Runs. Runs and what they say may come from other people: no word of theirs is
read as markdown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from ui import cache, controls, run_address, site_map, tables, takeaway, terms, uploads, visitors
from ui.figures.run_pair import class_pairs
from ui.frame import chart, errors_as_sentences
from ui.numbers import change, made, percent
from ui.text import plain
from zslcore.analysis import run_comparison
from zslcore.analysis.run_listing import ORACLE, as_csv, as_json, as_latex, chosen
from zslcore.board.making import entry_of_run
from zslcore.evaluation import figures, outside
from zslcore.evaluation.protocol import origin_in_words
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import ParameterError
from zslcore.methods import METHODS
from zslcore.results.imported import MAX_NAME, import_runs
from zslcore.results.store import ResultStore, StoredRun
from zslcore.storage.artifacts import scratch

__all__ = [
    "bring_results",
    "choose_two",
    "labels",
    "say_deleted",
    "show_list",
    "show_pair",
    "show_run",
]

NOTHING = "nothing"
#: Where a session counts which results of other people it has imported.
BROUGHT = "runs_brought"
#: Where a session notes the first result of an import, which is shown next.
NEWEST = "runs_newest"
DOWNLOADS = (("CSV", as_csv, "csv"), ("JSON", as_json, "json"), ("LaTeX", as_latex, "tex"))


def labels() -> dict[str, str]:
    """Return the columns of the list and their headings."""
    return {
        "method": "method",
        "dataset": "data set",
        "split": "split",
        "whose": "computed",
        **figures.headings(),
        "chosen": "tuned for",
        "seed": "seed",
        "data": "data",
        "created": "made (UTC)",
        "id": "key",
    }


def label_of(one: StoredRun) -> str:
    """Name a run in a menu, and in the address."""
    spec = one.result.spec
    return f"{spec.method}, {spec.dataset}, {spec.split} · {one.id}"


def show_list(runs: Sequence[StoredRun], peeked: Collection[str]) -> None:
    """List the runs with their figures; a click on rows chooses them; offer the files.

    Parameters
    ----------
    runs : what is listed
    peeked : see :func:`zslcore.analysis.run_listing.peeked`
    """
    menu = [label_of(one) for one in runs]

    def pick() -> None:
        rows = st.session_state["runs_table"].selection.rows
        for key, row in zip(("runs_run", "runs_beside"), rows, strict=False):
            st.session_state[key] = menu[row]

    table = pd.DataFrame([one.row() for one in runs])
    table["chosen"] = [chosen(one, peeked) for one in runs]
    table["whose"] = [f"by {one.imported.who}" if one.imported else one.origin for one in runs]
    table["data"] = table["simulated"].map({True: "simulated", False: "real"})
    table["created"] = table["created"].str.slice(0, 16).str.replace("T", " ")
    tables.show(
        table,
        "runs",
        labels=labels(),
        percent=figures.names(unit="fraction"),
        height=min(38 + 35 * len(runs), 420),
        with_csv=False,
        key="runs_table",
        on_select=pick,
        selection_mode="multi-row",
    )
    with st.container(horizontal=True):
        for name, text, ending in DOWNLOADS:
            st.download_button(
                name,
                partial(text, runs, peeked),
                file_name=f"runs.{ending}",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
                key=f"runs_download_{ending}",
            )


def choose_two(runs: Sequence[StoredRun]) -> tuple[StoredRun, StoredRun | None]:
    """Choose a run, and perhaps one to compare it with."""
    by_label = {label_of(one): one for one in runs}
    if (newest := st.session_state.pop(NEWEST, None)) in by_label:
        st.session_state["runs_run"] = newest
    with st.container(horizontal=True):
        first = controls.choose("Run", list(by_label), key="runs_run")
        others = [NOTHING, *(label for label in by_label if label != first)]
        second = controls.choose("Compare with", others, key="runs_beside")
    return by_label[first], by_label.get(second)


# --- One run --------------------------------------------------------------------------------------


def show_run(one: StoredRun, peeked: Collection[str]) -> None:
    """Show the figures of a run, where it comes from and how to repeat it; offer to delete it."""
    result, e = one.result, one.result.evaluation
    with st.container(horizontal=True):
        terms.metric("ZSL accuracy", percent(e.zsl))
        if e.plain is not None and e.calibrated is not None:
            gain = e.calibrated.harmonic - e.plain.harmonic
            terms.metric("H at γ = 0", percent(e.plain.harmonic))
            terms.metric("H at γ", percent(e.calibrated.harmonic), **change(gain))
            terms.metric("AUSUC", percent(e.ausuc))
    params = plain(controls.in_words(result.spec.method, result.params))
    who = plain(one.imported.who) if one.imported else ""
    how = origin_in_words("validated", who) if result.params_origin == "validated" else "given"
    st.markdown(f"Parameters ({how}): {params}. γ: {origin_in_words(result.gamma_origin, who)}.")
    if chosen(one, peeked) == ORACLE:
        st.warning(
            "The oracle of another run found these parameters on the test set: a bound, never a "
            "result.",
            icon=":material/visibility_off:",
        )
    if one.imported:
        st.warning(
            f"This result was not computed here. {plain(one.imported.who)} is said to have made "
            f"it; it was imported from {plain(one.imported.file)} on {one.imported.when[:10]}.",
            icon=":material/person:",
        )
    st.caption(
        f"{plain(result.source)} Data {plain(result.spec.digest)}. Made {made(result.created)} in "
        f"{result.seconds:.1f} s by version {plain(result.version)}."
    )
    st.code(result.spec.command(), language=None, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        _show_link(one)
        takeaway.offer_run(one, f"run_{one.result.key}", key="runs_download_one")
        if one.imported is None and chosen(one, peeked) != ORACLE:
            _offer_for_board(one.result)
        _offer_to_delete(one)


def _offer_for_board(result: RunResult) -> None:
    """Offer the entry that a run makes on the board, where its data are here to name the rows."""
    spec = result.spec
    if spec.dataset not in visitors.available():
        return
    dataset = cache.dataset(spec.dataset)
    if dataset.digest == spec.digest:
        text = entry_of_run(result, dataset, who="me").to_json()
        name = f"{spec.method}_{spec.dataset}_{spec.split}"
        takeaway.offer_for_board(text, name, key="runs_board_json")


def _show_link(one: StoredRun) -> None:
    address = run_address.address_of(one.result.spec)
    if one.result.spec.method not in METHODS:
        st.caption(
            "The method of this run is from outside; `ZSL_METHODS` names its file to the app."
            if outside.is_own(one.result.spec.method)
            else "This version does not have the method of this run."
        )
    elif address is None:
        st.caption("Play shows validated parameters alone; the command above reproduces this run.")
    else:
        site_map.link("play", "Open it on Play", icon=":material/tune:", query=address)


def say_deleted() -> None:
    """Say that a run is deleted, in the run of the page after: what ends loses its messages."""
    if st.session_state.pop("runs_deleted", False):
        st.toast("The run is deleted.")


def _mine(one: StoredRun) -> bool:
    """Return whether this visitor may delete a run."""
    brought = one.id in st.session_state.get(BROUGHT, ())
    own_data = not one.imported and visitors.may_delete(one.result.spec.dataset)
    return own_data or visitors.may_delete("", brought=brought)


def _offer_to_delete(one: StoredRun) -> None:
    """Delete a run once that has been confirmed, where it is this visitor's."""
    if one.shipped:
        st.caption("This run comes with the package.")
        return
    if not _mine(one):
        st.caption("Only the owner of a run can delete it. This run belongs to the server.")
        return
    with st.popover("Delete …", icon=":material/delete:", type="tertiary"):
        st.markdown(
            f"Delete **{plain(label_of(one))}** for good? All visitors of this server share these "
            "runs, so they lose it too."
        )
        if st.button("Delete this run", icon=":material/delete:", key="runs_delete"):
            with errors_as_sentences():
                if not _mine(one):  # the group was left meanwhile
                    raise ParameterError("Only the owner of a run can delete it.")
                ResultStore().delete(one.id)
                st.session_state["runs_deleted"] = True
            st.rerun()


# --- Two runs -------------------------------------------------------------------------------------


def show_pair(first: StoredRun, second: StoredRun) -> None:
    """Show what differs between two runs: what was asked, the figures, the classes."""
    pair = first.result, second.result
    names = {"first": first.result.spec.method, "second": second.result.spec.method}
    if names["first"] == names["second"]:
        names = {"first": f"first: {names['first']}", "second": f"second: {names['second']}"}
    for sentence in run_comparison.cautions(*pair):
        st.warning(plain(sentence), icon=":material/balance:")
    left, right = st.columns(2, gap="medium")
    with left:
        _show_figures(run_comparison.in_figures(*pair), names)
        _show_spec(run_comparison.in_spec(*pair), names)
    with right:
        _show_classes(pair, names)


def _show_figures(figures: pd.DataFrame, names: dict[str, str]) -> None:
    st.markdown("**Figures**")
    tables.show(
        figures,
        "runs_figures",
        labels={"figure": "metric", **names, "difference": "points"},
        percent=["first", "second"],
        points=["difference"],
        height="content",
    )
    st.caption("Per class, but for rows that say per sample.")


def _show_spec(spec: pd.DataFrame, names: dict[str, str]) -> None:
    st.markdown("**What was asked**")
    everything = st.toggle("Also show what is equal", key="runs_same", bind="query-params")
    shown = spec if everything else spec[spec["differs"]]
    tables.show(shown, "runs_spec", labels={"field": "", **names})


def _show_classes(pair: tuple[RunResult, RunResult], names: dict[str, str]) -> None:
    st.markdown("**Class by class**")
    classes = run_comparison.by_class(*pair)
    if classes.empty:
        st.info("The two runs tested no class in common.")
        return
    tasks = [task for task in ("ZSL", "GZSL") if task in set(classes["task"])]
    task = controls.choose("Candidates", tasks, key="runs_among", width=120)
    shown = classes[classes["task"] == task]
    chart(
        class_pairs(shown, names["first"], names["second"]),
        f"Accuracy of {len(shown)} classes in the second run over that in the first; "
        f"{(shown['difference'] > 0).sum()} are better in the second, "
        f"{(shown['difference'] < 0).sum()} in the first.",
        key="runs_class_pairs",
    )
    test = run_comparison.class_test(*pair)
    if test is not None:
        st.caption(plain(test.sentence))
    tables.show(
        shown,
        "runs_classes",
        labels={"class": "class", "side": "side", **names, "difference": "points"},
        percent=["first", "second"],
        points=["difference"],
        height=240,
    )


# --- Results from elsewhere -----------------------------------------------------------------------


def bring_results() -> None:
    """Import results of other people; they stay marked with their owner."""
    with st.expander("Import results of other people", icon=":material/upload:"):
        st.markdown(
            "A file that `zslcore run --json` or `zslcore runs export --format json` has written. "
            "These results stay marked with their owner. They never replace a result that was "
            "computed here, and the audit does not count them as run here."
        )
        file = st.file_uploader("File", type="json", key="runs_file")
        who = st.text_input("Owner of these results", max_chars=MAX_NAME, key="runs_who")
        if st.button("Import", key="runs_bring", disabled=file is None or not who.strip()) and file:
            with errors_as_sentences(), st.spinner("Reading the results …"), scratch() as folder:
                (path,) = uploads.put([file], folder, ("json",))
                store, own = ResultStore(), st.session_state.setdefault(BROUGHT, set())
                taken = {one.id for one in store.stored()} - own if visitors.is_public() else ()
                found = import_runs(path, who, store, taken=taken)
                own.update(one.id for one in found)
            st.session_state[NEWEST] = label_of(found[0])
            n = len(found)
            st.toast(f"{n} result{'s were' if n != 1 else ' was'} imported.")
            st.rerun()
