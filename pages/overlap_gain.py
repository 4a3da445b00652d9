"""Do classes the extractor had seen get better accuracy?"""

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from ui import cache, controls, decisions, tables, waiting
from ui.figures import overlap as figures
from ui.figures.images import image_row
from ui.figures.palette import OVERLAP, UNSEEN
from ui.frame import chart, errors_as_sentences, open_page
from ui.numbers import percent, points, three_digits
from ui.text import plain
from zslcore.analysis import overlap_tables
from zslcore.analysis.nearest import nearest_classes
from zslcore.datasets import available
from zslcore.jobs import accuracies as of_methods
from zslcore.jobs import draws, run
from zslcore.leakage import VOCABULARY_NAMES, AuditContext, get_vocabulary
from zslcore.methods import METHODS
from zslcore.runs import RunSpec

INDUCTIVE = [name for name, method in METHODS.items() if not method.card.transductive]
USUAL = [name for name in ("LinearS2V", "LinearV2S", "ESZSL", "SAE") if name in INDUCTIVE]
STRENGTHS = {"certain matches": ("strong",), "certain and possible ones": ("strong", "weak")}
TABS = ["Who wins without leaky classes?", "Methods × features", "SS and PS", "One class",
        "Matches"]  # fmt: skip
OF_SPLIT, DRAWS = "of this split", 30
OF_DRAWS = f"{DRAWS} draws, half of them overlapping"
#: Pictures of a class that are shown, and feature sets that stand side by side.
PICTURES, MOST_FEATURES = 16, 4

OUC, TUC = (
    rf"\textcolor{{{mark.color}}}{{\text{{ACC}}_\text{{{which}}}}}"
    for mark, which in ((OVERLAP, "OUC"), (UNSEEN, "TUC"))
)
FORMULA = rf"$\text{{OverlapGain}} = \dfrac{{{OUC} - {TUC}}}{{\frac12({OUC} + {TUC})}}$"

header = open_page(
    "Overlap gain",
    "Do classes the extractor had seen get better accuracy?",
    icon=":material/join_inner:",
)


# --- What is compared -----------------------------------------------------------------------------


def accuracies_of(specs: list[RunSpec]) -> dict:
    """Return method -> class -> accuracy among the unseen; what takes long is waited for."""
    if all(run.is_quick(spec, cache.dataset(spec.dataset)) for spec in specs):
        return {spec.method: cache.class_accuracy(spec) for spec in specs}
    return waiting.result_of(of_methods.ask(specs))


def accuracies_on(data, of_split) -> dict:
    """Return the accuracies of all methods on a split, validated where it has folds."""
    validated = bool(of_split.folds) and not given
    return accuracies_of(
        [RunSpec.among_unseen(data, of_split.name, m, validated=validated) for m in methods]
    )


def matches_of(split) -> pd.DataFrame:
    """Return all classes with their best match, and what was decided about them."""
    context = AuditContext.of_dataset(dataset, split)
    said = decisions.decisions_on(dataset.name)
    key = cache.split_key(dataset, split)
    return cache.overlaps(
        *(key, vocabulary, repr(said), replace(context, decisions=said)),
        get_vocabulary(vocabulary),
        every_class=True,
    )


def unseen_in(matches: pd.DataFrame, split) -> pd.DataFrame:
    """Return the unseen classes of a split alone."""
    return matches[matches["number"].isin(split.unseen_classes)].reset_index(drop=True)


def known_in(matches: pd.DataFrame) -> set[int]:
    """Return the classes that count as overlapping; what was decided by hand goes first."""
    counts = matches["strength"].isin(STRENGTHS[strength]) & (matches["decision"] != "rejected")
    return set(matches.loc[counts | (matches["decision"] == "confirmed"), "number"])


def pick() -> None:
    """Look closer at the class that was clicked."""
    clicked = st.session_state["overlap_bars"].selection.points
    if clicked:
        wanted = table["class"][clicked[0]["x"]]
        if "overlap_class" not in st.session_state:
            st.query_params["overlap_class"] = wanted  # its widget will not, when first drawn
        st.session_state["overlap_class"] = wanted
        st.session_state["overlap_tab"] = "One class"


def look_at_stand_in() -> None:
    """Choose a split with both kinds of classes; a link from a page to itself does nothing."""
    st.session_state["dataset"], st.session_state["split"] = "simulated-AWA2", "SS"


# --- What is shown --------------------------------------------------------------------------------


def show_figures() -> None:
    """Say the gain of the method that is drawn, or why there is none."""
    if gains is None:
        st.info(
            f"{'None' if not known else 'All'} of the {n} test classes of {plain(dataset.name)} "
            f"({plain(split.name)}) {'is' if not known else 'are'} among those of {vocabulary}, so "
            "there is no gain to compute. SS of the AWA2 stand-in has both kinds.",
            icon=":material/info:",
        )
        st.button(
            "Look at the stand-in for AWA2, split SS",
            icon=":material/arrow_forward:",
            on_click=look_at_stand_in,
        )
        return
    gain = gains.set_index("method").loc[shown]
    with st.container(horizontal=True):
        st.metric(
            "ACC_OUC, overlapping",
            percent(gain["overlap"]),
            help=f"{len(known)} overlapping classes.",
        )
        st.metric("ACC_TUC, clean", percent(gain["clean"]), help=f"{n - len(known)} other classes.")
        st.metric(
            "OverlapGain",
            percent(gain["gain"]),
            delta=interval_in_words(gain["low"], gain["high"]),
            delta_color="off",
            delta_arrow="off",
            help="Below it its 95 % interval over classes (bootstrap-t).",
        )
        st.metric("p", three_digits(gain["p"]), help="Permutation of which classes overlap.")
        st.metric("All", percent(gain["all"]), help="What a paper prints: all test classes.")
        st.metric("All − Clean", points(gain["all_minus_clean"]))


def interval_in_words(low: float, high: float) -> str:
    """Write an interval; a single class on a side has none."""
    if math.isnan(low):
        return "no interval: one class"
    return f"{percent(low)} to {percent(high)}"


def show_bars() -> None:
    """Draw every test class, best first; a click looks closer."""
    means, sides = {}, ""
    if gains is not None:
        gain = gains.set_index("method").loc[shown]
        means = {True: gain["overlap"], False: gain["clean"]}
        sides = (
            f" The {len(known)} overlapping ones, hatched crosswise, average "
            f"{percent(gain['overlap'])}, the others {percent(gain['clean'])}."
        )
    chart(
        figures.class_accuracy_bars(table, means, st.session_state.get("overlap_class", "")),
        f"Accuracy of {n} test classes with {shown}, best first.{sides}",
        key="overlap_bars",
        on_select=pick,
        selection_mode="points",
    )
    st.caption(
        "Bars: accuracy among the unseen classes, with the exact binomial 95 % interval over the "
        "images of each; click one to look closer. Classes differ in difficulty, and those an "
        "extractor was trained on may be easy ones: a gain is a correlation, not a cause."
    )


def show_methods() -> None:
    """Compare the methods, with and without the overlapping classes."""
    if gains is None:
        st.info("Without both kinds of classes there is one ranking only.", icon=":material/info:")
        return
    clean_only = st.toggle("Without leaky classes", key="overlap_clean", bind="query-params")
    first, best = overlap_tables.winners(gains)
    winner, what = (best, "clean") if clean_only else (first, "all")
    figure = percent(gains.set_index("method").loc[winner, what])
    st.markdown(
        f"**{winner} wins** with {figure} on "
        + ("the clean classes alone" if clean_only else "all test classes")
        + ("." if not clean_only else f"; on all classes {first} does."),
    )
    left, right = st.columns([0.62, 0.38], gap="medium")
    order = "rank_clean" if clean_only else "rank_all"
    with left:
        tables.show(
            gains.sort_values(order, kind="stable"),
            f"overlap_{dataset.name}_{split.name}",
            labels={
                order: "rank",
                "method": "method",
                "all": "All",
                "clean": "Clean",
                "overlap": "Overlap",
                "gain": "gain",
                "low": "from",
                "high": "to",
                "p": "p",
                "p_holm": "p, Holm",
            },
            percent=["all", "clean", "overlap", "gain", "low", "high"],
            significant=["p", "p_holm"],
            height="content",
        )
        st.caption(
            f"Holm adjusts p for looking at {len(methods)} methods. All − Clean is what the "
            "overlap adds to a printed figure."
        )
    with right:
        chart(
            figures.clean_slopes(gains),
            f"Accuracy on all test classes, where {first} is best, and on the clean ones, where "
            f"{best} is.",
            key="overlap_slopes",
        )


def show_matrix() -> None:
    """Compare methods and features, among them a baseline that no network was trained for."""
    which = st.segmented_control(
        "Test classes",
        [OF_SPLIT, OF_DRAWS],
        default=OF_SPLIT,
        required=True,
        key="overlap_study",
        bind="query-params",
        help="Draws: a fifth of all classes is tested, as many overlapping as others, the rest "
        "trains; parameters are the methods' defaults.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        features, baseline = choose_features()
    sets = {name: cache.dataset(name) for name in features}
    if not sets:
        st.info("Choose features to begin with.", icon=":material/arrow_upward:")
        return
    study = study_of_draws(sets) if which == OF_DRAWS else study_of_split(sets)
    if study is None:
        st.info(
            "Without both kinds of test classes there is nothing to compare; the draws may have "
            "them.",
            icon=":material/info:",
        )
        return
    summary = cache.study_summary(study, baseline)
    chart(
        figures.gain_matrix(summary, baseline),
        f"OverlapGain of {len(methods)} methods with {len(sets)} feature sets, with intervals"
        + (f", and the gain over that of {baseline}." if baseline else "."),
        key="overlap_matrix",
    )
    st.caption(
        "Lines: 95 % intervals over classes (bootstrap-t). Filled: the interval of a difference "
        "leaves out 0, or p, adjusted after Holm for looking at "
        f"{len(methods)} methods, is below {figures.SIGNIFICANT:g}. "
        + (
            "The baseline knows no class, so that its gain is what makes the overlapping classes "
            "easy anyway; what is left of the others' is what pre-training adds. "
            if baseline
            else "Features without pre-training, as a baseline, would tell easy classes from known "
            "ones. "
        )
        + ("A class counts once, with its mean over the draws." if which == OF_DRAWS else "")
    )
    show_matrix_table(summary, which)


def choose_features() -> tuple[list[str], str | None]:
    """Choose data sets with the same classes, and which of them is without pre-training."""
    same = [
        name
        for name in available()
        if (name == dataset.name or not name.endswith("-full"))
        and overlap_tables.same_classes(dataset.class_names, cache.class_names(name))
    ]
    untrained = [name for name in same if name == f"{dataset.name}-untrained"]
    features = st.multiselect(
        "Features of the same classes",
        same,
        [dataset.name, *untrained],
        max_selections=MOST_FEATURES,
        key=f"overlap_features_{dataset.name}",
        bind="query-params",
        help="Data sets with the same classes in the same order: other extractors, or the features "
        "that you have imported.",
    )
    baseline = controls.choose(
        "Baseline without pre-training",
        ["none", *features],
        key="overlap_baseline",
        default=next((name for name in features if name.endswith("-untrained")), "none"),
        width=260,
    )
    return features, None if baseline == "none" else baseline


def study_of_split(sets) -> pd.DataFrame | None:
    """Return accuracies on the test classes of the split, for every feature set that has it."""
    if gains is None:
        return None
    found, counts = {}, {}
    for name, data in sets.items():
        same = data.splits.get(split.name)
        if same is None or set(same.unseen_classes) != set(split.unseen_classes):
            st.caption(f"{plain(name)} has no split {plain(split.name)} with these test classes.")
            continue
        found[name] = accuracies_on(data, same)
        counts[name] = overlap_tables.test_images(data, same)
    return overlap_tables.study_of_split(found, known, counts) if found else None


def study_of_draws(sets) -> pd.DataFrame:
    """Return the accuracies of many draws of test classes, which a job computes."""
    asked = draws.ask(list(sets.values()), methods, known_in(every), DRAWS)
    return waiting.result_of(asked)


def show_matrix_table(summary: pd.DataFrame, which: str) -> None:
    over_baseline = "gain_minus_baseline" in summary
    labels = {
        "features": "features",
        "method": "method",
        "acc_ouc": "ACC_OUC",
        "acc_tuc": "ACC_TUC",
        "gain": "gain",
        "low": "from",
        "high": "to",
        "p": "p",
        "p_holm": "p, Holm",
    }
    if which == OF_DRAWS:
        labels |= {"draw_deviation": "± over draws"}
    if over_baseline:
        labels |= {
            "gain_minus_baseline": "gain − baseline",
            "minus_low": "from ",
            "minus_high": "to ",
        }
    tables.show(
        summary,
        f"overlap_matrix_{dataset.name}",
        labels=labels,
        percent=[c for c in labels if c not in ("features", "method", "p", "p_holm")],
        significant=["p", "p_holm"],
        height="content" if len(summary) <= 12 else 440,
    )


def show_splits() -> None:
    """Ask the same of every split."""
    splits_of = dataset.splits.values()
    by_split = {other.name: accuracies_on(dataset, other) for other in splits_of}
    overlapping = {other.name: known_in(unseen_in(every, other)) for other in splits_of}
    rows = []
    for method in methods:
        of_method = {name: accuracies[method] for name, accuracies in by_split.items()}
        rows.append(overlap_tables.gains_by_split(of_method, overlapping).assign(method=method))
    found = pd.concat(rows, ignore_index=True)
    if {"SS", "PS"} <= set(dataset.splits):
        of = found[found["method"] == shown].set_index("split")
        ss, ps = of.loc["SS"], of.loc["PS"]
        clean = (
            f", and {percent(ss['clean'])} on its clean classes alone"
            if ss["overlapping"] and pd.notna(ss["clean"])
            else ""
        )
        st.markdown(
            f"**{shown}** reaches {percent(ss['all'])} on SS, where {ss['overlapping']} of "
            f"{ss['classes']} test classes are known to the extractor{clean}; on PS, where "
            f"{ps['overlapping']} of {ps['classes']} are, {percent(ps['all'])}: "
            f"{points(ps['all'] - ss['all'])}."
        )
    tables.show(
        found,
        f"overlap_splits_{dataset.name}",
        labels={
            "method": "method",
            "split": "split",
            "classes": "test classes",
            "overlapping": "overlapping",
            "all": "All",
            "clean": "Clean",
            "overlap": "Overlap",
            "all_minus_clean": "All − Clean",
            "gain": "gain",
            "low": "from",
            "high": "to",
            "p": "p",
        },
        percent=["all", "clean", "overlap", "all_minus_clean", "gain", "low", "high"],
        significant=["p"],
        height="content" if len(found) <= 12 else 440,
    )
    st.caption(
        "SS was drawn without a look at the extractor; PS takes no test class from ImageNet-1K. "
        "The difference of their accuracies is the same question asked of other classes."
    )


def show_class() -> None:
    """Show a class: its matches, its accuracy under every method, its images, its neighbours."""
    wanted = controls.choose("Class", list(table["class"]), key="overlap_class", width=300)
    match = matches.set_index("class").loc[wanted]
    c = int(match["number"])
    left, right = st.columns([0.44, 0.56], gap="medium")
    with left:
        st.markdown(match_in_words(match))
        tables.show(
            overlap_tables.class_under_methods(accuracies, c, images),
            f"overlap_class_{dataset.name}",
            labels={
                "method": "method",
                "accuracy": "accuracy",
                "low": "from",
                "high": "to",
                "correct": "right",
                "images": "test images",
            },
            percent=["accuracy", "low", "high"],
            height="content",
        )
        st.caption("A click on a bar chooses its class.")
    with right:
        show_images(wanted, c)
        show_nearest(wanted, c)


def match_in_words(match: pd.Series) -> str:
    """Say what of the vocabulary a class matches, and what was decided about it."""
    decided = {
        "confirmed": " **Confirmed by hand.**",
        "rejected": " **Rejected by hand:** it counts as clean.",
    }.get(match["decision"], "")
    if match["strength"] == "none":
        return f"No class of {vocabulary} was found to match it.{decided}"
    certainty = "Certainly" if match["strength"] == "strong" else "Possibly"
    return (
        f"{certainty} among the classes of {vocabulary} ({match['strength']} match): "
        f"**{plain(match['match'])}**, by the rule *{match['rule']}* ({plain(match['evidence'])})."
        f"{decided}"
    )


def show_images(name: str, c: int) -> None:
    """Show some test images of a class, where there are any to show."""
    if dataset.images is None:
        return
    rows = split.test_unseen[dataset.labels[split.test_unseen] == c][:PICTURES]
    chart(
        image_row(dataset.images[rows] / 255),
        f"{len(rows)} test images of the class {name}.",
        key="overlap_images",
    )


def show_nearest(name: str, c: int) -> None:
    """Draw the classes that a class is most like."""
    found = nearest_classes(dataset, c, cache.class_means(dataset.name, dataset.digest))
    unseen = set(split.unseen_classes.tolist())
    seen = set(split.seen_classes.tolist())
    role = {
        dataset.class_names[k]: "both"
        if k in known
        else ("unseen" if k in unseen else "seen" if k in seen else "none")
        for k in found["number"]
    }
    chart(
        figures.nearest_classes(found, role),
        f"The classes most like {name}, by their descriptions and by their mean features.",
        key="overlap_nearest",
    )
    st.caption(
        "Cosine of what sets two classes apart from the average class. :blue[●] seen, :orange[◆] "
        "unseen, :violet[▲] unseen and known to the extractor. Where the two lists differ, "
        "descriptions mislead."
    )


def show_matches() -> None:
    """List what every test class was compared with, and take in what a person decides."""
    st.caption(
        "Certain matches count until they are rejected, possible ones once they are confirmed. The "
        "figures above follow, Leakage review knows of it, and the address keeps it."
    )
    decisions.edit(
        dataset.name,
        get_vocabulary(vocabulary),
        matches,
        key=f"overlap_editor_{dataset.name}_{split.name}_{vocabulary}",
    )
    tables.download(matches, f"overlap_matches_{dataset.name}_{split.name}")
    st.page_link(
        "pages/leakage_review.py",
        label="The whole review of this split",
        icon=":material/policy:",
        query_params={"dataset": dataset.name, "split": split.name},
    )


# --- The page -------------------------------------------------------------------------------------

with errors_as_sentences():
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = available()
        name = controls.choose("Data set", names, key="dataset", default="simulated-AWA2")
        dataset = cache.dataset(name)
        splits = list(dataset.splits)
        split = dataset.split(controls.choose("Split", splits, key="split", default="SS"))
        vocabulary = controls.choose(
            "Extractor trained on", VOCABULARY_NAMES, key="overlap_vocabulary"
        )
        strength = controls.choose("Overlapping are", list(STRENGTHS), key="overlap_strength")
        origins = ["given", "validated"] if split.folds else ["given"]
        origin = controls.choose(
            "Parameters",
            origins,
            key="overlap_parameters",
            help="Given: every method's defaults, the same for all splits. Validated: chosen on "
            "the folds, which takes longer.",
        )
    chosen, drawn, formula = st.columns([0.5, 0.18, 0.32], vertical_alignment="bottom")
    methods = chosen.multiselect(
        "Methods", INDUCTIVE, USUAL, key="overlap_methods", bind="query-params"
    )
    header.mark(dataset)
    if not methods:
        st.info("Choose a method to begin with.", icon=":material/arrow_upward:")
        st.stop()
    with drawn:
        shown = controls.choose("Method drawn", methods, key="overlap_method")
    formula.markdown(FORMULA)
    every = matches_of(split)
    matches = unseen_in(every, split)
    known, n = known_in(matches), len(matches)
    given = origin == "given"
    accuracies = accuracies_on(dataset, split)
    images = overlap_tables.test_images(dataset, split)
    gains = overlap_tables.method_gains(accuracies, known) if 0 < len(known) < n else None
    table = overlap_tables.class_accuracies(
        accuracies[shown], known, images, dict(enumerate(dataset.class_names))
    )

show_figures()
show_bars()
opened = st.tabs(TABS, key="overlap_tab", bind="query-params")
for tab, show in zip(
    opened, (show_methods, show_matrix, show_splits, show_class, show_matches), strict=True
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
