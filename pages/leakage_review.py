"""Can I trust this split?"""

import tempfile
from dataclasses import replace
from pathlib import Path

import streamlit as st

from ui import cache, controls, decisions, tables, uploads
from ui.figures import leakage as figures
from ui.frame import chart, errors_as_sentences, open_page
from ui.text import plain
from zslcore.datasets import available
from zslcore.exceptions import ZSLError
from zslcore.leakage import (
    POLICIES,
    VOCABULARY_NAMES,
    AuditContext,
    Finding,
    Provenance,
    Severity,
    get_vocabulary,
    leaks,
    quiz,
    render,
)
from zslcore.methods import METHODS
from zslcore.runs import RunSpec, RunStore

TABS = ["Findings", "Confirm or reject", "Corrected split", "Quiz"]
VERDICTS = {
    "failed": ("red", ":material/gpp_bad:", "Failed"),
    "warnings": ("orange", ":material/gpp_maybe:", "Passed with warnings"),
    "passed": ("green", ":material/verified_user:", "Passed"),
}
#: Icon and colour of a severity, whose name stands beside them.
LOOKS = {
    Severity.FAIL: (":material/cancel:", "red"),
    Severity.WARN: (":material/warning:", "orange"),
    Severity.UNKNOWN: (":material/help:", "violet"),
    Severity.DID_NOT_RUN: (":material/block:", "gray"),
    Severity.INFO: (":material/info:", "blue"),
    Severity.PASS: (":material/check_circle:", "green"),
}
#: Where to look at what a check speaks of: page, words of the link, what it opens there.
DATA, GAIN = "pages/data_and_splits.py", "pages/overlap_gain.py"
SPLIT_LINK = (DATA, "The split, drawn", {"data_tab": "Split and folds"})
LINKS = {
    "ZSL001": SPLIT_LINK,
    "ZSL002": SPLIT_LINK,
    "ZSL003": SPLIT_LINK,
    "ZSL004": SPLIT_LINK,
    "ZSL005": SPLIT_LINK,
    "ZSL006": (GAIN, "What these classes gain", {"overlap_tab": "Matches"}),
    "ZSL007": (GAIN, "The gain class by class", {}),
    "ZSL008": ("pages/evaluate.py", "How a method is chosen here", {}),
    "ZSL009": (DATA, "The prototypes, drawn", {"data_tab": "Attributes"}),
    "ZSL010": (DATA, "The data set beside the published one", {"data_tab": "Statistics"}),
    "ZSL011": (DATA, "Images per class", {"data_tab": "Images per class"}),
}
REPORTS = {
    "Markdown": ("markdown", "md", "text/markdown"),
    "HTML": ("html", "html", "text/html"),
    "JSON": ("json", "json", "application/json"),
    "JUnit": ("junit", "xml", "application/xml"),
}
CHOSEN_ON = ["unknown", "validation", "given", "test", "none"]
#: Fitted on request to measure what overlapping classes gain.
MEASURED = [name for name in ("LinearS2V", "LinearV2S", "ESZSL") if name in METHODS]

header = open_page("Leakage review", "Can I trust this split?", icon=":material/policy:")


# --- What is reviewed -----------------------------------------------------------------------------


def choose_subject():
    """Choose a data set and split, or take in a file; return its key, the split and the data."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = controls.choose(
            "Review", ["a data set", "a file of my own"], key="leakage_source", width=180
        )
        if source == "a data set":
            names = available()
            name = controls.choose("Data set", names, key="dataset", default="simulated-AWA2")
            dataset = cache.dataset(name)
            splits = list(dataset.splits)
            split = dataset.split(controls.choose("Split", splits, key="split", default="SS"))
            header.mark(dataset)
        vocabularies = choose_vocabularies()
        provenance, measure = choose_provenance(measurable=source == "a data set")
    if source == "a data set":
        key = cache.split_key(dataset, split)
        runs = RunStore().runs_on(dataset, split.name)
        context = cache.split_to_review(key, lambda: AuditContext.of_dataset(dataset, split))
        accuracies = measured(dataset, split) if measure else {}
        return key, context, vocabularies, provenance, accuracies, runs, dataset
    return *uploaded(), vocabularies, provenance, {}, (), None


def choose_vocabularies():
    """Choose what the feature extractor was trained on, from lists that are known or brought."""
    names = st.multiselect(
        "Extractor trained on",
        VOCABULARY_NAMES,
        ["imagenet-1k"],
        key="leakage_vocabularies",
        bind="query-params",
        help="The classes that the feature extractor had met before; test classes among them are "
        "not unseen to it.",
    )
    return [get_vocabulary(name) for name in names]


def list_keys() -> list[str]:
    """Name the vocabularies so that two lists with one name differ."""
    own = st.session_state.get("leakage_list")
    return [*st.session_state["leakage_vocabularies"], *([own.file_id] if own else [])]


def choose_provenance(*, measurable: bool):
    """Take in what the author says, and whether the effect is to be measured."""
    with st.popover("What else is known", icon=":material/fact_check:"):
        chosen = {
            what: controls.choose(label, CHOSEN_ON, key=f"leakage_{what}")
            for what, label in (
                ("hyperparameters", "Hyper-parameters were chosen on"),
                ("epochs", "Epochs were chosen on"),
                ("gamma", "Gamma was chosen on"),
            )
        }
        chosen["prototypes"] = controls.choose(
            "Prototypes were made from",
            ["unknown", "independent", "test images"],
            key="leakage_prototypes",
        )
        st.file_uploader(
            "Pre-training classes of your own, one a line", type=["txt"], key="leakage_list"
        )
        measure = measurable and st.toggle(
            f"Measure the effect with {', '.join(MEASURED)}",
            key="leakage_measure",
            bind="query-params",
            help="Runs on this split that the app has kept count in any case.",
        )
    return Provenance(**chosen), measure


def uploaded():
    """Take in a split file; what is refused leaves the page as it was."""
    files = st.file_uploader(
        "Split file (att_splits.mat, .npz, .json), perhaps with labels and features (res101.mat)",
        type=list(uploads.SPLIT_ENDINGS),
        accept_multiple_files=True,
        key="leakage_files",
    )
    if not files:
        st.info(
            "Drop a split file: it is read by a separate process, nothing in it is run, and "
            "nothing is kept. Without labels what classes and features would tell stays open.",
            icon=":material/upload_file:",
        )
        st.stop()
    key = " ".join(file.file_id for file in files)
    return key, cache.split_to_review(key, lambda: uploads.context_of_files(files))


def measured(dataset, split):
    """Return accuracies per class of some methods with their default parameters."""
    return {
        method: cache.class_accuracy(RunSpec.among_unseen(dataset, split.name, method))
        for method in MEASURED
    }


# --- What is shown --------------------------------------------------------------------------------


def show_verdict() -> None:
    """Say the verdict in a word, a mark and a colour, and offer the report."""
    color, icon, word = VERDICTS[report.verdict]
    counts = report.counts
    said = ", ".join(f"{counts[s]} {s}" for s in Severity if counts[s])
    open_ = len(report.open_questions)
    questions = f" · :violet[:material/help:] {open_} open question{'s' * (open_ != 1)}"
    box = st.container(border=True)
    left, right = box.columns([0.64, 0.36], vertical_alignment="center")
    with left:
        name = f"{report.subject}{f' ({report.split})' if report.split else ''}"
        st.markdown(
            f"### :{color}[{icon} {word}]{questions if open_ else ''}\n\n{plain(name)}: {said}."
        )
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        for label, (format_, ending, mime) in REPORTS.items():
            st.download_button(
                label,
                lambda format_=format_: render(report, format_),
                file_name=f"leakage_{Path(report.subject).stem}.{ending}",
                mime=mime,
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
                key=f"leakage_report_{ending}",
                help=f"The whole report as {label}.",
            )


def show_findings() -> None:
    """List every check, worst first, each opening to what it rests on; draw the split beside."""
    left, right = st.columns([0.56, 0.44], gap="medium")
    with left, st.container(gap="xsmall"):
        for k, finding in enumerate(sorted(report.findings, key=lambda f: f.severity.rank)):
            show_finding(finding, f"leakage_finding_{k}")
    with right:
        show_drawing(leaks.leaks_by_class(context, report), leaks.leaks_by_part(context, report))


def show_finding(finding: Finding, key: str) -> None:
    """Show one finding with its evidence, advice and a way to look closer."""
    icon, color = LOOKS[finding.severity]
    title = f":{color}[**{finding.severity}**] {finding.id} · {report.titles[finding.id]}"
    with st.expander(title, icon=icon, expanded=finding.severity is Severity.FAIL):
        st.markdown(plain(finding.message))
        if finding.advice:
            st.markdown(f"**What to do.** {plain(finding.advice)}")
        for n, evidence in enumerate(finding.evidence):
            st.caption(
                f"{plain(evidence.title)}"
                + (
                    f", {len(evidence.rows)} of {evidence.total:,}"
                    if evidence.total > len(evidence.rows)
                    else ""
                )
            )
            table = evidence.table()
            tables.show(
                table,
                f"{key}_{n}",
                labels={column: column for column in table},
                height="content" if len(table) <= 8 else 320,
            )
        if finding.id in LINKS and dataset is not None:
            page, label, query = LINKS[finding.id]
            query = {"dataset": dataset.name, "split": report.split, **query}
            st.page_link(page, label=label, icon=":material/arrow_forward:", query_params=query)


def show_drawing(by_class, by_part) -> None:
    """Draw the rows of the split by class, or by part where labels are not known."""
    leaking = int(by_part["leaking"].sum())
    if by_class.empty:
        chart(
            figures.leaks_by_part(by_part),
            f"Rows of every part of the split; {leaking:,} leak.",
            key="leakage_parts",
        )
        st.caption("Which class a row is of is not known: bring res101.mat for a line per class.")
        return
    leaking, known = int(by_class["leaking"].sum()), int(by_class["known"].sum())
    chart(
        figures.leaks_by_class(by_class),
        f"Images of {len(by_class)} classes by where they are; {leaking:,} on two sides, {known:,} "
        "of test classes that the extractor was trained on.",
        key="leakage_classes",
    )
    st.caption(
        f":violet[▲] {leaking:,} images are on two sides, {known:,} are of test classes that the "
        "extractor was trained on."
    )


def show_decisions() -> None:
    """Let a person confirm or reject what was matched."""
    if not context.vocabularies or context.unseen_classes is None or not context.class_names:
        st.info(
            "There is nothing to decide without the names of the test classes and a list of those "
            "the extractor was trained on.",
            icon=":material/info:",
        )
        return
    st.caption(
        "Certain matches count until they are rejected, possible ones once they are confirmed. The "
        "verdict above follows, Overlap gain knows of it, and the address keeps what you decide."
    )
    for vocabulary in context.vocabularies:
        plain_context = replace(context, decisions={})
        base = cache.overlaps(key, vocabulary.name, repr(list_keys()), plain_context, vocabulary)
        decisions.edit(
            subject.name, vocabulary, base, key=f"leakage_editor_{key}_{vocabulary.name}"
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Decisions for the command line",
            decisions.as_toml(context.decisions),
            file_name="decisions.toml",
            mime="application/toml",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            disabled=not any(context.decisions.values()),
            help="For `python -m zslcore audit --decisions decisions.toml`.",
        )
        if dataset is not None:
            st.page_link(
                GAIN,
                label="What these classes gain",
                icon=":material/arrow_forward:",
                query_params={"dataset": dataset.name, "split": report.split},
            )


def show_corrected() -> None:
    """Correct the split and offer it as files."""
    policy = controls.choose(
        "What two sides share",
        list(POLICIES),
        key="leakage_policy",
        width=260,
        format_func={"test first": "stays with the test part", "drop": "is dropped"}.get,
    )
    split = cache.corrected(key, policy, subject)
    removed = split.table()
    tables.show(
        removed,
        f"leakage_corrected_{Path(report.subject).stem}",
        labels={"part": "part", "rows": "rows left", "removed": "rows taken out"},
        height="content",
    )
    n = int(removed["removed"].sum())
    st.caption(
        f"{n:,} rows are taken out."
        if n
        else "No row has to go. Classes that the extractor knew stay: that is for the author of "
        "the split to decide."
    )
    with st.container(horizontal=True):
        for label, ending, make in (
            ("MAT file", "mat", lambda: mat_bytes(split)),
            ("JSON file", "json", split.to_json),
        ):
            st.download_button(
                label,
                make,
                file_name=f"{Path(report.subject).stem}_corrected.{ending}",
                icon=":material/download:",
                on_click="ignore",
                key=f"leakage_corrected_{ending}",
            )


def mat_bytes(split) -> bytes:
    """Return a corrected split in the MAT layout."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "split.mat"
        split.save_mat(path)
        return path.read_bytes()


def show_quiz() -> None:
    """Ask what is wrong with a planted split, then let the audit answer."""
    st.caption("Splits of the digits, one fault planted in each, or none. Predict, then ask.")
    question = st.segmented_control(
        "Question",
        list(quiz.QUESTIONS),
        default="1",
        required=True,
        key="leakage_question",
        bind="query-params",
    )
    planted, clues, answer = cache.quiz_question(question)
    left, right = st.columns([0.56, 0.44], gap="medium")
    with left:
        lines = [f"| {what} | {plain(value)} |" for what, value in clues]
        st.markdown("\n".join(["| what can be seen | |", "|---|---|", *lines]))
        with st.form(f"leakage_quiz_{question}"):
            guess = st.radio(
                "What is wrong?", list(quiz.ANSWERS), index=None, key=f"quiz_{question}"
            )
            asked = st.form_submit_button("Ask the audit", icon=":material/policy:")
    revealed = asked and guess is not None
    if asked and guess is None:
        left.info("Predict first.", icon=":material/arrow_upward:")
    with left:
        if revealed:
            show_answer(guess, answer)
    with right:
        table = leaks.leaks_by_class(planted, answer.report if revealed else None)
        if not revealed:  # a mark of its own would give the class away
            table["role"] = table["role"].replace("both", "unseen")
        chart(
            figures.leaks_by_class(table),
            f"Images of {len(table)} digits by where they are in the split of question {question}.",
            key="leakage_quiz_chart",
        )


def show_answer(guess: str, answer) -> None:
    """Say whether the guess was right, and what the audit found."""
    if guess == answer.right:
        st.success(f"**Right:** {answer.right}.", icon=":material/check:")
    else:
        st.warning(f"**Not quite.** The audit says: {answer.right}.", icon=":material/close:")
    for finding in answer.report.findings:
        if finding.severity is Severity.FAIL:
            st.markdown(f"**{finding.id}** {plain(finding.message)} {plain(finding.advice)}")


# --- The page -------------------------------------------------------------------------------------

with errors_as_sentences():
    key, subject, vocabularies, provenance, accuracies, runs, dataset = choose_subject()
    own = st.session_state.get("leakage_list")
    if own is not None:
        try:
            vocabularies.append(uploads.vocabulary_of_file(own))
        except ZSLError as error:
            st.error(plain(str(error)), icon=":material/block:")
    context = replace(
        subject,
        vocabularies=tuple(vocabularies),
        decisions=decisions.decisions_on(subject.name),
        provenance=provenance,
        accuracies=accuracies,
        runs=runs,
    )
    of_runs = [(run.spec.key, run.created) for run in runs]
    said = repr([list_keys(), context.decisions, provenance, sorted(accuracies), of_runs])
    report = cache.report(key, said, subject, context)

show_verdict()
shown = st.tabs(TABS, key="leakage_tab", bind="query-params")
for tab, show in zip(
    shown, (show_findings, show_decisions, show_corrected, show_quiz), strict=True
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
