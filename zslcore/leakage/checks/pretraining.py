"""ZSL006 and ZSL007: test classes that the feature extractor was trained on, and what they gain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from zslcore.datasets.facts import FINE_TUNED
from zslcore.leakage.checks.base import check, did_not_run, fail, info, unknown, warn
from zslcore.leakage.context import AuditContext
from zslcore.leakage.overlap import Overlap, overlaps_of_split
from zslcore.leakage.report import Evidence, Finding
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.leakage.words import counted, how, listed
from zslcore.metrics.gain import overlap_gain
from zslcore.metrics.significance import holm

NEEDED = ("vocabularies", "class_names", "unseen_classes")
#: Method -> class -> accuracy among unseen classes.
Accuracies = Mapping[str, Mapping[int, float]]

#: Below this p, adjusted over methods, a gain is called one.
SIGNIFICANT = 0.05


@check(
    "ZSL006",
    "Test classes in a pre-training vocabulary",
    "No test class was found among the extractor's classes.",
    *NEEDED,
)
def pretrained_classes(context: AuditContext) -> Iterator[Finding]:
    """By vocabulary what counts, what a person has to decide, what was rejected."""
    n = len(context.known_unseen_classes)
    for vocabulary in context.vocabularies:
        if vocabulary.name in FINE_TUNED:
            yield _fine_tuned(context, vocabulary.name)
        elif not vocabulary.listed:
            yield unknown(
                f"Declared: the features were trained on {vocabulary.source}. Nothing is known of "
                f"the {n} test classes among them.",
                "State this with the number, and compare it with features of the same origin "
                "alone; where you have captions, count those that name your classes.",
            )
        rows, name = overlaps_of_split(context, vocabulary), vocabulary.name
        for say, those, text, advice in (
            (
                fail,
                [row for row in rows if row.counts],
                "Among the classes of {name}: {k} of {n} test classes ({names}).",
                "Test on other classes, or report accuracy without these as well; reject a match "
                "that is wrong.",
            ),
            (
                warn,
                [row for row in rows if row.open],
                "Related to classes of {name}, to be confirmed or rejected: {k} of {n} test "
                "classes ({names}).",
                "Confirm or reject each of them.",
            ),
            (
                info,
                [row for row in rows if row.matches and row.decision == "rejected"],
                "Rejected by hand, for {name}: {names}.",
                "",
            ),
        ):
            if those:
                classes = [row.class_name for row in those]
                values = {"name": name, "k": len(those), "n": n, "names": listed(classes)}
                yield say(
                    text.format(**values),
                    advice,
                    _matches(those),
                    classes=classes,
                    figures={"classes": len(those)},
                )


def _fine_tuned(context: AuditContext, images: str) -> Finding:
    """Name features that were fine-tuned on images of the data, and what that spoils."""
    n = len(context.parts.get("test_seen", ()))
    text = f"Declared: the features were fine-tuned on {FINE_TUNED[images]}."
    if context.fold_rows or context.folds:
        text += " Validation classes of the folds are seen classes, so they are known to them."
    advice = "Compare with fine-tuned features alone."
    if images != "seen-classes" or not n:
        return info(text, advice)
    return warn(
        f"{text} s and H are too high if any of the {counted(n, 'test_seen row')} was among them.",
        f"Fine-tune on training images alone, and declare training-images. {advice}",
    )


def _matches(rows: list[Overlap]) -> Evidence:
    table: list[tuple[str, ...]] = [
        (row.class_name, m.strength, m.rule, m.entry, m.evidence, row.decision or "open")
        for row in rows
        for m in row.matches
    ]
    table += [(r.class_name, "", "by hand", "", "", r.decision) for r in rows if not r.matches]
    columns = ("class", "strength", "rule", "pre-training class", "evidence", "decision")
    return Evidence.of("Matches", columns, table)


@check(
    "ZSL007",
    "Effect of those classes on accuracy",
    "Test classes that the extractor knew are not answered better than the others.",
    *NEEDED,
)
def overlap_effect(context: AuditContext) -> Iterator[Finding]:
    """OverlapGain of every method, by vocabulary, Holm over methods."""
    accuracies, unseen = _accuracies(context), set(context.known_unseen_classes.tolist())
    for vocabulary in context.vocabularies:
        rows = overlaps_of_split(context, vocabulary)
        known = {row.number for row in rows if row.counts}
        undecided = [row.class_name for row in rows if row.open]
        if vocabulary.name in FINE_TUNED:
            yield info("Nothing to compare: fine-tuning used images of seen classes.")
        elif not vocabulary.listed:
            yield did_not_run(f"needs a list of the classes of {vocabulary.name}.")
        elif not vocabulary.entries:
            yield info("Nothing to compare: the extractor was trained on no images.")
        elif undecided and not known:
            yield unknown(
                f"No confirmed match among the classes of {vocabulary.name}; {len(undecided)} open "
                f"({listed(undecided)}).",
                "Confirm or reject each of them (ZSL006); the effect of those confirmed is "
                "compared.",
                classes=undecided,
            )
        elif not known or known >= unseen:
            which = "every" if known else "no"
            yield info(
                f"Nothing to compare: {which} test class counts as one of {vocabulary.name}."
            )
        elif not accuracies:
            yield did_not_run(f"needs accuracies per test class {how('accuracies')}.")
        else:
            yield _effect(vocabulary, known, accuracies)


def _accuracies(context: AuditContext) -> Accuracies:
    unseen = set(context.known_unseen_classes.tolist())
    of_runs = {run.spec.method: run.evaluation.per_class_zsl for run in context.runs}
    return {
        method: {c: a for c, a in accuracy.items() if c in unseen}
        for method, accuracy in {**of_runs, **context.accuracies}.items()
    }


def _effect(vocabulary: Vocabulary, known: set[int], accuracies: Accuracies) -> Finding:
    gains = {}
    for method, accuracy in accuracies.items():
        classes = sorted(accuracy)
        values = np.array([accuracy[c] for c in classes])
        gains[method] = overlap_gain(values, np.isin(classes, list(known)))
    adjusted = holm([gain.p for gain in gains.values()])
    table = [
        (method, *(round(x, 4) for x in (g.acc_ouc, g.acc_tuc, g.gain, *g.interval, g.p, p)))
        for (method, g), p in zip(gains.items(), adjusted, strict=True)
    ]
    columns = ("method", "ACC_OUC", "ACC_TUC", "gain", "low", "high", "p", "p (Holm)")
    worst = max(gains, key=lambda method: gains[method].gain)
    telling = bool(min(adjusted) < SIGNIFICANT)
    message = (
        f"The {len(known)} classes of {vocabulary.name} are answered "
        f"{'' if telling else 'not demonstrably '}better: largest OverlapGain "
        f"{gains[worst].gain:+.1%} ({worst}), smallest adjusted p {min(adjusted):.3g}."
    )
    advice = "Report accuracy on the clean classes next to that on all." if telling else ""
    evidence = Evidence.of("OverlapGain by method", columns, table)
    return (warn if telling else info)(message, advice, evidence)
