"""Card of a split: the report of its audit with metrics and picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from zslcore.datasets.base import part_digest
from zslcore.datasets.class_lists import ClassList
from zslcore.datasets.facts import title
from zslcore.leakage.contamination import (
    TestSet,
    comparable,
    describe_not_found,
    find_overlapping_classes,
    metric_of_trained_classes,
    own_test_set,
    titles_of_sets,
)
from zslcore.leakage.context import MATCHED_BY, SPLIT_PARTS, TEST_PARTS, UNREAD, AuditContext
from zslcore.leakage.counts import IMAGE_CHECKS, count_by_part, leaking_rows, rows_in_pretraining
from zslcore.leakage.published import find_published_splits
from zslcore.leakage.report import (
    KNOWN_CLASSES,
    NOT_CHECKED,
    ROWS_CHECK,
    TRAINED_ON,
    UNKNOWN,
    Bar,
    Finding,
    Picture,
    Report,
    ReportMetric,
    trained_classes,
    without_options,
    worst_first,
)
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.numbers import counted, signed
from zslcore.storage.files import FACTS, read_csv_frame
from zslcore.texts import listed

#: Maximum number of rows of a finding on a card.
MAX_ROWS = 5
EFFECT_ON_H = "effect of the leak on H"
#: Start of the reason if training and test rows were read, and have no image in common.
NOT_TRAINED_ON = "No test image was trained on"
#: Label of leaking rows that trainval, the usual training list, does not have.
IN_FOLDS = "test images also in train or val"
#: Label of leaking rows if some of them are new images of a class with training images.
OF_TRAINED_CLASSES = "test images of classes that were trained on"


def card_of_split(
    context: AuditContext,
    report: Report,
    files: Sequence[tuple[str, str]] = (),
) -> Report:
    """Return the card of an audited split."""
    start = 0 if context.name.endswith(".json") else 1  # number of the first row in the file
    if context.reading:
        start = context.reading.first_row
    return replace(
        report,
        files=tuple(files),
        reason=without_options(_reason(context, report)),
        metrics=(
            _metric_of_leaking_images(context, report),
            _metric_of_classes(context, report),
            _metric_of_gain(context, report),
        ),
        findings=worst_first(_shorten(f, start) for f in report.findings),
        picture=_picture(context, report),
        read_as=_read_as(context, report),
    )


def _shorten(finding: Finding, start: int) -> Finding:
    """Return a finding without options and evidence, with its first rows numbered as in the file.

    ``start`` is the number that the file uses for its first row.
    """
    return replace(
        finding,
        sentence=without_options(finding.sentence),
        advice=without_options(finding.advice),
        rows=tuple(row + start for row in finding.rows[:MAX_ROWS]),
        evidence=(),
    )


def card_of_classes(
    classes: ClassList,
    files: Sequence[tuple[str, str]],
    vocabularies: Sequence[Vocabulary],
    *,
    assumed: bool = False,
) -> Report:
    """Return the card of a list of test classes, which has no rows.

    Raises FileRefusedError if only some of the classes have a WordNet id.
    """
    tested = own_test_set(files[0][0] if files else "list", classes)
    findings, value = _findings_on_classes(tested, vocabularies)
    if classes.read_as:
        findings[0] = replace(findings[0], sentence=f"{findings[0].sentence} {classes.read_as}")
    headline = " ".join(finding.sentence for finding in findings)
    rows = "A list of classes does not contain the rows of a split."
    findings.append(Finding("Rows of the split", "open", rows, "Also check the split file."))
    where = " and ".join(vocabulary.title for vocabulary in vocabularies)
    read_as = {"extractor trained on": f"{where} (assumed)" if assumed else where}
    return Report(
        subject=tested.dataset,
        split="",
        findings=tuple(findings),
        read_as=read_as | ({"names": classes.column} if classes.column else {}),
        kind="list of classes",
        files=tuple(files),
        reason=f"{headline} {rows}",
        metrics=(
            ReportMetric(TRAINED_ON, UNKNOWN, "needs the split file"),
            trained_classes(
                value, titles_of_sets([v.name for v in vocabularies], is_assumed=assumed)
            ),
            ReportMetric(EFFECT_ON_H, UNKNOWN, "no result"),
        ),
    )


def _findings_on_classes(
    tested: TestSet, vocabularies: Sequence[Vocabulary]
) -> tuple[list[Finding], str]:
    """Return the findings on listed classes, and the count in the vocabularies ("2 of 10")."""
    n, where = len(tested.classes), " and ".join(v.title for v in vocabularies)
    of_all = f"of {counted(n, 'listed class', 'listed classes')}"
    if not all(comparable(tested, v) for v in vocabularies):
        text = f"The list has WordNet ids, but {where} has none: the two cannot be compared."
        return [Finding(KNOWN_CLASSES, "open", text, "Give the class names.")], ""
    counts = [find_overlapping_classes(tested, vocabulary) for vocabulary in vocabularies]
    certain = {name for certain_names, _ in counts for name in certain_names}
    related = {name for _, related_names in counts for name in related_names} - certain
    unread = [name for name in tested.not_understood if name not in certain | related]
    findings = []
    if certain:
        text = f"{len(certain)} {of_all} {'is' if len(certain) == 1 else 'are'} in {where} "
        text += f"({listed(sorted(certain))}): a leak if they are test classes."
        findings.append(Finding(KNOWN_CLASSES, "warning", text))
    elif len(unread) < n:
        compared = "compared" if unread else "listed"
        text = f"By name, none of the {compared} classes is in {where}."
        findings.append(Finding(KNOWN_CLASSES, "ok", text))
    if related:
        verb = "is" if len(related) == 1 else "are"
        text = f"{len(related)} {of_all} {verb} related to a class of {where} "
        text += f"({listed(sorted(related))})."
        advice = "Decide for each of them whether it is the same class."
        findings.append(Finding("Related classes", "warning", text, advice))
    if unread:
        text, advice = (
            describe_not_found(unread, n),
            "Give the usual English name of every class, or its id.",
        )
        findings.append(Finding("Names not in WordNet", "open", text, advice))
    return findings, f"{len(certain)} of {n}" if len(unread) < n else ""


def _reason(context: AuditContext, report: Report) -> str:
    """Return the reason of a verdict, preceded by the reading of the rows, or by their check."""
    reading, cause = context.reading, report.cause
    is_unchecked = cause is not None and cause.sentence.startswith(NOT_CHECKED)
    more = f"{NOT_CHECKED}{report.unchecked_titles}." if is_unchecked else report.sentence
    if reading is None:
        clean_rows = _clean_rows(context, report)
        if clean_rows and cause is None:
            more = "No photograph or class of the test set is in the training data."
        return f"{clean_rows} {more}" if clean_rows else report.sentence
    errors = [f for f in report.findings if f.mark == "error"]
    if report.verdict == "leaks" or len(errors) > (reading.mark == "error"):
        return f"{reading.sentence}: {report.sentence}"
    if reading.mark == "error":
        return f"{reading.sentence}; no row or class is on both sides of the split."
    return f"{reading.sentence}; no leak was found." + (
        f" {more}" if report.verdict == "unknown" else ""
    )


def _clean_rows(context: AuditContext, report: Report) -> str:
    """Return a sentence on the test rows if none is a training row, else an empty string.

    A list of rows that was not read, or a test set without rows, could hide a training row.
    """
    n = context.rows(*TEST_PARTS).size
    marks = {finding.mark for finding in report.of(ROWS_CHECK)}
    if report.verdict not in ("clean", "unknown") or not n or not marks <= {"ok", "warning"}:
        return ""
    by = "" if context.features is not None else f", by {_matching_property(context)}"
    return f"{NOT_TRAINED_ON} (0 of {n:,}{by})."


def _matching_property(context: AuditContext) -> str:
    """Return the property that identifies an image in two parts of the split."""
    return str(context.facts.get(MATCHED_BY, "row number"))


def _metric_of_leaking_images(context: AuditContext, report: Report) -> ReportMetric:
    """Return the number of leaking test images, and how many of them are training images."""
    tested = context.rows(*TEST_PARTS).size
    notes = [f"of {tested:,}"] if tested else []
    leaking, trainval = leaking_rows(context, report), context.rows("trainval")
    of_images = leaking_rows(context, report, IMAGE_CHECKS)
    if of_images.size < leaking.size:
        notes.append(f"{of_images.size:,} of them in training")
    if context.features is None:
        notes.append(f"matched by {_matching_property(context)}; images not compared")
    in_folds = trainval.size and np.isin(leaking, context.rows("train", "val")).all()
    is_untrained = leaking.size and in_folds and not np.isin(leaking, trainval).any()
    label = IN_FOLDS if is_untrained else TRAINED_ON
    if of_images.size < leaking.size:
        label = OF_TRAINED_CLASSES
    return ReportMetric(label, f"{len(leaking):,}", "; ".join(notes))


def _metric_of_classes(context: AuditContext, report: Report) -> ReportMetric:
    names = [vocabulary.name for vocabulary in context.vocabularies]
    findings = report.of("ZSL006")
    unread = any(f.mark == "open" and "classes" not in f.numbers for f in findings)
    if not names or context.unseen_classes is None or unread:
        return trained_classes()
    overlapping = {c for f in findings if f.mark in ("leak", "open") for c in f.classes}
    related = {c for f in findings if f.mark == "warning" for c in f.classes} - overlapping
    numbers = {"classes": len(context.unseen_classes), "related": len(related)}
    finding = Finding(KNOWN_CLASSES, "ok", "", classes=tuple(overlapping), numbers=numbers)
    return metric_of_trained_classes(finding, names, is_assumed=context.assumes_pretraining)


def _metric_of_gain(context: AuditContext, report: Report) -> ReportMetric:
    """Return the gain from the leak, which was measured only for PS v1."""
    published = find_published_splits(context)
    if published and all(split.superseded for split in published):
        return _gain_of_first_release(published[0].dataset)
    if not len(leaking_rows(context, report)):
        if any(finding.mark == "leak" for finding in report.of("ZSL006")):
            return ReportMetric(EFFECT_ON_H, UNKNOWN, "classes leak, not rows")
        return ReportMetric(EFFECT_ON_H, "none known", "no leaking rows")
    return ReportMetric(
        EFFECT_ON_H, UNKNOWN, "zslcore leak-cost measures it on an imported data set"
    )


@cache
def _gain_of_first_release(dataset: str) -> ReportMetric:
    """Return the gain of six methods from the leak of PS v1, on CUB if not measured on ``dataset``.

    The leaking rows are in train_loc and val_loc. The note has two gains: of choosing parameters on
    these lists and training on trainval_loc, as most released code does, and of training on
    train_loc and val_loc.
    """
    table = read_csv_frame(FACTS / "measured" / "leak_cost.csv", comment="#")
    benchmark = table["dataset"].str.partition("-")[0]
    measured = dataset in set(benchmark)
    rows = table[benchmark == (dataset if measured else "CUB")]
    gains = dict(iter(rows.groupby("leak")["difference"]))
    overall, selection, training = (
        f"{signed(float(part.min()))} to {signed(float(part.max()))} points"
        for part in (rows["difference"], gains["selection"], gains["training"])
    )
    note = f"trained on trainval: {selection}; trained on train + val: {training}; "
    data = title(rows["dataset"].iloc[0])
    note += f"measured on {data}" + f", not on {dataset}" * (not measured)
    return ReportMetric(f"{EFFECT_ON_H}, measured on {data.partition(',')[0]}", overall, note)


def _picture(context: AuditContext, report: Report) -> Picture | None:
    """Return the parts as bars, with leaking rows and rows of leaking classes marked."""
    counts = count_by_part(context, report)
    if not counts:
        return None
    leaking = leaking_rows(context, report)
    only_by_class = np.setdiff1d(rows_in_pretraining(context, report), leaking)
    bars = []
    for part, n_rows, n_leaking in counts:
        by_class = (
            int(np.isin(context.rows(part), only_by_class).sum()) if part in TEST_PARTS else 0
        )
        values = [f"{n_leaking:,} of {n_rows:,} leak"] * bool(n_leaking)
        if by_class:
            of_all = "" if n_leaking else f" of {n_rows:,}"
            values.append(f"{by_class:,}{of_all} in leaking classes")
        value = ", ".join(values) or f"{n_rows:,}"
        bars.append(Bar(part, n_rows, n_leaking + by_class, value, by_class))
    alt = f"Rows of every part of the split; leaks affect {len(leaking):,}"
    alt += f", and {len(only_by_class):,} more are of leaking classes" * bool(only_by_class.size)
    return Picture(f"{alt}.", tuple(bars))


def _read_as(context: AuditContext, report: Report) -> dict[str, str]:
    published = " or ".join(map(str, find_published_splits(context))) or "no published split"
    names = ", ".join(v.title for v in context.vocabularies) or "not declared"
    values = {
        "published split": published,
        "extractor trained on": f"{names}{' (assumed)' if context.assumes_pretraining else ''}",
        "class of every image": _source(context),
        "features": "compared" if context.features is not None else "not given",
        "checked with": f"zslcore {report.read_as.get('zslcore', '')}",
        "checked on": str(report.read_as.get("created", "")),
    }
    if "read as" in context.facts:
        values["rows"] = str(context.facts["read as"])
    unused_lists = [*context.other_lists, *filter(None, [context.facts.get(UNREAD)])]
    if unused_lists:
        values["in the file, but outside the split"] = ", ".join(unused_lists)
    parts = {
        f"{part} rows, digest": part_digest(context.parts[part])
        for part in SPLIT_PARTS
        if part in context.parts
    }
    return values | parts


def _source(context: AuditContext) -> str:
    if context.labels is None:
        return "not known"
    return str(
        context.facts.get("labels", context.facts.get("filled in from the benchmark", "given"))
    )
