"""Gain in accuracy from pre-training, for each class and for three groups of classes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.figures.gains import FEWEST_DRAWS, gain_bars, printed_gains
from ui.figures.marks import GROUP_WORDS
from ui.figures.palette import narrow
from ui.intake import import_dialog
from ui.maps import simulated_effects
from ui.shell.folds import fold
from ui.shell.frame import Header, ViewAnswer, chart, place_answer
from ui.shell.numbers import in_points, signed
from ui.shell.text import plain
from ui.shell.visitors import available_datasets
from ui.state import cache, controls, data_menu, decisions, waiting
from ui.takeaway import tables
from zslcore.analysis.overlap import (
    GAIN_METHODS,
    UNTRAINED,
    GroupGain,
    OverlapStudy,
    class_gains,
    group_gain,
    same_classes,
)
from zslcore.datasets import Split, ZSLDataset
from zslcore.datasets.facts import PRETRAINING, action_facts, published_table, recognise_actions
from zslcore.datasets.simulated_actions import SIMULATED_ACTIONS
from zslcore.leakage import VOCABULARY_NAMES, AuditContext, get_vocabulary
from zslcore.leakage.contamination import titles_of_sets
from zslcore.methods import METHODS
from zslcore.metrics.gain import GROUPS

DRAWS = 30
#: Entry of the menu for the gains printed in Huang et al. (VISAPP 2021).
PRINTED = "UCF101, as printed"
#: Simulated data that have no features without pre-training.
WITHOUT_BASELINE = ("simulated-CUB", "simulated-SUN", "simulated-aPY")
#: Name of a vocabulary -> name of the same pre-training set in the annotation of UCF101 and HMDB51.
ANNOTATED = {vocabulary: name for name, vocabulary in PRETRAINING.items()}


def show(header: Header) -> None:
    """Show the printed gains or, for a data set, the gain of each class."""
    answer = place_answer()
    controls_row = st.container(horizontal=True, vertical_alignment="bottom")
    with controls_row:
        name = _choose_data()
    if name == PRINTED:
        with controls_row:
            import_dialog.offer()
            st.container(key="gain_hint").caption(
                "Import features, or choose simulated data, for the gain of each class."
            )
        _show_printed(answer)
    else:
        dataset = cache.dataset(name)
        header.mark(dataset)
        _show_computed(answer, controls_row, dataset)


def _show_computed(answer: ViewAnswer, controls_row: DeltaGenerator, dataset: ZSLDataset) -> None:
    """Choose a method, show the gain of each class, and details of one class."""
    with controls_row:
        menu = list(dict.fromkeys([*GAIN_METHODS, *METHODS]))
        method = controls.choose_method(menu, key="gain_method", width=128)
        with st.popover("More", icon=":material/more_horiz:"):
            baseline = _choose_baseline(dataset)
            vocabulary, matches = _choose_vocabulary(dataset)
        import_dialog.offer()
        hint = st.container(key="gain_hint")
    in_set, related = (
        set(matches.loc[matches["group"] == group, "number"]) for group in GROUPS[:2]
    )
    if not baseline:
        answer.say(
            f"No gain for {plain(dataset.name)}: it needs features of its {dataset.n_classes} "
            "classes from an untrained extractor.",
            "No other data set has these classes. Press Import, drop such features, and choose "
            "none at “Extractor trained on”; or run `zslcore import FILES --pretraining none`.",
        )
        hint.caption("As an example, the printed gains on UCF101:")
        _draw_printed(_read_printed())
        st.stop()
    methods = list(dict.fromkeys([*GAIN_METHODS, method]))
    overlap_study = OverlapStudy.of(
        [dataset, cache.dataset(baseline)], methods, sorted(in_set), DRAWS
    )
    study = waiting.study_result(overlap_study)
    gains = partial(class_gains, study, dataset.name, baseline)
    table = gains(method, dataset.class_names, related)
    gain = group_gain(table)
    words = _in_words(gain, table, vocabulary, simulated=dataset.simulated)
    answer.say(*words, tip=_how_measured(table))
    enough = table["draws"] >= FEWEST_DRAWS
    first = str(table["class"][enough if enough.any() else ~enough].iloc[0])
    hint.caption(_hint(table, first, matches, vocabulary))
    _draw(table, method, vocabulary)
    if about := simulated_effects.about_effects(dataset):
        st.caption(about)
    of_methods = [gains(name, dataset.class_names).assign(method=name) for name in methods]
    _show_class(first, dataset, matches, vocabulary, pd.concat(of_methods))


# --- Printed gains --------------------------------------------------------------------------------


def _show_printed(answer: ViewAnswer) -> None:
    """Show the gains that Huang et al. (VISAPP 2021) print, and the classes in both sets."""
    table = _read_printed()
    better, mean = int((table["gain"] > 0).sum()), f"{100 * table['gain'].mean():.1f}"
    answer.say(
        f"Yes, by {mean} % (relative) on average: {better} of {len(table)} printed gains on UCF101 "
        "are above zero.",
        "Gain: relative difference in accuracy between classes in the pre-training set and other "
        "classes, in percent, minus the same difference without pre-training (Huang et al. 2021).",
    )
    _draw_printed(table)
    listed = published_table("overlap_action").query("dataset == 'UCF101'").set_index("class")
    by_set = listed.groupby("pretraining")["pretraining_class"]
    classes = pd.concat({str(name): part for name, part in by_set}, axis=1)
    counts = [f"{n} in {name}" for name, n in classes.count().items()]

    def list_classes() -> None:
        st.caption(
            "The contamination map compares only the names; for some of these classes, it finds "
            "only a related class."
        )
        tables.show(classes.reset_index(), "classes_of_ucf101", height=246)

    heading = f"Of the {len(classes)} classes, the paper finds {' and '.join(counts)}"
    fold(heading, list_classes, key="gain_classes")


def _read_printed() -> pd.DataFrame:
    """Return the printed gains with the panel and the method of each."""
    sets = published_table("action_splits").set_index("configuration")["pretraining"]
    table = published_table("overlap_gain_action").rename(
        columns={"overlap_gain_minus_idt": "gain"}
    )
    table["panel"] = table["configuration"].map(sets) + ", " + table["semantics"]
    table["method"] = table["method"].str.replace(r"_(.+)", r" (\1)", regex=True)
    return table


def _draw_printed(table: pd.DataFrame) -> None:
    chart(
        printed_gains(table.sort_values("panel", kind="stable")[["panel", "method", "gain"]]),
        "Printed gains by pre-training set, class embeddings and method, in percent.",
        key="gain_printed",
        table=lambda: table,
    )


# --- Choices --------------------------------------------------------------------------------------


def _choose_data() -> str:
    """Choose the printed gains, an imported data set, or simulated data with or without effect."""
    names = [PRINTED] + [
        name
        for name in data_menu.offered(results_only=False, effects=True)
        if name != "digits" and not name.startswith(WITHOUT_BASELINE)
    ]
    chosen = data_menu.chosen_dataset()
    default = chosen if chosen in names else PRINTED
    return data_menu.choose_name("Data set", names, key="gain_data", default=default, width=320)


def _choose_baseline(dataset: ZSLDataset) -> str:
    """Choose features of the same classes without pre-training; empty without any."""
    usual = UNTRAINED.get(dataset.name)
    same = (
        [usual]
        if usual is not None
        else [
            name
            for name in dict.fromkeys([*available_datasets(), *SIMULATED_ACTIONS])
            if name != dataset.name
            and name.startswith("simulated-") == dataset.simulated
            and not name.endswith(("-full", "-unplanted"))
            and same_classes(dataset.class_names, cache.names_of_classes(name))
            and cache.dataset(name).prototypes.shape == dataset.prototypes.shape
        ]
    )
    untrained = (name for name in same if cache.dataset(name).pretraining == ("none",))
    return controls.choose_option(
        "Features without pre-training",
        same or [""],
        key="gain_baseline",
        default=next(untrained, None),
    )


def _choose_vocabulary(dataset: ZSLDataset) -> tuple[str, pd.DataFrame]:
    """Choose the pre-training set; return its vocabulary and the match and group of each class.

    For UCF101 and HMDB51 with Kinetics-400 or Sports-1M, the classes in the set are the classes
    that Huang et al. (VISAPP 2021) annotate as overlapping.
    """
    declared = next((n for n in reversed(dataset.pretraining) if n in VOCABULARY_NAMES), "")
    vocabulary = controls.choose_corpus(
        key=f"gain_vocabulary_{dataset.name}",
        default=declared,
    )
    matches = matches_of(dataset, next(iter(dataset.splits.values())), vocabulary)
    actions = recognise_actions(dataset.class_names)
    if actions is not None and vocabulary in ANNOTATED:
        annotated = action_facts(actions).overlapping[ANNOTATED[vocabulary]][matches["number"]]
        near = (matches["group"] != "unrelated").to_numpy()
        matches = matches.assign(group=np.select([annotated, near], GROUPS[:2], GROUPS[2]))
    return vocabulary, matches


# --- All classes ----------------------------------------------------------------------------------


def _in_words(
    gain: GroupGain, table: pd.DataFrame, vocabulary: str, *, simulated: bool
) -> tuple[str, str]:
    """Return the gain of classes in the pre-training set next to the gain of unrelated classes."""
    n = {group: int((table["group"] == group).sum()) for group in GROUPS}
    name = plain(titles_of_sets([vocabulary]))
    interval = f"95 % interval {signed(gain.low)} to {signed(gain.high)}"
    if gain.is_significant:
        than = "more" if gain.difference > 0 else "less"
        more = in_points(abs(gain.difference)).removeprefix("+")
        verdict = f"classes in {name} gain {more} {than} than unrelated ones"
    else:
        verdict = "no significant difference between the groups"
    verdict = f"In simulated data, {verdict}" if simulated else f"{verdict[0].upper()}{verdict[1:]}"
    related = ""
    if n["related"]:
        related = f", {signed(gain.related)} on {n['related']} related"
    return f"{verdict} ({interval}).", (
        f"Accuracy with pre-training minus accuracy without: {in_points(gain.inside)} on "
        f"the {n['in the set']} classes in {name}{related} and "
        f"{signed(gain.unrelated)} on {n['unrelated']} unrelated."
    )


def _draw(table: pd.DataFrame, method: str, vocabulary: str) -> None:
    """Draw one bar per class, which opens the class on a click."""
    chart(
        gain_bars(
            table,
            st.session_state.get("gain_class", ""),
            title_of_set=titles_of_sets([vocabulary]),
        ),
        f"Gain of {len(table)} classes with {method}: accuracy with pre-trained features minus "
        "accuracy with untrained features, in points, largest first, with 95 % intervals; classes "
        "in the pre-training set and related classes are marked.",
        key="gain_bars",
        table=lambda: table,
        on_pick=_open_clicked,
    )


def _how_measured(table: pd.DataFrame) -> str:
    """Explain the computation of gains and intervals."""
    few = int((table["draws"] < FEWEST_DRAWS).sum())
    fewer = "the class with fewer has" if few == 1 else f"the {few} classes with fewer have"
    pale_clause = f"; {fewer} a pale bar and no line" if few else ""
    return (
        f"Each of {DRAWS} random splits tests on a few classes and trains on the rest; both "
        "feature sets use the same splits. Intervals (Student's t) are over the splits that test "
        f"the class, if there are at least {FEWEST_DRAWS}{pale_clause}. "
        "Related: the set contains a kind of the class or a broader class, so the class is not a "
        "control. The interval of the difference (Welch's t) treats each class as one "
        "observation."
    )


def _hint(table: pd.DataFrame, first: str, matches: pd.DataFrame, vocabulary: str) -> str:
    """Return gain and match of a class opened by a click, since they may be out of view.

    Before the first click, say how to open a class. ``first`` is the class that is open by default.
    """
    name = st.session_state.get("gain_class")
    opened = table[table["class"] == name]
    if opened.empty or (name == first and "gain_clicked" not in st.session_state):
        return (
            "Lines: 95 % intervals. Pale: too few splits for an interval. Dashed: group mean. "
            "Click a bar to open its class."
        )
    row, match = opened.iloc[0], matches[matches["class"] == name].iloc[0]
    return (
        f"**{plain(row['class'])}**, {GROUP_WORDS[row['group']]}: {in_points(row['gain'])}. "
        + _match_in_words(match, vocabulary)
    )


def _open_clicked() -> None:
    if clicked := st.session_state["gain_bars"].picked:
        st.session_state["gain_class"] = clicked[0]
        st.session_state["gain_clicked"] = True  # even for the class that was open by default


# --- One class ------------------------------------------------------------------------------------


def _show_class(
    first: str,
    dataset: ZSLDataset,
    matches: pd.DataFrame,
    vocabulary: str,
    of_methods: pd.DataFrame,
) -> None:
    """Choose a class, by default ``first``; show its match and its gain with each method."""
    left, right = st.columns([0.4, 0.6], gap="medium")
    with left:
        names = sorted(of_methods["class"].unique())
        name = controls.choose_option("Class", names, key="gain_class", default=first, width=320)
        match = matches[matches["class"] == name].iloc[0]
        st.markdown(
            f"**{plain(name)}** is {_WORDS[match['group']]} {plain(titles_of_sets([vocabulary]))}. "
            + _match_in_words(match, vocabulary)
        )
    with right:
        shown = of_methods[of_methods["class"] == name].copy()
        shown.loc[shown["draws"] < FEWEST_DRAWS, ["low", "high"]] = np.nan
        shown["interval"] = shown["low"].map(signed) + " to " + shown["high"].map(signed)
        shown.loc[shown["low"].isna(), "interval"] = None
        labels = {"method": "method", "accuracy": "pre-trained", "baseline": "without"}
        labels |= {"gain": "gain, points", "interval": "95 %", "draws": "splits"}
        if narrow():
            del labels["baseline"], labels["draws"]
        shares = [column for column in ("accuracy", "baseline") if column in labels]
        file = f"gain_of_class_{dataset.name}"
        tables.show(shown, file, labels=labels, percent=shares, points=["gain"], height="content")


_WORDS = {"in the set": "in", "related": "related to a class of", "unrelated": "not in"}


def _match_in_words(match: pd.Series, vocabulary: str) -> str:
    """Return a sentence with the matching class, its synset and the decision on the match."""
    decided = {"confirmed": " Confirmed by hand.", "rejected": " Rejected by hand."}
    decision = decided.get(match["decision"], "")
    if match["strength"] == "none":
        return f"No class in the set matches its name.{decision}"
    entries = get_vocabulary(vocabulary).entries
    synset = next((entry.synset for entry in entries if str(entry) == match["match"]), "")
    where = f" (synset {synset})" if synset else ""
    reason = plain(match["evidence"])
    return f"Best match: **{plain(match['match'])}**{where}. Reason: {reason}.{decision}"


def matches_of(dataset: ZSLDataset, split: Split, vocabulary: str) -> pd.DataFrame:
    """Return all classes with their best match, group and decision."""
    decided = decisions.decisions_on(dataset.name)
    return cache.class_overlaps(
        cache.split_key(dataset, split),
        vocabulary,
        repr(decided),
        replace(AuditContext.of_split(split, dataset), decisions=decided),
        get_vocabulary(vocabulary),
        every_class=True,
    )
