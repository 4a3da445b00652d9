"""Contamination map: test classes against pre-training sets."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from ui.components import window
from ui.figures.contamination import contamination_map
from ui.intake.reading_progress import read_or_cancel
from ui.intake.uploads import put_one
from ui.shell import site_map
from ui.shell.frame import Header, chart, place_answer
from ui.shell.text import plain
from ui.state import cache, controls, data_menu
from ui.takeaway import tables
from ui.takeaway.downloads import show_command
from zslcore.datasets.class_lists import parse_class_list
from zslcore.exceptions import ParameterError, ZSLError
from zslcore.leakage import captions, contamination, reliability
from zslcore.leakage.contamination import Extractor, TestSet
from zslcore.leakage.vocabularies import NOTHING, count_understood
from zslcore.storage import artifacts

#: Sources of test classes other than the rows of the map.
OF_APP, OWN = "a data set of this app", "your own classes"
#: Maximum number of names that the page compares; the command takes any number.
MOST_NAMES = 300
EXAMPLE = "zebra\ngiant panda\nokapi"


def show(header: Header) -> None:
    """Choose features and test classes, and show whether the pre-training set has the classes."""
    slot = place_answer()
    name, chosen, tab = _choose()
    try:
        tested, words = _choose_classes(header, chosen)
    except ZSLError as error:
        slot.refuse(error, ["your list"], "Edit the list below.")
        return
    extractor = contamination.find_extractor(name)
    with st.spinner("Comparing class names …"):
        answer = contamination.answer(tested, extractor)
    headline, evidence = answer.headline, answer.evidence or answer.advice
    is_open = answer.state == "unknown" and not tested.not_understood
    has_captions = is_open and extractor.labels == "captions"
    counts, refusal = None, None
    if has_captions:
        try:
            counts = _count_captions(tested, extractor)
        except ZSLError as error:
            refusal = error
    if counts is not None:
        headline, evidence = captions.captions_in_words(*counts), captions.NOT_PROOF
    word = f":{LOOKS[answer.state]}[{ANSWERS[answer.verdict]}.]"
    headline = headline.replace("test classes", f"test classes of {tested}", 1)
    slot.say(f"{word} {plain(headline)}", plain(evidence))
    if refusal is not None:
        names = [st.session_state["contamination_captions"].name]
        slot.refuse(refusal, names, "Upload another file.")
    if is_open or (answer.evidence and answer.advice):
        with slot.mark, st.popover("Next steps", type="tertiary"):
            if evidence != answer.advice:
                st.markdown(plain(answer.advice))
            if is_open:
                st.markdown(NEAR_DUPLICATES)
                site_map.link("drop", "Look for near-duplicates")
    if counts is not None and tab == "Map":
        _show_captions(counts[0])
    else:
        TABS[tab](tested, extractor)
    link = f"[{plain(extractor.source)}]({extractor.url})"
    st.markdown(f":small[Pre-training of {plain(extractor.name)}: {link}.]")
    lines = [["--extractor", name], *[["--captions", "CAPTIONS.tsv"]] * has_captions]
    show_command("\n".join(shlex.join(["zslcore", "contamination", *words, *m]) for m in lines))


def _choose() -> tuple[str, str, str]:
    """Choose features, test classes and a tab."""
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="contamination_top"
    ):
        extractors = list(contamination.extractors())
        name = _choose_in_sentence("Features of", extractors, "ResNet-101", "extractor")
        test_sets = [*map(str, contamination.test_sets()), OF_APP, OWN]
        chosen = _choose_in_sentence("tested on", test_sets, "AWA1 and AWA2, SS", "on")
        tab = controls.choose_segment(
            "Show", TABS, key="contamination_tab", label_visibility="collapsed"
        )
    return name, chosen, tab


def _choose_in_sentence(words: str, options: Sequence[str], default: str, name: str) -> str:
    """Choose one of ``options``, to the right of ``words``."""
    st.caption(words, width=72 if window.is_narrow() else "content")
    return controls.choose_option(
        words.capitalize(),
        options,
        key=f"contamination_{name}",
        default=default,
        label_visibility="collapsed",
        width=260 if window.is_narrow() else 236,
    )


def _choose_classes(header: Header, chosen: str) -> tuple[TestSet, list[str]]:
    """Return test classes: from the map, from an available data set, or from a text field."""
    if chosen == OF_APP:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            dataset = data_menu.choose_dataset()
            split = controls.choose_split(dataset)
        header.mark(dataset)
        named = ["--dataset", dataset.name, "--split", split.name]
        return contamination.test_set_of_dataset(dataset, split), named
    if chosen == OWN:
        return _own_classes(), ["--classes", "FILE"]
    return contamination.find_test_set(chosen), ["--on", chosen]


def _own_classes() -> TestSet:
    """Read class names from a text field, one per line."""
    text = st.text_area(
        "Test classes, one per line or in a column",
        EXAMPLE,
        max_chars=20_000,
        key="contamination_classes",
        help="Compared with every list of pre-training classes; not stored.",
    )
    listed = parse_class_list(text.splitlines(), count_understood)
    if (n := len(listed.names)) > MOST_NAMES:
        raise ParameterError(
            f"Expected at most {MOST_NAMES} classes here; got {n:,}. The command "
            "zslcore contamination --classes FILE takes any number."
        )
    if listed.read_as:
        st.caption(plain(listed.read_as))
    return contamination.own_test_set("your list", listed)


#: Verdict -> answer to the question of the view.
ANSWERS = {"Leaks": "No", "Unknown": "Unknown", "Clean": "Yes"}
#: State of overlap -> colour of its answer.
LOOKS = {"overlap": "red", "unknown": "gray", "possible": "yellow", "none": "green"}


#: How to find copies of test images in a pre-training set without a list of classes.
NEAR_DUPLICATES = (
    "*Is it clean?* finds test images that are nearly identical to a pre-training image: upload "
    "the features of some pre-training images and of the test images, with a split that has the "
    "former as training rows and the latter as test rows."
)


def _count_captions(tested: TestSet, extractor: Extractor) -> tuple[pd.DataFrame, int] | None:
    """Ask for captions of the pre-training set; return their counts by class and their number."""
    title = contamination.pretraining_sets()[extractor.pretraining[0]].title
    file = st.file_uploader(
        f"Upload captions of {title} (all or a sample) to count those that name a test class",
        key="contamination_captions",
        help="One caption per line (.txt), or a table (.csv, .tsv) with a column caption, text or "
        "title; each also as .gz. The file is not stored.",
    )
    if file is None:
        return None

    def read() -> tuple[pd.DataFrame, int]:
        with artifacts.scratch() as folder:
            return captions.count_captions(put_one(file, folder), tested.classes)

    key = f"{file.file_id} {tested.classes}"
    return cache.read_in_visit(key, partial(read_or_cancel, file.file_id, read))


def _show_captions(counts: pd.DataFrame) -> None:
    """List the number of captions that name each test class, most frequent first."""
    tables.show(
        counts.sort_values("captions", ascending=False, kind="stable"),
        "contamination_captions_of_classes",
        labels={"class": "test class", "captions": "captions that name it"},
        counts=["captions"],
        height=420,
    )


def show_map(tested: TestSet, extractor: Extractor) -> None:
    """Draw a map of all test sets and pre-training sets, with the chosen sets tinted."""
    table, left_out = _map(extractor)
    counts = table["state"].value_counts()
    sets = contamination.pretraining_sets()
    trained_on = [sets[name].title for name in extractor.pretraining]
    chart(
        contamination_map(table, str(tested), trained_on),
        f"Contamination map of {table['row'].nunique()} test sets and {table['title'].nunique()} "
        f"pre-training sets: {counts.get('overlap', 0)} cells have classes in "
        f"the set, {counts.get('possible', 0)} related classes only, {counts.get('none', 0)} none; "
        f"{counts.get('unknown', 0)} are unknown.",
        key="contamination_map",
        table=lambda: table.drop(columns=["row", "hover", "text"]),
    )
    touch = "Point at"
    if window.is_narrow():
        touch = (
            "Filled: number of test classes in the set, by name or according to a paper, without "
            "related ones. Open: number of related classes. Touch"
        )
    st.caption(
        f"{touch} a cell to see its classes and, where a paper reports one, the paper's count. "
        f"Unknown does not mean clean. Left out: {left_out} pre-training sets, since their overlap "
        "is unknown for most test sets. SS, PS: standard and proposed split."
    )


def _map(extractor: Extractor) -> tuple[pd.DataFrame, int]:
    """Return the cells of the map with their texts, and the number of sets that are left out.

    A pre-training set is left out if its overlap is unknown for most test sets, unless the chosen
    extractor was trained on it. Sets with more unknown cells come later. Features without
    pre-training have no column.
    """
    table = contamination.contamination_table()
    table = table[table["pretraining"] != NOTHING]
    sets = contamination.pretraining_sets()
    unknown = (table["state"] == "unknown").groupby(table["pretraining"]).transform("mean")
    shown = (unknown < 0.5) | table["pretraining"].isin(extractor.pretraining)
    left_out = table["pretraining"][~shown].nunique()
    table = table.loc[unknown[shown].sort_values(kind="stable").index]
    table["title"] = [sets[name].title for name in table["pretraining"]]
    table["test_set"] = table["dataset"] + table["split"].map(lambda s: f", {s}" if s else "")
    table["row"] = table["test_set"] + table["classes"].map(" · {:,}".format)
    table["hover"] = [_hover(row) for row in table.to_dict("records")]
    table["text"] = [_short(row) for row in table.to_dict("records")]
    return table, left_out


def _short(row: Mapping[Any, Any]) -> str:
    """Return the counts of a cell as text; empty without counts."""
    counts = () if pd.isna(row["in_set"]) else (row["in_set"], row["related"])
    return "+".join(f"{n / 1000:.0f}k" if n >= 1000 else f"{n}" for n in counts if any(counts))


def _hover(row: Mapping[Any, Any]) -> str:
    words = "cannot be counted"
    if not pd.isna(row["in_set"]):
        words = f"{row['in_set']:,} of {row['classes']:,} in the set, {row['related']:,} related"
    if not pd.isna(row["printed"]):
        words += f"<br>{row['printed_in']}: {row['printed']} in the set"
    return words


def show_extractors(tested: TestSet, chosen: Extractor) -> None:
    """List all extractors with their verdicts on the same test classes, the chosen one first."""
    sets, rows = contamination.pretraining_sets(), []
    others = [other for other in contamination.extractors().values() if other != chosen]
    for extractor in [chosen, *others]:
        answer = contamination.answer(tested, extractor)
        authors, _, rest = extractor.source.partition(";")[0].partition(", ")
        rows.append(
            {
                "extractor": extractor.name,
                "kind": extractor.kind,
                "trained_on": " + ".join(sets[name].title for name in extractor.pretraining),
                "with": extractor.labels,
                "answer": answer.verdict,
                "why": answer.headline,
                "evidence": answer.evidence,
                "paper": f"{authors}, {rest.rpartition(', ')[2]}",
                "source": extractor.source,
                "url": extractor.url,
            }
        )
    labels = {name: name for name in ("extractor", "answer", "trained_on", "with", "why", "paper")}
    labels |= {"trained_on": "trained on", "with": "supervision", "url": "source"}
    tables.show(
        pd.DataFrame(rows),
        "contamination_extractors",
        labels=labels,
        links=["url"],
        widths=dict(zip(labels, (190, 84, 130, 96, 446, 196, 72), strict=True)),
        marked=0,
        height=420,
    )
    st.caption(
        "Supervision: labels or captions that the extractor was trained with. The download has the "
        "full titles of the papers."
    )


def show_classes(tested: TestSet, extractor: Extractor) -> None:
    """List the overlapping classes of the chosen test set, with reasons."""
    with st.spinner("Comparing class names …"):
        parts = [contamination.evidence(tested, name) for name in extractor.pretraining]
    table = pd.concat(parts, ignore_index=True)
    if table.empty:
        st.info(
            "No classes to show: none overlap, or the overlap is unknown.",
            icon=":material/info:",
        )
        return
    sets = contamination.pretraining_sets()
    table["pretraining"] = [sets[name].title for name in table["pretraining"]]
    words = {"certain": "in the set", "listed": "in the set", "possible": "related"}
    table["overlap"] = table["overlap"].replace(words)
    tables.show(
        table,
        "contamination_classes",
        labels={
            "class": "test class",
            "pretraining": "in",
            "overlap": "relation",
            "pretraining_class": "pre-training class",
            "evidence": "why",
            "printed_in": "listed by",
        },
        widths={"pretraining_class": 390, "evidence": 350},
        height=420,
    )
    st.caption(
        "In the set: the same name or meaning, or listed by a paper; an object and an activity "
        "with it are at most related. "
        "Related: perhaps the same class, for a person to confirm or reject. "
        f"{reliability.describe_reliability()}"
    )
    site_map.link(
        "drop",
        "Confirm or reject related classes of a data set",
        leakage_source="a data set",
        leakage_tab="Confirm or reject",
    )


TABS = {"Map": show_map, "Classes": show_classes, "Extractors": show_extractors}
