"""Contamination map: test classes against pre-training sets."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from ui.components import window
from ui.figures.contamination import contamination_map
from ui.shell import site_map
from ui.shell.frame import Header, chart, place_answer
from ui.shell.text import plain
from ui.state import controls, data_menu
from ui.takeaway import tables
from ui.takeaway.downloads import show_command
from zslcore.datasets.class_lists import parse_class_list
from zslcore.exceptions import ParameterError
from zslcore.leakage import contamination, reliability
from zslcore.leakage.contamination import Extractor, TestSet
from zslcore.leakage.vocabularies import NOTHING, count_understood

#: Title of the column for all sets without a list of classes.
WEB = "web-scale sets"
OF_APP, OWN = "a data set of this app", "your own classes"
#: Maximum number of names that the page compares; the command takes any number.
MOST_NAMES = 300
EXAMPLE = "zebra\ngiant panda\nokapi"


def show(header: Header) -> None:
    """Choose features and test classes, and show whether they overlap."""
    slot = place_answer()
    name, chosen, tab = _choose()
    tested, words = _choose_classes(header, chosen)
    extractor = contamination.find_extractor(name)
    with st.spinner("Comparing class names …"):
        answer = contamination.answer(tested, extractor)
    word = f":{LOOKS[answer.state]}[{ANSWERS[answer.verdict]}.]"
    headline = answer.headline.replace("test classes", f"test classes of {tested}", 1)
    slot.say(f"{word} {plain(headline)}", plain(answer.evidence or answer.advice))
    is_open = answer.state == "unknown" and not tested.not_understood
    if is_open or (answer.evidence and answer.advice):
        with slot.mark, st.popover("Next steps", type="tertiary"):
            if answer.evidence:
                st.markdown(plain(answer.advice))
            if is_open:
                _show_searches(tested, extractor)
    TABS[tab](tested, extractor)
    link = f"[{plain(extractor.source)}]({extractor.url})"
    st.markdown(f":small[Pre-training of {plain(extractor.name)}: {link}.]")
    show_command(shlex.join(["zslcore", "contamination", *words, "--extractor", name]))


_ON_MAP = tuple(map(str, contamination.test_sets()))


def _choose() -> tuple[str, str, str]:
    """Choose features, test classes and a tab."""
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="contamination_top"
    ):
        extractors = list(contamination.extractors())
        name = _choose_in_sentence("Features of", extractors, "ResNet-101", "extractor")
        test_sets = [*_ON_MAP, OF_APP, OWN]
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
        return contamination.of_dataset(dataset, split), named
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


def _show_searches(tested: TestSet, extractor: Extractor) -> None:
    """Show ways to find evidence without a list of the pre-training classes."""
    named = str(tested)
    on = ["--on", named] if named in _ON_MAP else ["--classes", "FILE"]
    if extractor.labels == "captions":
        st.markdown(
            "**Count captions.** With some of the pre-training captions, one per line, this "
            "command counts the captions that name each test class:"
        )
        words = ["zslcore", "contamination", *on, "--captions", "CAPTIONS.tsv"]
        st.code(shlex.join(words), language=None, wrap_lines=True)
    st.markdown(
        "**Look for near duplicates.** Import some of the pre-training images as the training part "
        "of a split, with the test images as its test part; *Is it clean?* and this command list "
        "the near duplicates:"
    )
    st.code("zslcore check FOLDER", language=None)
    printed = [
        row for name in extractor.pretraining for row in contamination.printed_overlaps(name)
    ]
    if printed:
        st.caption(f"Overlap reported in its paper: {plain(printed[0].source)}, {printed[0].url}")


def show_map(tested: TestSet, extractor: Extractor) -> None:
    """Draw all test sets by all pre-training sets, with the chosen sets tinted."""
    table, web = _map()
    test_sets = {row.test_set for row in table.itertuples()}
    counts = table.loc[table["title"] != WEB, "state"].value_counts()
    trained_on = [contamination.pretraining_sets()[n].title for n in extractor.pretraining]
    titles = dict.fromkeys(WEB if title in web else title for title in trained_on)
    chart(
        contamination_map(table, str(tested), list(titles)),
        f"Contamination map of {len(test_sets)} test sets and {table['title'].nunique() - 1} "
        f"pre-training sets with a list of classes: {counts.get('overlap', 0)} cells overlap, "
        f"{counts.get('possible', 0)} have related classes only, {counts.get('none', 0)} have none "
        f"and {counts.get('unknown', 0)} are unknown. Unknown for all: {', '.join(web)}.",
        key="contamination_map",
        table=lambda: table.drop(columns=["row", "hover", "text"]),
    )
    touch = "Number: test classes in the set. Touch" if window.is_narrow() else "Point at"
    st.caption(
        f"{touch} a cell for its classes and, where a paper reports one, the paper's count. "
        "Unknown does not mean clean. SS, PS: standard and proposed split."
    )


def _map() -> tuple[pd.DataFrame, list[str]]:
    """Return the cells of the map with their texts, and the titles of the merged sets.

    Sets with more unknown cells come later; sets that are unknown for all test sets are merged into
    one column. There is no column for features without pre-training.
    """
    table = contamination.contamination_table()
    sets = contamination.pretraining_sets()
    table["title"] = [sets[name].title for name in table["pretraining"]]
    table["test_set"] = table["dataset"] + table["split"].map(lambda s: f", {s}" if s else "")
    table["row"] = table["test_set"] + table["classes"].map(" · {:,}".format)
    table["hover"] = [_hover(row) for row in table.to_dict("records")]
    table["text"] = [_short(row) for row in table.to_dict("records")]
    is_open = (table["state"] == "unknown").groupby(table["title"], sort=False).all()
    web = [str(title) for title in is_open.index[is_open]]
    first = table[table["title"] == web[0]]
    other_sets = table[~table["title"].isin(web) & (table["pretraining"] != NOTHING)]
    unknown = (other_sets["state"] == "unknown").groupby(other_sets["title"]).transform("sum")
    other_sets = other_sets.loc[unknown.sort_values(kind="stable").index]
    of_web = first.assign(pretraining="", title=WEB, hover=f"unknown: {', '.join(web)}")
    return pd.concat([other_sets, of_web], ignore_index=True), web


def _short(row: Mapping[Any, Any]) -> str:
    """Return the counts of a cell as text; empty without counts."""
    counts = () if pd.isna(row["certain"]) else (row["certain"], row["possible"])
    return "+".join(f"{n / 1000:.0f}k" if n >= 1000 else f"{n}" for n in counts if any(counts))


def _hover(row: Mapping[Any, Any]) -> str:
    words = "cannot be counted"
    if not pd.isna(row["certain"]):
        words = f"{row['certain']:,} of {row['classes']:,} in the set, {row['possible']:,} related"
    if not pd.isna(row["printed"]):
        words += f"<br>{row['printed_in']}: {row['printed']}"
    return words


def show_extractors(tested: TestSet, _: Extractor) -> None:
    """List all extractors with their verdicts on the same test classes."""
    sets, rows = contamination.pretraining_sets(), []
    for extractor in contamination.extractors().values():
        answer = contamination.answer(tested, extractor)
        rows.append(
            {
                "extractor": extractor.name,
                "kind": extractor.kind,
                "trained_on": " + ".join(sets[name].title for name in extractor.pretraining),
                "with": extractor.labels,
                "answer": answer.verdict,
                "why": answer.sentence,
                "source": extractor.source,
                "url": extractor.url,
            }
        )
    tables.show(
        pd.DataFrame(rows),
        "contamination_extractors",
        labels={
            "extractor": "extractor",
            "answer": "answer",
            "trained_on": "trained on",
            "with": "supervision",
            "source": "source",
        },
        height=420,
    )
    st.caption(
        "Supervision: labels or captions that the extractor was trained with. The download gives "
        "the reason for each answer."
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
    tables.show(
        table,
        "contamination_classes",
        labels={
            "class": "test class",
            "pretraining": "in",
            "overlap": "overlap",
            "pretraining_class": "pre-training class",
            "evidence": "why",
            "printed_in": "listed by",
        },
        height=420,
    )
    st.caption(
        "Certain: the same name or meaning; a thing and an activity are at most a possible match. "
        "Possible: a related class, for a person to confirm or reject. Listed: named only in a "
        f"paper. {reliability.how_reliable()}"
    )
    site_map.link(
        "drop",
        "Confirm or reject related classes of a data set",
        leakage_source="a data set",
        leakage_tab="Confirm or reject",
    )


TABS = {"Map": show_map, "Classes": show_classes, "Extractors": show_extractors}
