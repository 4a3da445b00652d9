"""Splits without faults, and single faults to plant."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from zslcore.leakage import AuditContext, audit_context

#: Checks that judge the rows, classes, features and prototypes of a split.
JUDGED = ("ZSL001", "ZSL002", "ZSL003", "ZSL004", "ZSL005", "ZSL009")


def clean(seed=0, n_classes=8, n_unseen=3, n_val=2, per_class=12, d=64):
    """Make a split without faults: classes in blocks, rows in random order."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(n_classes), per_class))
    n_seen = n_classes - n_unseen
    seen = np.flatnonzero(labels < n_seen)
    test_seen = np.concatenate([np.flatnonzero(labels == c)[:3] for c in range(n_seen)])
    trainval = np.setdiff1d(seen, test_seen)
    is_val = labels[trainval] < n_val
    parts = {
        "trainval": trainval,
        "train": trainval[~is_val],
        "val": trainval[is_val],
        "test_seen": test_seen,
        "test_unseen": np.flatnonzero(labels >= n_seen),
    }
    return AuditContext(
        name="world",
        parts={part: rng.permutation(rows) for part, rows in parts.items()},
        labels=labels,
        n_rows=len(labels),
        features=rng.normal(size=(len(labels), d)).astype(np.float32),
        prototypes=rng.random((n_classes, 6)).astype(np.float32),
        independent_prototypes=True,
        class_names=tuple(f"thing {c}" for c in range(n_classes)),
    )


def worlds():
    """Draw clean splits of several sizes."""
    return st.builds(
        clean,
        seed=st.integers(0, 10_000),
        n_classes=st.integers(7, 10),
        n_unseen=st.integers(1, 3),
        n_val=st.integers(1, 2),
        per_class=st.integers(8, 14),
    )


def with_parts(context, **parts):
    return replace(context, parts={**context.parts, **parts})


def add(context, rows, *names):
    """Add ``rows`` to further parts."""
    return with_parts(context, **{p: np.append(context.parts[p], rows) for p in names})


def move(context, rows, source, *targets):
    """Move ``rows`` from one part to others."""
    left = context.parts[source][~np.isin(context.parts[source], rows)]
    return add(with_parts(context, **{source: left}), rows, *targets)


def with_features(context, test_row, values):
    X = context.features.copy()
    X[test_row] = values
    return replace(context, features=X)


def with_prototype(context, c, values):
    S = context.prototypes.copy()
    S[c] = values
    return replace(context, prototypes=S)


def failed_checks(context):
    """Return the ids of the checks in :data:`JUDGED` that report a fault."""
    report = audit_context(context)
    return {id_ for id_ in JUDGED if report.mark(id_) != "ok"}


# --- Faults: name -> (plant, ids of the checks that find it) --------------------------------------


def _unseen_row(context):
    return context.parts["test_unseen"][:1]


def _tested_row_of_a_trained_class(context):
    rows = context.parts["test_seen"]
    return rows[np.isin(context.labels[rows], context.classes("train"))][:1]


def _train_row(context):
    return context.parts["train"][0]


def _near_copy(context, row):
    rng = np.random.default_rng(1)
    x = context.features[row]
    return x + 0.01 * rng.normal(size=x.shape).astype(np.float32)


FAULTS = {
    "unseen class trained on": (
        lambda w: move(w, _unseen_row(w), "test_unseen", "trainval", "train"),
        {"ZSL001", "ZSL002"},
    ),
    "unseen class in trainval only": (
        lambda w: move(w, _unseen_row(w), "test_unseen", "trainval"),
        {"ZSL001"},
    ),
    "seen class among the unseen": (
        lambda w: move(w, w.parts["test_seen"][:1], "test_seen", "test_unseen"),
        {"ZSL001", "ZSL002"},
    ),
    "unseen class in test_seen": (
        lambda w: move(w, _unseen_row(w), "test_unseen", "test_seen"),
        {"ZSL001"},
    ),
    "validation class trained on": (
        lambda w: move(w, w.parts["val"][:1], "val", "train"),
        {"ZSL002"},
    ),
    "seen test row trained on": (
        lambda w: add(w, _tested_row_of_a_trained_class(w), "train", "trainval"),
        {"ZSL003"},
    ),
    "row beyond the last": (lambda w: add(w, [w.n_rows], "trainval"), {"ZSL003"}),
    "row before the first": (lambda w: add(w, [-1], "test_seen"), {"ZSL003"}),
    "row listed twice": (lambda w: add(w, w.parts["val"][1:2], "val"), {"ZSL003"}),
    "train row outside trainval": (
        lambda w: with_parts(w, trainval=w.parts["trainval"][w.parts["trainval"] != _train_row(w)]),
        {"ZSL003"},
    ),
    "equal features": (
        lambda w: with_features(w, w.parts["test_unseen"][-1], w.features[_train_row(w)]),
        {"ZSL004"},
    ),
    "no features": (lambda w: with_features(w, w.parts["test_unseen"][-2], 0), {"ZSL004"}),
    "nearly equal features": (
        lambda w: with_features(w, w.parts["test_unseen"][-3], _near_copy(w, _train_row(w))),
        {"ZSL005"},
    ),
    "equal prototypes": (lambda w: with_prototype(w, 0, w.prototypes[1]), {"ZSL009"}),
    "empty prototype": (lambda w: with_prototype(w, 2, 0), {"ZSL009"}),
    "prototype not finite": (lambda w: with_prototype(w, 3, np.nan), {"ZSL009"}),
}
