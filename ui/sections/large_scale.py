"""What a method reaches on the nine ImageNet test sets, and why some sets are harder.

Tabs of Large scale. Each function is one of them and takes the :class:`Study` that the page has
made.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd
import streamlit as st

from ui import cache, cards, controls, tables, takeaway
from ui.figures import large_scale as figures
from ui.frame import chart
from ui.numbers import percent
from ui.text import plain
from ui.waiting import result_of
from zslcore.analysis.large_scale import (
    FAR,
    POPULATIONS,
    LargeScale,
    LargeScaleStudy,
    nearest_answers,
    printed,
)
from zslcore.datasets import ZSLDataset
from zslcore.datasets.imagenet import imagenet
from zslcore.datasets.imagenet_simulated import SIMULATED_IMAGENET, planted_imagenet
from zslcore.large.ranks import Task
from zslcore.methods import get_method

__all__ = [
    "Study",
    "show_class",
    "show_hardness",
    "show_method",
    "show_precision",
    "show_sets",
    "show_with_training",
    "tell",
]

#: Classes that a search offers at most.
MOST_FOUND = 40


@dataclass(frozen=True, eq=False)
class Study:
    """A method on the nine sets, and how deep its answers are looked at.

    Attributes
    ----------
    spec : LargeScaleStudy
    dataset : ZSLDataset
    result : LargeScale
    k : depth
    """

    spec: LargeScaleStudy
    dataset: ZSLDataset
    result: LargeScale
    k: int

    @cached_property
    def table(self) -> pd.DataFrame:
        """Every accuracy, see :meth:`LargeScale.table`."""
        return self.result.table()

    def of(self, task: Task) -> pd.DataFrame:
        """Return the accuracies of one task."""
        return self.table[self.table["task"] == task]

    def accuracy(self, name: str, k: int, task: Task = "zsl") -> float:
        """Return one accuracy, the mean of the classes."""
        return self.result.counts.accuracy(name, k, task=task)


def tell(study: Study) -> None:
    """Say in two sentences what the page's question comes down to."""
    k, method = study.k, study.spec.method
    sizes = _at(study.of("zsl"), k).set_index("set")["candidates"]
    small = study.result.counts.names[0]
    does = (
        "answers {} of the images correctly"
        if k == 1
        else (f"has the right class among its first {k} answers for {{}} of the images")
    )
    of_small = does.format(f"**{percent(study.accuracy(small, k))}**")
    st.markdown(
        f"Among the {sizes[small]:,} unseen classes of **{small}**, {method} {of_small}. Among "
        f"**all {sizes['All']:,}** unseen classes it is **{percent(study.accuracy('All', k))}**; "
        f"chance is {100 * k / sizes['All']:.2g} %. Each accuracy is a mean over classes."
    )


def show_sets(study: Study) -> None:
    """Show top-1, -5 and -10 accuracy of every set, and the published table with ours."""
    table, published = study.of("zsl"), printed()
    chart(
        figures.sets_at_depths(table, published),
        f"Accuracy of {study.spec.method} on {table['set'].nunique()} ImageNet test sets: "
        + ", ".join(
            f"{row['set']} {percent(row['per_class'])}" for _, row in _at(table, 1).iterrows()
        )
        + " at top-1.",
        key="large_sets",
    )
    st.caption(
        "H sets are near the training classes in the hierarchy, M sets have the classes with most "
        "images, L sets those with fewest. The numbers are counts of classes. Grey lines are the "
        "top-1 accuracies that Xian et al. print in table 5."
    )
    ours = table.pivot_table(index="set", columns="k", values="per_class", sort=False)
    ours.columns = [f"top-{k}" for k in ours.columns]
    sizes = _at(table, 1).set_index("set")[["candidates", "images"]]
    method = study.spec.method
    if method in published.index and published.loc[method].notna().any():
        ours["printed"] = published.loc[method].reindex(ours.index)
    ours["lowest"], ours["highest"] = (
        published.agg(how).reindex(ours.index) for how in ("min", "max")
    )
    wide = sizes.join(ours).reset_index()
    labels = {column: column for column in wide.columns}
    labels |= {"printed": f"{method}, printed top-1", "lowest": "lowest printed"}
    labels |= {"highest": "highest printed"}
    shares = [column for column in wide.columns if column not in ("set", "candidates", "images")]
    tables.show(
        wide,
        f"large_scale_{study.spec.dataset}_{method}",
        labels={column: labels[column] for column in wide.columns},
        percent=shares,
    )
    st.caption(
        f"Accuracies are means over classes, for unseen classes alone (ZSL). {_same_or_not(study)}"
    )


def _same_or_not(study: Study) -> str:
    """Say whether published results can be compared with ours."""
    if study.dataset.simulated:
        rarity, _ = _planted(study)
        return (
            "A simulation generates these features; its accuracies are tuned to the size of the "
            "printed ones. "
            + (
                "Classes with few images are harder by design: their prototypes describe their "
                "looks less well, and their images vary more."
                if rarity
                else "Nothing in it makes a class with few images harder, so the L sets are "
                "easier here than in the paper."
            )
        )
    return "The published results are for ResNet-101 features and word vectors of 500 numbers."


def _planted(study: Study) -> tuple[bool, bool]:
    """Return whether rarity and the bias towards training classes are planted in the data."""
    return planted_imagenet(study.dataset.name) or (False, False)


def show_with_training(study: Study) -> None:
    """Show what is lost when the training classes may be answered, too."""
    k, table = study.k, study.table
    lost = [
        (name, study.accuracy(name, k), study.accuracy(name, k, "gzsl"))
        for name in study.result.counts.names
    ]
    most = max(lost, key=lambda each: each[1] - each[2])
    chart(
        figures.with_training_classes(table, k=k),
        f"Top-{k} accuracy of unseen images with and without the training classes among the "
        "candidates: " + "; ".join(f"{n} {percent(a)}, {percent(b)}" for n, a, b in lost),
        key="large_training",
    )
    seen, (_, alone, together) = int(study.result.counts.seen.sum()), lost[-1]
    share = seen / _at(study.of("gzsl"), k).set_index("set")["candidates"]["All"]
    st.caption(
        f"{seen:,} training classes are candidates, too (GZSL). Top-{k} accuracy falls most on "
        f"{most[0]}, from {percent(most[1])} to {percent(most[2])}. On All, where training classes "
        f"are {percent(share)} of the candidates, it is {percent(alone)} without them and "
        f"{percent(together)} with them."
        + " By design of the simulation, unseen classes look like the nearest training class."
        * _planted(study)[1]
    )
    if study.result.counts.curves:
        curve = cache.large_curve(study.spec, study.result)
        best = curve.best()
        chart(
            figures.curve_near(study.spec.method, curve),
            f"Exact seen-unseen curve among all {study.dataset.n_classes:,} classes, AUSUC "
            f"{percent(curve.ausuc)}.",
            key="large_curve",
        )
        st.caption(
            f"The exact curve among all {study.dataset.n_classes:,} classes. Without calibration: "
            f"u = {percent(curve.at(0.0).unseen)}, s = {percent(curve.at(0.0).seen)}. The best H, "
            f"{percent(best.harmonic)}, is an oracle: its γ is found on the test set."
        )


def show_hardness(study: Study) -> None:
    """Show accuracy over candidates, steps to the nearest training class, and images."""
    k, table = study.k, study.of("zsl")
    chart(
        figures.candidates(table, k=k),
        f"Top-{k} accuracy over the number of candidates: "
        + ", ".join(
            f"{r['set']} {r['candidates']:,}: {percent(r['per_class'])}"
            for _, r in _at(table, k).iterrows()
        ),
        key="large_candidates",
    )
    st.caption("More candidates, lower accuracy. Chance falls in the same way.")
    steps, images = st.columns(2, gap="medium")
    with steps:
        _show_steps(study)
    with images:
        _show_population(study)


def _show_steps(study: Study) -> None:
    found = study.result.by_steps(study.k)
    names = [f"{n} or more" if n == FAR else str(n) for n in found["steps"]]
    chart(
        figures.against(found, names, "steps to a training class"),
        _said(found.assign(steps=names), "steps", study.k),
        key="large_steps",
    )
    st.caption(
        "Steps along “is a kind of”, up or down, to the nearest training class. Candidates are "
        "all unseen classes."
        + (_about_steps(_planted(study)[1]) if study.dataset.simulated else "")
    )


def _about_steps(bias: bool) -> str:
    if bias:
        return (
            " By design of the simulation, every unseen class looks like the nearest training "
            "class; the nearer that class, the more alike."
        )
    return " Nothing in this simulation makes a near class easier."


def _show_population(study: Study) -> None:
    simulated = study.dataset.simulated
    found = study.result.by_population(study.k, simulated=simulated)
    names = [_images(least) for least in found["least"]]
    chart(
        figures.against(found, names, "images of the class"),
        _said(found.assign(least=names), "least", study.k),
        key="large_population",
    )
    if not simulated:
        st.caption("Test images of the class in these data.")
    elif _planted(study)[0]:
        st.caption(
            "The numbers of images are simulated; classes with few images are harder by design. "
            "In the paper, too, M sets are easier than L sets of the same size."
        )
    else:
        st.caption(
            "The numbers of images are simulated, and nothing makes a class with many images "
            "easier here. In the paper, M sets are easier than L sets of the same size."
        )


def _at(table: pd.DataFrame, k: int) -> pd.DataFrame:
    return table[table["k"] == k]


def _said(table: pd.DataFrame, column: str, k: int) -> str:
    return f"Top-{k} accuracy over {column}: " + ", ".join(
        f"{group}: {percent(accuracy)} of {classes:,} classes"
        for group, accuracy, classes in zip(
            table[column], table["accuracy"], table["classes"], strict=True
        )
    )


def _images(least: int) -> str:
    """Name a group of classes by their number of images."""
    after = next((limit for limit in POPULATIONS if limit > least), None)
    if after is None:
        return f"{least:,} or more"
    return str(least) if after == least + 1 else f"{least:,} to {after - 1:,}"


def show_class(study: Study) -> None:
    """Search a class; show what its test image is answered with, along the hypernym tree."""
    study = _with_answers(study)
    if study.result.answers is None:
        st.info(f"The answers of {study.spec.method} are not stored image by image.")
        return
    chosen = _choose_class(study)
    if chosen is None:
        return
    row, task = chosen
    st.markdown(_path(row))
    answers = nearest_answers(study.result, row, 10, task=task)
    tables.show(
        answers,
        f"large_scale_{imagenet().synsets[row]}",
        labels={
            "rank": "place",
            "class": "answered",
            "synset": "id",
            "common": "both are a kind of",
            "steps": "steps between",
            "depth": "depth of what they share",
            "seen": "training class",
        },
    )
    right = answers.index[answers["steps"] == 0]
    place = f"in place {right[0] + 1}" if len(right) else "not among the first ten"
    others = answers[answers["steps"] > 0]
    near = others.iloc[others["steps"].argmin()]
    st.caption(
        f"One{' simulated' * study.dataset.simulated} test image of this class. The right class is "
        f"{place}. The nearest{' other' * len(right)} answer is {plain(near['class'])}, "
        f"{near['steps']} steps away: both are a kind of {plain(near['common'])}."
    )


def _with_answers(study: Study) -> Study:
    """Return the study with answers to single images, waited for where it came without."""
    if study.result.answers is not None:
        return study
    return replace(study, result=result_of(study.spec))


def _choose_class(study: Study) -> tuple[int, Task] | None:
    """Search the test classes; None where no class has the words."""
    facts, result = imagenet(), study.result
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sought = st.text_input(
            "Find a class",
            value="tiger cub",
            key="large_class",
            bind="query-params",
            placeholder="tiger, or n02129604",
            width=260,
        )
        tested = set(result.rows[result.required_answers.classes].tolist())
        found = [row for row in facts.find(sought) if row in tested][:MOST_FOUND]
        if not found:
            st.info(f"No test class has “{plain(sought)}” in its words.", icon=":material/search:")
            return None
        names = {f"{facts.names[row]} ({facts.synsets[row]})": row for row in found}
        row = names[controls.choose("Class", list(names), key="large_synset", width=320)]
        seen_too = st.toggle("Training classes too", key="large_gzsl", bind="query-params")
    return row, "gzsl" if seen_too else "zsl"


def _path(row: int) -> str:
    """Write what a class is a kind of, from itself to the top."""
    facts = imagenet()
    above = sorted(facts.ancestors(row).items(), key=lambda found: found[1])
    line = [plain(facts.names[i]) for i, _ in above]
    shown = line if len(line) <= 9 else [*line[:7], "…", line[-1]]
    return " → ".join([f"**{shown[0]}**", *shown[1:]])


def show_precision(study: Study) -> None:
    """Show hierarchical precision and accuracy."""
    study = _with_answers(study)
    if study.result.answers is None:
        st.info(f"The answers of {study.spec.method} are not stored image by image.")
        return
    found = cache.precision_of(study.spec, study.result)
    names = list(study.result.counts.names)
    name = controls.choose("Set", names, key="large_hp_set", default="2H", width=140)
    chart(
        figures.precisions(found, name),
        f"Hierarchical precision of {study.spec.method} on {name}: "
        + ", ".join(
            f"k = {r['k']}: {percent(r['hp'])}" for _, r in found[found["set"] == name].iterrows()
        ),
        key="large_precision",
    )
    wide = found.pivot_table(index="set", columns="k", values="hp", sort=False)
    wide.columns = [f"hp@{k}" for k in wide.columns]
    labels = {"set": "set"} | {column: column for column in wide.columns}
    tables.show(
        wide.reset_index(),
        f"large_scale_hp_{study.spec.method}",
        labels=labels,
        percent=list(wide.columns),
    )
    images = int(found.loc[found["set"] == name, "images"].iloc[0])
    st.caption(
        "Hierarchical precision at k (Frome et al. 2013) asks how many of the first k answers are "
        "among the k classes nearest to the right one in the hierarchy, those as near included. "
        "At k = 1 it is accuracy. "
        f"Both curves are measured on one image each of {images} classes of the set, spread evenly."
    )


def show_method(study: Study) -> None:
    """Show the method's card and with which parameters it ran."""
    cards.show_card(get_method(study.spec.method).card)
    result = study.result
    if not result.validated:
        how = "the defaults, since the data have no folds"
    elif study.spec.dataset in SIMULATED_IMAGENET:
        how = "chosen on the released fold of training classes, 750 to fit and 250 to validate"
    else:
        how = "chosen on the folds of these data"
    words = controls.in_words(study.spec.method, result.params)
    st.caption(f"{study.dataset.source} Parameters are {how}" + (f": {words}." if words else "."))
    st.caption(
        "The paper's text says 200 validation classes; the released file has 250. Its “2 hops” "
        "are one step in WordNet: 1,508 of the 1,509 classes are kinds of a training class, or "
        "the other way round."
    )
    command = ["python", "-m", "zslcore", "large-scale", "--dataset", study.spec.dataset]
    takeaway.show_command(shlex.join([*command, "--method", study.spec.method]))
