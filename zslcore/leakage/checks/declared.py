"""Checks ZSL006 to ZSL009: pre-training set, choice of parameters, and class embeddings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from zslcore.datasets.facts import FINE_TUNED
from zslcore.leakage.checks.base import check, error, leak, ok, open_, warning
from zslcore.leakage.context import AuditContext
from zslcore.leakage.counts import (
    DECLARE,
    Overlap,
    describe_papers,
    describe_undeclared,
    overlaps_of_split,
    would_leak,
)
from zslcore.leakage.matching import OVERLAP_WORDS
from zslcore.leakage.report import KNOWN_CLASSES, NOT_CHECKED, Evidence, Finding, options_hint
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.metrics.gain import GROUPS, overlap_gain
from zslcore.metrics.significance import holm
from zslcore.numbers import counted, signed
from zslcore.texts import listed

#: Maximum share of negative cells of a table; rare negative cells are codes for missing values.
MAX_NEGATIVE_SHARE = 0.01
#: Title of the finding on the data from which class embeddings were made.
ORIGIN = "Origin of the class embeddings"
CHOICES = ("hyperparameters", "epochs", "gamma")


@check(
    "ZSL008",
    "Choice of hyperparameters, epochs and γ",
    "Nothing was chosen on the test set.",
    decides=False,
)
def parameter_choices(context: AuditContext) -> Iterator[Finding]:
    """Report how parameters were chosen, according to the author and in the runs."""
    by_origin: dict[str, list[str]] = {}
    for name in CHOICES:
        by_origin.setdefault(getattr(context.provenance, name), []).append(name)
    for origin, finding_of, text, advice in (
        (
            "test",
            leak,
            "Declared by the author: {} chosen on the test set.",
            "Choose on the validation classes of the folds; report this number as an upper bound "
            "(oracle).",
        ),
        (
            "unknown",
            open_,
            "Not declared by the author: how {} chosen."
            if len(by_origin.get("unknown", ())) < len(CHOICES)
            else "Not declared by the author.",
            f"Ask the author, or declare it {options_hint('chosen')}.",
        ),
        (
            "given",
            ok,
            "Declared by the author: {} given; the origin of these values is not stated.",
            "",
        ),
        ("validation", ok, "Declared by the author: {} chosen on validation classes.", ""),
    ):
        if names := by_origin.get(origin):
            yield finding_of(text.format(_with_verb(names)), advice)
    if context.runs:
        yield _choices_of_runs(context)


def _with_verb(names: list[str]) -> str:
    """Join names with the verb: "epochs and gamma were"."""
    if names == ["gamma"]:
        return "gamma was"
    *first, last = names
    return f"{', '.join(first)} and {last} were" if first else f"{last} were"


def _choices_of_runs(context: AuditContext) -> Finding:
    """Report how the runs chose parameters, and the gain of choosing them on test data."""
    rows = [
        (
            run.spec.method,
            run.params_origin,
            run.gamma_origin or "none",
            *(round(gap[k], 4) if k in gap else None for k in ("zsl", "harmonic")),
        )
        for run in context.runs
        for gap in [run.oracle_gap]
    ]
    n_given = sum("given" in row[1:3] for row in rows)
    how_many = (
        f"{n_given} with given parameters or gamma"
        if n_given
        else "parameters and gamma validated on the folds"
    )
    gains = [100 * row[3] for row in rows if row[3] is not None]
    widest = (
        f"; parameters chosen on the test set would have gained up to {max(gains):.1f} points of "
        "ZSL accuracy."
        if gains
        else "."
    )
    columns = (
        "method",
        "parameters",
        "gamma",
        "gain with oracle parameters, ZSL",
        "gain with oracle parameters and gamma, H",
    )
    return ok(
        "Runs of this package, which are not evidence about the author's metrics: "
        f"{counted(len(rows), 'run')}, {how_many}{widest}",
        evidence=Evidence.of("How each run chose its parameters", columns, rows),
    )


@check(
    "ZSL009",
    "Class embeddings",
    "Class embeddings are complete and distinct, and made without test images.",
    "prototypes",
    decides=False,
)
def class_embeddings(context: AuditContext) -> Iterator[Finding]:
    """Report the origin of prototypes, and missing, zero, equal or constant values."""
    faults = [*_origin(context), *_values(context)]
    yield from faults
    if not faults and not context.independent_prototypes:
        yield ok(
            "Class embeddings are complete and distinct; the author declares that they were made "
            "without test images."
        )


def _origin(context: AuditContext) -> Iterator[Finding]:
    if context.provenance.prototypes == "test images":
        text = "According to the author, test images were used to make the class embeddings."
        yield leak(text, "Make class embeddings from attributes or text alone.", title=ORIGIN)
    elif context.provenance.prototypes == "unknown" and not context.independent_prototypes:
        text = "It is not known whether test images were used to make the class embeddings."
        yield open_(
            text, f"Ask the author, or declare it {options_hint('prototypes')}.", title=ORIGIN
        )


def _values(context: AuditContext) -> Iterator[Finding]:
    S = context.required_prototypes
    if (classes := np.flatnonzero(~np.isfinite(S).all(axis=1))).size:
        names = context.names(classes)
        text = f"Class embeddings of {listed(names)} contain values that are not finite."
        yield error(text, "Replace these values.", classes=names)
    S = np.nan_to_num(S)
    yield from _missing(context, S if context.raw_prototypes is None else context.raw_prototypes)
    if (classes := np.flatnonzero(~S.any(axis=1))).size:
        names = context.names(classes)
        text = f"Class embeddings of {listed(names)} are all zero."
        yield error(text, "Add descriptions of these classes.", classes=names)
    yield from _equal(context, S)
    if len(S) > 1 and (n := int((np.ptp(S, axis=0) == 0).sum())):
        attributes = counted(n, "attribute has", "attributes have")
        text = f"{attributes} the same value for every class and cannot distinguish classes."
        yield ok(text, numbers={"attributes": n})


def _missing(context: AuditContext, S: np.ndarray) -> Iterator[Finding]:
    """Report negative cells if they are rare: -1, or another code for missing values."""
    cells = np.argwhere(S < 0)
    if not 0 < len(cells) <= MAX_NEGATIVE_SHARE * S.size:
        return
    names, values = context.names(np.unique(cells[:, 0])), S[S < 0]
    verb = "is" if len(cells) == 1 else "are"
    description = (
        "−1, this file's code for a missing value."
        if (values == -1).all()
        else "negative while all others are not, which looks like a code for missing values."
    )
    table = zip(context.names(cells[:, 0]), cells[:, 1], values.astype(float).round(6), strict=True)
    yield warning(
        f"{counted(len(cells), 'attribute value')} of {listed(names)} {verb} {description}",
        "Replace them before any scaling, for example with 0 or the attribute's mean.",
        Evidence.of(
            "Cells (attributes are numbered from 0)", ("class", "attribute", "value"), table
        ),
        classes=names,
    )


def _equal(context: AuditContext, S: np.ndarray) -> Iterator[Finding]:
    _, group, count = np.unique(S, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    equal_classes = np.flatnonzero((count[group] > 1) & S.any(axis=1))
    if not equal_classes.size:
        return
    tested = (
        context.unseen_classes is not None and np.isin(equal_classes, context.unseen_classes).any()
    )
    names = context.names(equal_classes)
    note = "; test classes are among them, and no method can distinguish these" if tested else ""
    yield (error if tested else warning)(
        f"{len(equal_classes)} classes have the same prototype as another class "
        f"({listed(names)}){note}.",
        "Give these classes different descriptions.",
        Evidence.of(
            "Equal class embeddings",
            ("group", "class"),
            sorted(zip(group[equal_classes], names, strict=True)),
        ),
        classes=names,
    )


OVERLAP_NEEDS = ("vocabularies", "class_names", "unseen_classes")
#: Method -> class -> accuracy among unseen classes.
Accuracies = Mapping[str, Mapping[int, float]]

#: A gain is significant if its p, adjusted over methods, is below this limit.
SIGNIFICANCE_LEVEL = 0.05


@check(
    "ZSL006",
    KNOWN_CLASSES,
    "No test class was found among the extractor's classes.",
    *OVERLAP_NEEDS,
    compares=(("test_unseen",),),
)
def pretrained_classes(context: AuditContext) -> Iterator[Finding]:
    """Report test classes in each vocabulary, related test classes, and rejected matches."""
    n = len(context.required_unseen_classes)
    for vocabulary in context.vocabularies:
        if vocabulary.name in FINE_TUNED:
            yield _report_fine_tuning(context, vocabulary.name)
        elif not vocabulary.listed:
            yield open_(
                f"Declared: the features were trained on {vocabulary.source}. It is unknown "
                f"which of the {n} test classes it contains.",
                "State this next to the metric, and compare the metric only with results on "
                "features of the same origin; if you have the captions, count those that name "
                "your classes.",
            )
        rows, name = overlaps_of_split(context, vocabulary), vocabulary.title
        in_set = "{k} of {n} test classes ({names}) {are} in {name}{papers}."
        advice_on_leak = (
            "Test on other classes, or also report accuracy without these classes; reject wrong "
            "matches."
        )
        if context.assumes_pretraining:
            in_set, advice_on_leak = would_leak(name, in_set), DECLARE
            if not any(row.counts for row in rows):
                yield open_(describe_undeclared(n, name), DECLARE, numbers={"classes": 0})
        for finding_of, classes_of_finding, text, advice in (
            (
                open_ if context.assumes_pretraining else leak,
                [row for row in rows if row.counts],
                in_set,
                advice_on_leak,
            ),
            (
                warning,
                [row for row in rows if row.open],
                "{k} of {n} test classes ({names}) may be related to {name} classes.",
                "Confirm or reject each of them.",
            ),
            (
                ok,
                [row for row in rows if row.matches and row.decision == "rejected"],
                "Matches with {name} rejected by hand: {names}.",
                "",
            ),
        ):
            if classes_of_finding:
                classes = [row.class_name for row in classes_of_finding]
                values = {
                    "name": name,
                    "k": len(classes_of_finding),
                    "n": n,
                    "names": listed(classes),
                }
                values["are"] = "is" if len(classes_of_finding) == 1 else "are"
                papers = [row.paper for row in classes_of_finding if row.is_only_listed]
                values["papers"] = describe_papers(papers, len(classes))
                yield finding_of(
                    text.format(**values),
                    advice,
                    _matches(classes_of_finding),
                    classes=classes,
                    numbers={"classes": len(classes_of_finding)},
                )


def _report_fine_tuning(context: AuditContext, images: str) -> Finding:
    """Report that features were fine-tuned on images of the data set, and the consequence."""
    n = len(context.parts.get("test_seen", ()))
    text = f"Declared: the features were fine-tuned on {FINE_TUNED[images]}."
    if context.fold_rows or context.folds:
        text += " The validation classes of the folds are seen classes, so fine-tuning used them."
    advice = "Compare only with results on fine-tuned features."
    if images != "seen-classes" or not n:
        return ok(text, advice)
    return warning(
        f"{text} s and H are too high if any of the {counted(n, 'test_seen row')} was used.",
        f"Fine-tune on training images alone, and declare training-images. {advice}",
    )


def _matches(rows: list[Overlap]) -> Evidence:
    table: list[tuple[str, ...]] = [
        (
            row.class_name,
            OVERLAP_WORDS[m.strength],
            m.rule,
            m.entry,
            m.evidence,
            row.decision or "open",
        )
        for row in rows
        for m in row.matches
    ]
    table += [(r.class_name, "", "by hand", "", "", r.decision) for r in rows if not r.matches]
    columns = ("class", "overlap", "rule", "pre-training class", "evidence", "decision")
    return Evidence.of("Matches", columns, table)


@check(
    "ZSL007",
    "Accuracy of test classes in the pre-training set",
    "Test classes in the pre-training set are not recognised better than the others.",
    *OVERLAP_NEEDS,
    decides=False,
)
def overlap_effect(context: AuditContext) -> Iterator[Finding]:
    """Report OverlapGain by vocabulary and method, with p adjusted over methods by Holm."""
    accuracies, unseen = _accuracies(context), set(context.required_unseen_classes.tolist())
    for vocabulary in context.vocabularies:
        rows = overlaps_of_split(context, vocabulary)
        overlapping, related = (
            {row.number for row in rows if row.group == group} for group in GROUPS[:2]
        )
        undecided = [row.class_name for row in rows if row.open]
        if vocabulary.name in FINE_TUNED:
            yield ok("Nothing to compare: fine-tuning used images of seen classes.")
        elif not vocabulary.listed:
            yield open_(
                f"{NOT_CHECKED}this check needs a list of the classes of {vocabulary.title}."
            )
        elif not vocabulary.entries:
            yield ok("Nothing to compare: the extractor was trained on no images.")
        elif undecided and not overlapping:
            yield open_(
                f"No confirmed match among the classes of {vocabulary.title}; {len(undecided)} "
                f"open ({listed(undecided)}).",
                "Confirm or reject each of them; only the effect of confirmed classes is measured.",
                classes=undecided,
            )
        elif not overlapping or overlapping >= unseen:
            which = "every" if overlapping else "no"
            yield ok(
                f"Nothing to compare: {which} test class counts as a class of {vocabulary.title}."
            )
        elif overlapping | related >= unseen:
            yield ok(
                f"Nothing to compare: every other test class is related to a class "
                f"of {vocabulary.title}."
            )
        elif not accuracies:
            yield open_(
                f"{NOT_CHECKED}this check needs accuracies per test class "
                f"{options_hint('accuracies')}."
            )
        else:
            yield _effect(vocabulary, overlapping, related, accuracies)


def _accuracies(context: AuditContext) -> Accuracies:
    unseen = set(context.required_unseen_classes.tolist())
    of_runs = {run.spec.method: run.evaluation.per_class_zsl for run in context.runs}
    return {
        method: {c: a for c, a in accuracy.items() if c in unseen}
        for method, accuracy in {**of_runs, **context.accuracies}.items()
    }


def _effect(
    vocabulary: Vocabulary, overlapping: set[int], related: set[int], accuracies: Accuracies
) -> Finding:
    """Compare classes in the pre-training set with unrelated classes; leave out related classes."""
    gains = {}
    for method, accuracy in accuracies.items():
        classes = sorted(set(accuracy) - related)
        values = np.array([accuracy[c] for c in classes])
        gains[method] = overlap_gain(values, np.isin(classes, list(overlapping)))
    adjusted = holm([gain.p for gain in gains.values()])
    table = [
        (method, *(round(x, 4) for x in (g.acc_ouc, g.acc_tuc, g.gain, *g.interval, g.p, p)))
        for (method, g), p in zip(gains.items(), adjusted, strict=True)
    ]
    columns = ("method", "ACC_OUC", "ACC_TUC", "gain", "low", "high", "p", "p (Holm)")
    worst = max(gains, key=lambda method: gains[method].gain)
    is_significant = bool(min(adjusted) < SIGNIFICANCE_LEVEL)
    verb = "are significantly" if is_significant else "are not significantly"
    left_out = f" ({len(related)} related left out)" if related else ""
    message = (
        f"The {len(overlapping)} classes in {vocabulary.title} {verb} more accurate than unrelated "
        f"ones{left_out}: largest OverlapGain "
        f"{signed(gains[worst].gain)} % ({worst}), smallest adjusted p {min(adjusted):.3g}."
    )
    advice = (
        "Report accuracy on clean classes next to accuracy on all classes."
        if is_significant
        else ""
    )
    evidence = Evidence.of("OverlapGain by method", columns, table)
    return (warning if is_significant else ok)(message, advice, evidence)
