"""Do classes the extractor had seen get better accuracy?"""

import streamlit as st

from ui import cache, controls, tables
from ui.figures import overlap as figures
from ui.figures.palette import OVERLAP, UNSEEN
from ui.frame import chart, errors_as_sentences, open_page
from ui.numbers import percent, points, three_digits
from zslcore.analysis import overlap_tables
from zslcore.datasets import available
from zslcore.leakage import VOCABULARY_NAMES, AuditContext, get_vocabulary
from zslcore.methods import METHODS, get_method
from zslcore.runs import RunSpec

INDUCTIVE = [name for name, method in METHODS.items() if not method.card.transductive]
USUAL = [name for name in ("LinearS2V", "LinearV2S", "ESZSL", "SAE") if name in INDUCTIVE]
STRENGTHS = {"certain matches": ("strong",), "certain and possible ones": ("strong", "weak")}

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


def spec_of(method: str, split: str, *, given: bool) -> RunSpec:
    """Return the run of a method; gamma plays no part among unseen classes alone."""
    estimator = get_method(method)
    defaults = estimator().get_params()
    params = {name: defaults[name] for name in estimator.param_grid} if given else {}
    return RunSpec(
        dataset=dataset.name,
        split=split,
        method=method,
        params=params,
        gamma=0.0,
        select_for="zsl",
        digest=dataset.digest,
    )


def matches_of(split):
    """Return the unseen classes of a split with their best match."""
    context = AuditContext.of_dataset(dataset, split)
    key = cache.split_key(dataset, split)
    return cache.overlaps(key, vocabulary, "", context, get_vocabulary(vocabulary))


def known_in(matches) -> set[int]:
    """Return the classes that count as overlapping."""
    return set(matches.loc[matches["strength"].isin(STRENGTHS[strength]), "number"])


def pick() -> None:
    """Look closer at the class that was clicked."""
    clicked = st.session_state["overlap_bars"].selection.points
    if clicked:
        st.session_state["overlap_class"] = table["class"][clicked[0]["x"]]


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
    methods = st.multiselect(
        "Methods", INDUCTIVE, USUAL, key="overlap_methods", bind="query-params"
    )
    header.mark(dataset)
    if not methods:
        st.info("Choose a method to begin with.", icon=":material/arrow_upward:")
        st.stop()
    matches = matches_of(split)
    known = known_in(matches)
    given = origin == "given"
    with st.spinner("Fitting …", show_time=True):
        accuracies = {m: cache.class_accuracy(spec_of(m, split.name, given=given)) for m in methods}

n = len(matches)
if not known or len(known) == n:
    st.info(
        f"{'None' if not known else 'All'} of the {n} test classes of {dataset.name} "
        f"({split.name}) {'is' if not known else 'are'} among those of {vocabulary}, so there is "
        "no gain to compute. SS of the AWA2 stand-in has both kinds.",
        icon=":material/info:",
    )
    st.page_link(
        "pages/overlap_gain.py",
        label="Look at the stand-in for AWA2, split SS",
        icon=":material/arrow_forward:",
        query_params={"dataset": "simulated-AWA2", "split": "SS"},
    )
    st.stop()

gains = overlap_tables.method_gains(accuracies, known)
images = overlap_tables.test_images(dataset, split)
with st.container(horizontal=True, vertical_alignment="center"):
    shown = controls.choose("Method drawn", methods, key="overlap_method", width=220)
    st.space("stretch")
    st.markdown(FORMULA, width="content")
gain = gains.set_index("method").loc[shown]
table = overlap_tables.class_accuracies(
    accuracies[shown], known, images, dict(enumerate(dataset.class_names))
)

with st.container(horizontal=True):
    st.metric(
        "ACC_OUC, overlapping", percent(gain["overlap"]), help=f"{len(known)} overlapping classes."
    )
    st.metric("ACC_TUC, clean", percent(gain["clean"]), help=f"{n - len(known)} other classes.")
    st.metric(
        "OverlapGain",
        percent(gain["gain"]),
        delta=f"{percent(gain['low'])} to {percent(gain['high'])}",
        delta_color="off",
        delta_arrow="off",
        help="Below it its 95 % interval over classes (bootstrap-t).",
    )
    st.metric("p", three_digits(gain["p"]), help="Permutation of which classes overlap.")
    st.metric("All", percent(gain["all"]), help="What a paper prints: all test classes.")
    st.metric("All − Clean", points(gain["all_minus_clean"]))

chart(
    figures.class_accuracy_bars(
        table,
        {True: gain["overlap"], False: gain["clean"]},
        st.session_state.get("overlap_class", ""),
    ),
    f"Accuracy of {n} test classes with {shown}, best first. The {len(known)} overlapping ones, "
    f"hatched crosswise, average {percent(gain['overlap'])}, the others {percent(gain['clean'])}.",
    key="overlap_bars",
    on_select=pick,
    selection_mode="points",
)
st.caption(
    "Bars: accuracy among the unseen classes; lines on them: exact binomial 95 % intervals, of the "
    "images of a class. What this does not say: classes differ in difficulty, and those an "
    "extractor was trained on may be easy ones. A gain is a correlation, not a cause."
)

methods_tab, splits_tab, class_tab, matches_tab = st.tabs(
    ["Who wins without leaky classes?", "SS and PS", "One class", "Matches"],
    key="overlap_tab",
    bind="query-params",
)


def show_methods() -> None:
    """Compare the methods, with and without the overlapping classes."""
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


def show_splits() -> None:
    """Ask the same of every split."""
    by_split, overlapping = {}, {}
    with st.spinner("Fitting …", show_time=True):
        for other in dataset.splits.values():
            by_validation = not given and bool(other.folds)
            spec = spec_of(shown, other.name, given=not by_validation)
            by_split[other.name] = cache.class_accuracy(spec)
            overlapping[other.name] = known_in(matches_of(other))
    tables.show(
        overlap_tables.gains_by_split(by_split, overlapping),
        f"overlap_splits_{dataset.name}_{shown}",
        labels={
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
        height="content",
    )
    st.caption(
        "SS was drawn without a look at the extractor; PS takes no test class from ImageNet-1K. "
        "The difference of their accuracies is the same question asked of other classes."
    )


def show_class() -> None:
    """Show the matches of a class and its accuracy under every method."""
    wanted = controls.choose("Class", list(table["class"]), key="overlap_class", width=300)
    match = matches.set_index("class").loc[wanted]
    c = int(match["number"])
    if match["strength"] == "none":
        st.markdown(f"No class of {vocabulary} was found to match it.")
    else:
        certainty = "Certainly" if match["strength"] == "strong" else "Possibly"
        st.markdown(
            f"{certainty} among the classes of {vocabulary}: **{match['match']}**, by the rule "
            f"*{match['rule']}* ({match['evidence']})."
        )
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


def show_matches() -> None:
    """List what every test class was compared with."""
    tables.show(
        matches,
        f"overlap_matches_{dataset.name}_{split.name}",
        labels={
            "class": "test class",
            "strength": "strength",
            "match": f"class of {vocabulary}",
            "rule": "rule",
            "evidence": "evidence",
        },
        height="content" if n <= 15 else 480,
    )
    st.page_link(
        "pages/leakage_review.py",
        label="Confirm or reject them",
        icon=":material/policy:",
        query_params={
            "dataset": dataset.name,
            "split": split.name,
            "leakage_tab": "Confirm or reject",
        },
    )


for tab, show in (
    (methods_tab, show_methods),
    (splits_tab, show_splits),
    (class_tab, show_class),
    (matches_tab, show_matches),
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
