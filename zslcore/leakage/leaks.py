"""Count the leaks of a split by class and by part."""

from __future__ import annotations

import numpy as np
import pandas as pd

from zslcore.leakage.context import PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.report import AuditReport, Severity

#: Checks whose rows are on two sides: shared, identical or nearly so, or of one photograph.
BY_ROW = ("ZSL001", "ZSL002", "ZSL003", "ZSL004", "ZSL005", "ZSL012")


def leaking_rows(report: AuditReport) -> np.ndarray:
    """Return the rows, sorted, of everything that failed or was warned of between the parts."""
    rows = [
        finding.rows
        for finding in report.findings
        if finding.id in BY_ROW and finding.severity in (Severity.FAIL, Severity.WARN)
    ]
    return np.unique(np.concatenate([*map(np.asarray, rows), np.empty(0)])).astype(np.intp)


def leaks_by_class(context: AuditContext, report: AuditReport | None) -> pd.DataFrame:
    """Count the images of every class by where they are, each once.

    Without a report no image counts as leaking, and one in two parts counts as tested.

    Returns
    -------
    DataFrame
        One row per class with images: ``class``, ``role`` ("seen", "unseen", "both", "none"),
        ``images``, and what they add up from: ``trained``, ``test_seen``, ``test_unseen``,
        ``known`` (tested as unseen, of a class that the extractor was trained on), ``leaking``
        (rows of a finding) and ``unused``. No rows when labels are not known.
    """
    columns = ["trained", "test_seen", "test_unseen", "known", "leaking", "unused"]
    if context.labels is None:
        return pd.DataFrame(columns=["class", "role", "images", *columns])
    labels, where = context.labels, np.full(len(context.labels), columns.index("unused"))
    for column, parts in (("trained", TRAIN_PARTS), *((p, (p,)) for p in PARTS[3:])):
        where[context.rows(*parts)] = columns.index(column)
    if report is not None:
        known = {c for f in report.of("ZSL006") if f.severity is Severity.FAIL for c in f.classes}
        unseen = context.rows("test_unseen")
        is_known = np.array([context.class_name(c) in known for c in range(labels.max() + 1)])
        where[unseen[is_known[labels[unseen]]]] = columns.index("known")
        rows = leaking_rows(report)
        where[rows[(rows >= 0) & (rows < len(labels))]] = columns.index("leaking")
    counts = np.zeros((labels.max() + 1, len(columns)), dtype=np.intp)
    np.add.at(counts, (labels, where), 1)
    table = pd.DataFrame(counts, columns=columns)
    table.insert(0, "images", counts.sum(axis=1))
    table.insert(0, "role", _roles(context, len(table)))
    table.insert(0, "class", context.names(range(len(table))))
    return table[table["images"] > 0].reset_index(drop=True)


def _roles(context: AuditContext, n: int) -> np.ndarray:
    seen, unseen = (
        np.isin(np.arange(n), context.classes(*parts)) for parts in (TRAIN_PARTS, ("test_unseen",))
    )
    return np.select([seen & unseen, seen, unseen], ["both", "seen", "unseen"], default="none")


def leaks_by_part(context: AuditContext, report: AuditReport) -> pd.DataFrame:
    """Count the rows of every part and those of them that leak.

    Returns
    -------
    DataFrame with the columns ``part``, ``rows`` and ``leaking``, in the order of the parts
    """
    leaking = leaking_rows(report)
    found = [(part, context.rows(part)) for part in PARTS if part in context.parts]
    counts = [(part, len(rows), np.isin(rows, leaking).sum()) for part, rows in found]
    return pd.DataFrame(counts, columns=["part", "rows", "leaking"])
