"""Findings of an audit with their evidence, and the report as files."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.figures import splits as figures
from ui.shell import site_map
from ui.shell.folds import fold, menu
from ui.shell.frame import chart
from ui.shell.guard import fragment
from ui.shell.text import on_screen, plain
from ui.state import cache
from ui.takeaway import downloads, tables
from zslcore.datasets import ZSLDataset
from zslcore.leakage import (
    AuditContext,
    Evidence,
    Finding,
    Mark,
    Report,
    Vocabulary,
    get_vocabulary,
    render,
)
from zslcore.leakage.released_codes import trained_in_words
from zslcore.leakage.report import KNOWN_CLASSES, ReportMetric, Verdict, worst_first
from zslcore.leakage.split_card import EFFECT_ON_H
from zslcore.leakage.vocabularies import USUAL
from zslcore.numbers import counted

#: Mark -> colour of its name.
COLORS: Mapping[Mark, str] = {
    "leak": "red",
    "error": "red",
    "open": "gray",
    "warning": "yellow",
    "ok": "green",
}
#: Verdict -> colour of its word.
VERDICT_COLORS: Mapping[Verdict, Literal["red", "gray", "green"]] = {
    "leaks": "red",
    "broken": "red",
    "unknown": "gray",
    "clean": "green",
}
#: Views to which findings link.
DATA, GAIN = "splits", "gains"
SPLIT_LINK: tuple[str, str, dict[str, str]] = (DATA, "Picture of the split", {})
_ROW_CHECKS = ("ZSL001", "ZSL002", "ZSL003", "ZSL004", "ZSL005", "ZSL012")
#: Check -> its link: view, label and parameters.
LINKS = dict.fromkeys(_ROW_CHECKS, SPLIT_LINK) | {
    "ZSL006": (GAIN, "Gain of these classes", {}),
    "ZSL007": (GAIN, "Gain class by class", {}),
    "ZSL008": ("play", "How parameters are chosen here", {}),
    "ZSL009": (DATA, "Picture of the class embeddings", {"data_embeddings": "true"}),
    "ZSL010": (DATA, "Comparison with the published data set", {"data_source": "true"}),
    "ZSL011": (DATA, "Images per class", {}),
}
#: Leaks and errors start open if at most this number of them have tables.
MOST_OPEN_TABLES = 2
REPORTS = {"HTML": "html", "JSON": "json", "JUnit": "xml"}


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """Split under review, with its declarations, the report of its audit, and its card.

    ``key`` is the key of the split in :func:`ui.state.cache.read_in_visit`. ``split`` is the split
    as read, ``context`` the same split with its declarations. ``lists`` are the names of the
    vocabularies, and the id of an uploaded list, since two lists can have the same name.
    ``dataset`` is None for an uploaded file.
    """

    key: str
    declarations: str
    split: AuditContext
    context: AuditContext
    report: Report
    card: Report
    lists: tuple[str, ...]
    dataset: ZSLDataset | None = None

    @classmethod
    def of(
        cls,
        key: str,
        split: AuditContext,
        files: Sequence[tuple[str, str]],
        vocabularies: Sequence[Vocabulary],
        *,
        own: str = "",
        dataset: ZSLDataset | None = None,
        **declared: Any,
    ) -> Self:
        """Audit a split with declarations.

        Parameters
        ----------
        files : names and digests of the files or of the data set
        vocabularies : declared pre-training sets; without any, the usual one is assumed
        own : id of an uploaded list among the vocabularies
        declared : other fields of the context, such as ``decisions`` and ``provenance``
        """
        lists = tuple(vocabularies) or (get_vocabulary(USUAL),)
        context = replace(
            split, vocabularies=lists, assumes_pretraining=not vocabularies, **declared
        )
        names = (*(vocabulary.name for vocabulary in lists), *([own] if own else []))
        runs = [(run.spec.key, run.created) for run in context.runs]
        lists_stated = names, bool(vocabularies)
        measured = sorted(context.accuracies), runs
        stated = lists_stated, context.decisions, context.provenance, measured
        report = cache.report(key, repr(stated), split, context)
        card = cache.card(key, repr(stated), tuple(files), context, report)
        return cls(key, repr(stated), split, context, report, card, names, dataset)

    @property
    def file_name(self) -> str:
        """Stem of file names for the split."""
        return Path(self.report.subject).stem

    @property
    def has_rows_to_correct(self) -> bool:
        """Whether a finding on rows of the split is neither ok nor open."""
        findings = self.report.select_findings("leak", "error", "warning")
        return any(finding.check in _ROW_CHECKS for finding in findings)

    @property
    def query(self) -> dict[str, str] | None:
        """Parameters of the split in links to other pages; None for a file."""
        if self.dataset is None:
            return None
        return {"dataset": self.dataset.name, "split": self.report.split}


# --- Card ----------------------------------------------------------------------------------------


def show_picture_and_metrics(card: Report, key: str) -> None:
    """Show the picture of a card, if any, with its metrics at the right."""
    if card.picture is None:
        columns: Sequence[DeltaGenerator] = st.columns(len(card.metrics))
    else:
        left, right = st.columns([0.68, 0.32])
        columns = [right] * len(card.metrics)
        with left:
            chart(figures.picture_of(card.picture), card.picture.alt, key=key)
    for column, metric in zip(columns, card.metrics, strict=True):
        with column.container(gap=None):
            _show_metric(metric)


def _show_metric(metric: ReportMetric) -> None:
    """Show a metric and its note; each condition of a measured effect has its own line."""
    tip, note = None, plain(metric.note)
    if metric.label.startswith(EFFECT_ON_H) and "trainval" in note:
        tip = f"Range over six methods. {trained_in_words()} train on trainval."
        note = note.replace("; ", "  \n")
    label = metric.label.partition(", measured on")[0]  # the note states on which data
    st.metric(plain(label[0].upper() + label[1:]), metric.value, help=tip)
    st.caption(note)


# --- Report ---------------------------------------------------------------------------------------


def _show_reports(review: Review) -> None:
    """Offer the full audit in every format."""
    for label, ending in REPORTS.items():
        downloads.download(
            label,
            partial(render, review.report, label.lower()),
            f"leakage_{review.file_name}.{ending}",
            f"leakage_report_{ending}",
            help=f"All findings as {label}.",
        )


# --- Findings -------------------------------------------------------------------------------------


def show_findings(review: Review) -> None:
    """List all findings, worst first, with their evidence; draw the split."""
    left, right = st.columns([0.56, 0.44], gap="medium")
    with left:
        list_findings(review.report, query=review.query)
    with right:
        _show_drawing(review)
    with st.container(horizontal=True, vertical_alignment="center"):
        reports = partial(_show_reports, review)
        menu("Full audit", reports, icon=downloads.ICON, key="leakage_reports", type="secondary")
        if review.dataset is not None:
            downloads.show_command(as_command(review.context))


@fragment
def list_findings(
    report: Report, key: str = "leakage_finding", query: Mapping[str, str] | None = None
) -> None:
    """List findings, worst first, those without a fault in one line.

    Leaks and errors are open, unless their tables fill the page. ``query`` has the parameters of
    the split in links to other pages; without it, there are no links.
    """
    wrong = report.select_findings("leak", "error")
    opened = wrong if sum(bool(f.evidence) for f in wrong) <= MOST_OPEN_TABLES else []
    passed = report.select_findings("ok")
    with st.container(gap="xsmall"):
        for k, finding in enumerate(f for f in worst_first(report.findings) if f.mark != "ok"):
            title = f"{_mark(finding)} {plain(finding.title)}: {on_screen(finding.sentence)}"
            each = f"{key}_{k}"
            contents = partial(_show_contents, finding, each, query)
            fold(title, contents, key=f"{each}_{finding.mark}", is_open=finding in opened)
        if passed:
            titles = "; ".join(dict.fromkeys(plain(finding.title) for finding in passed))
            contents = partial(_show_passed, passed)
            fold(f"{_mark(passed[0])} {titles}", contents, key=f"{key}_ok")


def _mark(finding: Finding) -> str:
    return f":{COLORS[finding.mark]}[**{finding.mark}**]"


def _show_passed(findings: Sequence[Finding]) -> None:
    """List the sentences of findings without a fault."""
    lines = [f"- {plain(f.title)}: {on_screen(f.sentence)} :gray[{f.check}]" for f in findings]
    st.markdown("\n".join(lines))


def as_command(context: AuditContext) -> str:
    """Return the command that repeats the audit of a split with the same declarations."""
    words = ["zslcore", "check", context.name, "--split", context.split_name]
    for vocabulary in context.vocabularies:
        words += ["--pretraining", vocabulary.name]
    return shlex.join(words + context.provenance.options())


def _show_contents(finding: Finding, key: str, query: Mapping[str, str] | None) -> None:
    """Show advice, evidence and link of a finding; its sentence is in the title of the fold."""
    advice = f"**What to do:** {on_screen(finding.advice)} " * bool(finding.advice)
    st.markdown(f"{advice}:gray[{finding.check}]")
    for n, evidence in enumerate(finding.evidence):
        show_evidence(evidence, f"{key}_{n}")
    if finding.check in LINKS and query is not None:
        view, label, choices = LINKS[finding.check]
        # The view of gains has its own menu of data sets.
        parameters = {"gain_data": query["dataset"]} if view == GAIN else {**query, **choices}
        site_map.link(view, label, **parameters)


def show_evidence(evidence: Evidence, key: str) -> None:
    """Show the rows of a table of evidence."""
    shown = len(evidence.rows)
    shown_rows = f", {shown} of {evidence.total:,}" if evidence.total > shown else ""
    st.caption(f"{plain(evidence.title)}{shown_rows}")
    table = evidence.table()
    tables.show(
        table,
        key,
        labels={column: column.replace("_", " ") for column in table.columns},
        height="content" if len(table) <= 8 else 320,
    )


def _show_drawing(review: Review) -> None:
    """Draw the rows of the split by class or, without labels, by part."""
    by_class, by_part = cache.leaking(
        review.key, review.declarations, review.context, review.report
    )
    if by_class.empty:
        chart(
            figures.part_leak_bars(by_part),
            f"Rows of every part of the split; leaks affect {int(by_part['leaking'].sum()):,}.",
            key="leakage_parts",
        )
        st.caption("The file has no labels. Also upload res101.mat to see one line per class.")
        return
    counts = _count_leaks(review, by_class)
    chart(
        figures.class_leak_bars(by_class),
        f"Images of {len(by_class)} classes by part of the split. {counts}",
        key="leakage_classes",
    )
    both = "▲: both seen and unseen. " * bool((by_class["role"] == "both").any())
    st.caption(f"{both}{counts}")


def _count_leaks(review: Review, by_class: pd.DataFrame) -> str:
    """Return a sentence that counts leaking images, and test classes in the pre-training set.

    The number of classes is that of the card; images of a set that is only assumed do not leak.
    """
    leaking, in_set = int(by_class["leaking"].sum()), int(by_class["in_pretraining"].sum())
    classes = next(f for f in review.card.metrics if f.label == KNOWN_CLASSES.lower())
    notes = ["assumed"] * review.context.assumes_pretraining
    notes += [counted(in_set, "image")] * bool(in_set)
    note = f" ({', '.join(notes)})" * bool(notes)
    return (
        f"Leaks between parts of the split affect {counted(leaking, 'image')}; "
        f"{classes.label}{note}: {classes.value}."
    )
