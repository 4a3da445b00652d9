"""What the audit says of a split: its verdict, with the report to take home, and every finding.

The heading and the first tab of Leakage review. What is shown needs nothing of the page but the
:class:`Review` that it has made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from ui import cache, site_map, tables, takeaway
from ui.figures import leakage as figures
from ui.frame import chart
from ui.sections.limits import as_command
from ui.sections.split_of_scores import show_own_scores
from ui.text import plain
from zslcore.datasets import ZSLDataset
from zslcore.leakage import (
    AuditContext,
    AuditReport,
    Evidence,
    Finding,
    Severity,
    render,
)
from zslcore.leakage.render import to_junit
from zslcore.leakage.report import FailOn
from zslcore.leakage.words import how

__all__ = ["GAIN", "Review", "in_words_of_page", "show_findings", "show_verdict"]

VERDICTS = {
    "failed": ("red", ":material/gpp_bad:", "Failed"),
    "incomplete": ("gray", ":material/pending:", "Incomplete"),
    "warnings": ("orange", ":material/gpp_maybe:", "Passed with warnings"),
    "passed": ("green", ":material/verified_user:", "Passed"),
}
#: Icon and colour of a severity, shown next to its name.
LOOKS = {
    Severity.FAIL: (":material/cancel:", "red"),
    Severity.WARN: (":material/warning:", "orange"),
    Severity.UNKNOWN: (":material/help:", "gray"),
    Severity.DID_NOT_RUN: (":material/block:", "gray"),
    Severity.INFO: (":material/info:", "blue"),
    Severity.PASS: (":material/check_circle:", "green"),
}
#: Where to look at what a check speaks of: view, words of the link, what it opens there.
DATA, GAIN = "splits", "images"
SPLIT_LINK = (DATA, "The split, drawn", {"data_tab": "Split and folds"})
LINKS = {
    "ZSL001": SPLIT_LINK,
    "ZSL002": SPLIT_LINK,
    "ZSL003": SPLIT_LINK,
    "ZSL004": SPLIT_LINK,
    "ZSL005": SPLIT_LINK,
    "ZSL006": (GAIN, "What these classes gain", {"overlap_tab": "Matches"}),
    "ZSL007": (GAIN, "The gain class by class", {}),
    "ZSL008": ("evaluate", "How a method is chosen here", {}),
    "ZSL009": (DATA, "The prototypes, drawn", {"data_tab": "Attributes"}),
    "ZSL010": (DATA, "The data set next to the published one", {"data_tab": "Statistics"}),
    "ZSL011": (DATA, "Images per class", {"data_tab": "Images per class"}),
    "ZSL012": SPLIT_LINK,
}
#: Where to give on this page what :data:`zslcore.leakage.words.HOW` gives elsewhere.
KNOWN = "under “Declare protocol”"
ON_PAGE = {
    "labels": "upload a second file with labels, such as res101.mat",
    "features": "upload a second file with features, such as res101.mat",
    "groups": KNOWN,
    "vocabularies": "choose what the extractor was trained on, above",
    "accuracies": f"switch on the measurement {KNOWN}",
    "chosen": KNOWN,
    "prototypes": KNOWN,
}
#: Findings that are listed next to the verdict.
REASONS = 3
REPORTS = {
    "Markdown": ("markdown", "md", "text/markdown"),
    "HTML": ("html", "html", "text/html"),
    "JSON": ("json", "json", "application/json"),
    "JUnit": ("junit", "xml", "application/xml"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """A split under review and what the audit found.

    Attributes
    ----------
    key : what :func:`ui.cache.split_to_review` knows the split by
    said : everything that was said about the split, in words
    split : the split as it came, before anybody said anything about it
    context : the split with vocabularies, decisions and what else was said
    report : AuditReport on ``context``
    lists : names of its vocabularies, by which two lists with one name differ
    dataset : whose split it is; None for a file of the visitor's own
    fail_on : what counts as a failure
    """

    key: str
    said: str
    split: AuditContext
    context: AuditContext
    report: AuditReport
    lists: tuple[str, ...]
    dataset: ZSLDataset | None
    fail_on: FailOn = "fail"

    @property
    def file_name(self) -> str:
        """What files about the split are called, without an ending."""
        return Path(self.report.subject).stem

    @property
    def query(self) -> dict[str, str] | None:
        """The address of the split on other pages; None for a file, which they do not know."""
        if self.dataset is None:
            return None
        return {"dataset": self.dataset.name, "split": self.report.split}


# --- Verdict --------------------------------------------------------------------------------------


def show_verdict(review: Review) -> None:
    """Say the verdict in a word, a mark and a colour, and offer the report."""
    report = review.report
    color, icon, word = VERDICTS[report.verdict_for(review.fail_on)]
    counts = report.counts
    said = ", ".join(f"{counts[s]} {s}" for s in Severity if counts[s])
    open_ = len(report.open_questions)
    questions = f" · :material/help: {open_} open question{'s' * (open_ != 1)}"
    box = st.container(border=True)
    left, right = box.columns([0.64, 0.36], vertical_alignment="center")
    with left:
        name = f"{report.subject}{f' ({report.split})' if report.split else ''}"
        st.markdown(
            f"## :{color}[{icon} {word}]{questions if open_ else ''}\n\n{plain(name)}: {said}."
        )
        for finding in _reasons(report):
            st.caption(f"{finding.id}: {plain(in_words_of_page(finding.message))}")
        show_own_scores(review.split)
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        for label, (format_, ending, mime) in REPORTS.items():
            st.download_button(
                label,
                partial(_rendered, review, format_),
                file_name=f"leakage_{review.file_name}.{ending}",
                mime=mime,
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
                key=f"leakage_report_{ending}",
                help=f"The whole report as {label}.",
            )


def _reasons(report: AuditReport) -> list[Finding]:
    """Return the first of the worst findings, which the verdict rests on."""
    for severity in (Severity.FAIL, Severity.WARN):
        if found := [finding for finding in report.findings if finding.severity is severity]:
            return found[:REASONS]
    return []


def _rendered(review: Review, format_: str) -> str:
    if format_ == "junit":
        return to_junit(review.report, review.fail_on)
    return render(review.report, format_)


def in_words_of_page(text: str) -> str:
    """Put the names of this page's controls where a report names options of the command line."""
    for what, control in ON_PAGE.items():
        text = text.replace(how(what), f"({control})")
    return text


# --- Findings -------------------------------------------------------------------------------------


def show_findings(review: Review) -> None:
    """List every check, worst first, each opening to its evidence; draw the split next to them."""
    left, right = st.columns([0.56, 0.44], gap="medium")
    with left, st.container(gap="xsmall"):
        worst_first = sorted(review.report.findings, key=lambda finding: finding.severity.rank)
        for k, finding in enumerate(worst_first):
            _show_finding(review, finding, f"leakage_finding_{k}")
    with right:
        _show_drawing(*cache.leaking(review.key, review.said, review.context, review.report))
    if review.dataset is not None:
        st.caption("The same on the command line:")
        takeaway.show_command(as_command(review.context, review.fail_on))


def _show_finding(review: Review, finding: Finding, key: str) -> None:
    """Show one finding with its evidence, advice and a link to details."""
    icon, color = LOOKS[finding.severity]
    title = f":{color}[**{finding.severity}**] {finding.id} · {review.report.titles[finding.id]}"
    with st.expander(title, icon=icon, expanded=finding.severity is Severity.FAIL):
        st.markdown(plain(in_words_of_page(finding.message)))
        if finding.advice:
            st.markdown(f"**What to do.** {plain(in_words_of_page(finding.advice))}")
        for n, evidence in enumerate(finding.evidence):
            _show_evidence(evidence, f"{key}_{n}")
        if finding.id in LINKS and review.query is not None:
            view, label, query = LINKS[finding.id]
            site_map.link(view, label, icon=":material/arrow_forward:", query=review.query | query)


def _show_evidence(evidence: Evidence, key: str) -> None:
    shown = len(evidence.rows)
    some = f", {shown} of {evidence.total:,}" if evidence.total > shown else ""
    st.caption(f"{plain(evidence.title)}{some}")
    table = evidence.table()
    tables.show(
        table,
        key,
        labels={column: column.replace("_", " ") for column in table.columns},
        height="content" if len(table) <= 8 else 320,
    )


def _show_drawing(by_class: pd.DataFrame, by_part: pd.DataFrame) -> None:
    """Draw the rows of the split by class, or by part where labels are not known."""
    if by_class.empty:
        chart(
            figures.leaks_by_part(by_part),
            f"Rows of every part of the split; {int(by_part['leaking'].sum()):,} leak.",
            key="leakage_parts",
        )
        st.caption(
            "The file does not say the class of a row. Upload res101.mat too for a line per class."
        )
        return
    leaking, known = int(by_class["leaking"].sum()), int(by_class["known"].sum())
    chart(
        figures.leaks_by_class(by_class),
        f"Images of {len(by_class)} classes by where they are; {_told(leaking, known)}",
        key="leakage_classes",
    )
    st.caption(f"▲ {_told(leaking, known)}")


def _told(leaking: int, known: int) -> str:
    """Say how many images leak, in one way and in the other."""
    one = f"{leaking:,} {'image leaks' if leaking == 1 else 'images leak'}"
    two = f"{known:,} {'is' if known == 1 else 'are'}"
    return (
        f"{one} between the parts of the split; {two} of test classes that the extractor was "
        "trained on."
    )
