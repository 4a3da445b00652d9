"""ZSL006 and ZSL007: test classes that the feature extractor was trained on, and what they gain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from zslcore.leakage.context import AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.matching import Match, match_names, readable
from zslcore.leakage.report import Finding, Severity
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.leakage.words import how, listed
from zslcore.metrics.gain import overlap_gain
from zslcore.metrics.significance import holm

__all__ = ["Overlap", "overlap_effect", "overlaps", "pretrained_classes"]

#: Method -> class -> accuracy among unseen classes.
Accuracies = Mapping[str, Mapping[int, float]]

#: Below this p, adjusted over methods, a gain is called one.
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Overlap:
    """A test class, its matches in a vocabulary, and a person's decision.

    Attributes
    ----------
    number : row of ``prototypes``
    class_name : str
    matches : strongest first
    decision : "confirmed", "rejected" or "" when undecided
    """

    number: int
    class_name: str
    matches: tuple[Match, ...]
    decision: str = ""

    @property
    def strength(self) -> str:
        """The strength of the best match."""
        return self.matches[0].strength if self.matches else ""

    @property
    def counts(self) -> bool:
        """Whether the class is taken as known to the extractor."""
        return self.decision == "confirmed" or (
            self.strength == "strong" and self.decision != "rejected"
        )


def overlaps(
    context: AuditContext, vocabulary: Vocabulary, classes: Iterable[int] | None = None
) -> tuple[Overlap, ...]:
    """Return the unseen, or other, classes with a match in ``vocabulary`` or confirmed ones."""
    classes = [int(c) for c in (context.known_unseen_classes if classes is None else classes)]
    found: dict[str, list[Match]] = defaultdict(list)
    names = context.names(classes)
    for match in match_names(names, vocabulary, context.class_names):
        found[match.class_name].append(match)
    decided = {
        readable(name): decision
        for name, decision in context.decisions.get(vocabulary.name, {}).items()
    }
    rows = []
    for c, name in zip(classes, names, strict=True):
        overlap = Overlap(c, name, tuple(found[name]), decided.get(readable(name), ""))
        if overlap.matches or overlap.decision == "confirmed":
            rows.append(overlap)
    return tuple(rows)


def pretrained_classes(context: AuditContext) -> Iterator[Finding]:
    """ZSL006: by vocabulary what counts, what a person has to decide, what was rejected."""
    for vocabulary in context.vocabularies:
        rows = overlaps(context, vocabulary)
        n = len(context.known_unseen_classes)
        known = [row for row in rows if row.counts]
        open_ = [row for row in rows if not row.counts and not row.decision]
        rejected = [row for row in rows if row.decision == "rejected"]
        if known:
            message = (
                f"Among the classes of {vocabulary.name}: {len(known)} of {n} test classes "
                f"({listed([row.class_name for row in known])})."
            )
            advice = "Test on other classes, or report accuracy without these as well; " \
                "reject a match that is wrong."  # fmt: skip
            yield _finding(Severity.FAIL, message, advice, known)
        if open_:
            message = (
                f"Related to classes of {vocabulary.name}, to be confirmed or rejected: "
                f"{len(open_)} of {n} test classes ({listed([row.class_name for row in open_])})."
            )
            yield _finding(Severity.WARN, message, "Confirm or reject each of them.", open_)
        if rejected:
            message = (
                f"Rejected by hand, for {vocabulary.name}: "
                f"{listed([row.class_name for row in rejected])}."
            )
            yield _finding(Severity.INFO, message, "", rejected)


def _finding(severity: Severity, message: str, advice: str, rows: list[Overlap]) -> Finding:
    table: list[tuple[str, ...]] = [
        (row.class_name, m.strength, m.rule, m.entry, m.evidence, row.decision or "open")
        for row in rows
        for m in row.matches
    ]
    table += [
        (row.class_name, "", "by hand", "", "", row.decision) for row in rows if not row.matches
    ]
    columns = ("class", "strength", "rule", "pre-training class", "evidence", "decision")
    return Finding(
        "ZSL006",
        severity,
        message,
        advice,
        (Evidence.of("Matches", columns, table),),
        classes=tuple(row.class_name for row in rows),
        figures={"classes": len(rows)},
    )


def overlap_effect(context: AuditContext) -> Iterator[Finding]:
    """ZSL007: OverlapGain of every method, by vocabulary, Holm over methods."""
    accuracies = _accuracies(context)
    for vocabulary in context.vocabularies:
        rows = overlaps(context, vocabulary)
        known = {row.number for row in rows if row.counts}
        open_ = [row for row in rows if not row.counts and not row.decision]
        if not vocabulary.entries:
            why = "Nothing to compare: the extractor was trained on no images."
            yield Finding("ZSL007", Severity.INFO, why)
        elif not known and open_:
            yield _undecided(vocabulary, open_)
        elif not known or known >= set(context.known_unseen_classes.tolist()):
            which = "no" if not known else "every"
            why = f"Nothing to compare: {which} test class counts as one of {vocabulary.name}."
            yield Finding("ZSL007", Severity.INFO, why)
        elif not accuracies:
            why = f"Did not run: needs accuracies per test class {how('accuracies')}."
            yield Finding("ZSL007", Severity.DID_NOT_RUN, why)
        else:
            yield _effect(vocabulary, known, accuracies)


def _undecided(vocabulary: Vocabulary, open_: list[Overlap]) -> Finding:
    """Report that the effect of undecided classes is unknown."""
    names = tuple(row.class_name for row in open_)
    message = (
        f"No confirmed match among the classes of {vocabulary.name}; {len(open_)} open "
        f"({listed(names)})."
    )
    advice = "Confirm or reject each of them (ZSL006); the effect of those confirmed is compared."
    return Finding("ZSL007", Severity.UNKNOWN, message, advice, classes=names)


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
    severity = Severity.WARN if telling else Severity.INFO
    evidence = Evidence.of("OverlapGain by method", columns, table)
    return Finding("ZSL007", severity, message, advice, (evidence,))
